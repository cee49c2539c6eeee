// One step of the decoder, taken apart: query, energies, weights, context, next token.

import { element, percent, signed } from "../dom.js";
import { typeset } from "./formula.js";
import { shown } from "./figure.js";
import { largestOf, Strip } from "./strip.js";
import { unfolded } from "./unfold.js";

const STAGES = [
  ["Query", "What the decoder knows so far."],
  ["Energies", "How well each source piece fits the query."],
  ["Weights", "The energies as shares of one."],
  ["Context", "The states h, each as strong as its weight, added up."],
  ["Next token", "Choose one to write it instead."],
];

/** The number and name of a stage, its formula and a sentence about it. */
function heading(number, equations, level = "h3") {
  const [name, text] = STAGES[number - 1];
  const formulas = equations.filter(Boolean).map((each) => element("span", { className: "formula", children: [typeset(each)] }));
  return [
    element(level, { children: [element("b", { text: String(number), "aria-hidden": "true" }), ` ${name}`] }),
    element("p", { className: "about", text }),
    ...formulas,
  ];
}

export class Anatomy {
  /** `force` is called with a candidate that is to be written; `unfold` with "w3", "e3" or "". */
  constructor({ force, unfold, hidden }) {
    Object.assign(this, { force, unfold, hidden });
    this.node = element("section", { className: "anatomy", "aria-label": "This step" });
  }

  /** Build what stays the same for all steps of a trace. */
  show(trace) {
    this.trace = trace;
    const { formulas } = trace;
    this.node.classList.toggle("blind", !trace.attends);
    this.strips = { query: new Strip("Query: the decoder's state"), context: new Strip("Context"), state: new Strip("New state of the decoder") };
    const steps = trace.steps;
    this.scales = {
      states: largestOf([trace.encoder?.states]),
      query: largestOf(steps.map((step) => step.query)),
      context: largestOf(steps.map((step) => step.context)),
      state: largestOf(steps.map((step) => step.state)),
    };
    this.energies = extent(steps);
    this.title = element("h2", { className: "title" });
    this.query = element("div", {
      className: "stage query",
      data: { stage: 1 },
      children: [...heading(1, [queryEquation(formulas)]), this.strips.query.node],
    });
    this.next = element("div", { className: "stage next", data: { stage: 5 }, children: heading(5, [nextEquation(formulas)]) });
    this.candidates = element("ol", { className: "candidates" });
    this.after = element("div", { className: "after", children: [element("p", { className: "about", text: "The decoder's new state" }), this.strips.state.node] });
    this.next.append(this.candidates, this.after);
    this.note = element("p", { className: "note", role: "status" });
    const left = trace.attends ? this.table(formulas) : blind(formulas);
    this.node.replaceChildren(this.title, this.note, this.query, left, this.next);
    this.shownUnfolded = null;
  }

