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
    const { data } = (this.image =
      this.image?.width === vector.length ? this.image : context.createImageData(vector.length, 1));
    const [below, above] = colours();
    for (let i = 0; i < vector.length; i++) {
      const value = vector[i] / largest;
      const colour = value < 0 ? below : above;
      for (let part = 0; part < 3; part++) data[4 * i + part] = colour[part];
      data[4 * i + 3] = 255 * Math.min(1, Math.abs(value)) ** 0.7;
    }
    context.putImageData(this.image, 0, 0);
  }
}

/** A strip that never changes, as an image: hundreds of them cost less than canvases. */
export function stillStrip(vector, largest, label = "") {
  const strip = new Strip();
  strip.draw(vector, largest);
  const image = `url(${strip.node.toDataURL()})`;
  return element("div", {
    className: "strip still",
    role: "img",
    "aria-label": label,
    title: label,
    style: { "background-image": image },
  });
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

const STRONG = 0.97; // share of the numbers whose colour tells their size; the few beyond have the strongest

/** The absolute number that the strongest colour stands for. */
export function largestOf(vectors) {
  const sizes = vectors.flatMap((vector) => (vector ? Array.from(vector, Math.abs) : [])).sort((a, b) => a - b);
  return Math.max(1e-6, sizes[Math.floor(STRONG * (sizes.length - 1))] || 0);
}
