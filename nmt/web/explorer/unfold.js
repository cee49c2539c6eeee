// Where a weight, an energy or the context of a step comes from, number by number.

import { element, math, signed } from "../dom.js";
import { namesOf, typeset } from "./formula.js";
import { vectorOf } from "./parts.js";
import { largestOf, stillStrip } from "./strip.js";

const TERMS = 4; // of a sum that are written out
const SHOWN = 5; // pieces in the sum of a context, as translate.py --explain has them
const NUMBERS = 4; // of a vector
const EQUAL = 1e-2; // most difference between an energy and its products, relative to a large one

/** Fill an element with the origin of the weight ("w") or the energy ("e") of a source piece, or of the context ("c"). */
export function unfolded(host, kind, place, now, step, trace, { unfold, hidden }) {
  const name = trace.source.labels[place];
  if (kind === "w") host.replaceChildren(...weightOrigin(place, now, name, trace, unfold));
  else if (kind === "c") host.replaceChildren(...contextOrigin(now, trace));
  else {
    host.replaceChildren(element("p", { className: "about", text: "…" }));
    hidden(step).then(
      (found) => host.replaceChildren(...energyOrigin(place, now, name, trace, found)),
      (error) => host.replaceChildren(line(error.message)),
    );
  }
}

const line = (...children) => element("p", { className: "worked", children });

/** A worked formula, from [kind, text] pairs. */
function worked(...terms) {
  return math("math", { children: [math("mrow", { children: terms })] });
}
const mn = (text) => math("mn", { text });
const mo = (text) => math("mo", { text });
const mi = (text) => math("mi", { text, mathvariant: "normal" });
const exp = (value) => math("msup", { children: [math("mi", { text: "e" }), mn(signed(value))] });
const fraction = (over, under) =>
  math("mfrac", { children: [math("mrow", { children: over }), math("mrow", { children: under })] });

/** The share that softmax gives to each energy. */
function softmax(energies) {
  const most = Math.max(...energies);
  const powers = Array.from(energies, (each) => Math.exp(each - most));
  const sum = powers.reduce((total, each) => total + each, 0);
  return powers.map((each) => each / sum);
}

function weightOrigin(place, now, name, trace, unfold) {
  const weight = now.weights[place];
  const shares = softmax(now.energies);
  const order = Array.from(now.energies.keys()).sort((a, b) => now.energies[b] - now.energies[a]);
  const listed = order.slice(0, TERMS);
  const under = listed.flatMap((each, i) => (i ? [mo("+"), exp(now.energies[each])] : [exp(now.energies[each])]));
  if (order.length > TERMS) under.push(mo("+"), mo("…"));
  const formula = worked(
    math("msub", { children: [math("mi", { text: "α" }), mi(name)] }),
    mo("="),
    fraction([exp(now.energies[place])], under),
    mo("="),
    mn(shares[place].toFixed(3)),
  );
  const energies = listed.map((each) =>
    element("button", {
      type: "button",
      className: "chip",
      children: [element("bdi", { text: trace.source.labels[each] }), ` ${signed(now.energies[each])}`],
      on: { click: () => unfold(`e${each}`) },
    }),
  );
  const plain = Math.abs(shares[place] - (now.own ?? now.weights)[place]) < 2e-3;
  const parts = [line(formula)];
  if (!plain) {
    const alignment = trace.formulas.alignment?.text.split("\n\n")[0] ?? "";
    parts.push(
      line(
        `Softmax alone would give ${shares[place].toFixed(3)}; this model's alignment makes ${(now.own ?? now.weights)[place].toFixed(3)} of it. ${alignment}`,
      ),
    );
  }
  if (now.given && now.own)
    parts.push(line(`You have set it to ${weight.toFixed(3)}; its own would be ${now.own[place].toFixed(3)}.`));
  parts.push(
    element("p", { className: "about", text: "The largest energies; choose one to see where it comes from:" }),
  );
  parts.push(element("p", { className: "chips", children: energies }));
  return parts;
}

/** The name of a vector, and its strip. */
function named(label, vector) {
  const strip = stillStrip(vector, largestOf([vector]), `${vector.length} numbers`);
  return [element("span", { children: [typeset(label)] }), strip];
}

