// What all charts share: SVG nodes, round numbers, axes with a grid, and what tells the lines and bars of a chart apart.

import { svg } from "../dom.js";

const HEIGHT = 190; // of a chart without legend and names of axes
const [COLOURS, DASHES] = [8, 3]; // in the style sheet
const SWATCH = 26; // pixels of a sample in the legend
const EDGE = 22; // free pixels to the right of a chart
const LINE = 13; // pixels between slanted names
const pen = document.createElement("canvas").getContext("2d");
pen.font = '12px system-ui, "Noto Sans", sans-serif'; // as in the style sheet

// Shapes of points around their place. Eight colours, three dashes and nine shapes: no two of 72 series look alike.
const SHAPES = [
  "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z",
  "M-2.7 -2.7h5.4v5.4h-5.4Z",
  "M0 -3.8L3.6 2.6H-3.6Z",
  "M-3.4 0H3.4M0 -3.4V3.4",
  "M0 -4L4 0L0 4L-4 0Z",
  "M-2.7 -2.7L2.7 2.7M-2.7 2.7L2.7 -2.7",
  "M0 3.8L3.6 -2.6H-3.6Z",
  "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z",
  "M-2.7 -2.7h5.4v5.4h-5.4Z",
];
const HOLLOW = 7; // shapes from here on

export const node = (name, attributes = {}, text) => svg(name, { ...attributes, text });

export const label = (x, y, text, anchor = "middle", kind = "tick") =>
  node("text", { x, y, "text-anchor": anchor, class: kind }, text);

export function titled(made, text) {
  made.append(node("title", {}, text));
  return made;
}

/** A number as short as it can be read. */
export function short(value) {
  const size = Math.abs(value);
  if (size >= 10_000) return `${Number((value / 1000).toPrecision(3))}k`;
  if (size && size < 0.001) return value.toExponential(0);
  return String(Number(value.toPrecision(3)));
}

/** Round numbers that span low to high, about `count` of them. */
export function ticks(low, high, count = 5) {
  const rough = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
}

export const widthOf = (text) => pen.measureText(text).width;

/** A text, cut to a width. */
function fitted(text, width) {
  if (widthOf(text) <= width) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && widthOf(`${letters.join("")}…`) > width) letters.pop();
  return `${letters.join("")}…`;
}

export const colour = (number) => `s${number % COLOURS}`;

/** The line of a series through places. */
export const stroke = (number, places) =>
  node("path", {
    d: `M${places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`,
    class: `line ${colour(number)} d${number % DASHES}`,
  });

/** A point of a series. */
export function point(number, x, y) {
  const shape = number % SHAPES.length;
  const kind = shape >= HOLLOW ? "point hollow" : "point";
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  return node("path", { d: SHAPES[shape], transform: place, class: `${kind} ${colour(number)}` });
}

/** Samples of lines or bars (`kind`) with their names, in as many rows as they need: {nodes, height}.
 *
 * The name in place i belongs to the series numbers[i], without `numbers` to the series i. */
export function legendOf(names, width, kind, numbers = names.map((_, place) => place)) {
  const nodes = [];
  let [x, y] = [4, 14];
  names.forEach((full, place) => {
    const number = numbers[place];
    const name = fitted(full, width - SWATCH - 16);
    const size = SWATCH + 6 + widthOf(name);
    if (x > 4 && x + size > width) [x, y] = [4, y + 18];
    if (kind === "bars") nodes.push(node("rect", { x: x + 10, y: y - 9, width: 16, height: 10, class: `fill ${colour(number)}` }));
    else nodes.push(stroke(number, [[x, y - 4], [x + SWATCH, y - 4]]), point(number, x + SWATCH / 2, y - 4));
    const text = label(x + SWATCH + 6, y, name, "start", "legend");
    nodes.push(name === full ? text : titled(text, full));
    x += size + 16;
  });
  return { nodes, height: nodes.length ? y + 8 : 0 };
}

/** Axes with a grid; returns the drawing and functions from values to places. `xNames` are the names of `xTicks`. */
export function frame(width, [left, right], [bottom, top], { xLabel, yLabel, xTicks, xNames, legend }) {
  const above = legend?.height ?? 0;
  const names = slanted(xNames, width);
  const head = above + 12 + (yLabel ? 16 : 0);
  const area = { left: names.left, right: width - EDGE, top: head, bottom: HEIGHT + above };
  const height = area.bottom + names.depth + (xLabel ? 22 : 4);
  const drawing = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
  const scale = (from, to, low, high) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const [x, y] = [scale(area.left, area.right, left, right), scale(area.bottom, area.top, bottom, top)];
  for (const tick of ticks(bottom, top)) {
    drawing.append(node("path", { d: `M${area.left} ${y(tick)}H${area.right}`, class: "grid" }));
    drawing.append(label(area.left - 6, y(tick) + 4, short(tick), "end"));
  }
  (xTicks ?? ticks(left, right)).forEach((tick, place) => {
    drawing.append(names.draw(x(tick), area.bottom, xNames ? names.texts[place] : short(tick)));
  });
  if (xLabel) drawing.append(label((area.left + area.right) / 2, height - 6, xLabel, "middle", "axis"));
  if (yLabel) drawing.append(label(4, above + 14, yLabel, "start", "axis"));
  drawing.append(...(legend?.nodes ?? []));
  return { drawing, x, y, area };
}

/** How the names below an axis are drawn: slanted where they would touch, as steeply as their distance asks for. */
function slanted(names, width) {
  const [least, count] = [44, names?.length || 1];
  const room = width - EDGE;
  const step = (room - least) / count;
  const level = (x, y, text) => label(x, y + 16, text);
  if (!names || names.every((name) => widthOf(name) < step - 4)) {
    return { left: least, depth: 18, texts: names, draw: level };
  }
  const texts = names.map((name) => fitted(name, 130));
  const sine = Math.min(Math.max(LINE / step, 0.47), 0.98);
  const draw = (x, y, text) => {
    const made = label(x, y + 15, text, "end");
    made.setAttribute("transform", `rotate(${(-Math.asin(sine) * 180) / Math.PI} ${x} ${y + 12})`);
    return made;
  };
  const depth = 18 + sine * Math.max(...texts.map(widthOf));
  const reach = 2 + LINE * sine + Math.sqrt(1 - sine ** 2) * widthOf(texts[0]); // of the first name to the left of its place
  const left = (reach - room / (2 * count)) / (1 - 1 / (2 * count));
  return { left: Math.min(Math.max(least, left), room / 2), depth, texts, draw };
}
