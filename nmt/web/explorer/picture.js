// The picture of a translation: source words, lines, target words and the heatmap, whose rows are the target words'.

import { element, roving, update } from "../dom.js";
import { describe, figureOf, shown } from "./figure.js";
import { Heatmap } from "./heatmap.js";
import { Lines } from "./lines.js";

const HINT =
  "The bar under a source piece: how much it was looked at so far. Entropy: 0 bits is a look at one piece, more is wider.";

const BLIND = "No attention: all that the decoder knows of the source goes through one vector.";

export class Picture {
  /** `go` is called with the step of a word that is chosen; `small` leaves out the heatmap and the bars. */
  constructor({ go, languages, small = false }) {
    Object.assign(this, { go, languages, small });
    this.lines = new Lines();
    this.map = new Heatmap(
      (cell) => this.mark(...(cell ?? [null, null])),
      (cell) => cell && this.go(this.figure.rows[cell[0]].begin),
    );
    this.source = element("ol", { className: "words source", lang: languages.source, "aria-label": "Source words" });
    this.target = element("ol", { className: "words target", lang: languages.target, "aria-label": "Words written" });
    this.spread = element("div", { className: "spread", "aria-hidden": "true" });
    this.told = element("p", { className: "told", dir: "auto", text: HINT });
    const head = (name, text) => element("p", { className: `head ${name}`, text });
    const parts = [head("source", "reads"), head("target", "writes"), this.source, this.lines.node, this.target];
    if (!small) parts.push(this.map.node, head("bits-head", "entropy"), this.spread);
    this.node = element("div", { className: small ? "picture small" : "picture", children: parts });
    new ResizeObserver(() => this.fit()).observe(this.node);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  /** Show another translation. */
  show(trace, unit, scale) {
    Object.assign(this, { trace, scale, figure: figureOf(trace, unit) });
    const longest = Math.max(this.figure.rows.length, this.figure.columns.length);
    this.height = longest > 120 ? 16 : longest > 45 ? 22 : 30;
    this.node.style.setProperty("--row", `${this.height}px`);
    this.node.classList.toggle("dense", longest > 45);
    this.node.classList.toggle("blind", !this.figure.weights);
    this.words();
    this.hint();
    this.redraw();
  }

  words() {
    const { columns, rows } = this.figure;
    this.sourceWords = columns.map((column, place) => this.sourceWord(column, place));
    this.targetWords = rows.map((row, place) => this.targetWord(row, place));
    for (const [list, words] of [
      [this.source, this.sourceWords],
      [this.target, this.targetWords],
    ]) {
      list.replaceChildren(...words.map((word) => element("li", { children: [word] })));
      roving(words, { forward: ["ArrowDown"], back: ["ArrowUp"] });
    }
  }

  sourceWord({ text }, place) {
    const word = element("button", {
      type: "button",
      className: text === "</s>" || text === "end" ? "word end" : "word",
      children: [element("bdi", { text: shown(text) })],
    });
    const pin = () => this.mark(null, place);
    for (const event of ["pointerenter", "focus"]) word.addEventListener(event, pin);
    for (const event of ["pointerleave", "blur"]) word.addEventListener(event, () => this.mark(null, null));
    return word;
  }

  targetWord(row, place) {
    const word = element("button", {
      type: "button",
      className: row.text === "</s>" || row.text === "end" ? "word end" : "word",
      "aria-label": describe(this.figure, place),
      children: [element("bdi", { text: shown(row.text) })],
      on: { click: () => this.go(row.begin) },
    });
    for (const event of ["pointerenter", "focus"]) word.addEventListener(event, () => this.mark(place, null));
    for (const event of ["pointerleave", "blur"]) word.addEventListener(event, () => this.mark(null, null));
    return word;
  }

  /** Draw lines and heatmap in the space that there is. */
  redraw() {
    this.fitted = this.node.clientWidth; // 0 while it is hidden: it is drawn when it is shown
    if (!this.figure || !this.fitted) return;
    const narrow = this.fitted < 620;
    const wide =
      this.small || narrow ? Math.max(70, Math.min(150, this.fitted * 0.26)) : Math.min(300, this.fitted * 0.24);
    this.lines.draw(this.figure, this.scale, this.height, wide);
    if (!this.small && this.figure.weights) {
      const used = narrow ? this.target.offsetWidth + 12 : this.source.offsetWidth + wide + this.target.offsetWidth;
      this.map.draw(this.figure, this.scale, this.height, Math.max(120, this.fitted - used - 98));
      this.bars();
    }
    this.place(this.count ?? null, this.now ?? null);
  }

  fit() {
    if (this.node.clientWidth && this.node.clientWidth !== this.fitted) this.redraw();
  }

  /** The entropy of each row. */
  bars() {
    const most = Math.log2(Math.max(2, this.figure.columns.length));
    const bars = this.figure.entropies.map((bits) => {
      const bar = element("span", {
        className: "bits",
        text: bits.toFixed(1),
        title: `Entropy ${bits.toFixed(2)} bits`,
      });
      bar.style.setProperty("--share", (bits / most).toFixed(3));
      return bar;
    });
    this.spread.replaceChildren(...bars);
  }

  /** Grow to what has been written before step `count`, with the step `now` in the making; null shows everything. */
  place(count, now, read = Infinity) {
    Object.assign(this, { count, now });
    if (!this.figure || !this.fitted) return;
    const { rowOf, rows, columns, covered } = this.figure;
    const row = now === null ? null : rowOf[now];
    const written = count === null ? rows.length : count <= 0 ? 0 : rowOf[Math.min(count, rowOf.length) - 1] + 1;
    this.targetWords.forEach((word, place) => {
      word.parentNode.classList.toggle("later", place >= written);
      word.classList.toggle("now", place === row);
      if (place === row) word.setAttribute("aria-current", "step");
      else word.removeAttribute("aria-current");
    });
    const looks = row === null ? null : this.figure.weights?.[row];
    this.sourceWords.forEach((word, place) => {
      word.parentNode.classList.toggle("later", columns[place].begin >= read);
      update(word, "--weight", looks ? Math.min(1, looks[place]).toFixed(2) : "0");
      update(
        word,
        "--share",
        !this.small && written && covered ? Math.min(1, covered[written - 1][place]).toFixed(2) : "0",
      );
    });
    this.lines.grow(written, row);
    if (this.small || !this.figure.weights) return;
    this.map.grow(written);
    [...this.spread.children].forEach((bar, place) => bar.classList.toggle("later", place >= written));
    this.map.mark(row, null);
  }

  /** Make a row (a target word) or a column (a source word) stand out, and say its numbers. */
  mark(row, column) {
    if (!this.figure?.weights) return;
    const alone = row !== null && column !== null ? null : column;
    this.lines.mark(row, alone);
    const now = this.now === null ? null : this.figure.rowOf[this.now];
    if (!this.small) this.map.mark(row ?? now, column);
    this.sourceWords.forEach((word, place) => word.classList.toggle("marked", place === column));
    this.targetWords.forEach((word, place) => word.classList.toggle("marked", place === row));
    this.tell(row, column);
  }

  tell(row, column) {
    const { rows, columns, weights, covered } = this.figure;
    const name = (each) => `“${shown(each.text)}”`;
    if (row !== null && column !== null) {
      this.told.textContent = `${name(rows[row])} looks at ${name(columns[column])}: ${weights[row][column].toFixed(3)}`;
    } else if (row !== null) this.told.textContent = describe(this.figure, row);
    else if (column !== null) {
      const best = weights.reduce((most, each, place) => (each[column] > weights[most][column] ? place : most), 0);
      const most = `most from ${name(rows[best])} (${weights[best][column].toFixed(2)})`;
      this.told.textContent = `${name(columns[column])} receives ${covered.at(-1)[column].toFixed(2)} in all, ${most}.`;
    } else this.told.textContent = HINT;
  }

  hint() {
    this.told.textContent = this.figure.weights ? HINT : BLIND;
  }
}
