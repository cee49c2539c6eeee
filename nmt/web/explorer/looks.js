// Attention that is set by hand, as the address holds it: "3:uniform;5+:only.2;7:10000,0,90000".
//
// A step, counted from 1, or a step and all after it (+); then uniform, shuffled, gold, only.PIECE, or weights in units of
// 0.00001.

const UNIT = 1e-5;

/** The entries of a text: {step, on, how, piece, weights}. */
export function parseLooks(text) {
  const found = [];
  for (const entry of text.split(";").slice(0, 200)) {
    const [, step, on, how] =
      /^(\d{1,4})(\+?):(uniform|shuffled|gold|only\.\d{1,4}|\d{1,6}(?:,\d{1,6})*)$/.exec(entry) ?? [];
    if (!step) continue;
    const each = { step: +step - 1, on: on === "+", how };
    if (how.startsWith("only.")) Object.assign(each, { how: "only", piece: +how.slice(5) });
    else if (/^\d/.test(how))
      Object.assign(each, { how: "weights", weights: how.split(",").map((share) => share * UNIT) });
    found.push(each);
  }
  return found;
}

/** One entry as text. */
export function writeLook({ step, on = false, how, piece, weights }) {
  const what = {
    only: () => `only.${piece}`,
    weights: () => weights.map((share) => Math.round(share / UNIT)).join(","),
  };
  return `${step + 1}${on ? "+" : ""}:${what[how] ? what[how]() : how}`;
}

/** The entry for a step: the last that names it. */
export function lookAt(looks, step) {
  return looks.findLast((each) => each.step === step || (each.on && each.step <= step));
}

/** The weights (S) to use at a step in place of the model's own; null keeps those. `gold` is that of gold.js. */
export function givenWeights(looks, step, own, length, gold = null) {
  const look = lookAt(looks, step);
  if (!look) return null;
  if (look.how === "uniform") return new Float32Array(length).fill(1 / length);
  if (look.how === "shuffled") return own ? shuffled(own, step) : null;
  if (look.how === "gold") return (gold && look.step <= gold.shared && gold.rows[step]) || null;
  if (look.how === "only")
    return Float32Array.from({ length }, (_, place) => (place === Math.min(look.piece, length - 1) ? 1 : 0));
  return normalised(Float32Array.from({ length }, (_, place) => look.weights[place] ?? 0));
}

/** Weights that sum to one; uniform if there are none. */
export function normalised(weights) {
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each) => (sum > 0 ? each / sum : 1 / weights.length));
}

/** The same weights at other places; always the same order for a step. */
export function shuffled(weights, step) {
  const found = Float32Array.from(weights);
  let seed = step + 1;
  for (let place = found.length - 1; place > 0; place--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((seed / 2 ** 32) * place); // never itself, so that every weight moves
    [found[place], found[other]] = [found[other], found[place]];
  }
  return found;
}
