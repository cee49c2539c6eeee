// Gold alignments: where a decoder that writes a reference would look, if it looked at the words that each word translates.

import { EOS } from "../beam.js";
import { WORD_START } from "../clean.js";

/** The word that each piece is part of, counted from 0. */
function wordsOf(tokenizer, ids) {
  let word = -1;
  return ids.map((id) => {
    if (tokenizer.pieces[id].text.startsWith(WORD_START)) word++;
    return word;
  });
}

/** The reference that the translation agrees with longest: {target, rows, shared}, or null if there is none.
 *
 * `pairs` are [target, links] of the source sentence. `rows` has weights (S) for each step that writes the reference, null
 * where its word is linked to nothing. Both have the same tokens up to step `shared`. */
export function goldOf({ source, target }, sourceIds, tokens, pairs) {
  const sourceWords = wordsOf(source, sourceIds.slice(0, -1));
  const found = pairs.map(([text, links]) => {
    const ids = target.encode(text);
    const rows = wordsOf(target, ids).map((word) => {
      const linked = new Set(links.filter(([, to]) => to === word).map(([from]) => from));
      const members = sourceWords.map((each) => linked.has(each));
      const count = members.filter(Boolean).length;
      return count ? Float32Array.from(sourceIds, (_, place) => (members[place] ? 1 / count : 0)) : null;
    });
    const parting = [...ids, EOS].findIndex((id, place) => id !== tokens[place]);
    return { target: text, rows, shared: parting < 0 ? ids.length : parting };
  });
  return found.reduce((best, each) => (best && best.shared >= each.shared ? best : each), null);
}
