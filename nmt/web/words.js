// Pieces merged to words, with their attention and probabilities (nmt/words.py).

import { singleSpaces, WORD_START } from "./clean.js";
import { isUnspaced } from "./scripts.js";

export const EOS_PIECE = "</s>";

/** Words of pieces: {text, begin, end, spaced}, made of the pieces from `begin` to before `end`. */
export function mergeWords(pieces) {
  const words = [];
  pieces.forEach((piece, place) => {
    const last = words.at(-1);
    if (last && !beginsWord(last.raw, piece)) {
      last.raw += piece;
      last.end = place + 1;
    } else words.push({ raw: piece, begin: place, end: place + 1 });
  });
  return words.map(({ raw, begin, end }) => {
    const text = singleSpaces(raw) || WORD_START;
    return { text, begin, end, spaced: raw.startsWith(WORD_START) };
  });
}

/** Whether a piece begins a new word after a word. */
function beginsWord(word, piece) {
  if (word === EOS_PIECE || piece === EOS_PIECE || piece.startsWith(WORD_START)) return true;
  if (word === "" || word === WORD_START || !piece || /^\p{M}/u.test(piece)) return false;
  return isUnspaced(Array.from(word).at(-1)) || isUnspaced(Array.from(piece)[0]);
}

/** Attention (target words, source words): sums over pieces of a source word, means over those of a target word. */
export function mergeAttention(weights, targetWords, sourceWords) {
  return targetWords.map((target) =>
    sourceWords.map((source) => {
      let sum = 0;
      for (let row = target.begin; row < target.end; row++) {
        for (let column = source.begin; column < source.end; column++) sum += weights[row][column];
      }
      return sum / (target.end - target.begin);
    }),
  );
}
