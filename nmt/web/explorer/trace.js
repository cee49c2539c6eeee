// A translation with everything that the page shows of it: steps, states, candidates, the tree of the search.

import { EOS } from "../beam.js";
import { clean, WORD_START } from "../clean.js";
import { isUnspaced } from "../scripts.js";
import { EOS_PIECE, mergeWords } from "../words.js";
import { givenWeights, parseLooks } from "./looks.js";
import { BETWEEN_CUTS } from "./state.js";

const MARKS = ["query", "energies", "weights", "own_weights", "context", "state", "states", "values"];
const PRODUCT = ["rows", "column", "scale", "of_piece", "of_query"]; // nmt/model/energies.py
const CANDIDATES = 6;
const MAX_BEAM = 20;
const PIECES = "~"; // prefix of a `begin` or `cut` that is given as pieces

/** Target tokens of a text, or of pieces with spaces between them after "~". */
function tokensOf({ target }, text) {
  if (!text) return [];
  if (!text.startsWith(PIECES)) return target.encode(clean(text));
  const names = new Map(target.pieces.map(({ text: piece }, id) => [piece, id]));
  const parts = text.slice(1).split(" ").filter(Boolean);
  const ids = parts.map((piece) => names.get(piece));
  return ids.includes(undefined) ? target.encode(clean(parts.join("").replaceAll("▁", " "))) : ids;
}

/** How to search: a beam, a beginning, branches that are cut. */
function searchOf(translator, { beam, penalty, begin = "", cut = "" }) {
  return {
    beam: Math.min(MAX_BEAM, beam || translator.search.beam),
    penalty: penalty ?? translator.search.penalty,
    prefix: tokensOf(translator, begin),
    cut: cut
      .split(BETWEEN_CUTS)
      .filter(Boolean)
      .map((each) => tokensOf(translator, each)),
  };
}

/** Translate a text as a task says, and take the result apart.
 *
 * A task is {text, beam, penalty, begin, cut, look, pick} of the address. A generator that pauses between steps, as those
 * of the translator do. */
export function* explore(translator, task) {
  const { text, pick = 0 } = task;
  const options = searchOf(translator, task);
  const overrides = yield* setByHand(translator, task);
  const found = yield* translator.translate(text, { ...options, overrides, tree: true });
  const best = found.candidates[Math.min(pick, found.candidates.length - 1)];
  if (!best) return null;
  const tokens = [...best.tokens, EOS];
  const inspected = yield* translator.inspect(found.sourceIds, tokens, { overrides, marks: MARKS, top: CANDIDATES });
  return {
    ...takenApart(translator, found.sourceIds, tokens, inspected, overrides),
    text: best.text,
    score: best.score,
    confidence: best.confidence,
    doubts: found.doubts,
    search: { beam: options.beam, penalty: options.penalty },
    begun: options.prefix.length,
    free: options.beam > 1 && !options.cut.length && !pick, // the search had the choice, and this is its best
    pick: Math.min(pick, found.candidates.length - 1),
    others: found.candidates.map((each) => ({ text: each.text, score: each.score, branch: each.branch })),
    tree: found.tree.map((each) => ({ ...each, label: labelOf(each.piece), raw: rawPiece(translator, each.token) })),
  };
}

/** The weights by step that replace the model's own. */
function* setByHand(translator, task) {
  const looks = parseLooks(task.look ?? "");
  if (!looks.length || !translator.model.hasWeights) return {};
  const { length, rows } = yield* unchanged(translator, task);
  const { ratio, extra } = translator.search;
  const longest = Math.trunc(length * ratio) + extra;
  const found = {};
  for (let step = 0; step < longest; step++) {
    const given = givenWeights(looks, step, rows[Math.min(step, rows.length - 1)], length);
    if (given) found[step] = given;
  }
  return found;
}

/** The number of source tokens, and the weights of each step without attention set by hand. */
function* unchanged(translator, task) {
  const found = yield* translator.translate(task.text, searchOf(translator, task));
  const best = found.candidates[0];
  if (!best) return { length: 1, rows: [] };
  const { steps } = yield* translator.inspect(found.sourceIds, [...best.tokens, EOS], { marks: [] });
  return { length: found.sourceIds.length, rows: steps.map((step) => step.weights) };
}

