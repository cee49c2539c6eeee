// Corrections by the reader: sent to the server that the page came from, or kept for a download that training reads.

import { clean } from "./clean.js";
import { saveFile } from "./copy_and_save.js";
import { element } from "./dom.js";

const { suggest, source, target } = document.body.dataset; // where to send corrections, if anywhere; languages
const kept = new Map(); // line → its right translation
let unsaved = false;

/** A form to correct the translation of a line. */
export function mendForm(number, line, text, languages) {
  const area = element("textarea", { rows: "2", lang: languages.target, dir: "auto", spellcheck: "true" });
  area.value = kept.get(line) ?? text;
  area.setAttribute("aria-label", `Right translation of line ${number}`);
  const said = element("span", { role: "status" });
  const button = element("button", { className: "quiet", text: suggest ? "Send correction" : "Keep correction" });
  const form = element("form", { className: "mend", children: [area, button, said] });
  area.addEventListener("keydown", (event) => event.key === "Escape" && event.stopPropagation());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const right = clean(area.value);
    if (!right) return;
    button.disabled = true;
    said.textContent = await given(line, right);
    button.disabled = false;
  });
  return form;
}

/** Send or keep a correction; returns what to tell the reader. */
async function given(line, right) {
  kept.set(line, right);
  if (!suggest) return keep("Kept. ");
  try {
    const body = new URLSearchParams({ q: clean(line), s: right, source, target });
    const answer = await fetch(suggest, { method: "POST", body });
    if (answer.ok) return "Sent, thank you.";
    return keep(`Not sent (${(await answer.json()).error}), but kept. `);
  } catch {
    return keep("Not sent, as the server does not answer, but kept. ");
  }
}

/** Offer all kept corrections as a file. */
function keep(message) {
  const bar = document.getElementById("kept");
  const save = element("button", { className: "quiet", type: "button", text: "Download" });
  save.addEventListener("click", download);
  const count = kept.size === 1 ? "1 correction" : `${kept.size} corrections`;
  bar.replaceChildren(element("span", { text: `${count}, for training: ` }), save);
  bar.hidden = false;
  unsaved = true;
  return `${message}Download all below, when you are done.`;
}

function download() {
  const lines = [[source, target], ...kept].map((pair) => pair.map(clean).join("\t") + "\n");
  saveFile(`corrections-${source}-${target}.tsv`, lines.join(""), "text/tab-separated-values");
  unsaved = false;
}

addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
