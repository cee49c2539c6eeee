// Parts of the view of a step: strips of states, equations, heads.

import { element } from "../dom.js";
import { typeset } from "./formula.js";
import { stillStrip } from "./strip.js";

/** The strips of one encoder state: one for each direction. */
export function stateStrips({ states, size, forward }, place, largest, name) {
  const cuts = forward ? [0, forward, size] : [0, size];
  return cuts.slice(1).map((end, i) => {
    const way = forward ? ["read forwards", "read backwards"][i] : "encoder state";
    const label = name && `${name}, ${way}: ${end - cuts[i]} numbers`;
    return stillStrip(states.subarray(place * size + cuts[i], place * size + end), largest, label);
  });
}

/** Lowest and highest energy of all steps, with zero between them. */
export function extent(steps) {
  let [low, high] = [0, 1e-6];
  for (const { energies } of steps) {
    if (energies)
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

/** A step as one head sees it; the weights of a model without heads are those of the step. */
export function ofHead({ heads, source }, step, head) {
  if (heads < 2) return step;
  const [begin, size] = [Math.min(head, heads - 1) * source.pieces.length, source.pieces.length];
  const part = (numbers) => numbers?.subarray(begin, begin + size);
  return { ...step, energies: part(step.energies), weights: part(step.headWeights), own: undefined };
}

/** Buttons to choose a head. */
export function headChoice(heads, chosen, choose) {
  const node = element("div", { className: "segments", role: "group", "aria-label": "Heads", hidden: heads < 2 });
  const buttons = Array.from({ length: heads < 2 ? 0 : heads }, (_, head) =>
    element("button", {
      type: "button",
      text: `Head ${head + 1}`,
      "aria-pressed": String(head === chosen),
      on: { click: () => press(head) },
    }),
  );
  const press = (head) => {
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(place === head)));
    choose(head);
  };
  node.append(...buttons);
  return node;
}

export const firstSentence = (text = "") => text.split(/[:.]\s|\n/)[0].replace(/\s\([^)]*\)$/, "");

export function readingText({ encoder }) {
  return encoder?.forward
    ? "It reads twice at the same time: forwards from the first piece, backwards from the last. Each strip is a vector: what it knows of a piece from what stands before it (left) and after it (right)."
    : "It reads one piece after the other. Each strip is a vector: what it knows of a piece and of those before it.";
}