/** The log probabilities of given target `tokens` for `source` pieces, with attention set by hand. */
export function* forced(translator, task) {
  const overrides = yield* setByHand(translator, task);
  const { steps } = yield* translator.inspect(task.source, task.tokens, { overrides, marks: [], top: 1 });
  return steps.map((step) => step.logProb);
}

/** What the score multiplies and adds up at a step, each as {shape, data}; nothing if the model does not tell. */
export function* scoreParts(translator, task) {
  const overrides = yield* setByHand(translator, task);
  const { source, steps } = yield* translator.inspect(task.source, task.tokens.slice(0, task.step + 1), {
    overrides,
    marks: PRODUCT,
    top: 1,
  });
  const found = Object.entries({ ...source.marks, ...steps[task.step].marks });
  return Object.fromEntries(found.map(([name, { shape, data }]) => [name, { shape, data: copied(data) }]));
}

/** A piece for readers: one that goes on a word has a dot before it. */
function labelOf(piece) {
  if (piece === EOS_PIECE) return "end";
  if (piece.startsWith(WORD_START)) return piece.slice(1) || WORD_START;
  if (/^\p{M}/u.test(piece)) return `◌${piece}`; // a vowel sign or an accent needs something to stand on
  return /^\p{L}/u.test(piece) && !isUnspaced(Array.from(piece)[0]) ? `·${piece}` : piece || "(byte)";
}

const copied = (data) => data && Float32Array.from(data);

function rawPiece({ target }, token) {
  return target.pieces[token]?.text ?? "";
}

function takenApart(translator, sourceIds, targetIds, { source, steps }, overrides) {
  const { record, target, model } = translator;
  const targetPieces = [...target.readable(targetIds.slice(0, -1)), EOS_PIECE];
  const { states, values } = source.marks;
  const last = record.graphs.layers.at(-1);
  const size = states.shape.at(-1);
  const forward = last.length === 2 && last[0].size + last[1].size === size ? last[0].size : 0;
  return {
    attends: model.hasWeights,
    formulas: record.formulas,
    source: {
      ids: sourceIds,
      pieces: source.pieces,
      labels: source.pieces.map(labelOf),
      words: mergeWords(source.pieces),
    },
    target: {
      ids: targetIds,
      pieces: targetPieces,
      labels: targetPieces.map(labelOf),
      raw: targetIds.map((id) => rawPiece(translator, id)),
      words: mergeWords(targetPieces),
    },
    encoder: { states: copied(states.data), size, forward },
    values: values ? valuesOf(values, states) : null,
    heads: headsOf(steps[0]),
    steps: steps.map((step, place) => ({ ...stepOf(step, translator), given: place in overrides })),
  };
}

/** The state of the uppermost layer. */
function topLayer(state) {
  return copied(state.data.subarray(state.data.length - state.shape.at(-1)));
}

/** What is averaged to the context, of one head after the other, and whether it is the encoder's states. */
function valuesOf({ shape, data }, states) {
  const areStates = states.data.length === data.length && states.data.every((each, i) => each === data[i]);
  return { numbers: copied(data), size: shape.at(-1), areStates };
}

const headsOf = ({ marks }) => (marks.energies?.shape.length === 2 ? marks.energies.shape[0] : 1);

function stepOf({ token, logProb, weights, candidates, marks }, translator) {
  const vector = (name) => copied(marks[name]?.data);
  const several = marks.energies?.shape.length === 2;
  const own = vector("own_weights");
  return {
    token,
    logProb,
    weights: copied(weights),
    own: several ? meanOf(own, weights.length) : own,
    energies: vector("energies"),
    headWeights: several ? vector("weights") : undefined,
    headOwn: several ? own : undefined,
    query: vector("query"),
    context: vector("context"),
    state: topLayer(marks.state),
    candidates: candidates.map(({ token: id, piece, probability, logProb: log }) => ({
      id,
      label: labelOf(piece),
      probability,
      logProb: log,
      raw: rawPiece(translator, id),
    })),
  };
}

/** The mean of rows that stand one after the other. */
function meanOf(numbers, size) {
  const rows = numbers.length / size;
  const sum = (place) => Array.from({ length: rows }, (_, row) => numbers[row * size + place]).reduce((a, b) => a + b);
  return Float32Array.from({ length: size }, (_, place) => sum(place) / rows);
}
