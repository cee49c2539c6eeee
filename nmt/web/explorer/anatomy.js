// One step of the decoder, taken apart: query, energies, weights, context, next token.

import { element, signed, update } from "../dom.js";
import { Choices, remarks } from "./choices.js";
import { set } from "./formula.js";
import {
  blind,
  extent,
  firstSentence,
  headChoice,
  nextEquation,
  ofHead,
  queryEquation,
  readingText,
  stateStrips,
} from "./parts.js";
import { Refreshed } from "./refreshed.js";
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
  const formulas = equations
    .filter(Boolean)
    .map((each) => element("span", { className: "formula", children: set(each) }));
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
    this.strips = {
      query: new Strip("Query: the decoder's state"),
      context: new Strip("Context"),
      state: new Strip("New state of the decoder"),
    };
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
    this.next = element("div", {
      className: "stage next",
      data: { stage: 5 },
      children: heading(5, [nextEquation(formulas)]),
    });
    this.candidates = new Choices(this.force);
    this.after = element("div", {
      className: "after",
      children: [element("p", { className: "about", text: "The decoder's new state" }), this.strips.state.node],
    });
    this.next.append(this.candidates.node, this.after);
    this.note = element("p", { className: "note", role: "status" });
    this.heads = headChoice(trace.heads, this.head ?? 0, (head) => {
      this.head = head;
      this.update(...this.last);
    });
    const left = trace.attends ? this.table(formulas) : blind(formulas);
    const about = element("p", { className: "about reads", text: readingText(trace) });
    this.node.replaceChildren(this.title, about, this.note, this.query, this.heads, left, this.next);
    this.parts?.end();
    const rows = (this.rows ?? []).map((row, place) => [row.node, () => this.numbers(row, place)]);
    this.parts = new Refreshed(this.node, [
      [this.title, () => this.names()],
      [this.query, () => this.asks()],
      ...(trace.attends ? [...rows, [this.sum, () => this.adds()]] : []),
      [this.next, () => this.writes()],
    ]);
  }

  table(formulas) {
    const { source, encoder } = this.trace;
    this.rows = source.labels.map((name, place) => this.row(name, place, encoder));
    this.equations = {
      2: [formulas.inner?.equation || formulas.score?.equation],
      3: [formulas.alignment?.equation || firstSentence(formulas.alignment?.text)],
      4: ["c = Σ αᵢhᵢ"],
    };
    const column = (number) =>
      element("th", {
        scope: "col",
        className: "stage",
        data: { stage: number },
        children: heading(number, this.equations[number]),
      });
    const states = element("th", {
      scope: "col",
      className: "states",
      children: [
        element("h3", { text: "States h" }),
        element("p", { className: "about", text: "Blue is below zero, orange above." }),
      ],
    });
    const head = element("tr", {
      children: [
        element("th", { scope: "col", children: [element("span", { className: "hidden", text: "Source piece" })] }),
        states,
        column(2),
        column(3),
        column(4),
      ],
    });
    this.total = element("td", { className: "number" });
    this.sum = element("tr", {
      className: "sum",
      children: [
        element("th", { scope: "row", text: "Σ" }),
        element("td", { className: "states" }),
        element("td"),
        this.total,
        element("td", { children: [this.strips.context.node] }),
      ],
    });
    const body = element("tbody", { children: this.rows.map((row) => row.node) });
    const table = element("table", {
      className: "pieces",
      children: [element("thead", { children: [head] }), body, element("tfoot", { children: [this.sum] })],
    });
    const legend = element("div", {
      className: "legend",
      children: [2, 3, 4].map((number) =>
        element("div", {
          className: "stage",
          data: { stage: number },
          children: heading(number, this.equations[number]),
        }),
      ),
    });
    const scroll = element("div", {
      className: "scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "Energies, weights and context",
      children: [table],
    });
    return element("div", { children: [legend, scroll] });
  }

  row(name, place, encoder) {
    const cell = (kind, what) => {
      const number = element("span", { className: "number" });
      const button = element("button", {
        type: "button",
        className: `value ${kind}`,
        "aria-expanded": "false",
        children: [number],
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
    this.last = [step, left, unfold];
    if (this.trace.attends) this.read(reading ? left : 0);
    if (reading)
      this.title.textContent = `The encoder reads “${this.trace.source.labels[Math.max(0, this.trace.source.labels.length - 1 - left)]}”`;
    if (step === null || reading) return;
    this.now = ofHead(this.trace, this.trace.steps[step], this.head ?? 0);
    this.after.hidden = !this.now.state;
    this.query.hidden = !this.now.query;
    this.step = step;
    this.parts.update();
    if (this.trace.attends) this.opened(unfold, this.now, step);
  }

  names() {
    const { pieces } = this.trace.target;
    const before = pieces
      .slice(Math.max(0, this.step - 3), this.step)
      .join("")
      .replaceAll("▁", " ")
      .trim();
    this.title.textContent = this.step
      ? `Step ${this.step + 1}, after “${this.step > 3 ? "… " : ""}${before}”`
      : "Step 1, nothing written yet";
    this.note.textContent = remarks(this.trace, this.now, this.step);
  }

  asks() {
    this.strips.query.draw(this.now.query, this.scales.query);
  }

  adds() {
    this.strips.context.draw(this.now.context, this.scales.context);
    this.total.textContent = this.now.weights.reduce((sum, each) => sum + each, 0).toFixed(3);
  }

  writes() {
    this.strips.state.draw(this.now.state, this.scales.state);
    this.candidates.show(this.now);
  }

  numbers({ energy, weight, taking, name }, place) {
    const { now } = this;
    const value = now.weights[place];
    const text = value.toFixed(3);
    update(weight.number, "", text);
    update(weight.button, "--share", text);
    update(weight.button, "aria-label", `Weight of ${name}: ${text}`);
    update(taking, "--share", value < 0.004 ? "0" : Math.min(1, value).toFixed(2));
    taking.classList.toggle("none", value < 0.004); // costs nothing to draw
    energy.button.hidden = !now.energies;
    if (!now.energies) return;
    const [low, high] = this.energies;
    const zero = -low / (high - low);
    const share = now.energies[place] / (high - low);
    const size = Math.min(0.999, Math.abs(share));
    update(energy.number, "", signed(now.energies[place]));
    update(energy.button, "--from", (Math.max(0, Math.min(zero, zero + share)) / (1 - size)).toFixed(3));
    update(energy.button, "--share", size.toFixed(3));
    update(energy.button, "aria-label", `Energy of ${name}: ${signed(now.energies[place])}`);
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

  /** Unfold a weight or an energy below its row. */
  opened(unfold, now, step) {
    const [, kind, digits] = /^([we])(\d+)$/.exec(unfold) ?? [];
    const row = kind && this.rows[+digits];
    this.panel?.remove();
    this.panel = null;
    this.expanded?.setAttribute("aria-expanded", "false");
    if (!row) return;
    this.expanded = (kind === "w" ? row.weight : row.energy).button;
    this.expanded.setAttribute("aria-expanded", "true");
    const columns = [...row.node.cells].filter((cell) => cell.offsetParent).length; // narrow screens hide one
    const content = element("td", { colspan: columns });
    this.panel = element("tr", { className: "unfolded", children: [content] });
    row.node.after(this.panel);
    unfolded(content, kind, +digits, now, step, this.trace, { unfold: this.unfold, hidden: this.hidden });
  }
}
