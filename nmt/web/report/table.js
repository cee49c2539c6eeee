// The sentences of a test set as a table: sorted, filtered, with the difference to the nearest reference by words.
//
// sentenceTable(container, rows, {languages, onOpen}) fills the container and returns {filter(query), open(number)}.
// A row: {source, references, nearest, translation, chrf, confidence, length, signs, attention}, or with `translations`,
// a list of {name, text, chrf, nearest}, instead of one translation. `attention`: {source, target, weights, sure}, with
// weights as bytes in base64. What is in view is kept in the address as q, sort and open. Without `onOpen`, a click on
// a sentence draws its attention; with it, `onOpen(row)` is called instead.

import { element, roundPercent } from "../dom.js";
import { common, marked, units } from "./diff.js";
import { drawAll, figureNode } from "./figure.js";
import { fragment, setFragment } from "./fragment.js";
import { parseQuery, translationsOf } from "./query.js";

const SHOWN = 25; // sentences at first, and added at a time
const HELP =
  'Words or "a phrase", /a regular expression/, chrf<40, sure>0.8, length>=20, is:repeats, missing:word, #12. ' +
  "All of them must hold. sure is the confidence, from 0 to 1. A wavy line is under what the nearest reference lacks, a " +
  "dashed one under what the translation lacks.";
const COLUMNS = {
  number: { name: "#", value: (row) => row.number, text: (row) => String(row.number) },
  chrf: { name: "chrF", value: (row) => row.chrf, text: (row) => row.chrf.toFixed(0) },
  spread: { name: "spread", value: (row) => row.spread, text: (row) => row.spread.toFixed(0) },
  confidence: { name: "sure", value: (row) => row.confidence, text: (row) => roundPercent(row.confidence) },
  length: { name: "length", value: (row) => row.length, text: (row) => String(row.length) },
};

