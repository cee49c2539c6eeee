// The player: play, pause, scrub. Places are steps of the decoder, from 1; the source is read at those up to 0.

import { element } from "../dom.js";

const READING = 260; // milliseconds for each source piece
const STAGE = 420; // for each of the five stages of a step
const OTHERS = "input, textarea, select, [role=slider], [role=tab], [role=treeitem], [role=region][tabindex]"; // want keys
const QUICK = 650; // for a whole step, where no stages are shown

export class Transport {
  /** `go` is called with a place, null for the end; `stage` with 1 to 5 while a step plays, 0 when it is whole. */
  constructor(go, stage, staged) {
    Object.assign(this, { go, stage, staged, first: 0, last: 1, at: null, timer: 0, phase: 0 });
    const button = (name, label, key, act) =>
      element("button", {
        type: "button",
        className: `icon ${name}`,
        "aria-label": label,
        title: `${label} (${key})`,
        on: { click: act },
      });
    this.toggle = button("play", "Play", "space bar", () => this.playOrPause());
    this.slider = element("input", { type: "range", step: "1", "aria-label": "Place in the translation" });
    this.slider.addEventListener("input", () => this.move(+this.slider.value));
    this.parts = element("div", { className: "parts", "aria-hidden": "true" });
    this.label = element("p", { className: "where", "aria-live": "polite" });
    this.node = element("div", {
      className: "transport",
      children: [
        button("first", "To the beginning", "Home", () => this.move(this.first)),
        button("back", "One step back", "←", () => this.step(-1)),
        this.toggle,
        button("forward", "One step on", "→", () => this.step(1)),
        button("last", "To the end", "End", () => this.move(this.last + 1)),
        element("div", { className: "track", children: [this.slider, this.parts] }),
        this.label,
      ],
    });
    addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Set the number of source pieces and of steps. */
  span(read, steps) {
    [this.first, this.last] = [1 - read, steps];
    [this.slider.min, this.slider.max] = [this.first, this.last + 1];
    const part = (text, share) => element("span", { text, style: { "flex-grow": String(share) } });
    this.parts.replaceChildren(part("reads", read), part("writes", steps + 1));
  }

  /** Show a place, with words about it. */
  place(at, text) {
    this.at = at === null || at > this.last ? this.last + 1 : Math.max(this.first, at);
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", text);
    this.label.textContent = text;
    this.node.classList.toggle("ended", this.at > this.last);
  }

  move(at) {
    this.pause();
    this.goTo(at);
  }

  goTo(at) {
    this.go(at > this.last ? null : Math.max(this.first, at));
  }

  step(by) {
    this.move(this.at + by);
  }

  get playing() {
    return this.timer !== 0;
  }

  playOrPause() {
    if (this.playing) return this.pause();
    if (this.at > this.last) this.goTo(this.first);
    this.phase = 0;
    this.toggled(true);
    this.tick();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.toggled(false);
    this.stage(0);
  }

  toggled(playing) {
    this.toggle.classList.toggle("playing", playing);
    this.toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  /** One beat: the next stage of this step, or the next step. */
  tick() {
    const decoding = this.at >= 1 && this.staged();
    if (decoding && this.phase < 5) this.stage(++this.phase);
    else {
      this.phase = 0;
      if (this.at > this.last) return this.pause();
      this.goTo(this.at + 1);
      if (this.at > this.last) return this.pause();
      if (this.at >= 1 && this.staged()) this.stage((this.phase = 1));
    }
    const wait = this.at < 1 ? READING : this.staged() ? STAGE : QUICK;
    this.timer = setTimeout(() => this.tick(), this.phase === 5 ? 2 * wait : wait);
  }

  /** Keys work wherever they do not write or choose something else. */
  pressed(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || !this.node.checkVisibility()) return;
    const target = event.target;
    if (target.closest?.(OTHERS) && target !== this.slider) return;
    const onButton = target.closest?.("button, summary, a");
    const acts = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.move(this.first),
      End: () => this.move(this.last + 1),
      " ": onButton ? null : () => this.playOrPause(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}
