// The view of the beam search: all hypotheses as a tree; choose a token to force it, or to cut its branch.

import { chance, element, percent, signed, svg } from "../dom.js";
import { layout, pathTo } from "./tree.js";

const ROW = 30;
const GAP = 26; // between columns, for the edges

export class BeamView {
  /** `change` takes changes of the state. */
  constructor({ change, languages }) {
    Object.assign(this, { change, languages, cutting: false, all: false });
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
      className: "beam",
      "aria-label": "Beam search",
      children: [this.controls, this.hint, scroll, element("h2", { text: "Translations found" }), this.found],
    });
  }

  makeControls() {
    const slider = (label, min, max, step, name) => {
      const value = element("output");
      const input = element("input", { type: "range", min, max, step });
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
    const mode = (text, cutting) =>
      element("button", { type: "button", text, on: { click: () => this.setMode(cutting) } });
    this.modes = [mode("forces it", false), mode("cuts its branch", true)];
    this.every = element("input", { type: "checkbox" });
    this.every.addEventListener("change", () => {
      this.all = this.every.checked;
      this.draw();
    });
    const parts = [
      this.size.node,
      this.penalty.node,
      element("label", { className: "setting", children: ["Begin with ", this.begin] }),
      element("div", {
        className: "setting",
        role: "group",
        "aria-label": "Choosing a token",
        children: ["Choosing a token ", element("span", { className: "segments", children: this.modes })],
      }),
      element("label", { className: "setting check", children: [this.every, " show all that was pruned"] }),
    ];
    return element("div", { className: "controls", children: parts });
  }

  setMode(cutting) {
    this.cutting = cutting;
    this.modes.forEach((button, place) => button.setAttribute("aria-pressed", String(Boolean(place) === cutting)));
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
    this.hint.textContent =
      beam === 1
        ? "Greedy search: at every step the likeliest token, and no second thoughts. Faint tokens were not taken."
        : `At every step the ${beam} best beginnings are kept (solid); the others are pruned (faint). A number is the probability of its token.`;
    this.draw();
    this.results();
  }

  draw() {
    const { tree, others, pick } = this.trace;
    const { nodes, rows, depth } = layout(tree, others[pick].branch, this.all);
    const columns = this.columns(nodes, depth);
    const width = columns.at(-1);
    const at = new Map(nodes.map((node) => [node.place, node]));
    const edges = nodes.map((node) => {
      const from = at.get(node.parent);
      const [x, y] = [columns[node.depth], (node.y + 0.5) * ROW];
      const begin = from ? [columns[from.depth] + from.width, (from.y + 0.5) * ROW] : [0, y];
      const d = `M${begin[0]} ${begin[1]}C${begin[0] + GAP / 2} ${begin[1]} ${x - GAP / 2} ${y} ${x} ${y}`;
      return svg("path", { d, className: classOf(node), "stroke-width": (1 + 3 * Math.exp(node.logProb)).toFixed(2) });
    });
    const picture = svg("svg", { width, height: rows * ROW, "aria-hidden": "true", children: edges });
    const buttons = nodes.map((node) => this.token(node, columns));
    this.canvas.style.setProperty("width", `${width}px`);
    this.canvas.style.setProperty("height", `${rows * ROW}px`);
    this.canvas.replaceChildren(picture, ...buttons.map(([, button]) => button));
    this.navigate(nodes, buttons);
  }

  /** Where the tokens of each depth begin. */
  columns(nodes, depth) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = "600 14px system-ui, sans-serif";
    const widest = new Array(depth).fill(0);
    for (const node of nodes) {
      node.width = Math.min(190, context.measureText(`${node.label} <0.01`).width + 24);
      widest[node.depth] = Math.max(widest[node.depth], node.width);
    }
    const columns = [8];
    for (const width of widest) columns.push(columns.at(-1) + width + GAP);
    return columns;
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
        element("span", { className: "number", text: chance(probability) }),
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
    const cuts = new Set([...this.state.cut.split("|").filter(Boolean), written]);
    return this.change({ cut: [...cuts].join("|"), pick: 0 });
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

const classOf = (node) => (node.onPath ? "best" : node.kept ? "kept" : "pruned");

/** A beginning as a reader writes it. */
export function plain(begin) {
  return begin.startsWith("~") ? begin.slice(1).replaceAll(" ", "").replaceAll("▁", " ").trim() : begin;
}
