// Pictures that stand alone, as SVG elements with all their styles.

import { svg } from "../dom.js";
import { shown, strength } from "./figure.js";
import { bottleneck, curve, linesOf, pen } from "./lines.js";

const [ROW, CELL, SPACE, MARGIN] = [28, 28, 200, 16];
const FONT = "system-ui, 'Noto Sans', sans-serif";

/** Width of a text in pixels. */
function measure(text) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `15px ${FONT}`;
  return context.measureText(text).width;
}

/** Colours of the page by their names in its styles. */
function ink(...names) {
  const style = getComputedStyle(document.documentElement);
  return names.map((name) => style.getPropertyValue(name).trim());
}

/** A colour that the styles hold as "13 148 136", so that they can make it transparent. */
const solid = (colour) => `rgb(${colour.replaceAll(" ", ", ")})`;

/** An SVG element on the background of the page, with a margin around it, that needs nothing else. */
function standalone(width, height, children) {
  const [text, card] = ink("--text", "--card");
  const [wide, high] = [width + 2 * MARGIN, height + 2 * MARGIN];
  const root = { xmlns: "http://www.w3.org/2000/svg", width: wide, height: high, viewBox: `0 0 ${wide} ${high}` };
  const content = svg("g", { transform: `translate(${MARGIN} ${MARGIN})`, children });
  const background = svg("rect", { width: wide, height: high, fill: card });
  return svg("svg", { ...root, "font-family": FONT, "font-size": 15, fill: text, children: [background, content] });
}

/** The picture of attention as an SVG element that stands alone. */
export function drawing(figure, scale) {
  const { rows, columns, weights } = figure;
  const widest = (words) => Math.max(...words.map((word) => measure(shown(word.text)))) + 8;
  const [left, middle] = [widest(columns), widest(rows)];
  const top = weights ? left + MARGIN : 0;
  const [atLines, atTarget] = [left, left + SPACE];
  const atMap = atTarget + middle + MARGIN;
  const width = weights ? atMap + columns.length * CELL : atTarget + middle;
  const height = top + Math.max(rows.length, columns.length) * ROW;
  const word = (content, x, place, anchor) =>
    svg("text", {
      x,
      y: top + (place + 0.68) * ROW,
      "text-anchor": anchor,
      text: shown(content),
      style: { "unicode-bidi": "isolate" },
    });
  const children = columns.map((column, place) => word(column.text, atLines - 6, place, "end"));
  children.push(...rows.map((row, place) => word(row.text, atTarget + 6, place, "start")));
  const paths = weights ? weightLines(weights, scale) : throughOneVector(columns.length, rows.length);
  children.push(svg("g", { transform: `translate(${atLines} ${top})`, children: paths }));
  if (weights) children.push(svg("g", { transform: `translate(${atMap} ${top})`, children: mapOf(figure, scale) }));
  return standalone(width, height, children);
}

function weightLines(weights, scale) {
  const [glow] = ink("--glow");
  return linesOf(weights, scale).map(([row, column, weight]) => {
    const { width, opacity } = pen(weight, scale, ROW);
    const line = { "stroke-width": width.toFixed(2), opacity: opacity.toFixed(3), stroke: solid(glow), fill: "none" };
    return svg("path", { d: curve(column, row, ROW, SPACE), ...line });
  });
}

/** The lines of a model without attention. */
function throughOneVector(read, written) {
  const [soft, accent] = ink("--soft", "--accent");
  const tall = Math.max(read, written) * ROW;
  const sides = [bottleneck("left", read, ROW, SPACE, tall), bottleneck("right", written, ROW, SPACE, tall)];
  const lines = sides.flat().map((d) => svg("path", { d, stroke: soft, opacity: 0.5, fill: "none" }));
  return [...lines, svg("circle", { cx: SPACE / 2, cy: tall / 2, r: 9, fill: accent })];
}

/** The cells of a heatmap, and the words above them. */
function mapOf({ columns, weights, placeOf }, scale) {
  const [glow, empty] = ink("--glow", "--cell-empty");
  const cells = weights.flatMap((row, i) =>
    row.flatMap((weight, j) => {
      const box = { x: placeOf(j) * CELL, y: i * ROW + 1, width: CELL - 2, height: ROW - 2 };
      const opacity = strength(weight, scale).toFixed(3);
      return [
        svg("rect", { ...box, fill: empty }),
        svg("rect", { ...box, fill: solid(glow), "fill-opacity": opacity }),
      ];
    }),
  );
  const words = columns.map(({ text }, place) => {
    const at = `translate(${(placeOf(place) + 0.65) * CELL} -8) rotate(-90)`;
    return svg("text", { transform: at, text: shown(text) });
  });
  return [...cells, ...words];
}
