// Several models on the same sentence, in step: runs side by side, or one run at several times of its training.

import { element, percent, signed } from "../dom.js";
import { Picture } from "./picture.js";
import { numbersOf } from "./save.js";

const CHOICES = 3; // candidates shown of each model

export class Compare {
  /** `models` are {label, name, about()}; `ask` gives the trace of a model by its name. With `best`, the number of a
   * model, all can be made to write its translation, so that pictures can be compared row by row. */
  constructor({ models, ask, go, change, languages, label, about, best = null }) {
    Object.assign(this, { models, ask, best, wanted: 0 });
    this.alike = element("input", { type: "checkbox" });
    this.alike.addEventListener("change", () => change({ alike: +this.alike.checked }));
    const choice = element("label", {
      className: "check",
      children: [this.alike, " all write the best model's translation"],
    });
    this.columns = models.map((model) => column(model, languages, go));
    this.node = element("section", {
      className: "compare",
      "aria-label": label,
      children: [
        element("p", { className: "about", text: about }),
        best === null ? null : choice,
        element("div", {
          className: "columns",
          children: this.columns.map((each) => each.node),
        }),
      ],
    });
  }

  /** Show a text; columns fill as their models answer. */
  async show(state, placed) {
    const wanted = ++this.wanted;
    this.alike.checked = state.alike === 1;
    const asked = this.best !== null && state.alike ? { ...state, begin: await this.beginning(state) } : state;
    for (const each of this.columns) each.node.classList.add("waiting");
    for (const [place, model] of this.models.entries()) {
      const each = this.columns[place];
      try {
        const trace = await this.ask(model.name, asked);
        if (wanted !== this.wanted) return;
        each.trace = trace;
        each.about.textContent = model.about();
        each.text.textContent = trace?.text || "(nothing)";
        each.score.textContent = trace
          ? `log p ${signed(trace.steps.reduce((sum, step) => sum + step.logProb, 0))}, ${percent(trace.confidence)} a token`
          : "";
        if (trace) each.picture.show(trace, state.unit, state.scale);
        each.node.classList.remove("waiting");
        placed(this.longest());
      } catch (error) {
        if (wanted !== this.wanted) return;
        each.text.textContent = error.message === "replaced" ? "" : error.message;
      }
    }
  }

  /** The best model's translation as a beginning that is a whole. */
  async beginning(state) {
    const trace = await this.ask(this.models[this.best].name, state);
    return trace ? `~${trace.target.raw.join(" ")}` : "";
  }

  /** The most source pieces and steps of any model. */
  longest() {
    const traces = this.columns.map((each) => each.trace).filter(Boolean);
    return [
      Math.max(1, ...traces.map((trace) => trace.source.pieces.length)),
      Math.max(1, ...traces.map((trace) => trace.steps.length)),
    ];
  }

  /** Where the player is, for models that write different translations. */
  where(at) {
    const [read, steps] = this.longest();
    if (at === null || at > steps) return "The whole translations";
    return at < 1 ? `Reads piece ${Math.max(1, read + at)} of ${read}` : `Step ${at} of at most ${steps}`;
  }

  numbers() {
    const shown = this.columns.filter((each) => each.trace);
    return { models: shown.map(({ trace, label }) => ({ model: label, ...numbersOf(trace) })) };
  }

  /** Show the same place in all: a step from 1, the source being read up to 0, null at the end. */
  place(at) {
    for (const { trace, picture, choices } of this.columns) {
      if (!trace) continue;
      const ended = at === null || at > trace.steps.length;
      if (ended) picture.place(null, null);
      else if (at < 1) picture.place(0, null, trace.source.pieces.length + at);
      else picture.place(at, at - 1);
      const step = !ended && at >= 1 ? trace.steps[at - 1] : null;
      choices.hidden = !step;
      if (step) choices.replaceChildren(...step.candidates.slice(0, CHOICES).map((each) => candidate(each, step)));
    }
  }
}

function candidate({ id, label, probability }, step) {
  const item = element("li", {
    className: id === step.token ? "chosen" : "",
    children: [element("bdi", { text: label }), element("span", { className: "number", text: percent(probability) })],
  });
  item.style.setProperty("--share", probability.toFixed(4));
  return item;
}

function column(model, languages, go) {
  const picture = new Picture({ go, languages, small: true });
  const text = element("p", { className: "translation", lang: languages.target, dir: "auto" });
  const score = element("p", { className: "about" });
  const choices = element("ol", { className: "choices", "aria-label": "Likeliest tokens", hidden: true });
  const head = element("h2", { children: [element("bdi", { text: model.label })] });
  const about = element("p", { className: "about" });
  const node = element("article", { className: "column card", children: [head, about, text, score, picture.node, choices] });
  return { node, label: model.label, picture, about, text, score, choices, trace: null };
}
