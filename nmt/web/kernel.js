// The product of a matrix with a few vectors, in WebAssembly with SIMD; the rest of a model costs little beside it.
//
// The code is assembled here, as the format is small: https://webassembly.github.io/spec/core/binary/

const BLOCK = 16; // columns of a matrix that one round of the inner loop takes; rows are padded to a multiple of it
const TOGETHER = 5; // vectors that share one pass over the matrix

const I32 = 0x7f;
const V128 = 0x7b;
const get = (local) => [0x20, ...unsigned(local)];
const set = (local) => [0x21, ...unsigned(local)];
const simd = (code) => [0xfd, ...unsigned(code)];
const loadVector = (offset) => [...simd(0x00), 4, ...unsigned(offset)];
const zeroVector = [...simd(0x0c), ...new Array(16).fill(0)];
const lane = (number) => [...simd(0x1f), number];
const [addVectors, multiplyVectors, toFloats] = [0xe4, 0xe6, 0xfa].map(simd);
const [lowToInt16, highToInt16, lowToInt32, highToInt32] = [0x87, 0x88, 0xa7, 0xa8].map(simd);
const [addFloats, multiplyFloats] = [[0x92], [0x94]];
const loadFloat = [0x2a, 2, 0];
const storeFloat = (offset) => [0x38, 2, ...unsigned(offset)];
const advance = (local, bytes) => [...get(local), 0x41, ...signed(bytes), 0x6a, ...set(local)];
const loop = (counter, start, body) => [
  ...start, ...set(counter),
  0x03, 0x40, ...body, ...get(counter), 0x41, 0x01, 0x6b, 0x22, counter, 0x0d, 0x00, 0x0b, // until it is 0
];

function unsigned(number) {
  return number < 128 ? [number] : [(number & 127) | 128, ...unsigned(number >>> 7)];
}

function signed(number) {
  return number < 64 ? [number] : [(number & 127) | 128, ...signed(number >>> 7)];
}

/** The body of product(vectors, matrix, scales, results, blocks, rows) for `count` vectors.
 *
 * Vectors lie interleaved, four numbers of each in turn, and results one row after the other. */
function product(int8, count) {
  const [vectors, matrix, scales, results, blocks, rows] = [0, 1, 2, 3, 4, 5];
  const [place, block] = [6, 7];
  const sum = (vector) => 8 + vector;
  const weight = (part) => 8 + count + part;
  const [raw, half] = [weight(4), weight(5)];
  const fourParts = [0, 1, 2, 3];
  const all = Array.from({ length: count }, (_, vector) => vector);
  const widen = (to16, part) => [
    ...get(raw), ...to16, ...set(half),
    ...get(half), ...lowToInt32, ...toFloats, ...set(weight(part)),
    ...get(half), ...highToInt32, ...toFloats, ...set(weight(part + 1)),
  ];
  const weights = int8
    ? [...get(matrix), ...loadVector(0), ...set(raw), ...widen(lowToInt16, 0), ...widen(highToInt16, 2)]
    : fourParts.flatMap((part) => [...get(matrix), ...loadVector(16 * part), ...set(weight(part))]);
  const multiply = fourParts.flatMap((part) =>
    all.flatMap((vector) => [
      ...get(place), ...loadVector(16 * (part * count + vector)), ...get(weight(part)), ...multiplyVectors,
      ...get(sum(vector)), ...addVectors, ...set(sum(vector)),
    ]),
  );
  const inner = [...weights, ...multiply, ...advance(matrix, int8 ? BLOCK : 4 * BLOCK), ...advance(place, 64 * count)];
  const outer = [
    ...all.flatMap((vector) => [...zeroVector, ...set(sum(vector))]),
    ...get(vectors), ...set(place),
    ...loop(block, get(blocks), inner),
    ...all.flatMap((vector) => [
      ...get(results),
      ...fourParts.flatMap((part) => [...get(sum(vector)), ...lane(part), ...(part ? addFloats : [])]),
      ...(int8 ? [...get(scales), ...loadFloat, ...multiplyFloats] : []),
      ...storeFloat(4 * vector),
    ]),
    ...advance(results, 4 * count),
    ...advance(scales, 4),
  ];
  const locals = [2, [2, I32], [count + 6, V128]].flat();
  return [...locals, ...loop(rows, get(rows), outer), 0x0b];
}

const sized = (bytes) => [...unsigned(bytes.length), ...bytes];
const list = (items) => [...unsigned(items.length), ...items.flat()];
const text = (string) => sized(Array.from(string, (each) => each.charCodeAt(0)));

