// Word-level difference of two texts, by their longest common subsequence.

import { element } from "../dom.js";
import { isUnspaced } from "../scripts.js";

const PART = /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu;

/** The words and marks of a text; single characters in scripts without spaces. `spaced`: a space comes before it. */
export function units(text) {
  return text
    .split(" ")
    .filter(Boolean)
    .flatMap((word) => {
      const parts = (word.match(PART) ?? []).flatMap((part) => (isUnspaced(Array.from(part)[0]) ? Array.from(part) : [part]));
      return parts.map((part, place) => ({ text: part, spaced: place === 0 }));
    });
}

/** For each unit of both sides whether the other side has it, in the same order. */
export function common(one, other) {
  const width = other.length + 1;
  const best = new Uint16Array((one.length + 1) * width); // longest common subsequence from (i, j) on
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      best[i * width + j] =
        one[i].text === other[j].text
          ? 1 + best[(i + 1) * width + j + 1]
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const kept = [one.map(() => false), other.map(() => false)];
  let [i, j] = [0, 0];
  while (i < one.length && j < other.length) {
    if (one[i].text === other[j].text) kept[0][i++] = kept[1][j++] = true;
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  }
  return kept;
}

/** An element filled with units, of which those that the other text lacks are marked by `name` (ins, del or strong). */
export function marked(node, parts, kept, name) {
  let open = null;
  parts.forEach((part, place) => {
    const space = place && part.spaced ? " " : "";
    if (kept[place]) {
      open = null;
      node.append(space + part.text);
    } else if (open) open.textContent += space + part.text;
    else {
      open = element(name, { text: part.text });
      node.append(space, open);
    }
  });
  return node;
}
