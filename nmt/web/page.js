// The page: text in, translations out as you type, one line after the other.

import { fragment, setFragment } from "./address.js";
import { Client } from "./client.js";
import { copyText } from "./copy_and_save.js";
import { mendForm } from "./mend.js";
import { aboutModel, lineOf } from "./view.js";

const MAX_LINES = 2000; // shown at once, and translations remembered
const MAX_FRAGMENT = 2000; // characters of text that the address may hold
const MAX_AUTOMATIC = 20_000; // characters up to which browsers find out directions fast enough

const $ = (id) => document.getElementById(id);
const [input, output, status, said] = ["source", "lines", "status", "said"].map($);
const languages = { source: input.lang, target: output.lang };
const results = new Map(); // by line
const chosen = new Map(); // line → which of its translations is shown
const opened = new Set(); // lines whose details are shown
const client = new Client($("worker").textContent, fail);
let [asked, announcing, remembering] = [null, 0, 0]; // the line that is being translated, and timers

function start() {
  client.give("model", $("model").textContent);
  $("model").remove();
  open();
  recall();
  addEventListener("hashchange", recall);
  input.addEventListener("input", update);
  input.addEventListener("input", () => {
    clearTimeout(remembering);
    remembering = setTimeout(remember, 300);
  });
  $("clear").addEventListener("click", () => {
    input.value = "";
    input.focus();
    input.dispatchEvent(new Event("input"));
  });
  $("copy").addEventListener("click", copy);
  const installable = document.querySelector("link[rel=manifest]") && navigator.serviceWorker;
  if (installable) installable.register("service-worker.js").catch(() => {}); // without it, the page needs its host
}

/** Take the text from the address. */
function recall() {
  const text = fragment("text");
  if (!text || text === input.value) return;
  input.value = text;
  update();
}

/** Open the model. */
async function open() {
  try {
    const { card } = await client.ask({ name: "record", model: "model" });
    status.textContent = "";
    status.hidden = true;
    aboutModel($("card"), card);
    document.body.dataset.ready = "true";
    update();
  } catch (error) {
    fail(error.message);
  }
}

async function translate(line) {
  asked = line;
  try {
    const result = await client.ask({ name: "translate", model: "model", text: line }, "lines");
    results.delete(line);
    results.set(line, result);
    if (results.size > MAX_LINES) results.delete(results.keys().next().value);
  } catch (error) {
    if (error.message !== "replaced") return fail(error.message);
  }
  if (asked !== line) return;
  asked = null;
  update();
}

function fail(message) {
  asked = null;
  status.hidden = false;
  status.textContent = message;
  status.classList.add("failed");
}

const split = (text) => text.split(/\r\n|[\n\r\u2028\u2029]/);
const lines = () => split(input.value).slice(0, MAX_LINES);

/** Show what is known, and ask for the first line that is not. */
function update() {
  const wanted = lines();
  input.dir = input.value.length > MAX_AUTOMATIC ? "ltr" : "auto";
  show(wanted);
  const total = split(input.value.trimEnd()).length;
  const excess = `Only the first ${MAX_LINES} of ${total} lines are translated: paste the others afterwards.`;
  $("cut").hidden = total <= MAX_LINES;
  if ($("cut").textContent !== excess) $("cut").textContent = excess; // which screen readers say once
  if (!document.body.dataset.ready) return;
  const missing = wanted.find((line) => line.trim() && !results.has(line));
  if (missing === undefined) asked = null;
  else if (asked !== missing) translate(missing);
  document.body.dataset.busy = String(missing !== undefined);
  announce(wanted, missing === undefined);
}

/** Keep the text in the address, so that a bookmark or a reload brings it back. */
function remember() {
  setFragment({ text: input.value.length <= MAX_FRAGMENT ? input.value : "" });
}

function show(wanted) {
  $("clear").hidden = !input.value;
  $("copy").hidden = !wanted.some((line) => results.get(line)?.candidates.length);
  $("hint").hidden = wanted.some((line) => line.trim());
  while (output.children.length > wanted.length) output.lastChild.remove();
  wanted.forEach((line, place) => {
    const old = output.children[place];
    const result = line.trim() ? results.get(line) : null;
    const state = JSON.stringify([line, result !== undefined, chosen.get(line) ?? 0, opened.has(line)]);
    if (old?.dataset.state === state) return;
    if (old && result === undefined && line.trim()) {
      old.classList.add("pending"); // the last translation stays until the next one is there
      old.dataset.state = state;
      return;
    }
    const actions = {
      choose: (i) => choose(line, place, i),
      toggle: (open) => toggle(line, place, open),
      mend: (text) => mendForm(place + 1, line, text, languages),
    };
    const node = lineOf(place + 1, result, chosen.get(line) ?? 0, opened.has(line), languages, actions);
    node.dataset.state = state;
    if (old) old.replaceWith(node);
    else output.append(node);
  });
}

function choose(line, place, candidate) {
  chosen.set(line, candidate);
  update();
  output.children[place].querySelector("[aria-current]")?.focus();
}

function toggle(line, place, open) {
  if (open) opened.add(line);
  else opened.delete(line);
  update();
  output.children[place].querySelector(open ? ".details" : ".word")?.focus();
}

const shown = (line) => results.get(line)?.candidates[chosen.get(line) ?? 0]?.text ?? "";

/** Tell screen readers the translations once typing pauses. */
function announce(wanted, done) {
  clearTimeout(announcing);
  if (!done) return;
  announcing = setTimeout(() => {
    const text = wanted.map(shown).filter(Boolean).join("\n");
    if (said.textContent !== text) said.textContent = text;
  }, 700);
}

async function copy() {
  await copyText(lines().map(shown).join("\n"));
  $("copy").textContent = "Copied";
  setTimeout(() => ($("copy").textContent = "Copy"), 1500);
}

start();
