// One sentence of the sentence table: its texts with what differs marked, and its attention.

import { element } from "../dom.js";
import { translationsOf } from "./columns.js";
import { common, marked, units } from "./diff.js";

/** Source, translations and references as paragraphs. */
export function textNodes(row, { source, target }) {
  const nodes = [element("p", { className: "source", lang: source, dir: "auto", text: row.source })];
  const translations = translationsOf(row);
  const nearest = translations[0].nearest ?? 0;
  const single = !row.translations;
  const versions = element("div", { className: "versions" }); // one grid, so that all begin in line
  for (const each of translations) {
    const reference = units(row.references[each.nearest ?? 0] ?? "");
    const words = units(each.text);
    const [kept, found] = common(words, reference);
    const attributes = { lang: target, dir: "auto", className: "translation" };
    const line = marked(element("p", attributes), words, kept, "ins");
    if (!each.text) line.append(element("span", { className: "soft", text: "(nothing)" }));
    if (single) {
      const nearestText = element("p", { ...attributes, className: "reference" });
      nodes.push(line, marked(nearestText, reference, found, "del"));
    } else {
      versions.append(element("span", { className: "model", text: `${each.name} ${each.chrf.toFixed(0)}` }), line);
    }
  }
  if (!single) nodes.push(versions);
  row.references.forEach((text, place) => {
    if (!single || place !== nearest) nodes.push(element("p", { className: "reference", lang: target, dir: "auto", text }));
  });
  return nodes;
}

/** The attention of a row as a figure: target words down the side, source words on top. */
export function attentionFigure({ number, attention }) {
  const bytes = Uint8Array.from(atob(attention.weights), (character) => character.charCodeAt(0));
  const width = attention.source.length;
  const end = (word) => (word === "</s>" ? "end" : word);
  return {
    id: `attention-${number}`,
    title: `Attention of sentence ${number}`,
    note: "Rows: words of the translation, as they were written. Columns: the source words that it looked at.",
    columns: [
      { name: "word" },
      { name: "sure", digits: 2 },
      ...attention.source.map((word) => ({ name: end(word), digits: 2 })),
    ],
    rows: attention.target.map((word, row) => {
      const weights = Array.from(bytes.subarray(row * width, (row + 1) * width), (byte) => byte / 255);
      return [end(word), attention.sure?.[row] ?? null, ...weights];
    }),
    chart: { kind: "heat", sure: 1 },
  };
}