  table(formulas) {
    const { source, encoder } = this.trace;
    this.rows = source.pieces.map((piece, place) => this.row(piece, place, encoder));
    const column = (number, equations) =>
      element("th", { scope: "col", className: "stage", data: { stage: number }, children: heading(number, equations) });
    const states = element("th", {
      scope: "col",
      className: "states",
      children: [
        element("h3", { text: "Encoder states h" }),
        element("p", { className: "about", text: encoder?.forward ? "Left half read forwards, right half backwards." : "One strip for each piece." }),
      ],
    });
    const head = element("tr", {
      children: [
        element("th", { scope: "col", children: [element("span", { className: "hidden", text: "Source piece" })] }),
        states,
        column(2, [formulas.inner?.equation || formulas.score?.equation]),
        column(3, [formulas.alignment?.equation]),
        column(4, ["c = Σ αᵢhᵢ"]),
      ],
    });
    this.total = element("td", { className: "number" });
    const sum = element("tr", {
      className: "sum",
      children: [
        element("th", { scope: "row", text: "Σ" }),
        element("td"),
        element("td"),
        this.total,
        element("td", { children: [this.strips.context.node] }),
      ],
    });
    const body = element("tbody", { children: this.rows.map((row) => row.node) });
    const table = element("table", {
      className: "pieces",
      children: [element("thead", { children: [head] }), body, element("tfoot", { children: [sum] })],
    });
    return element("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": "Energies, weights and context", children: [table] });
  }

  row(piece, place, encoder) {
    const name = shown(piece);
    const cell = (kind, what) => {
      const number = element("span", { className: "number" });
      const button = element("button", {
        type: "button",
        className: `value ${kind}`,
        "aria-expanded": "false",
        children: [element("span", { className: "bar", "aria-hidden": "true" }), number],
        on: { click: () => this.unfold(button.getAttribute("aria-expanded") === "true" ? "" : `${kind[0]}${place}`) },
      });
      return { button, number, what };
    };
    const [energy, weight] = [cell("energy", "Energy"), cell("weight", "Weight")];
    const halves = encoder ? stateStrips(encoder, place, this.scales.states, name) : [];
    const taken = encoder ? stateStrips(encoder, place, this.scales.states, "") : [];
    for (const strip of taken) strip.setAttribute("aria-hidden", "true");
    const taking = element("div", { className: "vector", children: taken });
    const node = element("tr", {
      children: [
        element("th", { scope: "row", children: [element("bdi", { text: name })] }),
        element("td", { className: "states", children: [element("div", { className: "vector", children: halves })] }),
        element("td", { children: [energy.button] }),
        element("td", { children: [weight.button] }),
        element("td", { children: [taking] }),
      ],
    });
    return { node, energy, weight, halves, taking, name };
  }

  /** Show a step, from 0; below 0, how many pieces are still to be read; null at the end. */
  update(step, left, unfold) {
    const reading = step !== null && step < 0;
    this.node.classList.toggle("reading", reading);
    this.node.classList.toggle("ended", step === null);
    if (this.trace.attends) this.read(reading ? left : 0);
    if (step === null || reading) return;
    const now = this.trace.steps[step];
    const before = this.trace.target.pieces.slice(Math.max(0, step - 3), step).join("").replaceAll("▁", " ").trim();
    this.title.textContent = step ? `Step ${step + 1}, after “${step > 3 ? "… " : ""}${before}”` : "Step 1, nothing written yet";
    this.note.textContent = now.given ? "The weights of this step were set by hand." : "";
    this.strips.query.draw(now.query, this.scales.query);
    this.strips.state.draw(now.state, this.scales.state);
    this.after.hidden = !now.state;
    this.query.hidden = !now.query;
    this.choices(now);
    if (!this.trace.attends) return;
    this.strips.context.draw(now.context, this.scales.context);
    this.rows.forEach((row, place) => this.numbers(row, place, now));
    this.total.textContent = now.weights.reduce((sum, each) => sum + each, 0).toFixed(3);
    this.opened(unfold, now, step);
  }

  numbers({ energy, weight, taking, name }, place, now) {
    const value = now.weights[place];
    weight.number.textContent = value.toFixed(3);
    weight.button.style.setProperty("--share", Math.min(1, value).toFixed(4));
    weight.button.setAttribute("aria-label", `Weight of ${name}: ${value.toFixed(3)}`);
    taking.style.setProperty("opacity", Math.min(1, value).toFixed(3));
    energy.button.hidden = !now.energies;
    if (!now.energies) return;
    const [low, high] = this.energies;
    const zero = -low / (high - low);
    const share = now.energies[place] / (high - low);
    energy.number.textContent = signed(now.energies[place]);
    energy.button.style.setProperty("--from", Math.min(zero, zero + share).toFixed(4));
    energy.button.style.setProperty("--share", Math.abs(share).toFixed(4));
    energy.button.setAttribute("aria-label", `Energy of ${name}: ${signed(now.energies[place])}`);
  }

  /** Hide the states of pieces that the encoder has not read: each direction has its own order. */
  read(left) {
    if (left === this.left) return;
    this.left = left;
    const count = this.rows.length;
    this.rows.forEach(({ halves }, place) => {
      halves[0]?.classList.toggle("unread", place >= count - left);
      halves[1]?.classList.toggle("unread", place < left);
    });
  }

  choices(now) {
    const most = Math.max(...now.candidates.map((each) => each.probability));
    this.candidates.replaceChildren(
      ...now.candidates.map((each) => {
        const chosen = each.id === now.token;
        const button = element("button", {
          type: "button",
          className: "candidate",
          "aria-pressed": String(chosen),
          title: chosen ? "" : "Write this instead, and go on from here",
          children: [
            element("span", { className: "bar", "aria-hidden": "true" }),
            element("bdi", { text: shown(each.piece) }),
            element("span", { className: "number", text: percent(each.probability) }),
          ],
          on: { click: () => !chosen && this.force(each) },
        });
        button.style.setProperty("--share", (each.probability / Math.max(most, 1e-9)).toFixed(4));
        return element("li", { children: [button] });
      }),
    );
  }

  /** Unfold a weight or an energy below its row. */
  opened(unfold, now, step) {
    const [, kind, digits] = /^([we])(\d+)$/.exec(unfold) ?? [];
    const row = kind && this.rows[+digits];
    this.panel?.remove();
    for (const { energy, weight } of this.rows) {
      for (const { button } of [energy, weight]) if (button.getAttribute("aria-expanded") === "true") button.setAttribute("aria-expanded", "false");
    }
    if (!row) return;
    (kind === "w" ? row.weight : row.energy).button.setAttribute("aria-expanded", "true");
    const content = element("td", { colspan: "5" });
    this.panel = element("tr", { className: "unfolded", children: [content] });
    row.node.after(this.panel);
    unfolded(content, kind, +digits, now, step, this.trace, { unfold: this.unfold, hidden: this.hidden });
  }
}

/** The strips of one encoder state: one for each direction. */
function stateStrips({ states, size, forward }, place, largest, name) {
  const cuts = forward ? [0, forward, size] : [0, size];
  return cuts.slice(1).map((end, i) => {
    const way = forward ? ["read forwards", "read backwards"][i] : "encoder state";
    const strip = new Strip(name && `${name}, ${way}: ${end - cuts[i]} numbers`);
    strip.draw(states.subarray(place * size + cuts[i], place * size + end), largest);
    return strip.node;
  });
}

/** Lowest and highest energy of all steps, with zero between them. */
function extent(steps) {
  let [low, high] = [0, 1e-6];
  for (const { energies } of steps) {
    if (energies) for (const each of energies) if (Number.isFinite(each)) [low, high] = [Math.min(low, each), Math.max(high, each)];
  }
  return [low, high];
}

const wiring = (formulas) => formulas.wiring?.equation?.split(/,\s(?=\S+\s=|readout)/u) ?? [];
const queryEquation = (formulas) => wiring(formulas).find((each) => each.includes("attend"));
const nextEquation = (formulas) => wiring(formulas).filter((each) => !each.includes("attend")).at(-1);

function blind(formulas) {
  const text =
    "This model has no attention. All that the decoder ever knows of the source is one vector, the last state of the encoder, the same at every step.";
  const equation = formulas.wiring?.equation;
  return element("div", {
    className: "stage",
    children: [
      element("p", { text }),
      equation && element("span", { className: "formula", children: [typeset(equation)] }),
    ],
  });
}
