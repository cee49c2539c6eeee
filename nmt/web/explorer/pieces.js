// The table of a step: for each source piece its state, energy, weight and what it adds to the context.

import { element, signed, update } from "../dom.js";
import { extent, firstSentence, heading, stateStrips, valueStrips } from "./parts.js";
import { largestOf, Strip } from "./strip.js";
import { unfolded } from "./unfold.js";

const SMALL = 0.004; // weights below it are not drawn

export class Pieces {
  /** `unfold` is called with "w3", "e3", "c" or ""; `hidden` gives what the score multiplies at a step. */
  constructor(trace, { unfold, hidden }) {
    Object.assign(this, { trace, unfold, hidden });
    const { formulas, source, encoder, values } = trace;
    this.equations = {
      2: [formulas.inner?.equation || formulas.score?.equation],
      3: [formulas.alignment?.equation || firstSentence(formulas.alignment?.text)],
      4: formulas.context?.equation.split(/, (?=\S+ = )/) ?? [],
    };
    this.energies = extent(trace.steps);
    this.scales = { states: largestOf([encoder.states]), values: largestOf([values.numbers]) };
    this.rows = source.labels.map((name, place) => this.row(name, place, encoder));
    this.context = new Strip("Context");
    this.node = element("div", { children: [this.legend(), this.table()] });
  }

  /** The parts that change with the step, each with a function that brings it up to date. */
  get parts() {
    const rows = this.rows.map((row, place) => [row.node, () => this.numbers(row, place)]);
    return [...rows, [this.sum, () => this.adds()]];
  }

  /** What stands above the columns, above the table: for narrow screens. */
  legend() {
    return element("div", {
      className: "legend",
      children: [2, 3, 4].map((number) => this.stage("div", number)),
    });
  }

  stage(name, number, attributes = {}) {
    const children = heading(number, this.equations[number]);
    return element(name, { className: "stage", data: { stage: number }, children, ...attributes });
  }

  table() {
    const states = element("th", {
      scope: "col",
      className: "states",
      children: [
        element("h3", { text: "States h" }),
        element("p", { className: "about", text: "Blue is below zero, orange above." }),
      ],
    });
    const first = element("th", { scope: "col", children: [element("span", { className: "hidden", text: "Source piece" })] });
    const columns = [2, 3, 4].map((number) => this.stage("th", number, { scope: "col" }));
    const head = element("tr", { children: [first, states, ...columns] });
    const table = element("table", {
      className: "pieces",
      children: [
        element("thead", { children: [head] }),
        element("tbody", { children: this.rows.map((row) => row.node) }),
        element("tfoot", { children: [this.sumRow()] }),
      ],
    });
    return element("div", {
      className: "scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "Energies, weights and context",
      children: [table],
    });
  }

  /** A button that unfolds a part of the step. */
  opener(name, className, children) {
    const button = element("button", {
      type: "button",
      className,
      "aria-expanded": "false",
      children,
      on: { click: () => this.unfold(button.getAttribute("aria-expanded") === "true" ? "" : name) },
    });
    return button;
  }

  sumRow() {
    this.total = element("td", { className: "number" });
    this.adding = this.opener("c", "context", [this.context.node]);
    this.sum = element("tr", {
      className: "sum",
      children: [
        element("th", { scope: "row", text: "Σ" }),
        element("td", { className: "states" }),
        element("td"),
        this.total,
        element("td", { children: [this.adding] }),
      ],
    });
    return this.sum;
  }

  row(name, place, encoder) {
    const cell = (kind) => {
      const number = element("span", { className: "number" });
      return { number, button: this.opener(`${kind[0]}${place}`, `value ${kind}`, [number]) };
    };
    const [energy, weight] = [cell("energy"), cell("weight")];
    const halves = stateStrips(encoder, place, this.scales.states, name);
    const taking = element("div", { className: "vector", "aria-hidden": "true" });
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

  /** Take a step as a head sees it. */
  take(now) {
    const changed = this.now?.head !== now.head;
    this.now = now;
    if (!changed) return;
    this.rows.forEach(({ taking }, place) =>
      taking.replaceChildren(...valueStrips(this.trace, now, place, this.scales.values)),
    );
  }

  numbers({ energy, weight, taking, name }, place) {
    const { now } = this;
    const value = now.weights[place];
    const text = value.toFixed(3);
    update(weight.number, "", text);
    update(weight.button, "--share", text);
    update(weight.button, "aria-label", `Weight of ${name}: ${text}`);
    update(taking, "--share", value < SMALL ? "0" : Math.min(1, value).toFixed(2));
    taking.classList.toggle("none", value < SMALL); // costs nothing to draw
    const [low, high] = this.energies;
    const zero = -low / (high - low);
    const share = now.energies[place] / (high - low);
    const size = Math.min(0.999, Math.abs(share));
    update(energy.number, "", signed(now.energies[place]));
    update(energy.button, "--from", (Math.max(0, Math.min(zero, zero + share)) / (1 - size)).toFixed(3));
    update(energy.button, "--share", size.toFixed(3));
    update(energy.button, "aria-label", `Energy of ${name}: ${signed(now.energies[place])}`);
  }

  adds() {
    const { weights, context } = this.now;
    this.context.draw(context, this.scales.values);
    update(this.adding, "aria-label", "Context: the numbers that are added up");
    this.total.textContent = weights.reduce((sum, each) => sum + each, 0).toFixed(3);
  }

  /** Hide the states of pieces that the encoder has not read: each direction has its own order. */
  read(left) {
    if (left === this.left) return;
    this.left = left;
    const count = this.rows.length;
    this.rows.forEach(({ halves }, place) => {
      halves[0].classList.toggle("unread", place >= count - left);
      halves[1]?.classList.toggle("unread", place < left);
    });
  }

  /** Unfold a weight, an energy or the context below its row. */
  open(name, step) {
    const focused = this.panel?.contains(document.activeElement); // on an energy of an unfolded weight
    this.panel?.remove();
    this.panel = null;
    this.expanded?.setAttribute("aria-expanded", "false");
    const [, kind, digits] = /^(?:([we])(\d+))$/.exec(name) ?? [];
    const row = kind && this.rows[+digits];
    if (!row && name !== "c") return;
    this.expanded = row ? (kind === "w" ? row.weight : row.energy).button : this.adding;
    this.expanded.setAttribute("aria-expanded", "true");
    if (focused) this.expanded.focus();
    const above = row ? row.node : this.sum;
    const columns = [...above.cells].filter((cell) => cell.offsetParent).length; // narrow screens hide one
    const content = element("td", { colspan: columns });
    this.panel = element("tr", { className: "unfolded", children: [content] });
    above.after(this.panel);
    const { trace, now, unfold, hidden } = this;
    unfolded(content, row ? kind : "c", +digits, now, step, trace, { unfold, hidden });
  }
}
