// A graph of elementary operations as data (nmt/portable/graph.py), and the interpreter that runs it.

import { KERNELS } from "./ops.js";
import { expanded, tensor } from "./tensor.js";

/** The number that a size such as {"1": 2, "N": 1} stands for, or the numbers of a list of sizes. */
function evaluate(size, units) {
  if (Array.isArray(size)) return size.map((each) => evaluate(each, units));
  if (typeof size !== "object") return size;
  return Object.entries(size).reduce((sum, [unit, count]) => sum + count * units[unit], 0);
}

function hasSize(setting) {
  return Array.isArray(setting) ? setting.some(hasSize) : typeof setting === "object";
}

/** A graph whose constants are at hand, ready to run. */
export class Program {
  constructor({ inputs, nodes, outputs, marks = {} }, constants, products) {
    this.inputs = inputs;
    this.products = products;
    const place = (ref) => {
      if (typeof ref === "number") return ref;
      if (!constants.has(ref)) throw new Error(`it lacks ${ref}`);
      return constants.get(ref);
    };
    this.steps = nodes.map(([op, refs, settings]) => {
      if (!Object.hasOwn(KERNELS, op)) throw new Error(`it needs the operation ${op}`);
      const sized = Object.values(settings).some(hasSize);
      return { kernel: KERNELS[op], refs: refs.map(place), settings, sized };
    });
    this.outputs = outputs.map(place);
    this.marks = new Map(Object.entries(marks).map(([name, [ref, dim]]) => [name, { ref: place(ref), dim }]));
  }

  /** The outputs for these inputs, with N hypotheses and S source tokens. */
  run(inputs, N = 1, S = 1) {
    return this.inspect(inputs, N, S).outputs;
  }

  /** The same, and the marks by name, without their dimension of one step; `given` tensors replace marks. */
  inspect(inputs, N = 1, S = 1, given = {}) {
    const values = [...inputs];
    const replaced = new Map(Object.entries(given).map(([name, value]) => [this.marks.get(name).ref, value]));
    const units = { 1: 1, N, S, NS: N * S };
    const find = (ref) => (typeof ref === "number" ? values[ref] : ref);
    for (const { kernel, refs, settings, sized } of this.steps) {
      const settled = sized
        ? Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, evaluate(value, units)]))
        : settings;
      const value = kernel(refs.map(find), settled, this.products);
      const other = replaced.get(values.length);
      values.push(other ? tensor(value.shape, expanded(other, value.shape)) : value);
    }
    const marks = () => {
      const found = [...this.marks].map(([name, { ref, dim }]) => {
        const { shape, data } = find(ref);
        return [name, tensor(dim === null ? shape : shape.filter((_, i) => i !== dim), data)];
      });
      return Object.fromEntries(found);
    };
    return { outputs: this.outputs.map(find), marks };
  }
}
