// The page of a report: what Python has computed, drawn. Text gets into it through textContent alone.

import { fragment, setFragment } from "../address.js";
import { element } from "../dom.js";
import { toCsv, toLatex } from "./export.js";
import { copyButtons, drawAll, figureNode, openForPrint } from "./figure.js";
import { sentenceTable } from "./table.js";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
let table = null;

function show(query) {
  table?.filter(query);
  $("sentences")?.scrollIntoView({ behavior: "auto", block: "start" });
  $("filter")?.focus({ preventScroll: true });
}

function header() {
  const links = data.sections.map((section) => {
    const link = element("a", { href: `#at=${section.id}`, text: section.title });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(section.id);
    });
    return link;
  });
  $("head").append(
    element("h1", { dir: "auto", text: data.title }),
    element("p", { className: "soft", text: data.subtitle }),
    element("nav", { "aria-label": "Parts of the report", children: links }),
  );
}

function go(id) {
  setFragment({ at: id });
  $(id)?.scrollIntoView({ block: "start" });
  $(id)?.focus({ preventScroll: true });
}

/** The verdict and the findings, each with a way to its figure. */
function summary() {
  const verdict = data.verdict.map((text) => element("p", { text }));
  const items = data.findings.map(({ text, figure }) => {
    const button = element("button", { type: "button", className: "copy", text: "why", "aria-label": `Why: ${text}` });
    button.addEventListener("click", () => go(`figure-${figure}`));
    return element("li", { dir: "auto", children: [text, " ", button] });
  });
  const tiles = Object.entries(data.tiles ?? {}).map(([name, { value, interval }]) =>
    element("div", {
      className: "tile",
      children: [
        element("dt", { text: name }),
        element("dd", {
          children: [element("strong", { text: value }), element("span", { className: "soft", text: interval })],
        }),
      ],
    }),
  );
  const parts = [element("h2", { text: "In short" })];
  if (tiles.length) parts.push(element("dl", { className: "tiles", children: tiles }));
  parts.push(...verdict);
  if (items.length) parts.push(element("ul", { className: "findings", children: items }));
  return element("section", { className: "card summary", id: "summary", children: parts });
}

function sectionNode(section) {
  const children = [element("h2", { text: section.title })];
  if (section.text) children.push(element("p", { className: "soft", text: section.text }));
  const node = element("section", { className: "part", id: section.id, tabindex: "-1", children });
  if (section.id === "origin") node.append(origin());
  if (section.figures.length) {
    const figures = section.figures.map((figure) => figureNode(figure, show));
    node.append(element("div", { className: "figures", children: figures }));
  }
  return node;
}

function origin() {
  const rows = Object.entries(data.facts).flatMap(([name, text]) => [
    element("dt", { text: name }),
    element("dd", { dir: "auto", children: [element(name.endsWith("command") ? "code" : "span", { text })] }),
  ]);
  const { title } = data.sections.find((section) => section.id === "origin");
  const facts = { title, columns: [{ name: "what" }, { name: "value" }], rows: Object.entries(data.facts) };
  const copies = copyButtons({ LaTeX: () => toLatex(facts), CSV: () => toCsv(facts) }, title);
  return element("div", { className: "card", children: [copies, element("dl", { className: "facts", children: rows })] });
}

/** Scroll to the part that the address names. */
function toPlace() {
  if (fragment("at")) $(fragment("at"))?.scrollIntoView();
}

/** All that is below the summary. */
function rest() {
  for (const section of data.sections) $("main").append(sectionNode(section));
  drawAll();
  if (data.sentences.length && $("sentences")) {
    const place = element("div", { className: "card" });
    $("sentences").append(place);
    table = sentenceTable(place, data.sentences, { languages: data.languages });
  }
  toPlace();
  addEventListener("hashchange", toPlace);
  document.body.dataset.ready = "true";
}

header();
openForPrint();
$("main").append(summary());
requestAnimationFrame(() => setTimeout(rest)); // the summary is painted first
let [timer, width] = [0, innerWidth];
addEventListener("resize", () => {
  if (innerWidth === width) return; // on a phone, scrolling changes the height
  width = innerWidth;
  clearTimeout(timer);
  timer = setTimeout(drawAll, 150);
});
