// Text as the model was trained on it (clean in nmt/data/cleaning.py).

export const WORD_START = "▁"; // SentencePiece writes the space before a word as U+2581

const CONTROLS = /[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]/g;
const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000▁]+/g; // Python's, and ▁

/** Text in NFC with single spaces, without control characters. */
export function clean(text) {
  return singleSpaces(text.replace(CONTROLS, "")).normalize("NFC");
}

/** Text with one space for each run of spaces and ▁, and none at its ends. */
export function singleSpaces(text) {
  const spaced = text.replace(SPACES, " ");
  return spaced.slice(spaced.startsWith(" ") ? 1 : 0, spaced.length - (spaced.endsWith(" ") ? 1 : 0));
}
