// The numbers of a picture of attention: rows are what was written, columns what was read, by pieces or words.

import { isLeftwards } from "../scripts.js";
import { mergeAttention } from "../words.js";

/** Rows, columns and weights of a trace; `unit` is "words" or "pieces". Without attention, `weights` is null. */
export function figureOf(trace, unit) {
  const whole = (text, place) => ({ text, begin: place, end: place + 1 });
  const columns = unit === "words" ? trace.source.words : trace.source.labels.map(whole);
  const rows = unit === "words" ? trace.target.words : trace.target.labels.map(whole);
  const own = trace.steps.map((step) => step.weights);
  const weights = own.length && own[0] ? mergeAttention(own, rows, columns) : null;
  const rowOf = new Array(trace.steps.length);
  rows.forEach(({ begin, end }, row) => rowOf.fill(row, begin, end));
  return {
    unit,
    rows: rows.map((row) => ({ ...row, probability: probability(trace, row) })),
    columns,
    placeOf: isLeftwards(columns.map(({ text }) => text).join(" "))
      ? (column) => columns.length - 1 - column // as the sentence is read
      : (column) => column,
    weights,
    rowOf, // step → row
    entropies: weights?.map(entropy),
    covered: weights && covered(weights, rows), // after each row, the sum of each column so far
  };
}

/** Sums of the weights of each column over all steps up to a row; words of several pieces count for each. */
function covered(weights, rows) {
  let sums = new Float64Array(weights[0].length);
  return weights.map((row, i) => {
    const steps = rows[i].end - rows[i].begin;
    sums = sums.map((sum, column) => sum + row[column] * steps);
    return sums;
  });
}

function probability({ steps }, { begin, end }) {
  return Math.min(1, Math.exp(steps.slice(begin, end).reduce((sum, step) => sum + step.logProb, 0)));
}

/** Entropy in bits: 0 when all weight is on one word, log₂ n when it is spread over n words equally. */
export function entropy(weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return weights.reduce((sum, weight) => (weight > 0 ? sum - (weight / total) * Math.log2(weight / total) : sum), 0);
}

const FAINTEST = 1e-3; // of the logarithmic scale

/** How strongly a weight is drawn, from 0 to 1. */
export function strength(weight, scale) {
  if (scale !== "log") return Math.max(0, Math.min(1, weight));
  return weight <= FAINTEST ? 0 : Math.min(1, 1 - Math.log(weight) / Math.log(FAINTEST));
}

/** A word for readers: the end of the sentence has no letters. */
export const shown = (text) => (text === "</s>" ? "end" : text);

/** What a row looked at, in words, for screen readers. */
export function describe(figure, row) {
  const { text, probability } = figure.rows[row];
  const sure = `${shown(text)}, probability ${probability.toFixed(2)}`;
  if (!figure.weights) return `${sure}.`;
  const best = figure.weights[row].map((weight, column) => [weight, column]).sort((a, b) => b[0] - a[0]);
  const looks = best.slice(0, 3).filter(([weight], place) => !place || weight >= 0.01);
  const list = looks.map(([weight, column]) => `${shown(figure.columns[column].text)} ${weight.toFixed(2)}`).join(", ");
  return `${sure}; looks at ${list}.`;
}
