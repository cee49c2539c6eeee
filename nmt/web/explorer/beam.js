// The view of the beam search: all hypotheses as a tree; choose a token to force it, or to cut its branch.

import { chance, element, percent, segments, signed, svg } from "../dom.js";
import { BETWEEN_CUTS } from "./state.js";
import { classOf, columnsOf, edgesOf, layout, pathTo, ROW } from "./tree.js";

export class BeamView {
  /** `change` takes changes of the state. */
  constructor({ change, languages }) {
    Object.assign(this, { change, languages, cutting: false });
    this.controls = this.makeControls();
    this.canvas = element("div", {
      className: "tree",
      role: "tree",
      "aria-label": "Hypotheses of the search",
      lang: languages.target,
    });
    this.found = element("ol", { className: "found", lang: languages.target });
    this.hint = element("p", { className: "about" });
    const scroll = element("div", { className: "scroll", children: [this.canvas] });
    this.node = element("section", {
      className: "beam card",
      "aria-label": "Beam search",
      children: [this.controls, this.hint, scroll, element("h2", { text: "Translations found" }), this.found],
    });
  }

  makeControls() {
    const slider = (label, min, max, step, name) => {
      const value = element("output");
      const input = element("input", { type: "range", min, max, step, "aria-label": label });
      input.addEventListener("input", () => {
        value.textContent = input.value;
        this.change({ [name]: +input.value, pick: 0 });
      });
      return {
        input,
        value,
        node: element("label", { className: "setting ranged", children: [`${label} `, value, input] }),
      };
    };
    this.size = slider("Beam size", 1, 12, 1, "beam");
    this.penalty = slider("Length penalty", 0, 2, 0.1, "penalty");
    this.begin = element("input", {
      type: "text",
      placeholder: "any words",
      dir: "auto",
      lang: this.languages.target,
      autocomplete: "off",
      spellcheck: "false",
    });
    this.begin.addEventListener("change", () => this.change({ begin: this.begin.value.trim(), pick: 0 }));
    const modes = [
      [false, "forces it"],
      [true, "cuts its branch"],
    ];
    this.modes = segments("Choosing a token", modes, (cutting) => this.setMode(cutting));
    this.every = element("input", { type: "checkbox" });
    this.every.addEventListener("change", () => this.change({ pruned: +this.every.checked }));
    const parts = [
      this.size.node,
      this.penalty.node,
      element("label", { className: "setting", children: ["Begin with ", this.begin] }),
      element("div", { className: "setting", children: ["Choosing a token ", this.modes.node] }),
      element("label", { className: "setting check", children: [this.every, " show all that was pruned"] }),
    ];
    return element("div", { className: "controls", children: parts });
  }

  setMode(cutting) {
    this.cutting = cutting;
    this.modes.choose(cutting);
    this.canvas.classList.toggle("cutting", cutting);
  }

  show(trace, state) {
    Object.assign(this, { trace, state });
    this.setMode(this.cutting);
    const { beam, penalty } = trace.search;
    for (const [{ input, value }, number] of [
      [this.size, beam],
      [this.penalty, penalty],
    ]) {
      if (document.activeElement !== input) input.value = number;
      value.textContent = String(+number.toFixed(2));
    }
    if (document.activeElement !== this.begin) this.begin.value = plain(state.begin);
    this.every.checked = state.pruned === 1;
    this.hint.textContent =
      beam === 1
        ? "Greedy search: at every step the likeliest token, and no second thoughts. Faint tokens were not taken."
        : `At every step the ${beam} best beginnings are kept (solid); the others are pruned (faint). A number is the probability of its token; at an end, the score of the translation.`;
    this.draw();
    this.results();
  }

