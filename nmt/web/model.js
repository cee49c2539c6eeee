// A model: encodes one sentence, and takes one step for its hypotheses (nmt/portable/model.py).
//
// Shapes: N hypotheses, S source tokens, H state, V target vocabulary.

import { ModelError } from "./file.js";
import { Program } from "./graph.js";
import { products } from "./kernel.js";
import { KERNELS } from "./ops.js";
import { tensor } from "./tensor.js";

/** One layer in one direction: the projection of all inputs, then one step after the other. */
class Recurrence {
  constructor({ project, step, backward, parts, size }, program) {
    Object.assign(this, { project: program(project), step: program(step), backward, parts, size });
  }

  /** The states (S, H) after each of the inputs (S, I). */
  run(inputs) {
    const length = inputs.shape[0];
    const [projected] = this.project.run([inputs], 1, length);
    const width = projected.shape[1];
    const states = new Float32Array(length * this.size);
    let state = Array.from({ length: this.parts }, () => tensor([1, this.size], new Float32Array(this.size)));
    for (let i = 0; i < length; i++) {
      const place = this.backward ? length - 1 - i : i;
      const input = tensor([1, width], projected.data.subarray(place * width, (place + 1) * width));
      state = this.step.run([input, ...state]);
      states.set(state[0].data, place * this.size);
    }
    return tensor([length, this.size], states);
  }

  /** The state (1, H) after the last input. */
  last({ shape: [length], data }) {
    const place = this.backward ? 0 : length - 1;
    return tensor([1, this.size], data.subarray(place * this.size, (place + 1) * this.size));
  }
}

export class Model {
  /** Use the graphs of a record with these tensors by name; `plain` does without WebAssembly. */
  constructor(graphs, constants, plain = false) {
    const multiplied = new Set();
    for (const { nodes } of allGraphs(graphs)) {
      for (const [op, refs] of nodes) if (op === "linear") multiplied.add(refs[1]);
    }
    const matrices = [...multiplied].map((name) => constants.get(name)).filter((each) => each?.shape.length === 2);
    if (matrices.length !== multiplied.size) throw new Error("it lacks a matrix");
    const shared = products(matrices, plain);
    const program = (graph) => new Program(graph, constants, shared);
    this.embed = program(graphs.embed);
    this.start = program(graphs.start);
    this.next = program(graphs.step);
    this.layers = graphs.layers.map((layer) => layer.map((each) => new Recurrence(each, program)));
    this.memorySize = graphs.memory;
    this.hasWeights = graphs.weights;
  }

  /** The memory, {parts, length}, and the first state of a sentence. */
  encode(source) {
    const length = source.length;
    const [embedded] = this.embed.run([tensor([1, length], Float32Array.from(source))], 1, length);
    let states = tensor([length, embedded.shape[2]], embedded.data);
    let summary;
    for (const layer of this.layers) {
      const outputs = layer.map((direction) => direction.run(states));
      summary = KERNELS.cat(
        layer.map((direction, i) => direction.last(outputs[i])),
        { dim: 1 },
      );
      states = KERNELS.cat(outputs, { dim: 1 });
    }
    const mask = tensor([1, length], new Float32Array(length).fill(1));
    const inputs = [tensor([1, ...states.shape], states.data), summary, mask];
    const { outputs, marks } = this.start.inspect(inputs, 1, length);
    const memory = { parts: outputs.slice(0, this.memorySize), length, marks: () => withoutBatch(marks(), 0, this.start) };
    return [memory, outputs.slice(this.memorySize)];
  }

  /** Logits (N, V), attention weights (N, S) or null, and the next state, as `inspect` computes them. */
  step(tokens, memory, state, given = null) {
    const { logits, weights, next } = this.inspect(tokens, memory, state, given);
    return [logits, weights, next];
  }

  /** Take a step; the memory is that of one sentence, for all hypotheses. `given` attention, a row of S weights or one
   * for each head, replaces the model's own. `marks(i)` of the result are the intermediate values of a hypothesis. */
  inspect(tokens, memory, state, given = null) {
    const number = tokens.length;
    if (memory.number !== number) {
      memory.number = number; // copied for so many hypotheses
      memory.wide = memory.parts.map((x) => KERNELS.expand([x], { shape: [number, ...x.shape.slice(1)] }));
    }
    const input = tensor([number], Float32Array.from(tokens));
    const replaced = given ? { weights: this.given(given, memory.length) } : {};
    const inputs = [input, ...memory.wide, ...state];
    const { outputs, marks } = this.next.inspect(inputs, number, memory.length, replaced);
    const [logits, ...next] = outputs;
    const weights = this.hasWeights ? next.shift() : null;
    return { logits, weights, next, marks: (hypothesis = 0) => withoutBatch(marks(), hypothesis, this.next) };
  }

  /** Given weights in the shape of attention weights, for all hypotheses: (1, 1, S), or (1, K or 1, 1, S) with heads. */
  given(weights, length) {
    if (!this.hasWeights) throw new ModelError("This model has no attention, so there are no weights to override.");
    const rows = typeof weights[0] === "number" ? [weights] : weights;
    const fits = rows.every((row) => row.length === length && row.every((each) => each >= 0 && each < Infinity));
    if (!fits) throw new ModelError(`Attention needs ${length} weights that are not negative.`);
    const hasHeads = this.next.marks.get("weights").dim === 2; // the dimension of steps, after batch and heads
    const data = Float32Array.from(rows.flatMap((row) => [...row]));
    return tensor(hasHeads ? [1, rows.length, 1, length] : [rows.length, 1, length], data);
  }
}

/** The marks of one row of the batch; those that are constants of the graph have no batch. */
function withoutBatch(marks, row, program) {
  const found = Object.entries(marks).map(([name, { shape, data }]) => {
    if (typeof program.marks.get(name).ref !== "number") return [name, tensor(shape, data)];
    const width = data.length / shape[0];
    return [name, tensor(shape.slice(1), data.subarray(row * width, (row + 1) * width))];
  });
  return Object.fromEntries(found);
}

function allGraphs(graphs) {
  const recurrences = graphs.layers.flat().flatMap(({ project, step }) => [project, step]);
  return [graphs.embed, graphs.start, graphs.step, ...recurrences];
}

/** The given rows of a tensor. */
export function selectRows({ shape, data }, rows) {
  const width = data.length / shape[0];
  const found = new Float32Array(rows.length * width);
  rows.forEach((row, i) => found.set(data.subarray(row * width, (row + 1) * width), i * width));
  return tensor([rows.length, ...shape.slice(1)], found);
}
