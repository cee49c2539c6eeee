// A heat map as SVG: {kind: "heat", sure}. The first column of its figure names the rows; `sure` is 1 if the second one
// has the confidence of each.

import { isLeftwards } from "../scripts.js";
import { label, node, titled } from "./axes.js";

const MANY = 4000; // cells

export function heat(figure, chart, width) {
  const before = chart.sure ? 2 : 1; // columns that are no weights
  const names = figure.columns.slice(before).map((column) => column.name);
  const rowName = ([word, sure]) =>
    chart.sure && sure !== null ? `\u2068${word}\u2069 ${Math.round(100 * sure)} %` : word;
  const wide = (texts) => Math.max(...texts.map((text) => Array.from(text).length));
  const [side, head] = [wide(figure.rows.map(rowName)) * 7.5 + 12, wide(names) * 5.6 + 16];
  const cell = Math.max(Math.min((width - side - head * 0.6) / names.length, 34), 14);
  const size = [side + names.length * cell + head * 0.7, head + figure.rows.length * cell + 4];
  const drawing = node("svg", { viewBox: `0 0 ${size[0]} ${size[1]}`, width: size[0], height: size[1] });
  const mirrored = isLeftwards(names.join(" ")); // columns in the order in which the sentence is read
  const placeOf = (column) => (mirrored ? names.length - 1 - column : column);
  names.forEach((name, column) => {
    const place = [side + (placeOf(column) + 0.5) * cell, head - 6];
    const tick = label(...place, name, "start", "word");
    tick.setAttribute("transform", `rotate(-40 ${place.join(" ")})`);
    drawing.append(tick);
  });
  const ground = { x: side, y: head, width: names.length * cell, height: figure.rows.length * cell };
  drawing.append(node("rect", { ...ground, class: "empty" }));
  const many = names.length * figure.rows.length > MANY; // then what cannot be seen is left out
  figure.rows.forEach((row, number) => {
    drawing.append(label(side - 6, head + (number + 0.5) * cell + 4, rowName(row), "end", "word"));
    names.forEach((name, column) => {
      const weight = row[column + before] ?? 0;
      if (many && weight < 0.02) return;
      const [x, y] = [side + placeOf(column) * cell, head + number * cell];
      const shape = { x, y, width: cell - 1.5, height: cell - 1.5, rx: 2 };
      const square = node("rect", { ...shape, class: "heat", "fill-opacity": Math.min(1, weight).toFixed(3) });
      drawing.append(many ? square : titled(square, `${row[0]} ← ${name}: ${Math.round(100 * weight)} %`));
    });
  });
  return drawing;
}