  draw() {
    const { tree, others, pick, search } = this.trace;
    const { nodes, rows, depth } = layout(tree, others[pick].branch, this.state.pruned === 1);
    for (const node of nodes) {
      const ends = node.piece === "</s>"; // a whole translation shows its score, other tokens their probability
      node.number = ends ? signed(node.total / (node.depth + 1) ** search.penalty, 3) : chance(Math.exp(node.logProb));
    }
    const columns = columnsOf(nodes, depth, "system-ui, sans-serif");
    const size = { width: columns.at(-1), height: rows * ROW };
    const edges = edgesOf(nodes, columns).map((edge) => svg("path", edge));
    const picture = svg("svg", { ...size, "aria-hidden": "true", children: edges });
    const buttons = nodes.map((node) => this.token(node, columns));
    for (const [name, value] of Object.entries(size)) this.canvas.style.setProperty(name, `${value}px`);
    const focused = this.canvas.contains(document.activeElement);
    this.canvas.replaceChildren(picture, ...buttons.map(([, button]) => button));
    this.navigate(nodes, buttons);
    if (focused) this.canvas.querySelector("[tabindex='0']")?.focus();
  }

  /** The tree as plain values: every token that was considered. */
  numbers() {
    return this.trace.tree.map(({ parent, raw, logProb, total, kept }) => ({
      parent,
      piece: raw,
      log_probability: logProb,
      total,
      kept,
    }));
  }

  token(node, columns) {
    const probability = Math.exp(node.logProb);
    const what = node.kept ? (node.piece === "</s>" ? "ends a translation" : "kept") : "pruned";
    const button = element("button", {
      type: "button",
      role: "treeitem",
      tabindex: "-1",
      "aria-level": node.depth + 1,
      "aria-selected": String(node.onPath),
      "aria-label": `${node.label}, probability ${probability.toFixed(2)}, log p so far ${signed(node.total)}, ${what}`,
      title: `${percent(probability)}; log p so far ${signed(node.total)}`,
      className: `token ${classOf(node)}`,
      children: [
        element("bdi", { text: node.label }),
        element("span", { className: "number", text: node.number }),
      ],
      style: { left: `${columns[node.depth]}px`, top: `${node.y * ROW}px`, width: `${node.width}px` },
      on: { click: () => this.chosen(node) },
    });
    return [node, button];
  }

  chosen(node) {
    const pieces = pathTo(this.trace.tree, node.place).map((place) => this.trace.tree[place].raw);
    const written = `~${pieces.join(" ")}`;
    if (!this.cutting) return this.change({ begin: written, pick: 0 });
    const cuts = new Set([...this.state.cut.split(BETWEEN_CUTS).filter(Boolean), written]);
    return this.change({ cut: [...cuts].join(BETWEEN_CUTS), pick: 0 });
  }

  /** Arrow keys: up and down among tokens of a depth, left to the parent, right to the first child. */
  navigate(nodes, buttons) {
    const byPlace = new Map(buttons.map(([node, button]) => [node.place, button]));
    const start = nodes.findLast((node) => node.onPath) ?? nodes[0];
    if (start) byPlace.get(start.place).tabIndex = 0;
    for (const [node, button] of buttons) {
      const beside = nodes.filter((other) => other.depth === node.depth).sort((a, b) => a.y - b.y);
      const near = (step) => beside[beside.indexOf(node) + step]?.place;
      button.addEventListener("keydown", (event) => {
        const to = {
          ArrowUp: () => near(-1),
          ArrowDown: () => near(1),
          ArrowLeft: () => node.parent,
          ArrowRight: () => nodes.find((other) => other.parent === node.place)?.place,
        }[event.key]?.();
        if (to === undefined || !byPlace.has(to)) return;
        event.preventDefault();
        button.tabIndex = -1;
        byPlace.get(to).tabIndex = 0;
        byPlace.get(to).focus();
      });
    }
  }

  results() {
    const { others, pick } = this.trace;
    this.found.replaceChildren(
      ...others.map(({ text, score }, place) =>
        element("li", {
          children: [
            element("button", {
              type: "button",
              className: "other",
              "aria-current": place === pick ? "true" : undefined,
              children: [
                element("bdi", { text: text || "(nothing)" }),
                element("span", { className: "number", text: signed(score, 3), title: "log p / length^penalty" }),
              ],
              on: { click: () => this.change({ pick: place }) },
            }),
          ],
        }),
      ),
    );
  }
}

/** A beginning as a reader writes it. */
export function plain(begin) {
  return begin.startsWith("~") ? begin.slice(1).replaceAll(" ", "").replaceAll("▁", " ").trim() : begin;
}
