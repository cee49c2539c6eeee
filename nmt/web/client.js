// Asks the thread of the page (tasks.js), and remembers answers.

const KEPT = 60; // answers remembered

export class Client {
  /** Start the worker with this code; `failed` is told what stops it. */
  constructor(code, failed) {
    this.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = () => failed("This browser cannot run the model: a newer one can.");
    this.waiting = new Map();
    this.answers = new Map();
    this.ids = 0;
  }

  receive({ id, result, error }) {
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (error !== undefined) reject?.(new Error(error));
    else resolve?.(result);
  }

  /** The answer to a task, {name, …}; the same question is asked once. A newer task of a `lane` replaces an older one. */
  ask(task, lane = null) {
    const key = JSON.stringify(task);
    if (this.answers.has(key)) {
      const answer = this.answers.get(key);
      this.answers.delete(key);
      this.answers.set(key, answer);
      return answer;
    }
    const id = ++this.ids;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    answer.catch(() => this.answers.delete(key));
    this.answers.set(key, answer);
    if (this.answers.size > KEPT) this.answers.delete(this.answers.keys().next().value);
    this.worker.postMessage({ id, lane, task });
    return answer;
  }

  /** Give the worker a model by its name. */
  give(name, model) {
    this.worker.postMessage({ give: name, model });
  }
}
