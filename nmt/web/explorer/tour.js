// The guided tour: a card that sets the page to a state and says what to look at.

import { element } from "../dom.js";
import { DEFAULTS } from "./state.js";
import { STOPS } from "./stops.js";

export class Tour {
  /** `change` takes a state; `runs` are those of the page, with their formulas once they are known. */
  constructor({ change, runs }) {
    Object.assign(this, { change, runs });
    this.title = element("h2", { id: "tour-title", tabindex: "-1" });
    this.text = element("p");
    this.lacks = element("p", { className: "lacks" });
    this.count = element("p", { className: "about" });
    const button = (text, className, act) => element("button", { type: "button", text, className, on: { click: act } });
    this.back = button("Back", "quiet", () => this.go(this.number - 1));
    this.next = button("Next", "primary", () => (this.number < STOPS.length ? this.go(this.number + 1) : this.leave()));
    this.node = element("aside", {
      className: "tour",
      "aria-labelledby": "tour-title",
      hidden: true,
      children: [
        element("div", { className: "words-of", children: [this.title, this.text] }),
        element("div", {
          className: "steps",
          children: [this.count, button("Leave the tour", "quiet", () => this.leave()), this.back, this.next],
        }),
        this.lacks,
      ],
    });
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && this.leave());
  }

  go(number) {
    const stop = STOPS[number - 1];
    if (!stop) return;
    const find = (wanted) => this.runs.findIndex((each) => wanted(each.formulas ?? {}));
    const usual = Math.max(
      0,
      find(({ alignment }) => alignment?.name === "Soft"),
    );
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

  /** Scroll to what the stop is about, once it is drawn. */
  reveal() {
    if (!this.pending || document.body.dataset.busy === "true") return;
    document.querySelector(this.pending)?.scrollIntoView({ block: "start" });
    this.pending = null;
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
    const there = !stop.needs || this.runs.some((each) => stop.needs(each.formulas ?? {}));
    this.lacks.hidden = there;
    this.lacks.textContent = there ? "" : `This page has no such run. To get one: ${stop.get}`;
    this.back.disabled = number === 1;
    this.next.textContent = number === STOPS.length ? "Done" : "Next";
  }
}
