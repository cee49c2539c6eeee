// Attention as lines from what was read to what was written; the thicker a line, the larger the weight.

import { svg } from "../dom.js";
import { strength } from "./figure.js";

const LEAST = { linear: 0.02, log: 0.002 }; // smaller weights have no line
const FAINT = 0.1; // strength below which a line of an earlier step could not be seen, and is not drawn

/** A curve from the middle of a column's row on the left to the middle of a row on the right. */
export function curve(column, row, height, width) {
  const [from, to] = [column, row].map((place) => (place + 0.5) * height);
  const bend = width * 0.45;
  return `M0 ${from}C${bend} ${from} ${width - bend} ${to} ${width} ${to}`;
}

/** How a weight is drawn: width and opacity of its line. */
export function pen(weight, scale, height) {
  const strong = strength(weight, scale);
  return { width: 0.75 + strong * Math.min(12, height * 0.4), opacity: 0.12 + 0.88 * strong };
}

/** The lines [row, column, weight] that are worth drawing. */
export function linesOf(weights, scale) {
  const found = [];
  weights?.forEach((row, i) => {
    row.forEach((weight, j) => {
      if (weight >= LEAST[scale]) found.push([i, j, weight]);
    });
  });
  return found;
}

/** Without attention all goes through one vector: curves from every row of one side to the middle. */
export function bottleneck(from, count, height, width, tall) {
  return Array.from({ length: count }, (_, place) => {
    const y = (place + 0.5) * height;
    const [a, b] = from === "left" ? [0, width / 2] : [width, width / 2];
    const bend = (a + b) / 2;
    return `M${a} ${y}C${bend} ${y} ${bend} ${tall / 2} ${b} ${tall / 2}`;
  });
}

/** All lines, with lists of their elements by row and by column. */
export class Lines {
  constructor() {
    this.node = svg("svg", { className: "lines", "aria-hidden": "true" });
  }

  draw(figure, scale, height, width) {
    this.rows = figure.rows.map(() => svg("g"));
    this.columns = figure.columns.map(() => []);
    for (const [row, column, weight] of linesOf(figure.weights, scale)) {
      const { width: thick, opacity } = pen(weight, scale, height);
      const className = strength(weight, scale) < FAINT ? "faint" : "";
      const path = svg("path", { d: curve(column, row, height, width), "stroke-width": thick.toFixed(2), className });
      path.style.setProperty("--strength", opacity.toFixed(3));
      this.rows[row].append(path);
      this.columns[column].push(path);
    }
    const tall = Math.max(figure.rows.length, figure.columns.length) * height;
    const parts = figure.weights ? [] : this.narrow(figure, height, width, tall);
    this.node.setAttribute("viewBox", `0 0 ${width} ${tall}`);
    this.node.setAttribute("width", width);
    this.node.setAttribute("height", tall);
    this.node.replaceChildren(...parts, ...this.rows);
    this.marked = [];
  }

  /** The lines of a model without attention; those to the target are in the groups of its rows. */
  narrow(figure, height, width, tall) {
    const path = (d) => svg("path", { d, "stroke-width": 1.5, className: "through" });
    bottleneck("right", figure.rows.length, height, width, tall).forEach((d, row) => this.rows[row].append(path(d)));
    const left = svg("g", { children: bottleneck("left", figure.columns.length, height, width, tall).map(path) });
    const knot = svg("circle", { cx: width / 2, cy: tall / 2, r: 9, className: "knot" });
    return [left, knot];
  }

  /** Show the rows before `count`, the row `now` strongest. */
  grow(count, now) {
    this.rows.forEach((row, place) => {
      const wanted = place >= count ? "later" : now === null ? "" : place === now ? "now" : "past";
      for (const name of ["later", "now", "past"]) row.classList.toggle(name, name === wanted);
    });
  }

  /** Make the lines of a row or of a column stand out, or none. */
  mark(row, column) {
    this.node.classList.toggle("marking", row !== null || column !== null);
    for (const node of this.marked) node.classList.remove("marked");
    this.marked = row !== null ? [this.rows[row]] : column !== null ? this.columns[column] : [];
    for (const node of this.marked) node.classList.add("marked");
  }
}
