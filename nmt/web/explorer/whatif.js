// What if it had looked elsewhere? The weights of a step, to be moved by hand, and what changes after it.

import { element, percent, signed } from "../dom.js";
import { dragged, lookAt, parseLooks, writeLook } from "./looks.js";

export class WhatIf {
  /** `change` takes changes of the state; `compare` gives traces and probabilities without the changed attention. */
  constructor({ change, compare, languages }) {
    Object.assign(this, { change, compare, languages, on: false });
    this.title = element("h2");
    this.rows = element("div", { className: "sliders" });
    const button = (text, act, title = "") =>
      element("button", { type: "button", className: "quiet", text, title, on: { click: act } });
    this.reset = button("As it was", () => this.change({ look: "", pick: 0 }));
    this.further = element("input", { type: "checkbox" });
    this.further.addEventListener("change", () => this.again());
    const presets = element("div", {
      className: "presets",
      role: "group",
      "aria-label": "Set the weights",
      children: [
        button("Uniform", () => this.set({ how: "uniform" }), "The same weight for every piece"),
        button("Shuffled", () => this.set({ how: "shuffled" }), "Its own weights, at other pieces"),
        this.reset,
        element("label", { className: "check", children: [this.further, " at all later steps too"] }),
      ],
    });
    this.outcome = element("div", { className: "outcome card", "aria-live": "polite" });
    const text =
      "Move a slider, or choose a way to look: the decoder goes on with what it then sees. The small mark is the model's own weight. The player below chooses the step.";
    this.node = element("section", {
      className: "whatif",
      "aria-label": "What if it had looked elsewhere?",
      children: [
        element("div", {
          className: "panel card",
          children: [this.title, element("p", { className: "about", text }), presets, this.rows],
        }),
        this.outcome,
      ],
    });
  }

  /** Show a step, from 0. */
  show(trace, state, step) {
    const rebuild = this.trace?.source.pieces.join(" ") !== trace.source.pieces.join(" ") || this.state.unit !== state.unit;
    Object.assign(this, { trace, state, step: Math.max(0, Math.min(step ?? 0, trace.steps.length - 1)) });
    this.node.classList.toggle("blind", !trace.attends);
    if (!trace.attends) {
      this.title.textContent = "This model has no attention, so it looks nowhere.";
      this.outcome.replaceChildren();
      this.rows.replaceChildren();
      return;
    }
    const now = trace.target.labels[this.step];
    this.title.textContent = `Step ${this.step + 1}: it writes “${now}”`;
    this.looks = parseLooks(state.look);
    const look = lookAt(this.looks, this.step);
    this.further.checked = Boolean(look?.on);
    this.reset.disabled = !state.look;
    if (rebuild || !this.sliders) this.build();
    this.update();
    this.judge();
  }

  build() {
    const { labels, words } = this.trace.source;
    this.sliders = labels.map((name, place) => {
      const word = this.state.unit === "words" && words.find(({ begin, end }) => begin <= place && place < end);
      const aim = word ? { piece: word.begin, last: word.end - 1 } : { piece: place };
      const input = element("input", { type: "range", min: 0, max: 1000, "aria-label": `Weight of ${name}` });
      const number = element("span", { className: "number" });
      const own = element("span", { className: "own", "aria-hidden": "true" });
      const only = element("button", {
        type: "button",
        className: "quiet only",
        text: word ? "only this word" : "only this",
        "aria-label": `Look only at ${word ? `the word of ${name}` : name}`,
        on: { click: () => this.set({ how: "only", ...aim }) },
      });
      input.addEventListener("input", () => this.drag(place, input.value / 1000));
      const track = element("div", { className: "track", children: [own, input] });
      const title = element("bdi", { className: "name", text: name, lang: this.languages.source });
      return {
        input,
        number,
        own,
        node: element("div", { className: "slider", children: [title, track, number, only] }),
      };
    });
    this.rows.replaceChildren(...this.sliders.map((slider) => slider.node));
  }

