// The page: a sentence, the views of it, the player, and what the address says about them.

import { copyText } from "../clipboard.js";
import { element, roving } from "../dom.js";
import { BeamView } from "./beam.js";
import { Client } from "./client.js";
import { Compare } from "./compare.js";
import { figureOf } from "./figure.js";
import { Look } from "./look.js";
import { saveJson, savePng, saveSvg } from "./save.js";
import { Sentences } from "./sentences.js";
import { changeChips, mechanism, runAbout, showWritten, where } from "./said.js";
import { Store } from "./state.js";
import { Tour } from "./tour.js";
import { Transport } from "./transport.js";
import { WhatIf } from "./whatif.js";

const $ = (id) => document.getElementById(id);
const SEARCHED = ["text", "run", "beam", "penalty", "begin", "cut", "look", "pick"]; // what a trace depends on
const searched = (state) => Object.fromEntries(SEARCHED.map((name) => [name, state[name]]));

class Explorer {
  constructor(about) {
    this.runs = about.runs; // {label, models: [{name, label}], own}: own is which model is the run's
    this.languages = { source: $("text").lang, target: $("translation").lang };
    this.store = new Store();
    this.client = new Client($("worker").textContent, (message) => this.fail(message));
    for (const node of document.querySelectorAll("script[data-model]")) {
      this.client.give(node.dataset.model, node.textContent);
      node.remove();
    }
    this.client.link(about.gold ?? []);
    this.transport = new Transport(
      (at) => this.store.set({ at }),
      (number) => this.look.stage(number),
      () => this.store.state.view === "look",
    );
    $("player").append(this.transport.node);
    this.tour = new Tour({ change: (changes) => this.store.set(changes), runs: this.runs });
    $("tour").append(this.tour.node);
    this.makeViews(about.sentences ?? []);
    this.makeControls(about.examples ?? []);
    this.store.onChange((state, changed) => this.changed(state, changed));
    this.begin();
  }

  makeViews(rows) {
    const change = (changes) => this.store.set(changes);
    const go = (step) => this.transport.move(step + 1);
    const { languages } = this;
    this.look = new Look({
      go,
      change,
      languages,
      force: (each) => this.force(each),
      hidden: (step) => this.hidden(step),
    });
    this.views = {
      look: { label: "Step by step", view: this.look },
      beam: { label: "Beam search", view: new BeamView({ change, languages }) },
      whatif: { label: "What if?", view: new WhatIf({ change, languages, compare: (state) => this.unchanged(state) }) },
    };
    const ask = (model, state) => this.ask(state, model, null);
    if (this.runs.length > 1) {
      const models = this.runs.map((run) => ({
        label: run.label,
        name: run.models[run.own].name,
        about: () => mechanism(run),
      }));
      const [label, text] = ["Side by side", "The same sentence, in step. Play or choose a word."];
      this.views.compare = { label, view: new Compare({ models, ask, go, languages, label, about: text }) };
    }
    this.runs.forEach(({ label, models, own }, run) => {
      if (models.length < 2) return;
      const text = `The same sentence at ${models.length} moments of the training of ${label}: watch the alignment form.`;
      const moments = models.map((each) => ({ ...each, about: () => "" }));
      const view = new Compare({ models: moments, ask, go, languages, label: "Over time", about: text, best: own });
      this.views[`time${run || ""}`] = { label: this.runs.length > 1 ? `Over time: ${label}` : "Over time", view };
    });
    const open = ({ source, references }) => {
      this.openSentence(source, references);
      change({ view: "look" });
      $("text").focus();
    };
    if (rows.length) this.views.sentences = { label: "Sentences", view: new Sentences({ rows, languages, open }) };
  }

