// Translates in a thread of its own, so that the page never freezes. A new request replaces the one before it.

import { fromBase64, ModelError } from "./file.js";
import { Translator } from "./translator.js";

const SLICE = 40; // milliseconds of work before looking for a new request
let opening = null; // the translator, once it is there
let newest = 0;

self.onmessage = async ({ data: { model, id, text } }) => {
  try {
    if (model !== undefined) {
      opening = Translator.open(fromBase64(model));
      const { graphs, ...record } = (await opening).record;
      self.postMessage({ record });
      return;
    }
    newest = id;
    const result = await unlessReplaced((await opening).translate(text), id);
    if (result) self.postMessage({ id, result });
  } catch (error) {
    const known = error instanceof ModelError;
    self.postMessage({ id, error: known ? error.message : `This page failed (${error.message}): reload it.` });
  }
};

/** Run a generator to its end, or return null when a newer request has come. */
async function unlessReplaced(steps, id) {
  for (let begin = performance.now(); ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - begin > SLICE) {
      await new Promise((resolve) => setTimeout(resolve));
      if (newest !== id) return null;
      begin = performance.now();
    }
  }
}
