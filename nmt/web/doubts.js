// Reasons not to rely on a translation, as translate.py prints them (nmt/unlike_training.py, nmt/guessing.py).

import { countScripts } from "./scripts.js";

const HARDLY = 0.05; // a script with less than this share of the training text was not learnt
const LEARNT_WITH = { KATAKANA: "HIRAGANA" };
const FOREIGN = 0.5; // a sentence with more than this share of such letters cannot be read

const capitalised = (name) => name.charAt(0) + name.slice(1).toLowerCase();

/** What is doubtful about a sentence and its translation, as the ends of sentences about it. */
export function doubts({ scripts = {}, longest = Infinity, guessing = null }, text, tokens, cut, confidence) {
  const learnt = (name) =>
    [name, LEARNT_WITH[name]].some((each) => (Object.hasOwn(scripts, each) ? scripts[each] : 0) >= HARDLY);
  const found = [];
  const letters = countScripts(text);
  const strange = [...letters].filter(([name]) => !learnt(name)).sort((a, b) => b[1] - a[1]);
  const total = (entries) => entries.reduce((sum, [, count]) => sum + count, 0);
  if (total(strange) > FOREIGN * total([...letters])) {
    const names = strange.slice(0, 3).map(([name]) => capitalised(name));
    const known = Object.keys(scripts).filter(learnt).map(capitalised).join(" and ");
    found.push(`is written in ${names.join(" and ")}, and the model has learnt ${known || "no letters"} only`);
  }
  if (cut) found.push(`is cut to its first ${tokens} tokens`);
  if (tokens > longest) found.push(`has ${tokens} tokens, and the longest sentence in training had ${longest}`);
  if (guessing !== null && confidence <= guessing) {
    found.push(`is translated by guessing (confidence ${confidence.toFixed(2)})`);
  }
  return found;
}

/** A sentence about such reasons. */
export const warning = (reasons) => `This sentence ${reasons.join(", and ")}: do not rely on its translation.`;
