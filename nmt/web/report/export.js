// A figure as LaTeX, CSV or SVG, for papers and spreadsheets.

const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
const escapeTex = (text) => text.replace(/[\\~^]|[{}$&#_%]/gu, (sign) => TEX[sign] ?? `\\${sign}`);
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity"];
const WRITTEN = ["font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/** A cell as text: numbers with the digits of their column. */
export function format(cell, column) {
  if (cell === null || cell === undefined) return "–";
  if (typeof cell !== "number") return String(cell);
  if (column.digits !== undefined) return cell.toFixed(column.digits);
  return Number.isInteger(cell) ? cell.toLocaleString("en") : String(cell);
}

export const isNumeric = (figure, place) =>
  figure.rows.some((row) => typeof row[place] === "number") &&
  figure.rows.every((row) => row[place] === null || typeof row[place] === "number");

function caption({ title, note }) {
  if (!note) return title;
  return title.endsWith("?") ? `${title} ${note}` : `${title}. ${note}`;
}

/** A table for LaTeX with booktabs. */
export function toLatex(figure) {
  const align = figure.columns.map((_, place) => (isNumeric(figure, place) ? "r" : "l")).join("");
  const line = (cells) => `${cells.map(escapeTex).join(" & ")} \\\\`;
  return [
    "\\begin{table}",
    "\\centering",
    `\\begin{tabular}{${align}}`,
    "\\toprule",
    line(figure.columns.map((column) => column.name)),
    "\\midrule",
    ...figure.rows.map((row) => line(row.map((cell, place) => format(cell, figure.columns[place])))),
    "\\bottomrule",
    "\\end{tabular}",
    `\\caption{${escapeTex(caption(figure))}}`,
    "\\end{table}",
    "",
  ].join("\n");
}

/** Unrounded numbers as CSV; no text begins a formula of a spreadsheet. */
export function toCsv(figure) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t]/u.test(value) ? `'${value}` : value;
    return /[",\n\r]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [figure.columns.map((column) => column.name), ...figure.rows];
  return lines.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** A drawing as a file of its own, in the colours of the light page. */
export function toSvg(drawing) {
  const copy = drawing.cloneNode(true);
  const paper = document.createElement("div");
  paper.className = "paper hidden";
  paper.append(copy);
  document.body.append(paper);
  for (const node of copy.querySelectorAll("*")) {
    const style = getComputedStyle(node);
    const names = node.tagName === "text" ? [...DRAWN, ...WRITTEN] : DRAWN;
    for (const name of names) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  }
  paper.remove();
  copy.removeAttribute("class");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}
