// The models of the page, in a thread of its own. Models are opened when they are first used.

import { fromBase64, ModelError } from "../file.js";
import { Translator } from "../translator.js";
import { explore, forced, scoreParts } from "./trace.js";

const SLICE = 40; // milliseconds of work before looking for newer tasks
const TASKS = { explore, forced, scoreParts };
const given = new Map(); // models in base64, by name
const opened = new Map(); // translators, or promises of them
const newest = new Map(); // lane → id of its newest task
let queue = Promise.resolve();

self.onmessage = ({ data }) => {
  if (data.give !== undefined) {
    given.set(data.give, data.model);
    return;
  }
  if (data.lane) newest.set(data.lane, data.id);
  queue = queue.then(() => answer(data));
};

function open(name) {
  if (!opened.has(name)) {
    opened.set(name, Translator.open(fromBase64(given.get(name))));
    given.delete(name);
  }
  return opened.get(name);
}

async function answer({ id, lane, task }) {
  const replaced = () => lane && newest.get(lane) !== id;
  try {
    if (replaced()) return self.postMessage({ id, error: "replaced" });
    const translator = await open(task.model);
    if (task.name === "record") {
      const { graphs, ...record } = translator.record;
      return self.postMessage({ id, result: { ...record, search: translator.search } });
    }
    const steps = TASKS[task.name](translator, task);
    for (let begin = performance.now(); ;) {
      const { done, value } = steps.next();
      if (done) return self.postMessage({ id, result: value });
      if (performance.now() - begin < SLICE) continue;
      await new Promise((resolve) => setTimeout(resolve));
      if (replaced()) return self.postMessage({ id, error: "replaced" });
      begin = performance.now();
    }
  } catch (error) {
    const known = error instanceof ModelError;
    self.postMessage({ id, error: known ? error.message : `The explorer failed (${error.message}): reload it.` });
  }
}
