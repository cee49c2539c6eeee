// Beam search for one sentence (nmt/portable/beam.py); greedy search is a beam of 1.

import { selectRows } from "./model.js";

export const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];

/** Find up to `beamSize` translations of at most `longest` tokens with EOS, best first.
 *
 * A generator that pauses after each step, so that its caller can stop it. */
export function* beamSearch(model, source, longest, beamSize, lengthPenalty) {
  const [memory, first] = model.encode(source);
  let state = first;
  let alive = [{ before: null, token: BOS, logProb: 0, total: 0, length: 0, weights: null }];
  const done = [];
  while (alive.length) {
    yield;
    const [logits, weights, next] = model.step(
      alive.map((each) => each.token),
      memory,
      state,
    );
    const must = alive[0].length + 1 >= longest;
    const best = continuations(logits, alive, beamSize - done.length, must);
    const chosen = best.map(({ row, token, logProb }) => {
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

/** The likeliest continuations of all hypotheses, likeliest first. */
function continuations({ shape: [, size], data }, alive, count, mustEnd) {
  const best = [];
  alive.forEach(({ total }, row) => {
    const logits = data.subarray(row * size, (row + 1) * size);
    const normaliser = logSumExp(logits);
    for (let token = mustEnd ? EOS : 0; token < (mustEnd ? EOS + 1 : size); token++) {
      const reached = total + logits[token] - normaliser;
      if (best.length === count && !(reached > best[count - 1].reached)) continue;
      if (token === PAD || token === BOS || token === UNK || !(reached > -Infinity)) continue;
      if (best.length === count) best.pop();
      let place = best.length;
      while (place && reached > best[place - 1].reached) place--;
      best.splice(place, 0, { row, token, reached, logProb: logits[token] - normaliser });
    }
  });
  return best;
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
    tokens: steps.slice(0, -1).map((each) => each.token),
    logProbs: steps.map((each) => each.logProb),
    weights: end.weights && steps.map((each) => each.weights),
  };
}
