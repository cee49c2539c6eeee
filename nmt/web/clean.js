// Text as the model was trained on it (clean in nmt/data/bitext.py).

export const WORD_START = "▁"; // SentencePiece writes the space before a word as U+2581

const CONTROLS = /[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]/g;
const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000▁]+/g; // Python's, and ▁

/** Text in NFC with single spaces, without control characters. */
export function clean(text) {
  const spaced = text.replace(CONTROLS, "").replace(SPACES, " ");
  const begin = spaced.startsWith(" ") ? 1 : 0;
  const end = spaced.endsWith(" ") ? spaced.length - 1 : spaced.length;
  return spaced.slice(begin, end).normalize("NFC");
}
