// What the page shows, kept in the address, so that any view can be linked.

import { fragment, setFragment } from "../address.js";

/** Everything that the address can hold, with its default. */
export const DEFAULTS = Object.freeze({
  text: "",
  view: "look", // a tab
  run: 0, // which of the runs
  at: null, // place of the player; null is the end
  unit: "pieces", // or words
  scale: "linear", // or log
  unfold: "", // a part of the step that is unfolded: w3 is the weight of piece 3, e3 its energy; c is the context
  head: 0, // whose energies and weights a step shows
  beam: 0, // 0 is the run's own
  penalty: null, // null is the run's own
  begin: "", // pieces that the translation must begin with, with spaces between
  cut: "", // beginnings that the search may not take, on lines
  look: "", // attention that is set by hand: see looks.js
  pick: 0, // which of the translations found
  shape: "lines", // or map: which half of the picture narrow screens show
  pruned: 0, // 1 shows all that the search has pruned
  alike: 0, // 1 makes all moments of a run write the best one's translation
  stop: 0, // of the tour; 0 is none
});

const COUNTS = ["run", "head", "beam", "pick", "pruned", "alike", "stop"].map((name) => [name, /^\d{1,4}$/]);
const NUMBERS = new Map([...COUNTS, ["at", /^-?\d{1,4}$/], ["penalty", /^\d(\.\d+)?$/]]);
export const BETWEEN_CUTS = "\n"; // no clean text contains it

/** The state that the address describes. */
function fromAddress() {
  const state = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) {
    const text = fragment(name);
    if (!text) continue;
    if (!NUMBERS.has(name)) state[name] = text;
    else if (NUMBERS.get(name).test(text)) state[name] = +text;
  }
  return state;
}

/** Holds the state, tells listeners which names have changed, and writes the address. */
export class Store {
  constructor() {
    this.state = fromAddress();
    this.listeners = [];
    this.writing = 0;
    addEventListener("hashchange", () => this.replace(fromAddress()));
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Change some values. */
  set(changes) {
    this.replace({ ...this.state, ...changes });
  }

  replace(next) {
    const changed = new Set(Object.keys(DEFAULTS).filter((name) => next[name] !== this.state[name]));
    if (!changed.size) return;
    this.state = next;
    clearTimeout(this.writing); // browsers refuse many changes of the address a second
    this.writing = setTimeout(() => this.write(), 250);
    for (const listener of this.listeners) listener(next, changed);
  }

  /** Write to the address whatever differs from its default; false if that is too long. */
  write() {
    const { state } = this;
    const shown = (name) => (state[name] === DEFAULTS[name] ? "" : state[name]);
    return setFragment(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, shown(name)])));
  }
}
