// The page: a sentence, the views of it, the player, and what the address says about them.

import { copyText } from "../copy_and_save.js";
import { Client } from "../client.js";
import { element, roving } from "../dom.js";
import { warning } from "../doubts.js";
import { saveJson, savePng, saveSvg } from "./save.js";
import { changeChips, runAbout, showWritten, where } from "./said.js";
import { Store } from "./state.js";
import { Tour } from "./tour.js";
import { Transport } from "./transport.js";
import { makeViews } from "./views.js";

const $ = (id) => document.getElementById(id);
const DRAWN = ["view", "unit", "scale", "shape", "pruned", "alike"]; // what else needs drawing anew
const SEARCHED = ["text", "run", "beam", "penalty", "begin", "cut", "look", "pick"]; // what a trace depends on
const searched = (state) => Object.fromEntries(SEARCHED.map((name) => [name, state[name]]));

class Explorer {
  constructor(about) {
    this.about = about; // runs, examples, and whether there is a tour
    this.runs = about.runs; // {label, models: [{name, label}], own, sentences}: own is which model is the run's
    this.references = new Map(
      this.runs.flatMap(({ sentences }) => sentences.map(({ source, references }) => [source, references])),
    );
    this.languages = { source: $("text").lang, target: $("translation").lang };
    this.store = new Store();
    this.client = new Client($("worker").textContent, (message) => this.fail(message));
    for (const node of document.querySelectorAll("script[data-model]")) {
      this.client.give(node.dataset.model, node.textContent);
      node.remove();
    }
    this.transport = new Transport(
      (at) => this.store.set({ at }),
      (number) => this.views.look.stage(number),
      () => this.view === this.views.look,
    );
    $("player").append(this.transport.node);
    this.tour = new Tour({ change: (changes) => this.store.set(changes), runs: this.runs });
    $("tour").append(this.tour.node);
    this.views = makeViews(this.runs, {
      languages: this.languages,
      change: (changes) => this.store.set(changes),
      go: (step) => this.transport.move(step + 1),
      force: (each) => this.force(each),
      hidden: (step) => this.hidden(step),
      unchanged: (state) => this.unchanged(state),
      askModel: (model, state) => this.ask(state, model, null),
      spanned: (span, node) => this.spanned(span, node),
      open: (source) => this.openInPlayer(source),
    });
    this.makeTabs();
    this.makeControls(about.examples);
    this.store.onChange((state, changed) => this.changed(state, changed));
    this.begin();
  }

  makeTabs() {
    const tab = ([name, { label }]) =>
      element("button", {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": "view",
        text: label,
        data: { name },
        on: { click: () => this.store.set({ view: name }) },
      });
    this.tabs = Object.entries(this.views).map(tab);
    $("tabs").append(...this.tabs);
    roving(this.tabs);
    for (const node of this.tabs) {
      const chosen = () => node.matches(":focus-visible") && this.store.set({ view: node.dataset.name });
      node.addEventListener("focus", chosen);
    }
  }

