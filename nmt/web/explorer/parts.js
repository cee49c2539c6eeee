// Parts of the view of a step: strips of states, equations, heads.

import { element } from "../dom.js";
import { set, typeset } from "./formula.js";
import { stillStrip } from "./strip.js";

const STAGES = [
  ["Query", "What the decoder knows so far."],
  ["Energies", "How well each source piece fits the query."],
  ["Weights", "The energies as shares of one."],
  ["Context", "A sum in which each piece is as strong as its weight."],
  ["Next token", "Choose one to write it instead."],
];

/** The number and name of a stage, its formulas and a sentence about it. */
export function heading(number, equations, level = "h3") {
  const [name, text] = STAGES[number - 1];
  const formulas = equations
    .filter(Boolean)
    .map((each) => element("span", { className: "formula", children: set(each) }));
  return [
    element(level, { children: [element("b", { text: String(number), "aria-hidden": "true" }), ` ${name}`] }),
    element("p", { className: "about", text }),
    ...formulas,
  ];
}

/** The strips of one encoder state: one for each direction. */
export function stateStrips({ states, size, forward }, place, largest, name) {
  const cuts = forward ? [0, forward, size] : [0, size];
  return cuts.slice(1).map((end, i) => {
    const way = forward ? ["read forwards", "read backwards"][i] : "encoder state";
    const label = name && `${name}, ${way}: ${end - cuts[i]} numbers`;
    return stillStrip(states.subarray(place * size + cuts[i], place * size + end), largest, label);
  });
}

/** The strips of what a piece adds to the context of a head, if it had all the weight. */
export function valueStrips({ encoder, values }, now, place, largest) {
  if (values.areStates) return stateStrips(encoder, place, largest, "");
  return [stillStrip(vectorOf(now.values, values.size, place), largest)];
}

/** One of several vectors that stand one after the other. */
export const vectorOf = (numbers, size, place) => numbers.subarray(place * size, (place + 1) * size);

/** Lowest and highest energy of all steps, with zero between them. */
export function extent(steps) {
  let [low, high] = [0, 1e-6];
  for (const { energies } of steps) {
    for (const each of energies) if (Number.isFinite(each)) [low, high] = [Math.min(low, each), Math.max(high, each)];
  }
  return [low, high];
}

const wiring = (formulas) => formulas.wiring?.equation?.split(/,\s(?=\S+\s=|readout)/u) ?? [];
export const queryEquation = (formulas) => wiring(formulas).find((each) => each.includes("attend"));
export const nextEquation = (formulas) =>
  wiring(formulas)
    .filter((each) => !each.includes("attend"))
    .at(-1);

export function blind(formulas) {
  const text =
    "This model has no attention. All that the decoder ever knows of the source is one vector, the last state of the encoder, the same at every step.";
  const equation = formulas.wiring?.equation;
  return element("div", {
    className: "stage",
    children: [
      element("p", { text }),
      equation && element("span", { className: "formula", children: [typeset(equation)] }),
    ],
  });
}

/** A step as one head sees it, which has a context of its own; without heads that of the step. */
export function ofHead({ heads, source, values }, step, wanted) {
  if (heads < 2) return { ...step, head: 0, values: values?.numbers };
  const [head, size] = [Math.min(wanted, heads - 1), source.pieces.length];
  const part = (numbers) => vectorOf(numbers, size, head);
  const found = { ...step, head, energies: part(step.energies), weights: part(step.headWeights), own: part(step.headOwn) };
  const own = vectorOf(values.numbers, size * values.size, head);
  return { ...found, values: own, context: weighted(found.weights, own, values.size), merged: step.context };
}

/** The sum of vectors, each times its weight. */
function weighted(weights, vectors, size) {
  const sum = new Float32Array(size);
  weights.forEach((weight, place) => {
    for (let i = 0; i < size; i++) sum[i] += weight * vectors[place * size + i];
  });
  return sum;
}

export const firstSentence = (text = "") => text.split(/[:.]\s|\n/)[0].replace(/\s\([^)]*\)$/, "");

export function readingText({ attends, encoder }) {
  if (!attends) return "It reads the sentence to its end. Only the last state goes on to the decoder.";
  return encoder.forward
    ? "It reads twice at the same time: forwards from the first piece, backwards from the last. Each strip is a vector: what it knows of a piece from what stands before it (left) and after it (right)."
    : "It reads one piece after the other. Each strip is a vector: what it knows of a piece and of those before it.";
}
