// The filter of the sentence table: words, /regular expressions/, chrF<40, sure>80%, length>=20, is:repeats,
// missing:word and #1,7; all of them must hold.

import { isUnspaced } from "../scripts.js";
import { COLUMNS, translationsOf } from "./columns.js";

const COMPARED = /(\p{L}+) ?(<=|>=|<|>|=) ?(-?\d+(?:[.,]\d+)?) ?(%?)(?=\s|$)/u;
const PART = new RegExp(`"([^"]*)"|/((?:\\\\.|[^/\\\\])+)/(i?)(?=\\s|$)|${COMPARED.source}|(\\S+)`, "gu");
const OPERATORS = {
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

/** All texts of a row. */
const textsOf = (row) => [row.source, ...row.references, ...translationsOf(row).map((each) => each.text)];

/** What a filter can say of rows with these contents, for a reader. */
export function helpOf({ columns, signs }) {
  const examples = { chrf: "chrF<40", spread: "spread>30", confidence: "sure>80%", length: "length>=20" };
  const numbers = columns.map((key) => examples[key]).filter(Boolean);
  const marks = signs.length ? [`is:${signs[0]}`] : [];
  const all = ['Words or "a phrase"', "/a regular expression/", ...numbers, ...marks, "missing:word", "#12"];
  const others = signs.length > 1 ? ` After is: ${signs.join(", ")}.` : "";
  const sure = columns.includes("confidence") ? " sure is the confidence." : "";
  const spread = columns.includes("spread") ? " spread is how far apart the chrF of the models are." : "";
  return `${all.join(", ")}. All of them must hold.${others}${sure}${spread}`;
}

/** A function that tells whether a row passes; an Error says what is wrong with the query for rows of these contents. */
export function parseQuery(text, contents) {
  const tests = [...text.matchAll(PART)].map(([, phrase, pattern, ignoreCase, name, operator, limit, percent, word]) => {
    if (phrase !== undefined) return containing(phrase);
    if (pattern !== undefined) return matching(pattern, ignoreCase);
    if (name !== undefined) return comparing(columnOf(name, contents), operator, limit.replace(",", "."), percent);
    return testOf(word, contents);
  });
  return (row) => tests.every((test) => test(row));
}

/** The column of that name, in any case. */
function columnOf(name, { columns }) {
  const named = columns.map((key) => COLUMNS[key]).filter((column) => column.name !== "#");
  const found = named.find((column) => column.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw new Error(`${name} is no column here; there are ${named.map((column) => column.name).join(", ")}.`);
}

function comparing(column, operator, text, percent) {
  if (percent && !column.share) throw new Error(`${column.name} is no percentage: leave out the %.`);
  const number = Number(text);
  const limit = column.share && (percent || number > 1) ? number / 100 : number;
  return (row) => OPERATORS[operator](column.value(row), limit);
}

function testOf(word, contents) {
  const [, start, rest] = /^(is:|missing:|\p{L}+[<>=]+)?(.*)$/iu.exec(word);
  const kind = start?.toLowerCase();
  if (kind === "is:") return signed(rest.toLowerCase(), contents);
  if (kind === "missing:" && rest) return missing(rest);
  const names = Object.values(COLUMNS).map((column) => column.name.toLowerCase());
  if (kind && (kind === "missing:" || names.includes(kind.replace(/[<>=]+/u, "")))) {
    throw new Error(`${start} needs a ${kind === "missing:" ? "word" : "number"} after it.`);
  }
  if (/^#\d+(,\d+)*$/u.test(word)) {
    const numbers = new Set(word.slice(1).split(",").map(Number));
    return (row) => numbers.has(row.number);
  }
  return containing(word);
}

/** The row shows a sign of trouble. */
function signed(sign, { signs }) {
  if (signs.includes(sign)) return (row) => row.signs?.includes(sign) ?? false;
  const known = signs.length ? `after is: there can be ${signs.join(", ")}` : "they show no signs of trouble at all";
  throw new Error(`No sentences here are marked ${sign || "so"}; ${known}.`);
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
