// The first view: the picture of the whole translation, and below it the step that is in the making.

import { element, segments, signed } from "../dom.js";
import { Anatomy } from "./anatomy.js";
import { Picture } from "./picture.js";

const CHOICES = [
  ["Picture", "shape", { lines: "Lines", map: "Heatmap" }, "shapes"], // on narrow screens one of both is shown
  ["Units", "unit", { pieces: "Pieces", words: "Words" }],
  ["Scale", "scale", { linear: "Linear", log: "Log scale" }],
];

export class Look {
  /** `go` takes a step from 0; `change` takes changes of the state; `hidden` gives parts of the score at a step. */
  constructor({ go, change, force, hidden, languages }) {
    this.picture = new Picture({ go, languages });
    this.anatomy = new Anatomy({ force, hidden, change });
    this.choices = CHOICES.map(([label, name, options, className]) => ({
      name,
      ...segments(label, Object.entries(options), (value) => change({ [name]: value }), className),
    }));
    this.end = element("div", { className: "whole" });
    this.card = element("div", {
      className: "card",
      children: [this.picture.node, this.picture.told],
    });
    this.toolbar = element("div", { className: "toolbar", children: this.choices.map((each) => each.node) });
    this.node = element("section", {
      className: "look",
      "aria-label": "Step by step",
      children: [this.card, this.end, this.anatomy.node],
    });
  }

  show(trace, state) {
    this.trace = trace;
    this.picture.node.dataset.shape = state.shape;
    this.picture.show(trace, state.unit, state.scale);
    this.anatomy.show(trace);
    this.summary();
    for (const { name, choose } of this.choices) choose(state[name]);
  }

  /** How the score comes about. */
  summary() {
    const { steps, score, search } = this.trace;
    const terms = steps.map((step) => signed(step.logProb));
    const sum = steps.reduce((total, step) => total + step.logProb, 0);
    const divisor = search.penalty === 1 ? steps.length : `${steps.length}^${+search.penalty.toFixed(2)}`;
    const listed = terms.length > 14 ? [...terms.slice(0, 12), "…"] : terms;
    this.end.replaceChildren(
      element("p", { className: "invite", text: "Press play, or choose a word, to see how it was written." }),
      element("p", {
        className: "about",
        text: `log p = ${listed.join(" + ").replaceAll("+ −", "− ")} ≈ ${signed(sum)}, over ${steps.length} tokens; score = log p / ${divisor} = ${signed(score, 3)}.`,
      }),
    );
  }

  /** Show a place: a step from 1, the source being read up to 0, null at the end. */
  place(at, state) {
    const { trace, picture, anatomy } = this;
    const ended = at === null || at > trace.steps.length;
    this.end.hidden = !ended;
    this.card.hidden = !ended && at < 1; // while the source is read there is nothing else to see
    anatomy.node.hidden = ended;
    if (ended) picture.place(null, null);
    else if (at >= 1) picture.place(at, at - 1);
    if (!ended) anatomy.update(at < 1 ? -1 : at - 1, -at, state);
  }

  /** Light up one of the five stages while a step plays; 0 for all. */
  stage(number) {
    for (const node of this.anatomy.node.querySelectorAll("[data-stage]")) {
      node.classList.toggle("lit", number > 0 && +node.dataset.stage === number);
    }
  }
}
