// Translates sentences with the model of a file (nmt/translator.py).

import { beamSearch, EOS } from "./beam.js";
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

  /** The translations of one sentence, best first; a generator that pauses between steps of the search. */
  *translate(text) {
    const { beam, penalty, ratio, extra } = this.search;
    const cleaned = clean(text.slice(0, 8 * MAX_SOURCE_CHARACTERS)); // most of which may be spaces
    const characters = Array.from(cleaned.slice(0, 2 * MAX_SOURCE_CHARACTERS)); // at most two units each
    const pieces = this.source.encode(characters.slice(0, MAX_SOURCE_CHARACTERS).join(""));
    if (!pieces.length) return { candidates: [], source: [], doubts: [] };
    const ids = [...pieces.slice(0, MAX_SOURCE_TOKENS), EOS];
    const longest = Math.trunc(ids.length * ratio) + extra;
    const found = yield* beamSearch(this.model, ids, longest, beam, penalty);
    const sourceWords = mergeWords([...this.source.readable(ids.slice(0, -1)), EOS_PIECE]);
    const candidates = found.map((each) => this.candidate(each, sourceWords));
    const cut = pieces.length > MAX_SOURCE_TOKENS;
    const reasons = doubts(this.record, cleaned, ids.length - 1, cut, candidates[0].confidence);
    return { candidates, source: sourceWords, sourceIds: ids, doubts: reasons };
  }

  candidate({ tokens, logProbs, weights, score }, sourceWords) {
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
    };
  }
}
