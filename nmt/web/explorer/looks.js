// Attention that is set by hand, as the address holds it: "3:uniform;5+:only.2;7:10000,0,90000".
//
// A step, counted from 1, or a step and all after it (+); then uniform, shuffled, only.PIECE (or only.FIRST-LAST for
// the pieces of a word), or weights in units of 0.00001, which need not sum to 1: those of some alignments do not.

const UNIT = 1e-5;

/** The entries of a text: {step, on, how, piece, last, weights}. */
export function parseLooks(text) {
  const found = [];
  for (const entry of text.split(";").slice(0, 200)) {
    const [, step, on, how] =
      /^(\d{1,4})(\+?):(uniform|shuffled|only\.\d{1,4}(?:-\d{1,4})?|\d{1,6}(?:,\d{1,6})*)$/.exec(entry) ?? [];
    if (!step) continue;
    const each = { step: +step - 1, on: on === "+", how };
    const [, piece, last = piece] = /^only\.(\d+)(?:-(\d+))?$/.exec(how) ?? [];
    if (piece) Object.assign(each, { how: "only", piece: +piece, last: +last });
    else if (/^\d/.test(how))
      Object.assign(each, { how: "weights", weights: how.split(",").map((share) => share * UNIT) });
    found.push(each);
  }
  return found;
}

/** One entry as text. */
export function writeLook({ step, on = false, how, piece, last = piece, weights }) {
  const what = {
    only: () => (last > piece ? `only.${piece}-${last}` : `only.${piece}`),
    weights: () => weights.map((share) => Math.round(share / UNIT)).join(","),
  };
  return `${step + 1}${on ? "+" : ""}:${what[how] ? what[how]() : how}`;
}

/** The entry for a step: the last that names it. */
export function lookAt(looks, step) {
  return looks.findLast((each) => each.step === step || (each.on && each.step <= step));
}

/** The weights (S) to use at a step in place of the model's own; null keeps those. */
export function givenWeights(looks, step, own, length) {
  const look = lookAt(looks, step);
  if (!look) return null;
  if (look.how === "uniform") return new Float32Array(length).fill(1 / length);
  if (look.how === "shuffled") return own ? shuffled(own, step) : null;
  if (look.how === "only") {
    const piece = Math.min(look.piece, length - 1);
    const last = Math.max(piece, Math.min(look.last, length - 1));
    return Float32Array.from({ length }, (_, place) => (place >= piece && place <= last ? 1 / (1 + last - piece) : 0));
  }
  return Float32Array.from({ length }, (_, place) => look.weights[place] ?? 0);
}

/** The weights when one piece gets a weight, and the others share the rest of one as before. */
export function dragged(weights, place, wanted) {
  const others = weights.reduce((sum, each, i) => (i === place ? sum : sum + each), 0);
  const share = (each) => (others > 1e-6 ? each / others : 1 / Math.max(1, weights.length - 1));
  return Array.from(weights, (each, i) => (i === place ? wanted : share(each) * (1 - wanted)));
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