function energyOrigin(place, now, name, trace, found) {
  const energy = now.energies[place];
  const equation = trace.formulas.inner?.equation || trace.formulas.score?.equation;
  const first = equation ? [line(typeset(equation))] : [];
  const factors = factorsOf(place, now.head, found);
  if (!factors || Math.abs(factors.scale * factors.sum - energy) > EQUAL * Math.max(1, Math.abs(energy))) {
    const text = trace.formulas.score?.text.split("\n\n")[0] ?? "";
    return [...first, line(`The energy of “${name}” is ${signed(energy, 3)}. ${text}`)];
  }
  const { row, column, products, terms, scale, sum } = factors;
  const names = namesOf(equation);
  const shown = [
    ...terms.flatMap((term, i) => named([names.ofPiece, names.ofQuery][i] || ["of the piece", "of the query"][i], term)),
    ...named(names.row || "of the piece", row),
    ...named(names.column || "of the query", column),
    ...named("×", products),
  ];
  const best = [...products].sort((a, b) => Math.abs(b) - Math.abs(a)).slice(0, TERMS);
  const written = best.map((value) => signed(value)).join(", ");
  return [
    ...first,
    element("div", { className: "factors", children: shown }),
    line(
      `${products.length} products, the strongest ${written}. Added up they are ${signed(sum)}`,
      ...(scale === 1 ? [] : scaled(scale, names.scale, energy)),
      `: the energy of “${name}”.`,
    ),
  ];
}

/** What is multiplied and added up to the energy of a piece in a head; null if the model does not tell. */
function factorsOf(place, head, { rows, column, scale, of_piece: ofPiece, of_query: ofQuery }) {
  if (!rows || !column) return null;
  const [one, other] = [vectorAt(rows, head, place), vectorAt(column, head)];
  const products = one.map((each, i) => each * other[i]);
  const terms = ofPiece && ofQuery ? [vectorAt(ofPiece, head, place), vectorAt(ofQuery, head)] : [];
  const sum = products.reduce((total, each) => total + each, 0);
  return { row: one, column: other, products, terms, scale: scale?.data[0] ?? 1, sum };
}

/** The vector of a tensor (…, A) at these places of its other dimensions, of which it may lack the first. */
function vectorAt({ shape, data }, ...places) {
  const others = shape.slice(0, -1);
  const own = places.slice(places.length - others.length);
  const number = others.reduce((sum, size, i) => sum * size + Math.min(own[i], size - 1), 0);
  return vectorOf(data, shape.at(-1), number);
}

/** How a sum becomes an energy by the factor that the equation names. */
function scaled(scale, name = "", energy) {
  const divisor = /^\/ (.*)$/.exec(name)?.[1];
  const factor = name ? [typeset(divisor ?? name), ` = ${signed(divisor ? 1 / scale : scale)}`] : [signed(scale)];
  return [`; ${divisor ? "divided by" : "times"} `, ...factor, ` they are ${signed(energy)}`];
}

function contextOrigin(now, trace) {
  const { weights, values, context } = now;
  const size = context.length;
  const order = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a]);
  const listed = order.slice(0, SHOWN);
  const rest = Float32Array.from({ length: Math.min(NUMBERS, size) }, (_, i) =>
    order.slice(SHOWN).reduce((sum, place) => sum + weights[place] * values[place * size + i], 0),
  );
  const rows = listed.map((place, i) =>
    summand(i ? "+" : "", `${weights[place].toFixed(3)} ×`, vectorOf(values, size, place), trace.source.labels[place]),
  );
  if (order.length > SHOWN) rows.push(summand("+", "", rest, `the other ${order.length - SHOWN}`));
  rows.push(summand("=", "", context, "context"));
  const several = trace.heads > 1;
  const what = several ? `The context of head ${now.head + 1}` : "The context";
  const parts = [
    line(`${what}, the first ${rest.length} of its ${size} numbers:`),
    element("table", { className: "worked sums", children: [element("tbody", { children: rows })] }),
  ];
  if (several && now.merged)
    parts.push(
      line(`Of the ${trace.heads} heads' contexts the model makes the one that goes on:`),
      element("div", { className: "factors", children: named("c", now.merged) }),
    );
  return parts;
}

/** A line of a sum: the first numbers of a vector, and whose they are. */
function summand(sign, weight, vector, name) {
  const numbers = Array.from(vector.subarray(0, NUMBERS), (each) => element("td", { text: signed(each, 3) }));
  const more = vector.length > NUMBERS || !weight ? "…" : "";
  return element("tr", {
    children: [
      element("td", { text: sign }),
      element("td", { text: weight }),
      ...numbers,
      element("td", { text: more }),
      element("th", { scope: "row", children: [element("bdi", { text: name })] }),
    ],
  });
}
