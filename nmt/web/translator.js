// Translates sentences with the model of a file (nmt/translator.py).

import { beamSearch, BOS, candidates, EOS, UNK } from "./beam.js";
import { clean } from "./clean.js";
import { doubts } from "./doubts.js";
import { ModelError, readModel } from "./file.js";
import { Model } from "./model.js";
import { SentencePiece } from "./sentencepiece.js";
import { EOS_PIECE, mergeAttention, mergeWords } from "./words.js";

const MAX_SOURCE_TOKENS = 1000; // bounds time and memory for any input
const MAX_SOURCE_CHARACTERS = 32 * MAX_SOURCE_TOKENS;
const MAX_ATTENTION = 10_000; // cells of a table that a page can show

export class Translator {
  /** Use the model in the bytes of a file; `plain` does without WebAssembly. */
  static async open(bytes, plain = false) {
    const { tensors, record } = await readModel(bytes);
    try {
      return new Translator(tensors, record, plain);
    } catch (error) {
      throw new ModelError(`This page cannot use its model (${error.message}): export it again.`);
    }
  }

  constructor(tensors, record, plain) {
    const vocabulary = (name) => new SentencePiece(tensors.get(name).data);
    this.record = record;
    this.source = vocabulary("tokenizer.source");
    this.target = tensors.has("tokenizer.target") ? vocabulary("tokenizer.target") : this.source;
    this.model = new Model(record.graphs, tensors, plain);
    const {
      beam_size: beam = 1,
      length_penalty: penalty,
      max_length_ratio: ratio,
      max_length_extra: extra,
    } = record.decode;
    this.search = { beam, penalty, ratio, extra };
  }

  /** The translations of one sentence, best first; a generator that pauses between steps of the search.
   *
   * Options: `beam` and `penalty` in place of the model's; `prefix`, text or tokens that each translation begins with;
   * `overrides`, attention weights by step (0 for the first token), one for each source token or a row of them for each
   * head; `cut`, lists of tokens that none begins with; `tree: true` for all hypotheses that were considered (`beamSearch`). */
  *translate(text, options = {}) {
    const { beam, penalty, ratio, extra, prefix = [], overrides, cut: without, tree } = { ...this.search, ...options };
    const cleaned = clean(text.slice(0, 8 * MAX_SOURCE_CHARACTERS)); // most of which may be spaces
    const characters = Array.from(cleaned.slice(0, 2 * MAX_SOURCE_CHARACTERS)); // at most two units each
    const pieces = this.source.encode(characters.slice(0, MAX_SOURCE_CHARACTERS).join(""));
    if (!pieces.length) return { candidates: [], source: [], doubts: [] };
    const ids = [...pieces.slice(0, MAX_SOURCE_TOKENS), EOS];
    const longest = Math.trunc(ids.length * ratio) + extra;
    const tokens = this.checked(typeof prefix === "string" ? this.target.encode(clean(prefix)) : prefix);
    const branches = tree ? [] : null;
    const guide = { prefix: tokens, overrides, cut: without, tree: branches };
    const found = yield* beamSearch(this.model, ids, longest, beam, penalty, guide);
    const sourceWords = mergeWords([...this.source.readable(ids.slice(0, -1)), EOS_PIECE]);
    const candidates = found.map((each) => this.candidate(each, sourceWords));
    const cut = pieces.length > MAX_SOURCE_TOKENS;
    const reasons = doubts(this.record, cleaned, ids.length - 1, cut, candidates[0].confidence);
    const result = { candidates, source: sourceWords, sourceIds: ids, doubts: reasons };
    return tree ? { ...result, tree: branches.map((each) => ({ ...each, piece: this.piece(each.token) })) } : result;
  }

  /** Decode given tokens, and keep what the model computed at each step; a generator that pauses between steps.
   *
   * `sourceIds` end in EOS. There is a step for each of the `targetIds`, and, unless they end in EOS, one for the token
   * that comes next. Options: `overrides` as in `translate`; `top`, how many candidates; `marks`, names of the
   * intermediate values to keep (default: all). Values are {shape, data}. */
  *inspect(sourceIds, targetIds, { overrides = {}, top = 10, marks: wanted = null } = {}) {
    const ended = targetIds.at(-1) === EOS;
    const given = this.checked(ended ? targetIds.slice(0, -1) : targetIds);
    const pick = (found) =>
      Object.fromEntries(Object.entries(found).filter(([name]) => wanted?.includes(name) ?? true));
    const [memory, first] = this.model.encode(sourceIds);
    const steps = [];
    let state = first;
    for (const input of [BOS, ...given]) {
      yield;
      const step = steps.length;
      const { logits, weights, next, marks } = this.model.inspect([input], memory, state, overrides[step]);
      const token = step < given.length ? given[step] : ended ? EOS : null;
      const best = candidates(logits, top, token).map((each) => ({ ...each, piece: this.piece(each.token) }));
      const chosen = best.find((each) => each.token === token) ?? null;
      const kept = pick({ ...marks(), logits: { shape: logits.shape.slice(1), data: logits.data } });
      const known = { piece: chosen?.piece ?? null, logProb: chosen?.logProb ?? null };
      steps.push({ token, ...known, weights: weights && weights.data, candidates: best, marks: kept });
      state = next;
    }
    const pieces = [...this.source.readable(sourceIds.slice(0, -1)), EOS_PIECE];
    return { source: { ids: sourceIds, pieces, marks: pick(memory.marks()) }, steps };
  }

  /** A target token as text. */
  piece(token) {
    return token === EOS ? EOS_PIECE : this.target.readable([token])[0];
  }

  /** The tokens, if a translation may begin with them; EOS may be the last. */
  checked(tokens) {
    const size = this.target.pieces.length;
    const fits = (token, i) => (token > UNK || (token === EOS && i === tokens.length - 1)) && token < size;
    const wrong = tokens.find((each, i) => !(Number.isInteger(each) && fits(each, i)));
    if (wrong !== undefined) throw new ModelError(`A translation cannot begin with the token ${wrong}.`);
    return tokens;
  }

  candidate({ tokens, logProbs, weights, score, branch }, sourceWords) {
    const pieces = [...this.target.readable(tokens), EOS_PIECE];
    const merged = mergeWords(pieces);
    const words = merged.slice(0, -1).map((word) => {
      const logProb = logProbs.slice(word.begin, word.end).reduce((sum, each) => sum + each, 0);
      return { ...word, confidence: Math.min(1, Math.exp(logProb)) };
    });
    const drawable = weights && merged.length * sourceWords.length <= MAX_ATTENTION;
    const mean = logProbs.reduce((sum, each) => sum + each, 0) / logProbs.length;
    return {
      text: clean(this.target.decode(tokens)),
      tokens,
      score,
      words,
      confidence: Math.min(1, Math.exp(mean)),
      attention: drawable ? mergeAttention(weights, merged, sourceWords) : null,
      branch,
    };
  }
}