  update() {
    const { weights, own } = this.trace.steps[this.step];
    this.sliders.forEach(({ input, number, own: tick }, place) => {
      input.value = Math.round(1000 * weights[place]);
      input.style.setProperty("--share", Math.min(1, weights[place]).toFixed(4));
      number.textContent = weights[place].toFixed(3);
      input.setAttribute("aria-valuetext", weights[place].toFixed(3));
      tick.style.setProperty("--share", Math.min(1, (own ?? weights)[place]).toFixed(4));
    });
  }

  /** Give one piece a weight; the others share the rest as before. */
  drag(place, wanted) {
    this.set({ how: "weights", weights: dragged(this.trace.steps[this.step].weights, place, wanted) });
  }

  set(look) {
    const kept = this.looks.filter((each) => each.step !== this.step);
    const entry = { ...look, step: this.step, on: this.further.checked };
    this.change({ look: [...kept, entry].map(writeLook).join(";"), pick: 0 });
  }

  /** Make what holds at this step hold at all later steps too, or no longer. */
  again() {
    const look = lookAt(this.looks, this.step);
    if (!look) return;
    const changed = this.looks.map((each) => (each === look ? { ...look, on: this.further.checked } : each));
    this.change({ look: changed.map(writeLook).join(";"), pick: 0 });
  }

  /** Compare with what the model did by itself. */
  async judge() {
    const { trace, state } = this;
    let found;
    try {
      found = await this.compare(state);
    } catch (error) {
      return this.outcome.replaceChildren(element("p", { className: "about", text: error.message }));
    }
    const { before, after } = found;
    if (this.trace !== trace || !before) return;
    const [was, now] = [before, trace].map((each) => each.target.labels[this.step]);
    if (state.look && was !== undefined && was !== now)
      this.title.textContent = `Step ${this.step + 1}: it wrote “${was}”, and now “${now}”`;
    const named = (name, text) =>
      element("div", {
        className: "pair",
        children: [
          element("span", { className: "about", text: name }),
          element("p", { lang: this.languages.target, dir: "auto", text: text || "(nothing)" }),
        ],
      });
    const parts = [element("h2", { text: "What follows" })];
    if (!state.look) {
      parts.push(named("It wrote", before.text), element("p", { className: "about", text: "Nothing is changed yet." }));
      this.outcome.replaceChildren(...parts);
      return;
    }
    parts.push(named("Before", before.text), named("Now", trace.text));
    const sum = (list) => list.reduce((total, each) => total + each, 0);
    const [own, changed] = [before.steps.map((each) => each.logProb), after];
    const same = before.text === trace.text;
    const fall = `The first translation had log p ${signed(sum(own))}; looking so, it has ${signed(sum(changed))}.`;
    parts.push(
      element("p", {
        className: "verdict",
        text: `${same ? "The words stay the same. " : "The words change. "}${fall}`,
      }),
    );
    parts.push(
      element("p", { className: "about", text: "How likely each word of the first translation was, and is now:" }),
      this.shifts(before, own, changed),
    );
    this.outcome.replaceChildren(...parts);
  }

  shifts(before, own, changed) {
    const first = Math.min(...this.looks.map((look) => look.step));
    const rows = before.target.labels.map((name, place) => {
      const [was, is] = [own[place], changed[place]].map(Math.exp);
      const bar = element("span", { className: "shift", "aria-hidden": "true" });
      bar.style.setProperty("--was", was.toFixed(4));
      bar.style.setProperty("--is", is.toFixed(4));
      bar.style.setProperty("--begin", Math.min(was, is).toFixed(4));
      bar.style.setProperty("--length", Math.abs(was - is).toFixed(4));
      bar.classList.toggle("falls", is < was);
      return element("tr", {
        className: place < first ? "untouched" : "",
        children: [
          element("th", { scope: "row", children: [element("bdi", { text: name, lang: this.languages.target })] }),
          element("td", { className: "number", text: percent(was) }),
          element("td", { children: [bar] }),
          element("td", { className: "number", text: percent(is) }),
        ],
      });
    });
    const head = ["word", "was", "", "is now"].map((text) =>
      element(text ? "th" : "td", { scope: text ? "col" : undefined, text }),
    );
    return element("table", {
      className: "shifts",
      children: [
        element("thead", { children: [element("tr", { children: head })] }),
        element("tbody", { children: rows }),
      ],
    });
  }
}
