// The guided tour: a card that sets the page to a state and says what to look at.

import { element } from "../dom.js";
import { DEFAULTS } from "./state.js";
import { STOPS } from "./stops.js";

/** Whether a run has the mechanism of the default model, for which the stops are written. */
const isDefault = ({ score, alignment, wiring }) =>
  score?.name === "Additive" && alignment?.name === "Soft" && wiring?.name === "BahdanauDecoder";

export class Tour {
  /** `change` takes a state; `runs` are those of the page, with their formulas once they are known. */
  constructor({ change, runs }) {
    Object.assign(this, { change, runs });
    this.title = element("h2", { id: "tour-title", tabindex: "-1" });
    this.text = element("p");
    this.note = element("p", { className: "lacks" });
    this.count = element("p", { className: "about" });
    const button = (text, className, act) => element("button", { type: "button", text, className, on: { click: act } });
    this.back = button("Back", "quiet", () => this.go(this.number - 1));
    this.next = button("Next", "primary", () => (this.number < STOPS.length ? this.go(this.number + 1) : this.leave()));
    this.node = element("aside", {
      className: "tour",
      "aria-labelledby": "tour-title",
      hidden: true,
      children: [
        element("div", { className: "words-of", children: [this.title, this.note, this.text] }),
        element("div", {
          className: "steps",
          children: [this.count, button("Leave the tour", "quiet", () => this.leave()), this.back, this.next],
        }),
      ],
    });
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && this.leave());
  }

  go(number) {
    const stop = STOPS[number - 1];
    if (!stop) return;
    const find = (wanted) => this.runs.findIndex((each) => wanted(each.formulas ?? {}));
    const usual = [find(isDefault), find(({ alignment }) => alignment?.name === "Soft"), 0].find((each) => each >= 0);
    const needed = stop.needs ? find(stop.needs) : usual;
    const together = stop.needs && !stop.alone && needed >= 0 && this.runs.length > 1;
    const view = together ? "compare" : (stop.state.view ?? DEFAULTS.view);
    const run = needed < 0 ? usual : needed;
    this.change({ ...DEFAULTS, ...stop.state, view, run, stop: number });
    this.title.focus({ preventScroll: true });
    scrollTo({ top: 0 });
    this.pending = stop.reveal;
    this.reveal();
  }

  /** Scroll to what the stop is about, once it is drawn, if the card stays in view. */
  reveal() {
    if (!this.pending || document.body.dataset.busy === "true") return;
    if (getComputedStyle(this.node.parentNode).position === "sticky")
      document.querySelector(this.pending)?.scrollIntoView({ block: "start" });
    this.pending = null;
  }

  /** Say what of the stop this page lacks, or that a run may do otherwise than the one it was written for. */
  judge(run, translation) {
    const stop = STOPS[this.number - 1];
    if (!stop) return;
    const there = !stop.needs || this.runs.some((each) => stop.needs(each.formulas ?? {}));
    const other = !isDefault(run.formulas ?? {}) || (stop.writes && stop.writes !== translation);
    let note = "";
    if (!there) note = `Not on this page: it has no such run. To get one: ${stop.get}`;
    else if (stop.needs && !stop.alone && this.runs.length < 2) note = "To compare, add a run of the default model.";
    else if (!stop.needs && other)
      note = "Written for the default model (python train.py): this one may look elsewhere and write something else.";
    this.note.hidden = !note;
    this.note.textContent = note;
  }

  leave() {
    this.change({ stop: 0 });
  }

  /** Show the card of a stop, 0 for none. */
  show(number) {
    const stop = STOPS[number - 1];
    this.number = number;
    this.node.hidden = !stop;
    document.body.classList.toggle("touring", Boolean(stop));
    if (!stop) return;
    this.count.textContent = `${number} of ${STOPS.length}`;
    this.title.textContent = stop.title;
    this.text.textContent = stop.sentences.join(" ");
    this.back.disabled = number === 1;
    this.next.textContent = number === STOPS.length ? "Done" : "Next";
  }
}
