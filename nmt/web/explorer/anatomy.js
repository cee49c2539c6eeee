// One step of the decoder, taken apart: query, energies, weights, context, next token.

import { element, segments } from "../dom.js";
import { Choices, remarks } from "./choices.js";
import { blind, heading, nextEquation, ofHead, queryEquation, readingText } from "./parts.js";
import { Pieces } from "./pieces.js";
import { Refreshed } from "./refreshed.js";
import { largestOf, Strip } from "./strip.js";

export class Anatomy {
  /** `force` is called with a candidate that is to be written; `change` takes changes of the state; `hidden` is as in `Pieces`. */
  constructor({ force, change, hidden }) {
    Object.assign(this, { force, change, hidden });
    this.node = element("section", { className: "anatomy card", "aria-label": "This step" });
  }

  /** Build what stays the same for all steps of a trace. */
  show(trace) {
    this.trace = trace;
    const { formulas } = trace;
    this.strips = {
      query: new Strip("Query: the decoder's state"),
      state: new Strip("New state of the decoder"),
    };
    const largest = (name) => largestOf(trace.steps.map((step) => step[name]));
    this.scales = { query: largest("query"), state: largest("state") };
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
    this.refocus = this.candidates?.node.contains(document.activeElement); // it was just chosen there
    this.candidates = new Choices(this.force);
    this.after = element("div", {
      className: "after",
      children: [element("p", { className: "about", text: "The decoder's new state" }), this.strips.state.node],
    });
    this.next.append(this.candidates.node, this.after);
    this.note = element("p", { className: "note", role: "status" });
    const heads = Array.from({ length: trace.heads }, (_, head) => [head, `Head ${head + 1}`]);
    this.heads = segments("Heads", heads, (head) => this.change({ head }));
    this.heads.node.hidden = trace.heads < 2;
    const unfold = (part) => this.change({ unfold: part });
    this.pieces = trace.attends ? new Pieces(trace, { unfold, hidden: this.hidden }) : null;
    const left = this.pieces?.node ?? blind(formulas);
    const about = element("p", { className: "about reads", text: readingText(trace) });
    this.node.replaceChildren(this.title, about, this.note, this.query, this.heads.node, left, this.next);
    this.parts?.end();
    this.parts = new Refreshed(this.node, [
      [this.title, () => this.names()],
      [this.query, () => this.asks()],
      ...(this.pieces?.parts ?? []),
      [this.next, () => this.writes()],
    ]);
  }

  /** Show a step, from 0; below 0, how many pieces are still to be read; with what the state unfolds, and of which head. */
  update(step, left, { unfold, head }) {
    const reading = step < 0;
    this.node.classList.toggle("reading", reading);
    this.pieces?.read(reading ? left : 0);
    if (reading) {
      const { labels } = this.trace.source;
      this.title.textContent = `The encoder reads “${labels[Math.max(0, labels.length - 1 - left)]}”`;
      this.pieces?.open("", step);
      return;
    }
    this.now = ofHead(this.trace, this.trace.steps[step], head);
    this.heads.choose(this.now.head);
    this.after.hidden = !this.now.state;
    this.query.hidden = !this.now.query;
    this.step = step;
    this.pieces?.take(this.now);
    this.parts.update();
    this.pieces?.open(unfold, step);
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

  writes() {
    this.strips.state.draw(this.now.state, this.scales.state);
    this.candidates.show(this.now);
    if (this.refocus) this.candidates.focus();
    this.refocus = false;
  }
}
