// The columns of the sentence table: their names, their numbers, and how these are written.

import { roundPercent } from "../dom.js";

export const COLUMNS = {
  number: { name: "#", value: (row) => row.number, text: (row) => String(row.number) },
  chrf: { name: "chrF", value: (row) => row.chrf, text: (row) => row.chrf.toFixed(0), digits: 1 },
  spread: { name: "spread", value: (row) => row.spread, text: (row) => row.spread.toFixed(0), digits: 1 },
  confidence: {
    name: "sure",
    value: (row) => row.confidence,
    text: (row) => roundPercent(row.confidence),
    digits: 3,
    share: true, // of one, which a filter may give in percent
  },
  length: { name: "length", value: (row) => row.length, text: (row) => String(row.length) },
};

/** What the rows of a page have: the keys of their columns, and the signs of trouble that some of them show. */
export function contentsOf(rows) {
  const columns = Object.keys(COLUMNS).filter((key) => rows.length && COLUMNS[key].value(rows[0]) !== undefined);
  return { columns, signs: [...new Set(rows.flatMap((row) => row.signs ?? []))].sort() };
}

/** The translations of a row: one, or one of each model. */
export const translationsOf = (row) =>
  row.translations ?? [{ text: row.translation, chrf: row.chrf, nearest: row.nearest }];

/** Rows of the table as a figure, to be copied: numbers, source, translations and references. */
export function tableFigure(rows, columns, title) {
  const single = !rows[0]?.translations;
  const models = rows.length ? translationsOf(rows[0]) : [];
  const names = single ? [{ name: "translation" }] : models.flatMap(({ name }) => [{ name }, { name: `chrF of ${name}`, digits: 1 }]);
  const most = Math.max(0, ...rows.map((row) => row.references.length));
  const references = Array.from({ length: most }, (_, place) => place);
  return {
    title,
    columns: [
      ...columns.map((key) => ({ name: COLUMNS[key].name, digits: COLUMNS[key].digits })),
      { name: "source" },
      ...names,
      ...references.map((place) => ({ name: most > 1 ? `reference ${place + 1}` : "reference" })),
    ],
    rows: rows.map((row) => [
      ...columns.map((key) => COLUMNS[key].value(row)),
      row.source,
      ...translationsOf(row).flatMap(({ text, chrf }) => (single ? [text] : [text, chrf])),
      ...references.map((place) => row.references[place] ?? ""),
    ]),
  };
}
