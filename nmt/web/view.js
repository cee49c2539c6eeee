// What the page shows of a translation and of the model. Text gets into the page through textContent alone.

import { element, roundPercent, roving } from "./dom.js";
import { warning } from "./doubts.js";
import { common, marked, units } from "./report/diff.js";
import { isLeftwards } from "./scripts.js";

const level = (confidence) => (confidence < 0.4 ? "low" : confidence < 0.75 ? "medium" : "high");

/** One line of the output: its translation, doubts, and details if they are open. */
export function lineOf(number, result, choice, open, languages, actions) {
  const node = element("li", { className: "line" });
  if (!result) {
    if (result === undefined) node.append(element("p", { className: "waiting", text: "…", "aria-hidden": "true" }));
    else node.classList.add("empty");
    return node;
  }
  const candidate = result.candidates[choice];
  if (!candidate) {
    node.classList.add("empty");
    return node;
  }
  const source = element("p", { className: "from", lang: languages.source, dir: "auto", "aria-hidden": "true" });
  const marks = wordSpans(source, result.source.slice(0, -1), (word) => element("span", { text: word.text }));
  const target = element("p", {
    className: "to",
    dir: "auto",
    lang: languages.target,
    role: "group",
    "aria-label": `Translation of line ${number}`,
  });
  const words = wordSpans(target, candidate.words, (word) =>
    element("span", {
      className: "word",
      text: word.text,
      role: "button",
      title: `${roundPercent(word.confidence)} sure`,
      "aria-expanded": String(open),
      data: { sure: level(word.confidence) },
    }),
  );
  if (!words.length) target.append(element("span", { className: "nothing", text: "(nothing)" }));
  words.forEach((word, i) => {
    const look = () => mark(marks, candidate.attention?.[i]);
    for (const event of ["pointerenter", "focus"]) word.addEventListener(event, look);
    for (const event of ["pointerleave", "blur"]) word.addEventListener(event, () => mark(marks, null));
    word.addEventListener("click", () => getSelection()?.isCollapsed !== false && actions.toggle(!open));
    word.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      actions.toggle(!open);
    });
  });
  const arrows = [["ArrowRight"], ["ArrowLeft"]];
  const [forward, back] = isLeftwards(candidate.text) ? arrows.reverse() : arrows;
  roving(words, { forward, back });
  node.append(source, target);
  if (result.doubts.length) node.append(doubtful(result.doubts));
  if (open) node.append(details(number, result, choice, languages, actions));
  return node;
}

/** Words with the spaces between them; returns the elements that `make` made of them. */
function wordSpans(parent, words, make) {
  return words.map((word, i) => {
    if (i && word.spaced) parent.append(" ");
    const node = make(word);
    parent.append(node);
    return node;
  });
}

function mark(nodes, weights) {
  nodes.forEach((node, i) => {
    node.classList.toggle("looked", Boolean(weights));
    node.style.setProperty("--weight", weights ? String(Math.min(1, weights[i])) : "0");
  });
}

function doubtful(reasons) {
  const long = reasons.at(-1).startsWith("has ") || reasons[0].startsWith("has ");
  const advice = long ? " Put every sentence on a line of its own." : "";
  return element("p", { className: "doubt", text: warning(reasons) + advice });
}

/** Other translations, and the table of attention. */
function details(number, result, choice, languages, actions) {
  const candidate = result.candidates[choice];
  const others = result.candidates.map((each, i) => {
    const words = units(each.text || "(nothing)");
    const [kept] = common(words, units(candidate.text));
    const text = marked(element("span", { lang: languages.target, dir: "auto" }), words, kept, "strong");
    const sure = element("small", { text: `${roundPercent(each.confidence)} sure` });
    const button = element("button", { type: "button", className: "other", children: [text, sure] });
    if (i === choice) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => actions.choose(i));
    return element("li", { children: [button] });
  });
  const close = element("button", { type: "button", className: "quiet close", text: "Close" });
  close.addEventListener("click", () => actions.toggle(false));
  const node = element("section", {
    className: "details",
    tabindex: "-1",
    "aria-label": `Details of line ${number}`,
    children: [
      close,
      element("h3", { text: "Other translations" }),
      element("ol", { className: "others", children: others }),
      element("h3", { text: "Mend this translation" }),
      actions.mend(candidate.text),
    ],
  });
  if (candidate.words.length) {
    node.append(element("h3", { text: candidate.attention ? "Where the model looked" : "How sure the model is" }));
    node.append(attentionTable(number, result.source, candidate, languages));
  }
  node.addEventListener("keydown", (event) => event.key === "Escape" && actions.toggle(false));
  return node;
}

/** A row for each word of the translation: how sure the model is, and its weights on the words of the source. */
function attentionTable(number, source, candidate, languages) {
  const columns = candidate.attention ? source : [];
  const head = (word) =>
    element("th", {
      scope: "col",
      text: word.text === "</s>" ? "end" : word.text,
      lang: word.text === "</s>" ? "" : languages.source,
      dir: "auto",
    });
  const rows = candidate.words.map((word, i) => {
    const cells = columns.map((_, j) => {
      const weight = Math.min(1, candidate.attention[i][j]);
      const cell = element("td", {
        className: "weight",
        children: [element("span", { className: "hidden", text: roundPercent(weight) })],
      });
      cell.style.setProperty("--weight", weight.toFixed(3));
      cell.title = roundPercent(weight);
      return cell;
    });
    const name = element("th", { scope: "row", text: word.text, lang: languages.target, dir: "auto" });
    return element("tr", {
      children: [name, element("td", { className: "sure", text: roundPercent(word.confidence) }), ...cells],
    });
  });
  const first = [element("td"), element("th", { scope: "col", text: "sure" })];
  const header = element("tr", { children: [...first, ...columns.map(head)] });
  const caption = element("caption", {
    className: "hidden",
    text: "Rows: words of the translation. Columns: how sure the model is, and how much it looked at each source word.",
  });
  const table = element("table", {
    children: [caption, element("thead", { children: [header] }), element("tbody", { children: rows })],
  });
  return element("div", {
    className: "scroll",
    tabindex: "0",
    role: "region",
    "aria-label": `Attention of line ${number}`,
    children: [table],
  });
}

/** The model card: texts by headings. */
export function aboutModel(list, card = {}) {
  for (const [heading, text] of Object.entries(card)) {
    list.append(element("dt", { text: heading }), element("dd", { dir: "auto", text: String(text) }));
  }
}
