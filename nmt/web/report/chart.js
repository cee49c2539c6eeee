// Charts as SVG: bars, lines, reliability and heat. A figure says which of its columns are drawn:
// {kind: "bars", label, values: [columns], low, high, top, xLabel, yLabel} · {kind: "lines", x: [columns], y: [columns],
// by, mark} or {kind: "lines", label, across: [columns], top, xLabel, yLabel} · {kind: "reliability", x, y, size, by} ·
// {kind: "heat", sure} (heat.js). `by` and `label` are columns with the names of series: one for each value of `by`;
// with `across`, one for each row. `series` has the names of all series of a page, so that each looks alike everywhere.

import { colour, frame, label, legendOf, node, point, short, stroke, titled, widthOf } from "./axes.js";
import { format } from "./export.js";
import { heat } from "./heat.js";

const [FEW, DENSE] = [6, 40]; // lines, and points of a line, of which every point is marked
const MARKED = 8; // points of other lines

/** Drawing of a figure, `width` pixels wide; `x` chooses among several columns for the x axis. */
export function draw(figure, width, x = 0) {
  const chart = figure.chart;
  const drawing = { bars, lines, reliability, heat }[chart.kind](figure, chart, width, x);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `${figure.title}: chart; the table has its numbers`);
  return drawing;
}

function bars(figure, chart, width) {
  const values = figure.rows.flatMap((row) => [...chart.values, ...(chart.high ?? [])].map((place) => row[place] ?? 0));
  const top = chart.top ?? Math.max(...values, 1e-9) * 1.05;
  const names = chart.values.map((place) => figure.columns[place].name);
  const single = names.length === 1;
  const legend = legendOf(single ? [] : names, width, "bars");
  const rowNames = figure.rows.map((row) => String(row[chart.label]));
  const options = {
    xLabel: chart.xLabel,
    yLabel: chart.yLabel ?? (single ? names[0] : ""),
    xTicks: rowNames.map((_, place) => place + 0.5),
    xNames: rowNames,
    legend,
  };
  const { drawing, x, y } = frame(width, [0, figure.rows.length], [0, top], options);
  const thick = Math.min(((x(1) - x(0)) * 0.8) / chart.values.length, 42);
  figure.rows.forEach((row, place) => {
    chart.values.forEach((column, number) => {
      if (row[column] === null) return;
      const left = x(place + 0.5) + (number - chart.values.length / 2) * thick;
      const shape = { x: left, y: y(row[column]), width: thick - 1, height: y(0) - y(row[column]) };
      const told = `${rowNames[place]}: ${figure.columns[column].name} ${short(row[column])}`;
      drawing.append(titled(node("rect", { ...shape, rx: 2, class: `fill ${colour(number)}` }), told));
      const value = single ? format(row[column], figure.columns[column]) : "";
      if (value && widthOf(value) < x(1) - x(0)) {
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

/** The rows of a figure by the name of the model in the column `by`. */
function grouped(rows, by) {
  const names = [...new Set(rows.map((row) => row[by]))];
  return names.map((name) => [String(name), rows.filter((row) => row[by] === name)]);
}

/** The number of each series, which decides on its look. */
const numbered = (chart, names) => names.map((name, place) => chart.series?.indexOf(name) ?? place);

/** The lines of a figure, with their points. */
function series(figure, chart, x) {
  const { rows, columns } = figure;
  const present = (points) => points.filter(([, value]) => value !== null);
  if (chart.across) {
    const points = (row) => present(chart.across.map((column, place) => [place, row[column]]));
    return rows.map((row) => ({ name: String(row[chart.label]), points: points(row) }));
  }
  const points = (some, y) => present(some.map((row) => [row[chart.x[x]], row[y]]));
  if (chart.by === undefined) return chart.y.map((y) => ({ name: columns[y].name, points: points(rows, y) }));
  return grouped(rows, chart.by).map(([name, some]) => ({ name, points: points(some, chart.y[0]) }));
}

function lines(figure, chart, width, x) {
  const all = series(figure, chart, x).filter((each) => each.points.length);
  const [xs, ys] = [0, 1].map((side) => all.flatMap((each) => each.points.map((place) => place[side])));
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const bottom = low >= 0 && low < 0.4 * high ? 0 : low - 0.06 * (high - low || 1);
  const names = all.map((each) => each.name);
  const numbers = numbered(chart, names);
  const single = names.length === 1;
  const xNames = chart.across?.map((column) => figure.columns[column].name);
  const options = {
    xLabel: chart.across ? chart.xLabel : figure.columns[chart.x[x]].name,
    yLabel: chart.yLabel ?? (single ? names[0] : ""),
    legend: legendOf(single ? [] : names, width, "lines", numbers),
    xNames,
    xTicks: xNames?.map((_, place) => place),
  };
  const span = xNames ? [-0.4, xNames.length - 0.6] : [Math.min(...xs, 0), Math.max(...xs)];
  const top = chart.top ?? high + 0.05 * (high - low || 1);
  const { drawing, x: left, y: up, area } = frame(width, span, [bottom, top], options);
  const best = chart.mark && figure.rows.find((row) => row[0] === chart.mark);
  if (best) {
    const place = left(best[chart.x[x]]);
    drawing.append(node("path", { d: `M${place} ${area.top}V${area.bottom}`, class: "mark" }));
    drawing.append(label(place - 4, area.top + 10, "best", "end", "tick"));
  }
  all.forEach(({ name, points }, i) => {
    const number = numbers[i];
    const places = points.map(([at, value]) => [left(at), up(value)]);
    drawing.append(titled(stroke(number, places), name));
    const every = all.length <= FEW && points.length <= DENSE ? 1 : Math.ceil(points.length / MARKED);
    points.forEach(([at, value], place) => {
      if ((place + number) % every || (single && points.length > DENSE)) return; // neighbours mark other points
      drawing.append(titled(point(number, ...places[place]), `${name}: ${short(value)} at ${xNames?.[at] ?? short(at)}`));
    });
  });
  return drawing;
}

function reliability(figure, chart, width) {
  const all = chart.by === undefined ? [["", figure.rows]] : grouped(figure.rows, chart.by);
  const names = all.map(([name]) => name);
  const numbers = numbered(chart, names);
  const legend = legendOf(chart.by === undefined ? [] : names, Math.min(width, 420), "lines", numbers);
  const options = { xLabel: chart.xLabel, yLabel: chart.yLabel, legend };
  const { drawing, x, y } = frame(Math.min(width, 420), [0, 1], [0, 1], options);
  drawing.append(node("path", { d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}`, class: "mark" }));
  const most = Math.max(...figure.rows.map((row) => row[chart.size]));
  all.forEach(([name, rows], each) => {
    const number = numbers[each];
    const places = rows.map((row) => [x(row[chart.x]), y(row[chart.y])]);
    drawing.append(titled(stroke(number, places), name));
    rows.forEach((row, i) => {
      const [cx, cy] = places[i];
      const r = 2.5 + 7 * Math.sqrt(row[chart.size] / most);
      const dot = name ? point(number, cx, cy) : node("circle", { cx, cy, r, class: "fill s0 see-through" });
      const told = `confidence ${short(row[chart.x])}: ${short(row[chart.y])} right of ${row[chart.size]}`;
      drawing.append(titled(dot, name ? `${name}, ${told}` : told));
    });
  });
  return drawing;
}
