// The tabs of the page.
//
// A view: {label, file (the name of what it saves), node, show(trace, state)}, and as it needs them `toolbar`, place(trace, at, state) for the player, `at`
// (trace, state) where the player stands if not at state.at, where(at) to say so, drawing(trace, state) and
// numbers(trace, state) for files. Without `place` there is no player.

import { BeamView } from "./beam.js";
import { Compare } from "./compare.js";
import { drawing } from "./drawing.js";
import { figureOf } from "./figure.js";
import { Look } from "./look.js";
import { mechanism } from "./said.js";
import { numbersOf } from "./save.js";
import { Sentences } from "./sentences.js";
import { WhatIf } from "./whatif.js";

const picture = (trace, { unit, scale }) => drawing(figureOf(trace, unit), scale);

/** All views of these runs, by name; `page` is the explorer. */
export function makeViews(runs, page) {
  const { languages, change, go } = page;
  const look = new Look(page);
  const beam = new BeamView(page);
  const whatIf = new WhatIf({ change, languages, compare: page.unchanged });
  const views = {
    look: {
      label: "Step by step",
      file: "attention",
      node: look.node,
      toolbar: look.toolbar,
      show: (trace, state) => look.show(trace, state),
      place: (trace, at, state) => look.place(at, state),
      stage: (number) => look.stage(number),
      drawing: picture,
      numbers: numbersOf,
    },
    beam: {
      label: "Beam search",
      file: "beam",
      node: beam.node,
      whole: true,
      show: (trace, state) => beam.show(trace, state),
      numbers: (trace) => ({ ...numbersOf(trace), tree: beam.numbers() }),
    },
    whatif: {
      label: "What if?",
      file: "what-if",
      node: whatIf.node,
      whole: true,
      show: () => {},
      // The weights of a first word are a special case: where no step is chosen it is the second.
      at: ({ steps }, { at }) => (at === null || at < 1 || at > steps.length ? Math.min(2, steps.length) : at),
      place: (trace, at, state) => whatIf.show(trace, state, at - 1),
      drawing: picture,
      numbers: numbersOf,
    },
  };
  const compare = (label, models, about, best = null) => {
    const view = new Compare({ models, ask: page.askModel, go, change, languages, label, about, best });
    return {
      label,
      file: best === null ? "side-by-side" : "over-time",
      node: view.node,
      show: (trace, state) => view.show(state, (span) => page.spanned(span, view.node)),
      place: (trace, at) => view.place(at),
      where: (at) => view.where(at),
      numbers: () => view.numbers(),
    };
  };
  if (runs.length > 1) {
    const models = runs.map((run) => ({
      label: run.label,
      name: run.models[run.own].name,
      about: () => mechanism(run),
    }));
    views.compare = compare("Side by side", models, "The same sentence, in step. Play or choose a word.");
  }
  runs.forEach(({ label, models, own }, run) => {
    if (models.length < 2) return;
    const about = `The same sentence at ${models.length} moments of the training of ${label}: watch the alignment form.`;
    const name = runs.length > 1 ? `Over time: ${label}` : "Over time";
    const moments = models.map((each) => ({ ...each, about: () => "" }));
    views[`time${run || ""}`] = compare(name, moments, about, own);
  });
  if (runs.some((run) => run.sentences.length)) {
    const sentences = new Sentences({ runs, languages, open: ({ source }) => page.open(source) });
    views.sentences = { label: "Sentences", node: sentences.node, whole: true, show: (trace, { run }) => sentences.show(run) };
  }
  return views;
}
