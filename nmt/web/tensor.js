// Tensors: {shape, data}, with their numbers in row-major order.

export const tensor = (shape, data) => ({ shape, data });
/** How many numbers a shape has. */
export const count = (shape) => shape.reduce((product, each) => product * each, 1);

/** Rows of a matrix, one after the other. */
export function rowsOf({ shape: [rows, columns], data }, chosen) {
  const found = new Float32Array(chosen.length * columns);
  chosen.forEach((row, i) => {
    if (!(row >= 0 && row < rows)) throw new Error("a token has no row");
    found.set(data.subarray(row * columns, (row + 1) * columns), i * columns);
  });
  return found;
}

/** Sizes before, at and after a dimension. */
export function around(shape, dim) {
  return [count(shape.slice(0, dim)), shape[dim], count(shape.slice(dim + 1))];
}

/** The step in memory from one index to the next, for each dimension; 0 where a dimension is repeated. */
export function strides(shape, rank = shape.length) {
  const found = new Array(rank).fill(0);
  let step = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    if (shape[dim] !== 1) found[dim + rank - shape.length] = step;
    step *= shape[dim];
  }
  return found;
}

/** Visit all indices of a shape: calls visit(place, length) for the first of each innermost row. */
export function eachRow(shape, steps, visit) {
  const last = shape.length - 1;
  const total = count(shape.slice(0, last));
  const index = new Array(Math.max(0, last)).fill(0);
  let place = 0;
  for (let row = 0; row < total; row++) {
    visit(place, row);
    for (let dim = last - 1; dim >= 0; dim--) {
      place += steps[dim];
      if (++index[dim] < shape[dim]) break;
      place -= steps[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

/** Numbers read with any step in each dimension. */
export function gathered(data, shape, steps) {
  if (!shape.length) return Float32Array.of(data[0]);
  const found = new Float32Array(count(shape));
  const [length, step] = [shape.at(-1), steps.at(-1)];
  eachRow(shape, steps, (place, row) => {
    for (let i = 0, to = row * length; i < length; i++) found[to + i] = data[place + i * step];
  });
  return found;
}

/** The numbers of a tensor repeated to a shape. */
export function expanded(x, shape) {
  const data = x.data;
  return data.length === count(shape) ? data : gathered(data, shape, strides(x.shape, shape.length));
}

/** The shape that tensors are repeated to. */
export function commonShape(inputs) {
  const rank = Math.max(...inputs.map((x) => x.shape.length));
  const shape = new Array(rank).fill(1);
  for (const x of inputs) {
    x.shape.forEach((size, dim) => {
      const at = dim + rank - x.shape.length;
      if (size !== 1 && shape[at] !== 1 && shape[at] !== size) throw new Error("shapes do not fit");
      if (size !== 1) shape[at] = size;
    });
  }
  return shape;
}
