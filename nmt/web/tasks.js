// Answers a page in a thread of its own, so that the page never freezes (client.js asks).

import { fromBase64, ModelError } from "./file.js";
import { Translator } from "./translator.js";

const SLICE = 40; // milliseconds of work before looking for newer tasks

/** Answer messages {id, lane, task: {name, model, …}}; `tasks` are generators by name, of a translator and a task.
 *
 * Models come in base64, {give: name, model}, and are opened when they are first used. A newer task of a lane replaces
 * an older one. Every model can tell its record. */
export function answerTasks(tasks) {
  const given = new Map(); // models in base64, by name
  const opened = new Map(); // promises of translators, by name
  const newest = new Map(); // lane → id of its newest task
  let queue = Promise.resolve();

  self.onmessage = ({ data }) => {
    if (data.give !== undefined) return given.set(data.give, data.model);
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
      const steps = tasks[task.name](translator, task);
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
      self.postMessage({ id, error: known ? error.message : `This page failed (${error.message}): reload it.` });
    }
  }
}
