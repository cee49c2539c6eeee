// The operations of a graph, as nmt/portable/ops.py has them.

import { around, commonShape, count, eachRow, expanded, gathered, rowsOf, strides, tensor } from "./tensor.js";

const unary =
  (f) =>
  ([x]) => {
    const data = x.data;
    const found = new Float32Array(data.length);
    for (let i = 0; i < found.length; i++) found[i] = f(data[i]);
    return tensor(x.shape, found);
  };

const binary = (f) => (inputs) => {
  const shape = commonShape(inputs);
  const found = new Float32Array(count(shape));
  const [a, b] = inputs.map((x) => (x.data.length === 1 ? x.data : expanded(x, shape)));
  const [stepA, stepB] = [a.length === 1 ? 0 : 1, b.length === 1 ? 0 : 1];
  for (let i = 0; i < found.length; i++) found[i] = f(a[i * stepA], b[i * stepB]);
  return tensor(shape, found);
};

function where(inputs) {
  const shape = commonShape(inputs);
  const [condition, one, other] = inputs.map((x) => expanded(x, shape));
  const found = Float32Array.from(condition, (each, i) => (each !== 0 ? one[i] : other[i]));
  return tensor(shape, found);
}

function linear([x, weight], _, products) {
  const width = x.shape.at(-1);
  if (width !== weight.shape[1]) throw new Error("shapes do not fit");
  const data = products.multiply(weight, x.data, x.data.length / width);
  return tensor([...x.shape.slice(0, -1), weight.shape[0]], data);
}

/** numpy.matmul: a vector counts as a matrix with one row or one column. */
function matmul([a, b]) {
  const left = a.shape.length === 1 ? [1, ...a.shape] : a.shape;
  const right = b.shape.length === 1 ? [...b.shape, 1] : b.shape;
  const [rows, inner, columns] = [left.at(-2), left.at(-1), right.at(-1)];
  if (inner !== right.at(-2)) throw new Error("shapes do not fit");
  const batch = commonShape([{ shape: left.slice(0, -2) }, { shape: right.slice(0, -2) }]);
  const from = expanded(tensor(left, a.data), [...batch, rows, inner]);
  const by = expanded(tensor(right, b.data), [...batch, inner, columns]);
  const found = new Float32Array(count(batch) * rows * columns);
  for (let row = 0; row < found.length / columns; row++) {
    const matrix = Math.floor(row / rows) * inner * columns;
    for (let i = 0; i < inner; i++) {
      const factor = from[row * inner + i];
      if (factor === 0) continue;
      const [begin, to] = [matrix + i * columns, row * columns];
      for (let column = 0; column < columns; column++) found[to + column] += factor * by[begin + column];
    }
  }
  const shape = [...batch, ...(a.shape.length === 1 ? [] : [rows]), ...(b.shape.length === 1 ? [] : [columns])];
  return tensor(shape, found);
}

function softmax([x], { dim }) {
  const [outer, length, inner] = around(x.shape, dim);
  const [data, found] = [x.data, new Float32Array(x.data.length)];
  for (let line = 0; line < outer * inner; line++) {
    const begin = Math.floor(line / inner) * length * inner + (line % inner);
    let [largest, sum] = [-Infinity, 0];
    for (let i = 0; i < length; i++) largest = Math.max(largest, data[begin + i * inner]);
    for (let i = 0; i < length; i++) sum += found[begin + i * inner] = Math.exp(data[begin + i * inner] - largest);
    for (let i = 0; i < length; i++) found[begin + i * inner] /= sum;
  }
  return tensor(x.shape, found);
}

function layerNorm([x, weight, bias], { eps }) {
  const width = x.shape.at(-1);
  const [data, factor, shift] = [x.data, weight.data, bias.data];
  const found = new Float32Array(data.length);
  for (let begin = 0; begin < data.length; begin += width) {
    let [mean, square] = [0, 0];
    for (let i = 0; i < width; i++) mean += data[begin + i] / width;
    for (let i = 0; i < width; i++) square += (data[begin + i] - mean) ** 2 / width;
    const scale = 1 / Math.sqrt(square + eps);
    for (let i = 0; i < width; i++) found[begin + i] = (data[begin + i] - mean) * scale * factor[i] + shift[i];
  }
  return tensor(x.shape, found);
}

/** Combine numbers along some dimensions, which get size 1. */
const reduce =
  (start, combine) =>
  ([x], { dims }) => {
    const shape = x.shape.map((size, dim) => (dims.includes(dim) ? 1 : size));
    const sums = new Float64Array(count(shape)).fill(start);
    const data = x.data;
    if (!x.shape.length) sums[0] = combine(start, data[0]);
    else {
      const steps = strides(shape);
      const [length, step] = [x.shape.at(-1), steps.at(-1)];
      eachRow(x.shape, steps, (place, row) => {
        for (let i = 0; i < length; i++) {
          const to = place + i * step;
          sums[to] = combine(sums[to], data[row * length + i]);
        }
      });
    }
    return tensor(shape, Float32Array.from(sums));
  };

const sum = reduce(0, (a, b) => a + b);

