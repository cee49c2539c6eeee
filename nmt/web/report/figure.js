// A figure of a report: title, chart, table, note, and buttons that copy it as LaTeX, CSV or SVG.

import { copyText } from "../copy_and_save.js";
import { element } from "../dom.js";
import { draw } from "./chart.js";
import { format, isNumeric, toCsv, toLatex, toSvg } from "./export.js";

const drawn = new Set(); // what is drawn again when the page gets another width
const WIDEST = 620;
const LONGEST = 20; // rows of a table that is open at first
const LONG = 20; // characters of a cell that should not be broken after every word
const HALF = 64; // characters of a row that fit into half the page

/** Whether a figure needs the width of the page. */
function isWide({ chart, columns, rows }) {
  const length = (row) => row.reduce((sum, cell, place) => sum + format(cell, columns[place]).length + 2, 0);
  return !chart && Math.max(...rows.map(length), length(columns.map((column) => column.name))) > HALF;
}

/** The figure; `show(query)` is called by rows that stand for sentences, if it is given. */
export function figureNode(figure, show) {
  const node = element("figure", { className: isWide(figure) ? "figure wide" : "figure", id: `figure-${figure.id}` });
  const state = { x: 0, drawing: null };
  const makers = { LaTeX: () => toLatex(figure), CSV: () => toCsv(figure) };
  if (figure.chart) makers.SVG = () => toSvg(state.drawing);
  const copies = copyButtons(makers, figure.title);
  const title = element("figcaption", { children: [element("h3", { text: figure.title })] });
  node.append(element("div", { className: "figure-head", children: [title, copies] }));
  if (figure.chart && figure.rows.length) {
    const place = element("div", { className: "chart", tabindex: "0", role: "region", "aria-label": figure.title });
    const redraw = () => {
      state.drawing = draw(figure, Math.min(Math.max(place.clientWidth, 260), WIDEST), state.x);
      place.replaceChildren(state.drawing);
    };
    if (figure.chart.x?.length > 1) node.append(choiceOfX(figure, state, redraw));
    node.append(place);
    drawn.add({ place, redraw });
  }
  const table = figure.rows.length ? tableNode(figure, show) : element("p", { className: "soft", text: "None." });
  if (figure.chart || figure.rows.length > LONGEST) {
    const className = figure.chart && figure.rows.length > LONGEST ? "" : "printed"; // of others the chart is enough
    node.append(element("details", { className, children: [element("summary", { text: "Table" }), table] }));
  } else node.append(table);
  if (figure.note) node.append(element("p", { className: "note", text: figure.note }));
  return node;
}

/** Draw all figures in the page with the width that they have now. */
export function drawAll() {
  for (const each of drawn) {
    if (each.place.isConnected) each.redraw();
  }
}

/** A closed table cannot be opened on paper: open those that are printed while the page is. */
export function openForPrint() {
  const closed = [];
  addEventListener("beforeprint", () => {
    closed.push(...document.querySelectorAll("details.printed:not([open])"));
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of closed.splice(0)) each.open = false;
  });
}

function choiceOfX(figure, state, redraw) {
  const buttons = figure.chart.x.map((column, place) => {
    const pressed = String(place === state.x);
    const text = `over ${figure.columns[column].name}${place ? "" : "s"}`;
    const button = element("button", { type: "button", className: "chip", text, "aria-pressed": pressed });
    button.addEventListener("click", () => {
      state.x = place;
      buttons.forEach((each, i) => each.setAttribute("aria-pressed", String(i === place)));
      redraw();
    });
    return button;
  });
  return element("div", { className: "chips", children: buttons });
}

/** A button for each form, which copies what its maker returns of the thing that has this title. */
export function copyButtons(makers, title) {
  const buttons = Object.entries(makers).map(([name, make]) => {
    const told = `Copy ${title} as ${name}`;
    const button = element("button", { type: "button", className: "copy", text: name, "aria-label": told, title: told });
    button.addEventListener("click", async () => {
      await copyText(make());
      button.textContent = "copied";
      document.getElementById("said").textContent = `${title[0].toUpperCase()}${title.slice(1)}: copied as ${name}`;
      setTimeout(() => (button.textContent = name), 1200);
    });
    return button;
  });
  return element("div", { className: "copies", children: buttons });
}

function tableNode(figure, show) {
  const numeric = figure.columns.map((_, place) => isNumeric(figure, place));
  const heads = figure.columns.map((column, place) =>
    element("th", { scope: "col", text: column.name, className: numeric[place] ? "number" : "" }),
  );
  const rows = figure.rows.map((row, number) => {
    const cells = row.map((cell, place) => {
      const column = figure.columns[place];
      const text = format(cell, column);
      const kind = numeric[place] ? "number" : text.length > LONG ? "long" : "";
      const heading = !place && !numeric[0];
      const node = element(heading ? "th" : "td", { className: kind, lang: column.lang });
      if (heading) node.scope = "row";
      if (typeof cell === "string") node.dir = "auto";
      const query = !place && show && figure.queries?.[number];
      if (query) node.append(showButton(text, () => show(query)));
      else node.textContent = text;
      return node;
    });
    return element("tr", { children: cells });
  });
  const head = element("thead", { children: [element("tr", { children: heads })] });
  const table = element("table", {
    className: "numbers",
    children: [element("caption", { className: "hidden", text: figure.title }), head, element("tbody", { children: rows })],
  });
  const label = `Table: ${figure.title}`;
  return element("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": label, children: [table] });
}

/** The name of a row as a button that shows its sentences. */
function showButton(text, show) {
  const told = `${text}: show the sentences`;
  const button = element("button", { type: "button", className: "link", text, title: told, "aria-label": told });
  button.addEventListener("click", show);
  return button;
}