  makeControls(examples) {
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
    this.examples = examples;
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
      this.typing = setTimeout(() => this.openSentence($("text").value), 250);
    });
    $("text").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.openSentence($("text").value);
    });
    $("run").append(...this.runs.map(({ label }, place) => element("option", { value: place, text: label })));
    $("run-choice").hidden = this.runs.length < 2;
    $("run").addEventListener("change", () =>
      this.store.set({ run: +$("run").value, begin: "", cut: "", look: "", pick: 0 }),
    );
    $("tour-start").addEventListener("click", () => this.tour.go(1));
    const saving = { svg: saveSvg, png: savePng };
    for (const [kind, save] of Object.entries(saving)) {
      $(`save-${kind}`).addEventListener(
        "click",
        () => this.trace && save(figureOf(this.trace, this.store.state.unit), this.store.state.scale),
      );
    }
    $("save-json").addEventListener("click", () => this.trace && saveJson(this.trace));
    $("save-link").addEventListener("click", () => this.copyLink());
    document.addEventListener("click", (event) => !event.target.closest("#save") && $("save").removeAttribute("open"));
    $("save").addEventListener("keydown", (event) => event.key === "Escape" && ($("save").open = false));
  }

  /** Open a sentence in the player; the sentence table calls it too, with the references if there are some. */
  openSentence(text, references = []) {
    const shown = references.map((each) =>
      element("p", { className: "about", dir: "auto", text: `Reference: ${each}` }),
    );
    $("references").replaceChildren(...shown);
    this.store.set({ text, at: null, begin: "", cut: "", look: "", pick: 0, unfold: "" });
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
    const [source, target] = this.runs[0].record.languages;
    $("tour-start").hidden = !(source === "eng" && target === "fra");
    document.body.dataset.ready = "true";
    if (!this.store.state.text && this.examples.length) this.store.set({ text: this.examples[0] });
    this.changed(this.store.state, new Set(Object.keys(this.store.state)));
  }

  fail(message) {
    $("status").textContent = message;
    $("status").classList.add("failed");
    document.body.dataset.busy = "false";
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
    const task = { ...searched(state), name: "forced", model: this.model, tokens: before.target.ids };
    return { before, after: state.look ? await this.client.ask(task) : null };
  }

  /** What the score multiplies at a step. */
  hidden(step) {
    const tokens = this.trace.target.ids;
    return this.client.ask({ ...searched(this.store.state), name: "scoreParts", model: this.model, tokens, step });
  }

  /** Write another token at the step that is shown. */
  force({ raw }) {
    const { at } = this.store.state;
    const before = this.trace.target.raw.slice(0, at - 1);
    this.store.set({ begin: `~${[...before, raw].join(" ")}`, pick: 0, unfold: "" });
  }

  async changed(state, changed) {
    if (!document.body.dataset.ready) return;
    if (changed.has("stop")) this.tour.show(state.stop);
    if (SEARCHED.some((name) => changed.has(name))) await this.search(state);
    else if (changed.has("view") || changed.has("unit") || changed.has("scale")) this.draw();
    else if (changed.has("at") || changed.has("unfold")) this.place();
  }

  async search(state) {
    if ($("text").value !== state.text && document.activeElement !== $("text")) $("text").value = state.text;
    $("run").value = String(this.runs.indexOf(this.run));
    document.body.dataset.busy = "true";
    $("text").parentNode.classList.toggle("long", state.text.length > 140);
    const sentence = state.text.trim();
    try {
      const trace = sentence ? await this.ask(state) : null;
      if (SEARCHED.some((name) => this.store.state[name] !== state[name])) return;
      this.trace = trace;
      $("status").textContent = trace?.doubts.length
        ? `This sentence ${trace.doubts.join(", and ")}: do not rely on its translation.`
        : "";
      $("status").className = "doubt";
      this.draw();
    } catch (error) {
      if (error.message !== "replaced") this.fail(error.message);
      return;
    }
    document.body.dataset.busy = "false";
    this.tour.reveal();
  }

  draw() {
    const { state } = this.store;
    const name = this.views[state.view] ? state.view : "look";
    const { view } = this.views[name];
    this.tabs.forEach((tab) => {
      const chosen = tab.dataset.name === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    });
    $("view").setAttribute("aria-labelledby", `tab-${name}`);
    $("run-about").textContent = runAbout(this.run);
    changeChips($("changes"), state, (changes) => this.store.set(changes));
    const empty = !this.trace;
    $("view").hidden = empty;
    $("player").hidden = empty || name === "beam" || name === "sentences";
    if (empty) return $("translation").replaceChildren();
    if ($("view").firstChild !== view.node) {
      $("view").replaceChildren(view.node);
      $("toolbar").replaceChildren(...(view.toolbar ? [view.toolbar] : []));
    }
    this.transport.span(this.trace.source.pieces.length, this.trace.steps.length);
    if (name === "look" || name === "beam") view.show(this.trace, state);
    else if (view instanceof Sentences) view.show();
    else if (view instanceof Compare) {
      view.show(state, (longest) => {
        this.transport.span(...longest);
        this.place();
      });
    }
    this.place();
  }

  /** Show the place of the player. */
  place() {
    const { state } = this.store;
    if (!this.trace) return;
    const name = this.views[state.view] ? state.view : "look";
    const { view } = this.views[name];
    if (view === this.look) this.look.place(state.at, state);
    else if (view instanceof Compare) view.place(state.at);
    else if (view instanceof WhatIf)
      view.show(this.trace, state, state.at === null || state.at < 1 ? 1 : state.at - 1); // a first word is a special case
    this.transport.place(state.at, where(this.trace, state.at));
    showWritten($("translation"), this.trace, ["beam", "whatif", "sentences"].includes(name) ? null : state.at);
  }

  async copyLink() {
    this.store.write();
    await copyText(location.href);
    $("said").textContent = "The link is copied.";
    $("save-link").textContent = $("said").textContent;
    setTimeout(() => ($("save-link").textContent = "Copy a link to this view"), 2000);
  }
}

const explorer = new Explorer(JSON.parse($("about").textContent));
/** For other parts of a page, such as a table of sentences. */
window.openSentence = (text, references) => explorer.openSentence(text, references);