function mean([x], settings) {
  const { shape, data } = sum([x], settings);
  const parts = x.data.length / data.length;
  const found = data.map((each) => each / parts);
  return tensor(shape, found);
}

function argmax([x], { dim }) {
  const [outer, length, inner] = around(x.shape, dim);
  const data = x.data;
  const found = Float32Array.from({ length: outer * inner }, (_, line) => {
    const begin = Math.floor(line / inner) * length * inner + (line % inner);
    let best = 0;
    for (let i = 1; i < length; i++) if (data[begin + i * inner] > data[begin + best * inner]) best = i;
    return best;
  });
  const shape = x.shape.filter((_, each) => each !== dim);
  return tensor(shape, found);
}

function cumsum([x], { dim }) {
  const [, length, inner] = around(x.shape, dim);
  const found = Float32Array.from(x.data);
  for (let i = inner; i < found.length; i++) if (Math.floor(i / inner) % length) found[i] += found[i - inner];
  return tensor(x.shape, found);
}

function cat(parts, { dim }) {
  if (parts.length === 1) return parts[0];
  const shape = [...parts[0].shape];
  shape[dim] = parts.reduce((total, part) => total + part.shape[dim], 0);
  const [outer, length, inner] = around(shape, dim);
  const found = new Float32Array(count(shape));
  let at = 0;
  for (const part of parts) {
    const [data, width] = [part.data, part.shape[dim] * inner];
    for (let i = 0; i < outer; i++) found.set(data.subarray(i * width, (i + 1) * width), i * length * inner + at);
    at += width;
  }
  return tensor(shape, found);
}

function slice([x], { dim, start, size, step }) {
  const [outer, length, inner] = around(x.shape, dim);
  const first = start < 0 ? start + length : start;
  if (first < 0 || first + (size - 1) * step >= length) throw new Error("shapes do not fit");
  const [data, found] = [x.data, new Float32Array(outer * size * inner)];
  for (let i = 0; i < outer; i++) {
    for (let j = 0; j < size; j++) {
      const begin = (i * length + first + j * step) * inner;
      if (inner === 1) found[i * size + j] = data[begin];
      else found.set(data.subarray(begin, begin + inner), (i * size + j) * inner);
    }
  }
  const shape = x.shape.map((each, at) => (at === dim ? size : each));
  return tensor(shape, found);
}

function reshape([x], { shape }) {
  const known = shape.reduce((product, each) => (each === -1 ? product : product * each), 1);
  const full = shape.map((each) => (each === -1 ? x.data.length / known : each));
  if (count(full) !== x.data.length) throw new Error("shapes do not fit");
  return tensor(full, x.data);
}

function arange(_, { start, size }) {
  const found = Float32Array.from({ length: size }, (_, i) => start + i);
  return tensor([size], found);
}

function transpose([x], { order }) {
  const steps = strides(x.shape);
  const shape = order.map((dim) => x.shape[dim]);
  const reordered = order.map((dim) => steps[dim]);
  return tensor(shape, gathered(x.data, shape, reordered));
}

const truth = (f) => binary((a, b) => (f(a, b) ? 1 : 0));
const INFINITIES = { inf: Infinity, "-inf": -Infinity };

/** Each takes its inputs, its settings and the products of matrices, and gives one tensor. */
export const KERNELS = {
  number: (_, { value }) => tensor([], Float32Array.of(INFINITIES[value] ?? value)),
  linear,
  matmul,
  embed: ([weight, places]) => tensor([...places.shape, weight.shape[1]], rowsOf(weight, [...places.data])),
  softmax,
  layer_norm: layerNorm,
  tanh: unary((x) => 1 - 2 / (1 + Math.exp(2 * x))), // twice as fast as Math.tanh, and as exact in float32
  sigmoid: unary((x) => 1 / (1 + Math.exp(-x))),
  exp: unary(Math.exp),
  log: unary(Math.log),
  log1p: unary(Math.log1p),
  sqrt: unary(Math.sqrt),
  sin: unary(Math.sin),
  cos: unary(Math.cos),
  neg: unary((x) => -x),
  abs: unary(Math.abs),
  trunc: unary(Math.trunc),
  add: binary((a, b) => a + b),
  sub: binary((a, b) => a - b),
  mul: binary((a, b) => a * b),
  div: binary((a, b) => a / b),
  pow: binary(Math.pow),
  maximum: binary(Math.max),
  minimum: binary(Math.min),
  logaddexp: binary((a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b))))),
  le: truth((a, b) => a <= b),
  lt: truth((a, b) => a < b),
  ge: truth((a, b) => a >= b),
  gt: truth((a, b) => a > b),
  eq: truth((a, b) => a === b),
  ne: truth((a, b) => a !== b),
  not: unary((x) => (x ? 0 : 1)),
  and: truth((a, b) => a && b),
  or: truth((a, b) => a || b),
  where,
  sum,
  mean,
  amax: reduce(-Infinity, Math.max),
  argmax,
  cumsum,
  cat,
  slice,
  reshape,
  expand: ([x], { shape }) => tensor(shape, expanded(x, shape)),
  transpose,
  arange,
};
