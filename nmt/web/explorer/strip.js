// Vectors as strips of colour: one column for each number, blue below zero, orange above, the stronger the larger.

import { element } from "../dom.js";

/** A strip that shows one vector after the other. */
export class Strip {
  constructor(label = "") {
    this.node = element("canvas", { className: "strip", role: "img", "aria-label": label, title: label });
    this.node.height = 1;
  }

  /** Show numbers; `largest` is that of the strongest colour. */
  draw(vector, largest = 1) {
    const { node } = this;
    this.node.hidden = !vector;
    if (!vector) return;
    if (node.width !== vector.length) node.width = vector.length;
    const context = node.getContext("2d");
    const image = context.createImageData(vector.length, 1);
    const [below, above] = colours();
    for (let i = 0; i < vector.length; i++) {
      const value = vector[i] / largest;
      const [red, green, blue] = value < 0 ? below : above;
      image.data.set([red, green, blue, 255 * Math.min(1, Math.abs(value)) ** 0.8], 4 * i);
    }
    context.putImageData(image, 0, 0);
  }
}

let known = null;

/** The two colours as [red, green, blue]; they differ between light and dark. */
function colours() {
  if (!known) {
    const style = getComputedStyle(document.documentElement);
    known = ["--below", "--above"].map((name) => style.getPropertyValue(name).trim().split(" ").map(Number));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (known = null), { once: true });
  }
  return known;
}

/** The largest absolute number, at least `least`. */
export function largestOf(vectors, least = 1e-6) {
  let largest = least;
  for (const vector of vectors) {
    if (vector) for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]) || 0);
  }
  return largest;
}
