// SentencePiece: cuts text into the pieces of a vocabulary and puts it together again (BPE and unigram).
//
// A .model file is a protocol buffer: https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto

import { WORD_START } from "./clean.js";

const [NORMAL, UNKNOWN, CONTROL, BYTE] = [1, 2, 3, 6]; // types of pieces
const [UNIGRAM, BPE] = [1, 2]; // types of models
const UNKNOWN_PENALTY = 10;

/** The fields [number, value] of a protocol buffer message. */
function* fields(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const integer = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = view.getUint8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const key = integer();
    const kind = key & 7;
    if (kind === 0) yield [key >>> 3, integer()];
    else if (kind === 2) {
      const length = integer();
      if (at + length > bytes.length) throw new Error("a vocabulary ends too early");
      yield [key >>> 3, bytes.subarray(at, (at += length))];
    } else if (kind === 5) yield [key >>> 3, view.getFloat32((at += 4) - 4, true)];
    else if (kind === 1) at += 8;
    else throw new Error("a vocabulary is no SentencePiece model");
  }
}

export class SentencePiece {
  constructor(bytes) {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const pieces = [];
    let trainer = {};
    for (const [number, value] of fields(bytes)) {
      if (number === 1) {
        const piece = Object.fromEntries(fields(value));
        pieces.push({ text: decoder.decode(piece[1]), score: piece[2] ?? 0, type: piece[3] ?? NORMAL });
      } else if (number === 2) trainer = Object.fromEntries(fields(value));
    }
    const kind = trainer[3] ?? UNIGRAM;
    if (!pieces.length || !trainer[35] || (kind !== UNIGRAM && kind !== BPE)) {
      throw new Error("a vocabulary is of an unknown kind");
    }
    this.pieces = pieces;
    this.ids = new Map(); // of pieces that text can contain
    this.byteIds = new Array(256);
    this.byteOf = new Map();
    this.longest = 1;
    pieces.forEach(({ text, type }, id) => {
      if (type === BYTE) {
        const byte = parseInt(text.slice(3, 5), 16);
        this.byteIds[byte] = id;
        this.byteOf.set(id, byte);
      } else if (type !== CONTROL && type !== UNKNOWN) {
        this.ids.set(text, id);
        this.longest = Math.max(this.longest, text.length);
      }
    });
    const least = pieces.reduce((low, { score, type }) => (type === NORMAL ? Math.min(low, score) : low), Infinity);
    this.unknownScore = Math.fround(least - UNKNOWN_PENALTY);
    this.cut = kind === BPE ? bytePairs : likeliest;
  }

  /** The ids of a clean text. */
  encode(text) {
    if (!text) return [];
    const parts = this.cut(Array.from((" " + text).replaceAll(" ", WORD_START)));
    return parts.flatMap((part) => {
      const id = this.ids.get(part);
      return id !== undefined ? [id] : Array.from(new TextEncoder().encode(part), (byte) => this.byteIds[byte]);
    });
  }

  /** The text of some ids; spaces at its ends are left to `clean`. */
  decode(ids) {
    let [text, bytes] = ["", []];
    const flush = () => {
      text += fromBytes(bytes);
      bytes = [];
    };
    for (const id of ids) {
      if (this.byteOf.has(id)) {
        bytes.push(this.byteOf.get(id));
        continue;
      }
      flush();
      const { text: piece, type } = this.pieces[id];
      if (type === UNKNOWN) text += " \u2047 ";
      else if (type !== CONTROL) text += piece.replaceAll(WORD_START, " ");
    }
    flush();
    return text;
  }

  /** One readable piece for each id: the first byte of a spelt character shows it, and its other bytes are empty. */
  readable(ids) {
    const shown = [];
    while (shown.length < ids.length) {
      const first = this.byteOf.get(ids[shown.length]);
      if (first === undefined) {
        shown.push(this.pieces[ids[shown.length]].text);
        continue;
      }
      const length = characterBytes(first);
      const run = ids.slice(shown.length, shown.length + length).map((id) => this.byteOf.get(id));
      const character = run.includes(undefined) ? null : strictly(run);
      if (character === null) shown.push("\ufffd");
      else shown.push(character, ...new Array(length - 1).fill(""));
    }
    return shown;
  }
}

/** Byte pair encoding, word by word: merges the neighbours with the best score first, and the leftmost of equals. */
function bytePairs(characters) {
  const words = characters.join("").split(/(?=▁)/u);
  return words.flatMap((word) => {
    const parts = Array.from(word);
    const score = (i) => this.pieces[this.ids.get(parts[i] + parts[i + 1])]?.score ?? -Infinity;
    const scores = parts.slice(1).map((_, i) => score(i)); // of each part with the next
    for (;;) {
      const best = scores.reduce((most, each, i) => (each > scores[most] ? i : most), 0);
      if (!(scores[best] > -Infinity)) return parts;
      parts.splice(best, 2, parts[best] + parts[best + 1]);
      scores.splice(best, 1);
      if (best) scores[best - 1] = score(best - 1);
      if (best < scores.length) scores[best] = score(best);
    }
  });
}

/** The likeliest pieces by a unigram model (Viterbi), summed in float32 as the library does. */
function likeliest(characters) {
  const best = new Array(characters.length + 1).fill(null); // the best way to each place
  best[0] = { score: 0, start: -1 };
  const offer = (start, end, score) => {
    const total = Math.fround(score + best[start].score);
    if (!best[end] || total > best[end].score) best[end] = { score: total, start };
  };
  for (let start = 0; start < characters.length; start++) {
    let [text, single] = ["", false];
    for (let end = start + 1; end <= characters.length; end++) {
      text += characters[end - 1];
      if (text.length > this.longest) break;
      const id = this.ids.get(text);
      if (id === undefined) continue;
      offer(start, end, this.pieces[id].score);
      single ||= end === start + 1;
    }
    if (!single) offer(start, start + 1, this.unknownScore);
  }
  const parts = [];
  for (let end = characters.length; end > 0; end = best[end].start) {
    parts.push(characters.slice(best[end].start, end).join(""));
  }
  return parts.reverse();
}

/** UTF-8 bytes as text; each byte that belongs to no character becomes U+FFFD. */
function fromBytes(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = characterBytes(bytes[at]);
    const character = strictly(bytes.slice(at, at + length));
    text += character ?? "\ufffd";
    at += character === null ? 1 : length;
  }
  return text;
}

/** How many bytes the UTF-8 character with this first byte has. */
function characterBytes(first) {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** UTF-8 bytes as text, or null if they are none. */
function strictly(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}