  makeControls(examples) {
    const example = (text) =>
      element("button", {
        type: "button",
        className: "chip",
        dir: "auto",
        text,
        on: { click: () => this.openSentence(text) },
      });
    $("examples").append(...examples.map(example));
    $("text").addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.openTyped(), 250);
    });
    $("text").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.openTyped();
    });
    $("run").append(...this.runs.map(({ label }, place) => element("option", { value: place, text: label })));
    $("run-choice").hidden = this.runs.length < 2;
    $("run").addEventListener("change", () =>
      this.store.set({ run: +$("run").value, begin: "", cut: "", look: "", pick: 0 }),
    );
    $("tour-start").addEventListener("click", () => this.tour.go(1));
    const save = (kind, made, write) =>
      $(`save-${kind}`).addEventListener("click", () => {
        if (this.trace) write(this.view.file, this.view[made](this.trace, this.store.state));
      });
    save("svg", "drawing", saveSvg);
    save("png", "drawing", savePng);
    save("json", "numbers", saveJson);
    $("save-link").addEventListener("click", () => this.copyLink());
    document.addEventListener("click", (event) => !event.target.closest("#save") && $("save").removeAttribute("open"));
    $("save").addEventListener("keydown", (event) => event.key === "Escape" && ($("save").open = false));
  }

  openTyped() {
    this.typed = $("text").value;
    this.openSentence(this.typed);
  }

  openSentence(text) {
    this.store.set({ text, at: null, begin: "", cut: "", look: "", pick: 0, unfold: "" });
  }

  /** Open a sentence of the table. */
  openInPlayer(text) {
    this.openSentence(text);
    this.store.set({ view: "look" });
    $("text").focus();
  }

  async begin() {
    try {
      for (const run of this.runs) {
        run.record = await this.client.ask({ name: "record", model: run.models[run.own].name });
        run.formulas = run.record.formulas;
      }
    } catch (error) {
      return this.fail(error.message);
    }
    $("status").textContent = "";
    $("tour-start").hidden = !this.about.tour;
    document.body.dataset.ready = "true";
    const { text, stop } = this.store.state;
    if (!text && stop) this.tour.go(stop); // a link to a stop
    else if (!text && this.about.examples.length) this.store.set({ text: this.about.examples[0] });
    this.changed(this.store.state, new Set(Object.keys(this.store.state)));
  }

  fail(message) {
    $("status").textContent = message;
    $("status").classList.add("failed");
    document.body.dataset.busy = "false";
  }

  /** The view that is chosen, one of `views`. */
  get view() {
    const { view } = this.store.state;
    return Object.hasOwn(this.views, view) ? this.views[view] : this.views.look;
  }

  get run() {
    return this.runs[this.store.state.run] ?? this.runs[0];
  }

  get model() {
    return this.run.models[this.run.own].name;
  }

  ask(state, model = this.model, lane = "main") {
    return this.client.ask({ ...searched(state), name: "explore", model }, lane);
  }

  /** The translation without attention set by hand, and the log probabilities that its tokens have with it. */
  async unchanged(state) {
    const before = await this.ask({ ...state, look: "", pick: 0 }, undefined, null);
    const texts = { source: before.source.ids, tokens: before.target.ids };
    const task = { ...searched(state), ...texts, name: "forced", model: this.model };
    return { before, after: state.look ? await this.client.ask(task) : null };
  }

  /** What the score multiplies at a step. */
  hidden(step) {
    const { source, target } = this.trace;
    const texts = { source: source.ids, tokens: target.ids };
    return this.client.ask({ ...searched(this.store.state), ...texts, name: "scoreParts", model: this.model, step });
  }

  /** Write another token at the step that is shown. */
  force({ raw }) {
    const { at } = this.store.state;
    const before = this.trace.target.raw.slice(0, at - 1);
    this.store.set({ begin: `~${[...before, raw].join(" ")}`, pick: 0, unfold: "" });
  }

  async changed(state, changed) {
    if (!document.body.dataset.ready) return;
    if (changed.has("stop")) {
      this.tour.show(state.stop);
      this.tour.judge(this.run, this.trace?.text);
    }
    if (SEARCHED.some((name) => changed.has(name))) await this.search(state);
    else if (DRAWN.some((name) => changed.has(name))) this.draw();
    else if (changed.has("at") || changed.has("unfold") || changed.has("head")) this.place();
  }

  async search(state) {
    if (state.text !== this.typed) $("text").value = this.typed = state.text; // what is being typed stays as it is
    $("run").value = String(this.runs.indexOf(this.run));
    this.showReferences(state.text);
    document.body.dataset.busy = "true";
    $("text").parentNode.classList.toggle("long", state.text.length > 140);
    const sentence = state.text.trim();
    try {
      const trace = sentence ? await this.ask(state) : null;
      if (SEARCHED.some((name) => this.store.state[name] !== state[name])) return;
      this.trace = trace;
      $("status").textContent = trace?.doubts.length ? warning(trace.doubts) : "";
      $("status").className = "doubt";
      this.draw();
    } catch (error) {
      if (error.message !== "replaced") return this.fail(error.message);
      const again = SEARCHED.every((name) => this.store.state[name] === state[name]); // there and back again
      return again ? this.search(state) : undefined;
    }
    document.body.dataset.busy = "false";
    this.tour.reveal();
    this.tour.judge(this.run, this.trace?.text);
  }

  /** The references of a sentence of the test set. */
  showReferences(text) {
    const shown = (this.references.get(text.trim()) ?? []).map((each) =>
      element("p", { className: "about", dir: "auto", text: `Reference: ${each}` }),
    );
    $("references").replaceChildren(...shown);
  }

  draw() {
    const { view, trace } = this;
    const { state } = this.store;
    for (const tab of this.tabs) {
      const chosen = this.views[tab.dataset.name] === view;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) $("view").setAttribute("aria-labelledby", tab.id);
      if (chosen) tab.parentNode.scrollTo({ left: tab.offsetLeft - 32 });
    }
    $("run-about").textContent = runAbout(this.run);
    changeChips($("changes"), state, this.run.record.search, (changes) => this.store.set(changes));
    document.body.dataset.view = state.view;
    $("view").hidden = !trace;
    $("player").hidden = !trace || !view.place;
    for (const kind of ["svg", "png"]) $(`save-${kind}`).hidden = !view.drawing;
    $("save-json").hidden = !view.numbers;
    if (!trace || !view.place) this.transport.pause();
    if (!trace) return $("translation").replaceChildren();
    if ($("view").firstChild !== view.node) {
      $("view").replaceChildren(view.node);
      $("toolbar").replaceChildren(...(view.toolbar ? [view.toolbar] : []));
    }
    this.transport.span(trace.source.pieces.length, trace.steps.length);
    view.show(trace, state);
    this.place();
  }

  /** A view with several models has this many source pieces and steps at most. */
  spanned(span, node) {
    if ($("view").firstChild !== node) return; // another was chosen meanwhile
    this.transport.span(...span);
    this.place();
  }

  /** Show the place of the player. */
  place() {
    const { view, trace } = this;
    const { state } = this.store;
    if (!trace) return;
    const at = view.at ? view.at(trace, state) : state.at;
    view.place?.(trace, at, state);
    this.transport.place(at, view.where ? view.where(at) : where(trace, at));
    showWritten($("translation"), trace, view.whole ? null : at);
  }

  async copyLink() {
    const whole = this.store.write();
    if (whole) await copyText(location.href);
    $("said").textContent = whole ? "The link is copied." : "This view is too long for a link.";
    $("save-link").textContent = $("said").textContent;
    setTimeout(() => ($("save-link").textContent = "Copy a link to this view"), 2000);
  }
}

new Explorer(JSON.parse($("about").textContent));