/** The bytes of a WebAssembly module with the functions f1 … f5 (float32) and i1 … i5 (int8). */
function assembled() {
  const kinds = [false, true].flatMap((int8) => Array.from({ length: TOGETHER }, (_, i) => [int8, i + 1]));
  const signature = [0x60, ...list(new Array(6).fill([I32])), 0];
  const sections = [
    [1, list([signature])],
    [2, list([[...text("m"), ...text("m"), 0x02, 0x00, 0x01]])], // imports its memory, of at least one page
    [3, list(kinds.map(() => [0]))],
    [7, list(kinds.map(([int8, count], i) => [...text((int8 ? "i" : "f") + count), 0x00, i]))],
    [10, list(kinds.map(([int8, count]) => sized(product(int8, count))))],
  ];
  const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return new Uint8Array([...magic, ...sections.flatMap(([id, bytes]) => [id, ...sized(bytes)])]);
}

const padded = (columns) => Math.ceil(columns / BLOCK) * BLOCK;

/** Matrices {shape, data, scale} in the memory of the WebAssembly module, ready for products. */
class FastProducts {
  constructor(matrices) {
    let end = 0;
    const reserve = (bytes) => (end += Math.ceil(bytes / 16) * 16) - Math.ceil(bytes / 16) * 16;
    const widest = Math.max(BLOCK, ...matrices.map((each) => padded(each.shape[1])));
    const tallest = Math.max(1, ...matrices.map((each) => each.shape[0]));
    this.vectors = reserve(4 * TOGETHER * widest);
    this.results = reserve(4 * TOGETHER * tallest);
    this.places = new Map();
    for (const each of matrices) {
      const [rows, columns] = each.shape;
      const matrix = reserve(rows * padded(columns) * each.data.BYTES_PER_ELEMENT);
      this.places.set(each, { matrix, scales: each.scale ? reserve(4 * rows) : 0 });
    }
    const memory = new WebAssembly.Memory({ initial: Math.ceil(end / 65536) });
    this.buffer = memory.buffer;
    this.floats = new Float32Array(this.buffer);
    for (const [each, place] of this.places) this.store(each, place);
    this.functions = new WebAssembly.Instance(new WebAssembly.Module(assembled()), { m: { m: memory } }).exports;
  }

  store({ shape: [rows, columns], data, scale }, place) {
    const to = new data.constructor(this.buffer, place.matrix, rows * padded(columns));
    for (let row = 0; row < rows; row++) {
      to.set(data.subarray(row * columns, (row + 1) * columns), row * padded(columns));
    }
    if (scale) this.floats.set(scale, place.scales / 4);
  }

  /** The products (count, rows) of a matrix with vectors (count, columns). */
  multiply(weight, vectors, count) {
    const [rows, columns] = weight.shape;
    const products = new Float32Array(count * rows);
    const { matrix, scales } = this.places.get(weight);
    const { floats, functions } = this;
    const kind = weight.scale ? "i" : "f";
    for (let first = 0; first < count; first += TOGETHER) {
      const some = Math.min(TOGETHER, count - first);
      const [from, to] = [this.vectors / 4, this.results / 4];
      floats.fill(0, from, from + padded(columns) * some);
      for (let vector = 0; vector < some; vector++) {
        const begin = (first + vector) * columns;
        for (let column = 0; column < columns; column++) {
          floats[from + (column >> 2) * 4 * some + vector * 4 + (column & 3)] = vectors[begin + column];
        }
      }
      functions[kind + some](this.vectors, matrix, scales, this.results, padded(columns) / BLOCK, rows);
      for (let vector = 0; vector < some; vector++) {
        const begin = (first + vector) * rows;
        for (let row = 0; row < rows; row++) products[begin + row] = floats[to + row * some + vector];
      }
    }
    return products;
  }
}

/** The same without WebAssembly, for browsers that lack it or its SIMD instructions. */
class PlainProducts {
  multiply(weight, vectors, count) {
    const [rows, columns] = weight.shape;
    const { data, scale } = weight;
    const products = new Float32Array(count * rows);
    for (let row = 0; row < rows; row++) {
      const begin = row * columns;
      const factor = scale ? scale[row] : 1;
      for (let vector = 0; vector < count; vector++) {
        const from = vector * columns;
        let sum = 0;
        for (let column = 0; column < columns; column++) sum += data[begin + column] * vectors[from + column];
        products[vector * rows + row] = sum * factor;
      }
    }
    return products;
  }
}

/** The fastest way of multiplying these matrices that works here. */
export function products(matrices, plain = false) {
  if (plain) return new PlainProducts();
  try {
    return new FastProducts(matrices);
  } catch {
    return new PlainProducts();
  }
}
