// Charts as SVG: bars, lines, reliability and heat. A figure says which of its columns are drawn:
// {kind: "bars", label, values: [columns], low, high, top, xLabel, yLabel} · {kind: "lines", x: [columns], y: [columns],
// by, mark, ticks} · {kind: "reliability", x, y, size} · {kind: "heat", sure}, whose first column names the rows; `sure`
// is 1 if the second one has the confidence of each.

import { isLeftwards } from "../scripts.js";
import { format } from "./export.js";

const HEIGHT = 230;
const SVG = "http://www.w3.org/2000/svg";
const SERIES = 8; // colours in the style sheet
const MANY = 4000; // cells of a heat map

function node(name, attributes = {}, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const label = (x, y, text, anchor = "middle", kind = "tick") =>
  node("text", { x, y, "text-anchor": anchor, class: kind }, text);
const titled = (made, text) => {
  made.append(node("title", {}, text));
  return made;
};

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

/** Drawing of a figure, `width` pixels wide; `x` chooses among several columns for the x axis. */
export function draw(figure, width, x = 0) {
  const chart = figure.chart;
  const drawing = { bars, lines, reliability, heat }[chart.kind](figure, chart, width, x);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `${figure.title}: chart; the table has its numbers`);
  return drawing;
}

/** Axes with a grid; returns the drawing and functions from values to places. */
function frame(width, [left, right], [bottom, top], { xLabel, yLabel, xTicks, xNames, slanted, legend = [] }) {
  const area = {
    left: 44,
    right: width - 22,
    top: 12 + (legend.length || yLabel ? 14 : 0),
    bottom: HEIGHT - (slanted ? 62 : 40),
  };
  const drawing = node("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT });
  const scale = (from, to, low, high) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const [x, y] = [scale(area.left, area.right, left, right), scale(area.bottom, area.top, bottom, top)];
  for (const tick of ticks(bottom, top)) {
    drawing.append(node("path", { d: `M${area.left} ${y(tick)}H${area.right}`, class: "grid" }));
    drawing.append(label(area.left - 6, y(tick) + 4, short(tick), "end"));
  }
  for (const tick of xTicks ?? ticks(left, right)) {
    drawing.append(label(x(tick), area.bottom + 16, xNames?.[tick] ?? short(tick)));
  }
  if (xLabel) drawing.append(label((area.left + area.right) / 2, HEIGHT - 6, xLabel, "middle", "axis"));
  if (yLabel) drawing.append(label(4, 12, yLabel, "start", "axis"));
  let place = area.right;
  for (const [number, name] of [...legend.entries()].reverse()) {
    const cut = name.length > 24 ? `${name.slice(0, 23)}…` : name;
    drawing.append(label(place, 12, cut, "end", "legend"));
    place -= 6.6 * cut.length + 10;
    drawing.append(node("path", { d: `M${place - 16} 8h16`, class: `line s${number % SERIES}` }));
    place -= 30;
  }
  return { drawing, x, y, area };
}

function bars(figure, chart, width) {
  const values = figure.rows.flatMap((row) => [...chart.values, ...(chart.high ?? [])].map((place) => row[place] ?? 0));
  const top = chart.top ?? Math.max(...values, 1e-9) * 1.05;
  const names = chart.values.map((place) => figure.columns[place].name);
  const legend = names.length > 1 ? names : [];
  const yLabel = chart.yLabel ?? (legend.length ? "" : names[0]);
  const longest = Math.max(...figure.rows.map((row) => String(row[chart.label]).length));
  const slanted = longest * 6.6 > (width - 66) / figure.rows.length;
  const options = { xLabel: chart.xLabel, yLabel, xTicks: [], slanted, legend };
  const { drawing, y, area } = frame(width, [0, figure.rows.length], [0, top], options);
  const step = (area.right - area.left) / figure.rows.length;
  const thick = Math.min((step * 0.8) / chart.values.length, 42);
  figure.rows.forEach((row, place) => {
    const middle = area.left + (place + 0.5) * step;
    const name = String(row[chart.label]);
    const tick = label(middle, area.bottom + 15, name.length > 16 && slanted ? `${name.slice(0, 15)}…` : name);
    if (slanted) {
      tick.setAttribute("text-anchor", "end");
      tick.setAttribute("transform", `rotate(-28 ${middle} ${area.bottom + 12})`);
    }
    drawing.append(tick);
    chart.values.forEach((column, number) => {
      if (row[column] === null) return;
      const left = middle + (number - chart.values.length / 2) * thick;
      const shape = { x: left, y: y(row[column]), width: thick - 1, height: y(0) - y(row[column]) };
      const told = `${name}: ${figure.columns[column].name} ${short(row[column])}`;
      drawing.append(titled(node("rect", { ...shape, rx: 2, class: `fill s${number % SERIES}` }), told));
      if (!legend.length && thick > 18) {
        const value = format(row[column], figure.columns[column]);
        const above = Math.max(row[column], row[chart.high?.[number]] ?? 0);
        drawing.append(label(left + thick / 2, y(above) - 4, value, "middle", "value"));
      }
      const [low, high] = [chart.low, chart.high].map((each) => (each ? row[each[number]] : null));
      if (low !== null && high !== null) {
        drawing.append(node("path", { d: `M${left + thick / 2} ${y(low)}V${y(high)}`, class: "whisker" }));
      }
    });
  });
  return drawing;
}

/** The lines of a figure: one for each y column, or for each value of the column `by`. */
function series(figure, chart, x) {
  const column = chart.x[x];
  const points = (rows, y) => rows.filter((row) => row[y] !== null).map((row) => [row[column], row[y], row]);
  if (chart.by === undefined) {
    return chart.y.map((y) => ({ name: figure.columns[y].name, points: points(figure.rows, y) }));
  }
  const names = [...new Set(figure.rows.map((row) => row[chart.by]))];
  return names.map((name) => ({
    name,
    points: points(
      figure.rows.filter((row) => row[chart.by] === name),
      chart.y[0],
    ),
  }));
}

function lines(figure, chart, width, x) {
  const all = series(figure, chart, x).filter((each) => each.points.length);
  const [xs, ys] = [0, 1].map((side) => all.flatMap((each) => each.points.map((point) => point[side])));
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const bottom = low >= 0 && low < 0.4 * high ? 0 : low - 0.06 * (high - low || 1);
  const names = all.map((each) => String(each.name));
  const single = names.length === 1;
  const options = {
    xLabel: chart.ticks ? "" : figure.columns[chart.x[x]].name,
    yLabel: single ? names[0] : "",
    legend: single || names.length > 6 ? [] : names,
    xNames: chart.ticks,
    xTicks: chart.ticks?.map((_, place) => place),
  };
  const span = [Math.min(...xs, 0), Math.max(...xs)];
  const { drawing, x: left, y: up, area } = frame(width, span, [bottom, high + 0.05 * (high - low || 1)], options);
  const best = chart.mark && figure.rows.find((row) => row[0] === chart.mark);
  if (best) {
    const place = left(best[chart.x[x]]);
    drawing.append(node("path", { d: `M${place} ${area.top}V${area.bottom}`, class: "mark" }));
    drawing.append(label(place - 4, area.top + 10, "best", "end", "tick"));
  }
  all.forEach(({ name, points }, number) => {
    const path = points.map(([at, value]) => `${left(at).toFixed(1)} ${up(value).toFixed(1)}`).join("L");
    const line = node("path", { d: `M${path}`, class: `line s${number % SERIES} d${Math.floor(number / SERIES)}` });
    drawing.append(titled(line, String(name)));
    for (const [at, value] of points.length <= 40 ? points : []) {
      const dot = node("circle", { cx: left(at), cy: up(value), r: 2.5, class: `fill s${number % SERIES}` });
      drawing.append(titled(dot, `${name}: ${short(value)} at ${short(at)}`));
    }
  });
  return drawing;
}

function reliability(figure, chart, width) {
  const options = { xLabel: chart.xLabel, yLabel: chart.yLabel };
  const { drawing, x, y } = frame(Math.min(width, 420), [0, 1], [0, 1], options);
  drawing.append(node("path", { d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}`, class: "mark" }));
  const most = Math.max(...figure.rows.map((row) => row[chart.size]));
  const places = figure.rows.map((row) => [x(row[chart.x]), y(row[chart.y])]);
  drawing.append(node("path", { d: `M${places.map((place) => place.join(" ")).join("L")}`, class: "line s0" }));
  figure.rows.forEach((row, i) => {
    const r = 2.5 + 7 * Math.sqrt(row[chart.size] / most);
    const dot = node("circle", { cx: places[i][0], cy: places[i][1], r, class: "fill s0 see-through" });
    drawing.append(titled(dot, `confidence ${short(row[chart.x])}: ${short(row[chart.y])} right of ${row[chart.size]}`));
  });
  return drawing;
}

function heat(figure, chart, width) {
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
