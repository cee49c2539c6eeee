// Where a weight or an energy comes from, number by number.

import { element, math, signed } from "../dom.js";
import { typeset } from "./formula.js";
import { largestOf, stillStrip } from "./strip.js";

const TERMS = 4; // of a sum that are written out

/** Fill an element with the origin of the weight ("w") or the energy ("e") of a source piece. */
export function unfolded(host, kind, place, now, step, trace, { unfold, hidden }) {
  const name = trace.source.labels[place];
  if (kind === "w") host.replaceChildren(...weightOrigin(place, now, name, trace, unfold));
  else {
    host.replaceChildren(element("p", { className: "about", text: "…" }));
    hidden(step).then((found) => host.replaceChildren(...energyOrigin(place, now, name, trace, found)));
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
export function softmax(energies) {
  const most = Math.max(...energies);
  const powers = Array.from(energies, (each) => Math.exp(each - most));
  const sum = powers.reduce((total, each) => total + each, 0);
  return powers.map((each) => each / sum);
}

function weightOrigin(place, now, name, trace, unfold) {
  const weight = now.weights[place];
  if (!now.energies) return [line(`This model does not record the energy of “${name}”.`)];
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
  if (now.given)
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
  const [left, right, labels] = factors(place, now, trace, found, equation ?? "");
  if (!left) {
    const text = trace.formulas.score?.text.split("\n\n")[0] ?? "";
    return [...first, line(`The energy of “${name}” is ${signed(energy, 3)}. ${text}`)];
  }
  const products = left.map((each, i) => each * right[i]);
  const sum = products.reduce((total, each) => total + each, 0);
  const strips = element("div", {
    className: "factors",
    children: [...named(labels[0], left), ...named(labels[1], right), ...named("×", products)],
  });
  const best = products
    .map((value, i) => [value, i])
    .sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]))
    .slice(0, TERMS);
  const written = best.map(([value]) => signed(value)).join(", ");
  const scale = Math.abs(sum - energy) > 1e-2 ? `, which the model scales to ${signed(energy)}` : "";
  return [
    ...first,
    strips,
    line(
      `${products.length} products, the strongest ${written}. Added up they are ${signed(sum)}${scale}: the energy of “${name}”.`,
    ),
  ];
}

/** The two vectors whose product is the energy, and their names; empty where the score is something else. */
function factors(place, now, trace, found, equation) {
  if (found?.hidden && found.v) {
    const size = found.v.length;
    const layer = /tanh\([^()]*\)/.exec(equation)?.[0] ?? "hidden layer";
    return [[...found.hidden.subarray(place * size, (place + 1) * size)], [...found.v], [layer, "v"]];
  }
  if (found?.keys && now.query && found.keys.length === trace.source.pieces.length * now.query.length) {
    const size = now.query.length;
    const keys = found.keys.subarray(place * size, (place + 1) * size);
    return [[...keys], [...now.query], [equation.includes("W") ? "Wh" : "h", "s"]];
  }
  return [];
}
