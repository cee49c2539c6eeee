// The filter of the sentence table: words, /regular expressions/, chrf<40, sure>0.8, length>=20, is:repeats,
// missing:word and #1,7; all of them must hold.

import { isUnspaced } from "../scripts.js";

const PART = /"([^"]*)"|\/((?:\\.|[^/\\])+)\/(i?)(?=\s|$)|(\S+)/gu;
const COMPARISON = /^(chrf|sure|length|spread)(<=|>=|<|>|=)(-?[\d.]+)$/u;
const VALUES = {
  chrf: (row) => row.chrf,
  sure: (row) => row.confidence,
  length: (row) => row.length,
  spread: (row) => row.spread,
};
const OPERATORS = {
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

/** All texts of a row. */
export const textsOf = (row) => [row.source, ...row.references, ...translationsOf(row).map((each) => each.text)];

/** The translations of a row: one, or one of each model. */
export const translationsOf = (row) =>
  row.translations ?? [{ text: row.translation, chrf: row.chrf, nearest: row.nearest }];

/** A function that tells whether a row passes; an Error says what is wrong with the query. */
export function parseQuery(text) {
  const tests = [...text.matchAll(PART)].map(([, phrase, pattern, ignoreCase, word]) => {
    if (phrase !== undefined) return containing(phrase);
    if (pattern !== undefined) return matching(pattern, ignoreCase);
    return testOf(word);
  });
  return (row) => tests.every((test) => test(row));
}

function testOf(word) {
  const comparison = COMPARISON.exec(word);
  if (comparison) {
    const [, name, operator, limit] = comparison;
    return (row) => OPERATORS[operator](VALUES[name](row), Number(limit));
  }
  if (word.startsWith("is:")) return (row) => row.signs?.includes(word.slice(3)) ?? false;
  if (word.startsWith("missing:")) return missing(word.slice(8));
  if (/^#\d+(,\d+)*$/u.test(word)) {
    const numbers = new Set(word.slice(1).split(",").map(Number));
    return (row) => numbers.has(row.number);
  }
  return containing(word);
}

function containing(text) {
  const wanted = text.toLowerCase();
  return (row) => textsOf(row).some((each) => each.toLowerCase().includes(wanted));
}

function matching(pattern, flags) {
  let expression;
  try {
    expression = new RegExp(pattern, `u${flags}`);
  } catch {
    throw new Error(`/${pattern}/ is no regular expression.`);
  }
  return (row) => textsOf(row).some((each) => expression.test(each));
}

/** The nearest reference has a word more often than the translation. */
function missing(word) {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  const letter = "[\\p{L}\\p{M}\\p{N}]";
  const alone = isUnspaced(Array.from(word)[0] ?? "") ? escaped : `(?<!${letter})${escaped}(?!${letter})`;
  const expression = new RegExp(alone, "gu");
  const count = (text) => text.match(expression)?.length ?? 0;
  return (row) =>
    translationsOf(row).some((each) => count(row.references[each.nearest ?? 0] ?? "") > count(each.text));
}