export function sentenceTable(container, given, { languages = { source: "", target: "" }, onOpen } = {}) {
  const rows = given.map((row, place) => ({ number: place + 1, ...row }));
  const columns = Object.keys(COLUMNS).filter((name) => rows.length && COLUMNS[name].value(rows[0]) !== undefined);
  const usual = columns.includes("spread") ? "-spread" : "chrf";
  const state = { query: fragment("q"), sort: fragment("sort") || usual, shown: SHOWN, opened: new Set() };
  for (const number of fragment("open").split(",")) if (number) state.opened.add(Number(number));
  if (!columns.includes(state.sort.replace("-", ""))) state.sort = "number";

  const input = element("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false" });
  input.value = state.query;
  input.setAttribute("placeholder", "Filter: words, /regex/, chrf<40 …");
  input.setAttribute("aria-describedby", "filter-help");
  const label = element("label", { className: "hidden", for: "filter", text: "Filter sentences" });
  const count = element("p", { className: "soft", role: "status" });
  const help = element("p", { id: "filter-help", text: HELP });
  const heads = Object.fromEntries(columns.map((name) => [name, headOf(name)]));
  const text = element("th", { scope: "col", role: "columnheader", text: "sentence" });
  const head = element("tr", { role: "row", children: [...Object.values(heads), text] });
  const body = element("tbody", { role: "rowgroup" });
  const table = element("table", {
    className: "sentences",
    role: "table",
    children: [
      element("caption", { className: "hidden", text: "Sentences of the test set" }),
      element("thead", { role: "rowgroup", children: [head] }),
      body,
    ],
  });
  const more = element("button", { type: "button", className: "quiet more" });
  container.append(element("div", { className: "filter", children: [label, input, count] }), help, table, more);

  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => filter(input.value), 60);
  });
  more.addEventListener("click", () => {
    state.shown += SHOWN;
    render();
  });

  function headOf(name) {
    const button = element("button", { type: "button", className: "sort", text: COLUMNS[name].name });
    button.addEventListener("click", () => {
      state.sort = state.sort === name ? `-${name}` : name;
      state.shown = SHOWN;
      setFragment({ sort: state.sort });
      render();
    });
    return element("th", { scope: "col", role: "columnheader", className: "number", children: [button] });
  }

  function filter(query) {
    state.query = query;
    state.shown = SHOWN;
    if (input.value !== query) input.value = query;
    setFragment({ q: query });
    render();
  }

  /** Rows that pass the filter, in order. */
  function chosen() {
    const name = state.sort.replace("-", "");
    const sign = state.sort.startsWith("-") ? -1 : 1;
    const value = COLUMNS[name].value;
    return rows.filter(parseQuery(state.query)).sort((a, b) => sign * (value(a) - value(b)) || a.number - b.number);
  }

  function render() {
    for (const [name, node] of Object.entries(heads)) {
      const order = { [name]: "ascending", [`-${name}`]: "descending" }[state.sort];
      if (order) node.setAttribute("aria-sort", order);
      else node.removeAttribute("aria-sort");
    }
    let found;
    try {
      found = chosen();
      input.removeAttribute("aria-invalid");
    } catch (error) {
      input.setAttribute("aria-invalid", "true");
      count.textContent = error.message;
      return;
    }
    count.textContent =
      found.length === rows.length ? `${rows.length} sentences` : `${found.length} of ${rows.length} sentences`;
    body.replaceChildren(...found.slice(0, state.shown).map(rowOf));
    more.hidden = found.length <= state.shown;
    more.textContent = `Show ${Math.min(SHOWN, found.length - state.shown)} more`;
    drawAll();
  }

  function rowOf(row) {
    const cells = columns.map((name) =>
      element("td", {
        role: "cell",
        className: "number",
        text: COLUMNS[name].text(row),
        data: { name: COLUMNS[name].name },
      }),
    );
    const open = state.opened.has(row.number);
    const [source, ...others] = textsOf(row, languages);
    const first = element("div", { className: "first", children: [source] });
    if (onOpen || row.attention) first.append(openButton(row, open));
    const content = element("td", { role: "cell", className: "texts", children: [first, ...others] });
    if (open && row.attention && !onOpen) content.append(figureNode(attentionFigure(row), null));
    return element("tr", { role: "row", children: [...cells, content], data: { number: row.number } });
  }

  function openButton(row, open) {
    const text = onOpen ? "Open" : open ? "Hide attention" : "Attention";
    const button = element("button", { type: "button", className: "copy", text });
    button.setAttribute("aria-label", `${text} of sentence ${row.number}`);
    if (!onOpen) button.setAttribute("aria-expanded", String(open));
    button.addEventListener("click", () => (onOpen ? onOpen(row) : toggle(row.number)));
    return button;
  }

  function toggle(number) {
    if (!state.opened.delete(number)) state.opened.add(number);
    setFragment({ open: [...state.opened].join(",") });
    const [old, row] = [body.querySelector(`[data-number="${number}"]`), rows[number - 1]];
    const fresh = rowOf(row);
    old.replaceWith(fresh);
    drawAll();
    fresh.querySelector("[aria-expanded]").focus();
  }

  render();
  return { filter, open: toggle };
}

/** Source, translations and references, with what differs marked. */
function textsOf(row, { source, target }) {
  const nodes = [element("p", { className: "source", lang: source, dir: "auto", text: row.source })];
  const translations = translationsOf(row);
  const nearest = translations[0].nearest ?? 0;
  const single = !row.translations;
  for (const each of translations) {
    const reference = units(row.references[each.nearest ?? 0] ?? "");
    const words = units(each.text);
    const [kept, found] = common(words, reference);
    const attributes = { lang: target, dir: "auto", className: "translation" };
    const line = marked(words, kept, "ins", attributes);
    if (!each.text) line.append(element("span", { className: "soft", text: "(nothing)" }));
    if (single) {
      nodes.push(line, marked(reference, found, "del", { ...attributes, className: "reference" }));
    } else {
      const name = element("span", { className: "model", text: `${each.name} ${each.chrf.toFixed(0)}` });
      nodes.push(element("div", { className: "versions", children: [name, line] }));
    }
  }
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
