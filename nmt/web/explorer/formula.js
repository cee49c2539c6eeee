// Equations as docstrings have them, such as "e = v'tanh(W₁h + W₂s + b)", set as MathML.

import { element, math } from "../dom.js";

const FUNCTIONS = /^(?:tanh|softmax|exp|log|readout|attend|argmax|head)(?![A-Za-z])/;
const INDEX = { "₋": "−", ₜ: "t", ᵢ: "i", ₖ: "k", ⱼ: "j" };
const KINDS = [
  ["space", /^\s+/],
  ["index", /^(?:[₀-₉₋₊ₜᵢₖⱼ₍₎]+|_[A-Z])/u],
  ["function", FUNCTIONS],
  ["matrix", /^[A-Z]_[A-Z]/],
  ["word", /^(?:[a-z]{2,}|[A-Za-z]{3,})(?![₀-₉ₜᵢₖ'_])/u],
  ["letter", /^\p{L}\p{M}*/u],
  ["number", /^[0-9]+(?:\.[0-9]+)?/],
  ["operator", /^[^]/u],
];

/** Parts of an equation: [kind, text]. */
function* parts(equation) {
  for (let rest = equation; rest;) {
    const [kind, pattern] = KINDS.find(([, each]) => each.test(rest));
    const [text] = pattern.exec(rest);
    yield [kind, text];
    rest = rest.slice(text.length);
  }
}

const character = (index) => INDEX[index] ?? String.fromCharCode(index.charCodeAt(0) - 0x2080 + 48);

/** An index as it is written on the line. */
function plain(index) {
  return index.startsWith("_") ? index.slice(1) : Array.from(index.replace(/[₍₎]/gu, ""), character).join("");
}

/** An equation as MathML; words of prose stay words. */
export function typeset(equation) {
  const row = math("mrow");
  let before = "";
  for (const [kind, text] of parts(equation)) {
    const last = row.lastChild;
    if (kind === "space") {
      if (before === "word") row.append(math("mtext", { text: "\u00a0" }));
    } else if (kind === "word") row.append(math("mtext", { text: before === "word" ? text : `\u00a0${text}\u00a0` }));
    else if (kind === "function") row.append(math("mi", { text, mathvariant: "normal" }));
    else if (kind === "matrix") {
      row.append(math("msub", { children: [math("mi", { text: text[0] }), math("mi", { text: text[2] })] }));
    } else if (kind === "letter") row.append(math("mi", { text }));
    else if (kind === "number") row.append(math("mn", { text }));
    else if (kind === "index" && last) {
      row.append(math("msub", { children: [last, math("mi", { text: plain(text) })] }));
    } else if (text === "'" && last) {
      const base = last.textContent === ")" ? math("mrow") : last; // a bracket would lift it
      row.append(math("msup", { children: [base, math("mo", { text: "⊤" })] }));
    } else row.append(math("mo", { text, stretchy: "false" }));
    if (kind !== "space" || before !== "word") before = kind;
  }
  return math("math", { children: [row], "aria-label": equation });
}

/** An equation up to its first words of prose as MathML, and these words. */
export function set(equation) {
  let end = 0;
  for (const [kind, text] of parts(equation)) {
    if (kind === "word") break;
    end += text.length;
  }
  const said = equation.slice(end);
  return [
    typeset(equation.slice(0, end).trim()),
    said && element("span", { className: "about", text: ` ${said}` }),
  ].filter(Boolean);
}

const PRODUCT = /^e\S* = (?<before>.*?)(?<column>\([^()]*\)|\p{L}[₀-₉ₖ]*)'(?<row>(?:tanh)?\([^()]*\)|[^\s/,()]+)(?<after> \/ [^,]+)?/u;

/** The names of what is multiplied in e = scale · column'row, and of the terms of a row tanh(…); {} if there is no such.
 *
 * `scale` is as the equation has it, such as "g", or "/ √H". */
export function namesOf(equation = "") {
  const { before, column, row, after = "" } = PRODUCT.exec(equation)?.groups ?? {};
  if (!column) return {};
  const plain = (text) => text.replace(/^\((.*)\)$/, "$1");
  const terms = /^tanh\((.*)\)$/.exec(row)?.[1].split(" + ") ?? [];
  const sum = (ofQuery) => terms.filter((term) => term.includes("s") === ofQuery).join(" + ");
  return { column: plain(column), row: plain(row), scale: `${before}${after}`.trim(), ofPiece: sum(false), ofQuery: sum(true) };
}
