// Short texts about what the page shows.

import { element } from "../dom.js";
import { plain } from "./beam.js";
import { parseLooks } from "./looks.js";
import { BETWEEN_CUTS } from "./state.js";

/** The parts of a run's model, and its score, in words. */
export function mechanism({ record = {} }) {
  const { formulas = {}, scores = {} } = record;
  const name = (role) =>
    formulas[role]?.name
      ?.replace(/Decoder$/, "")
      .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
      .toLowerCase();
  const attention = `${name("score")} score, ${name("alignment")} alignment, ${name("wiring")} wiring`;
  const what = formulas.score ? attention : formulas.wiring ? "no attention" : "";
  const bleu = typeof scores.bleu === "number" ? `BLEU ${scores.bleu.toFixed(1)}` : "";
  return [what, bleu].filter(Boolean).join(" · ");
}

/** About a run: its name, parts and score. */
export function runAbout(run) {
  return [run.label, mechanism(run)]
    .filter(Boolean)
    .map((text) => ` · ${text}`)
    .join("");
}

/** Where the player is. */
export function where(trace, at) {
  const { labels } = trace.source;
  if (at === null || at > trace.steps.length) return "The whole translation";
  if (at < 1) {
    const place = labels.length - 1 + at;
    return `Reads “${labels[Math.max(0, place)]}”, ${Math.max(1, place + 1)} of ${labels.length}`;
  }
  return `Step ${at} of ${trace.steps.length}: writes “${trace.target.labels[at - 1]}”`;
}

/** What the reader has changed, each with a button to take it back; `own` is the search of the run. */
export function changeChips(host, state, own, change) {
  const chips = [];
  const add = (text, changes) => {
    const label = element("bdi", { text });
    chips.push(
      element("button", {
        type: "button",
        className: "chip change",
        "aria-label": `Take back: ${text}`,
        children: [label, element("span", { text: " ✕", "aria-hidden": "true" })],
        on: { click: () => change(changes) },
      }),
    );
  };
  if (state.begin) add(`begins with “${plain(state.begin)}”`, { begin: "", pick: 0 });
  const cuts = state.cut.split(BETWEEN_CUTS).filter(Boolean);
  for (const cut of cuts) {
    const rest = cuts.filter((each) => each !== cut);
    add(`without “${plain(cut)}”`, { cut: rest.join(BETWEEN_CUTS), pick: 0 });
  }
  const looks = parseLooks(state.look);
  if (looks.length) {
    const steps = looks.map((look) => `${look.step + 1}${look.on ? " and on" : ""}`).join(", ");
    add(`attention set by hand at step ${steps}`, { look: "", pick: 0 });
  }
  if (state.beam && state.beam !== own.beam) add(`beam ${state.beam}`, { beam: 0, pick: 0 });
  if (![null, own.penalty].includes(state.penalty)) add(`length penalty ${state.penalty}`, { penalty: null, pick: 0 });
  if (state.pick) add(`translation ${state.pick + 1}`, { pick: 0 });
  const place = [...host.children].indexOf(document.activeElement);
  host.replaceChildren(...chips);
  if (place >= 0) (chips[Math.min(place, chips.length - 1)] ?? document.getElementById("text")).focus();
}

/** The translation, with what is not yet written at a place set apart. */
export function showWritten(host, trace, at) {
  const pieces = trace.target.pieces.slice(0, -1);
  const whole = at === null || at > pieces.length;
  const text = (list) => list.join("").replaceAll("▁", " ");
  const written = whole ? trace.text || "(nothing)" : text(pieces.slice(0, Math.max(0, at))).trimStart();
  const rest = whole ? "" : text(pieces.slice(Math.max(0, at)));
  host.replaceChildren(
    element("span", { text: written }),
    element("span", { className: "rest", text: at < 1 && at !== null ? rest.trimStart() : rest }),
  );
}
