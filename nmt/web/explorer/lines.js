// Attention as lines from what was read to what was written; the thicker a line, the larger the weight.

import { svg } from "../dom.js";
import { strength } from "./figure.js";

const LEAST = { linear: 0.02, log: 0.002 }; // smaller weights have no line

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
      const path = svg("path", { d: curve(column, row, height, width), "stroke-width": thick.toFixed(2) });
      path.style.opacity = opacity.toFixed(3);
      this.rows[row].append(path);
      this.columns[column].push(path);
    }
    const tall = Math.max(figure.rows.length, figure.columns.length) * height;
    this.node.setAttribute("viewBox", `0 0 ${width} ${tall}`);
    this.node.setAttribute("width", width);
    this.node.setAttribute("height", tall);
    this.node.replaceChildren(...this.rows);
    this.marked = [];
  }

  /** Show the rows before `count`, the row `now` strongest. */
  grow(count, now) {
    this.rows.forEach((row, place) => {
      const wanted = place >= count ? "later" : place === now ? "now" : "";
      if (row.getAttribute("class") !== wanted) row.setAttribute("class", wanted);
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
