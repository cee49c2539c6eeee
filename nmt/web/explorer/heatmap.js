// Attention as a heatmap: a row for each word written, a column for each word read.

import { element } from "../dom.js";
import { shown, strength } from "./figure.js";

const LEAST_LABELLED = 13; // pixels that a column needs for its label

export class Heatmap {
  /** `told` hears which cell [row, column] is pointed at, or null. */
  constructor(told, chosen) {
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.veil = element("div", { className: "veil" });
    this.labels = element("div", { className: "labels", "aria-hidden": "true" });
    this.cross = [element("div", { className: "band across" }), element("div", { className: "band down" })];
    this.field = element("div", { className: "field", children: [this.canvas, this.veil, ...this.cross] });
    this.node = element("div", { className: "map", children: [this.labels, this.field] });
    this.field.addEventListener("pointermove", (event) => told(this.cellAt(event)));
    this.field.addEventListener("pointerleave", () => told(null));
    this.field.addEventListener("click", (event) => chosen(this.cellAt(event)));
  }

  cellAt({ clientX, clientY }) {
    const { left, top } = this.field.getBoundingClientRect();
    const [row, place] = [Math.floor((clientY - top) / this.height), Math.floor((clientX - left) / this.width)];
    const column = this.figure.placeOf(place); // to mirror twice is to do nothing
    return this.figure.rows[row] && this.figure.columns[column] && row < this.count ? [row, column] : null;
  }

  /** Draw all rows, each `height` pixels high, in at most `space` pixels of width. */
  draw(figure, scale, height, space) {
    const [rows, columns] = [figure.rows.length, figure.columns.length];
    Object.assign(this, { figure, scale, height });
    this.width = Math.max(2, Math.min(height * 1.5, space / columns));
    this.count = rows;
    const [wide, tall] = [Math.ceil(columns * this.width), rows * height];
    for (const [name, value] of [
      ["width", wide],
      ["height", tall],
    ]) {
      this.field.style.setProperty(name, `${value}px`);
      this.canvas.style.setProperty(name, `${value}px`);
    }
    this.paint(wide, tall);
    const labelled = this.width >= LEAST_LABELLED;
    this.node.style.setProperty("--cell", `${this.width}px`);
    this.labels.replaceChildren(
      ...figure.columns.map((column, place) =>
        element("span", {
          text: labelled ? shown(column.text) : "",
          dir: "auto",
          title: shown(column.text),
          style: { order: String(figure.placeOf(place)) },
        }),
      ),
    );
  }

  paint(wide, tall) {
    const density = Math.min(2, devicePixelRatio || 1);
    [this.canvas.width, this.canvas.height] = [wide * density, tall * density];
    const context = this.canvas.getContext("2d");
    context.scale(density, density);
    const style = getComputedStyle(this.node);
    const [glow, empty] = ["--glow", "--cell-empty"].map((name) => style.getPropertyValue(name).trim());
    const gap = this.width > 7 ? 1 : 0;
    this.figure.weights.forEach((row, i) => {
      row.forEach((weight, j) => {
        const box = [this.figure.placeOf(j) * this.width, i * this.height + gap, this.width - gap, this.height - 2 * gap];
        if (gap) {
          context.fillStyle = empty;
          context.fillRect(...box);
        }
        context.fillStyle = `rgb(${glow} / ${strength(weight, this.scale).toFixed(3)})`;
        context.fillRect(...box);
      });
    });
  }

  /** Show the rows before `count`. */
  grow(count) {
    this.count = count;
    this.veil.style.setProperty("transform", `translateY(${count * this.height}px)`);
  }

  /** Frame a row and a column; null for none. */
  mark(row, column) {
    const place = (band, value, property) => {
      band.hidden = value === null;
      if (value !== null) for (const [name, size] of property) band.style.setProperty(name, `${size}px`);
    };
    place(this.cross[0], row, [
      ["top", row * this.height],
      ["height", this.height],
    ]);
    place(this.cross[1], column, [
      ["left", this.figure.placeOf(column) * this.width],
      ["width", this.width],
    ]);
    [...this.labels.children].forEach((label, place) => label.classList.toggle("marked", place === column));
  }
}
