// The sentences of a test set as a table: sorted, filtered, with the difference to the nearest reference by words.
//
// sentenceTable(container, rows, {languages, onOpen}) fills the container and returns {filter(query), open(number)}.
// A row: {source, references, nearest, translation, chrf, confidence, length, signs, attention}, or with `translations`,
// a list of {name, text, chrf, nearest}, instead of one translation. `attention`: {source, target, weights, sure}, with
// weights as bytes in base64. What is in view is kept in the address as q, sort and open. Without `onOpen`, a click on
// a sentence draws its attention; with it, `onOpen(row)` is called instead.

import { fragment, setFragment } from "../address.js";
import { element } from "../dom.js";
import { COLUMNS, contentsOf, tableFigure } from "./columns.js";
import { toCsv, toLatex } from "./export.js";
import { copyButtons, drawAll, figureNode } from "./figure.js";
import { helpOf, parseQuery } from "./query.js";
import { attentionFigure, textNodes } from "./sentence.js";

const SHOWN = 25; // sentences at first, and added at a time
const MARKS = "A wavy line is under what the nearest reference lacks";

export function sentenceTable(container, given, { languages = { source: "", target: "" }, onOpen } = {}) {
  const rows = given.map((row, place) => ({ number: place + 1, ...row }));
  const contents = contentsOf(rows);
  const { columns } = contents;
  const usual = columns.includes("spread") ? "-spread" : "chrf";
  const state = { query: "", sort: usual, shown: SHOWN, opened: new Set(), found: [] };

  const input = element("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false" });
  input.setAttribute("placeholder", "Filter: words, /regex/, chrF<40 …");
  input.setAttribute("aria-describedby", "filter-help");
  const label = element("label", { className: "hidden", for: "filter", text: "Filter sentences" });
  const count = element("p", { className: "soft", role: "status" });
  const makers = { LaTeX: () => toLatex(figureOfFound()), CSV: () => toCsv(figureOfFound()) };
  const copies = copyButtons(makers, "the sentences found");
  const lacks = rows[0]?.translations ? "" : ", a dashed one under what the translation lacks";
  const help = element("p", { id: "filter-help", text: `${helpOf(contents)} ${MARKS}${lacks}.` });
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
  container.append(element("div", { className: "filter", children: [label, input, count, copies] }), help, table, more);

  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => filter(input.value), 60);
  });
  more.addEventListener("click", () => {
    state.shown += SHOWN;
    render();
  });

  addEventListener("hashchange", () => {
    readAddress();
    render();
  });

  function readAddress() {
    const sort = fragment("sort") || usual;
    state.query = input.value = fragment("q");
    state.sort = columns.includes(sort.replace("-", "")) ? sort : "number";
    state.opened = new Set(fragment("open").split(",").filter(Boolean).map(Number));
    state.shown = SHOWN;
  }

  /** The rows that the filter leaves, to be copied. */
  const figureOfFound = () => tableFigure(state.found, columns, `Sentences${state.query && `: ${state.query}`}`);

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
    return rows.filter(parseQuery(state.query, contents)).sort((a, b) => sign * (value(a) - value(b)) || a.number - b.number);
  }

  function render() {
    for (const [name, node] of Object.entries(heads)) {
      const order = { [name]: "ascending", [`-${name}`]: "descending" }[state.sort];
      if (order) node.setAttribute("aria-sort", order);
      else node.removeAttribute("aria-sort");
    }
    try {
      state.found = chosen();
      input.removeAttribute("aria-invalid");
    } catch (error) {
      input.setAttribute("aria-invalid", "true");
      count.textContent = error.message;
      return;
    }
    const { found } = state;
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
    const [source, ...others] = textNodes(row, languages);
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

  readAddress();
  render();
  return { filter, open: toggle };
}
