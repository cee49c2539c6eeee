// The current picture as SVG and PNG, and its numbers as JSON.

import { svg } from "../dom.js";
import { shown, strength } from "./figure.js";
import { curve, linesOf, pen } from "./lines.js";

const [ROW, CELL, SPACE, MARGIN] = [28, 28, 200, 16];
const FONT = "system-ui, 'Noto Sans', sans-serif";

/** Width of a text in pixels. */
function measure(text) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `15px ${FONT}`;
  return context.measureText(text).width;
}

/** The picture as an SVG element that stands alone. */
export function drawing(figure, scale) {
  const { rows, columns, weights, placeOf } = figure;
  const style = getComputedStyle(document.documentElement);
  const [text, card, glow, empty] = ["--text", "--card", "--glow", "--cell-empty"].map((name) =>
    style.getPropertyValue(name).trim(),
  );
  const widest = (words) => Math.max(...words.map((word) => measure(shown(word.text)))) + 8;
  const [left, middle] = [widest(columns), widest(rows)];
  const top = weights ? left + 2 * MARGIN : MARGIN;
  const [atLines, atTarget] = [MARGIN + left, MARGIN + left + SPACE];
  const atMap = atTarget + middle + MARGIN;
  const width = weights ? atMap + columns.length * CELL + MARGIN : atTarget + middle + MARGIN;
  const height = top + Math.max(rows.length, columns.length) * ROW + MARGIN;
  const word = (content, x, place, anchor) =>
    svg("text", {
      x,
      y: top + (place + 0.68) * ROW,
      "text-anchor": anchor,
      text: shown(content),
      style: { "unicode-bidi": "isolate" },
    });
  const children = [svg("rect", { width, height, fill: card })];
  children.push(...columns.map((column, place) => word(column.text, atLines - 6, place, "end")));
  children.push(...rows.map((row, place) => word(row.text, atTarget + 6, place, "start")));
  const paths = linesOf(weights, scale).map(([row, column, weight]) => {
    const { width: thick, opacity } = pen(weight, scale, ROW);
    const d = curve(column, row, ROW, SPACE);
    return svg("path", {
      d,
      fill: "none",
      stroke: `rgb(${glow.replaceAll(" ", ", ")})`,
      "stroke-width": thick.toFixed(2),
      opacity: opacity.toFixed(3),
    });
  });
  children.push(svg("g", { transform: `translate(${atLines} ${top})`, children: paths }));
  if (weights) {
    const cells = weights.flatMap((row, i) =>
      row.flatMap((weight, j) => {
        const box = { x: placeOf(j) * CELL, y: i * ROW + 1, width: CELL - 2, height: ROW - 2 };
        return [
          svg("rect", { ...box, fill: empty }),
          svg("rect", {
            ...box,
            fill: `rgb(${glow.replaceAll(" ", ", ")})`,
            "fill-opacity": strength(weight, scale).toFixed(3),
          }),
        ];
      }),
    );
    children.push(svg("g", { transform: `translate(${atMap} ${top})`, children: cells }));
    columns.forEach((column, place) => {
      const at = `translate(${atMap + (placeOf(place) + 0.65) * CELL} ${top - 8}) rotate(-90)`;
      children.push(svg("text", { transform: at, text: shown(column.text) }));
    });
  }
  const root = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` };
  return svg("svg", { ...root, "font-family": FONT, "font-size": 15, fill: text, children });
}

/** Save a file. */
function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveSvg(figure, scale) {
  download(
    "attention.svg",
    new Blob([new XMLSerializer().serializeToString(drawing(figure, scale))], { type: "image/svg+xml" }),
  );
}

export async function savePng(figure, scale) {
  const picture = drawing(figure, scale);
  const [width, height] = ["width", "height"].map((name) => +picture.getAttribute(name));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scaled = Math.min(2, 8000 / Math.max(width, height));
  [canvas.width, canvas.height] = [width * scaled, height * scaled];
  const context = canvas.getContext("2d");
  context.scale(scaled, scaled);
  context.drawImage(image, 0, 0);
  canvas.toBlob((blob) => download("attention.png", blob), "image/png");
}

/** The numbers of a trace, as JSON can hold them. */
export function numbersOf(trace) {
  const plain = (numbers) => numbers && Array.from(numbers, (each) => +each.toPrecision(6));
  return {
    source: trace.source.pieces,
    target: trace.target.pieces,
    translation: trace.text,
    score: trace.score,
    search: trace.search,
    formulas: Object.fromEntries(
      Object.entries(trace.formulas).map(([role, { name, equation }]) => [role, { name, equation }]),
    ),
    encoder_states: trace.encoder && rowsOf(plain(trace.encoder.states), trace.encoder.size),
    steps: trace.steps.map((step) => ({
      token: step.token,
      log_probability: step.logProb,
      set_by_hand: step.given,
      candidates: step.candidates.map(({ raw, probability }) => ({ piece: raw, probability })),
      query: plain(step.query),
      energies: plain(step.energies),
      weights: plain(step.weights),
      context: plain(step.context),
      state: plain(step.state),
    })),
  };
}

const rowsOf = (numbers, size) =>
  Array.from({ length: numbers.length / size }, (_, row) => numbers.slice(row * size, (row + 1) * size));

export function saveJson(trace) {
  download("attention.json", new Blob([JSON.stringify(numbersOf(trace), null, 1)], { type: "application/json" }));
}
