// Beam search for one sentence (nmt/portable/beam.py); greedy search is a beam of 1.

import { selectRows } from "./model.js";

export const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];
const LEAST_CONSIDERED = 3; // continuations of each hypothesis in the tree, so that greedy search shows what it left

/** Find up to `beamSize` translations of at most `longest` tokens with EOS, best first.
 *
 * Each of them begins with the tokens of `prefix`, and none with one of the lists of tokens in `cut`. `overrides` are
 * attention weights by step, which replace the model's. An array `tree` receives every continuation that was kept, and
 * the `beamSize` (at least three) likeliest of each hypothesis:
 * {parent, token, logProb, total, kept}, with the place of the parent in the array, -1 at the first step.
 * A generator that pauses after each step, so that its caller can stop it. */
export function* beamSearch(model, source, longest, beamSize, lengthPenalty, guide = {}) {
  const { prefix = [], overrides = {}, cut = [], tree = null } = guide;
  const [memory, first] = model.encode(source);
  let state = first;
  let alive = [{ before: null, token: BOS, logProb: 0, total: 0, length: 0, weights: null, branch: -1 }];
  const done = [];
  while (alive.length) {
    yield;
    const step = alive[0].length;
    const tokens = alive.map((each) => each.token);
    const [logits, weights, next] = model.step(tokens, memory, state, overrides[step]);
    const only = step < prefix.length ? prefix[step] : step + 1 >= longest ? EOS : null;
    const never = only === null && cut.length ? forbidden(cut, alive) : null;
    const best = continuations(logits, alive, beamSize - done.length, only, never);
    if (tree) addToTree(tree, logits, alive, Math.max(beamSize, LEAST_CONSIDERED), best);
    const chosen = best.map(({ row, token, logProb, branch }) => {
      const before = alive[row];
      const attention = weights && weights.data.subarray(row * source.length, (row + 1) * source.length);
      return {
        row,
        before,
        token,
        logProb,
        total: before.total + logProb,
        length: before.length + 1,
        weights: attention,
        branch,
      };
    });
    done.push(...chosen.filter((each) => each.token === EOS));
    alive = chosen.filter((each) => each.token !== EOS);
    const rows = alive.map((each) => each.row);
    state = alive.length ? next.map((part) => selectRows(part, rows)) : next;
  }
  const found = done.map((end) => ({ ...walkBack(end), score: end.total / end.length ** lengthPenalty }));
  return found.sort((a, b) => b.score - a.score);
}

/** The likeliest continuations of all hypotheses, likeliest first; with `only` one token allowed, if given, and
 * without those in `never` of each. */
function continuations({ shape: [, size], data }, alive, count, only, never = null) {
  const best = [];
  alive.forEach(({ total }, row) => {
    const logits = data.subarray(row * size, (row + 1) * size);
    const normaliser = logSumExp(logits);
    for (let token = only ?? 0; token < (only === null ? size : only + 1); token++) {
      const reached = total + logits[token] - normaliser;
      if (best.length === count && !(reached > best[count - 1].reached)) continue;
      if (token === PAD || token === BOS || token === UNK || !(reached > -Infinity)) continue;
      if (never?.[row].has(token)) continue;
      if (best.length === count) best.pop();
      let place = best.length;
      while (place && reached > best[place - 1].reached) place--;
      best.splice(place, 0, { row, token, reached, logProb: logits[token] - normaliser });
    }
  });
  return best;
}

/** Of each hypothesis, the tokens that would complete one of the lists in `cut`. */
function forbidden(cut, alive) {
  const ends = cut.filter((tokens) => tokens.length === alive[0].length + 1);
  return alive.map((hypothesis) => {
    let left = ends;
    for (let each = hypothesis; each.before; each = each.before) {
      left = left.filter((tokens) => tokens[each.length - 1] === each.token);
    }
    return new Set(left.map((tokens) => tokens.at(-1)));
  });
}

/** Record the continuations of one step, and in `chosen` the places of those that the search goes on with. */
function addToTree(tree, { shape: [, size], data }, alive, count, chosen) {
  alive.forEach((before, row) => {
    const logits = { shape: [1, size], data: data.subarray(row * size, (row + 1) * size) };
    const kept = chosen.filter((each) => each.row === row);
    const likeliest = continuations(logits, [before], count, null);
    const others = kept.filter(({ token }) => likeliest.every((each) => each.token !== token));
    for (const { token, logProb, reached } of [...likeliest, ...others]) {
      const own = kept.find((each) => each.token === token);
      if (own) own.branch = tree.length;
      tree.push({ parent: before.branch, token, logProb, total: reached, kept: Boolean(own) });
    }
  });
}

/** The likeliest next tokens, given logits (1, V), with their probabilities; `also` is among them, if given. */
export function candidates(logits, count, also = null) {
  const one = [{ total: 0 }];
  const best = continuations(logits, one, count, null);
  if (also !== null && best.every(({ token }) => token !== also)) best.push(...continuations(logits, one, 1, also));
  return best.map(({ token, logProb }) => ({ token, logProb, probability: Math.exp(logProb) }));
}

function logSumExp(logits) {
  let [largest, sum] = [-Infinity, 0];
  for (let i = 0; i < logits.length; i++) if (logits[i] > largest) largest = logits[i];
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - largest);
  return largest + Math.log(sum);
}

/** Tokens without EOS, and of each token and EOS the log probability and the attention weights. */
function walkBack(end) {
  const steps = [];
  for (let each = end; each.before; each = each.before) steps.push(each);
  steps.reverse();
  return {
    branch: end.branch,
    tokens: steps.slice(0, -1).map((each) => each.token),
    logProbs: steps.map((each) => each.logProb),
    weights: end.weights && steps.map((each) => each.weights),
  };
}
