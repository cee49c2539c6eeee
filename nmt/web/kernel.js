// The product of a matrix with a vector, in WebAssembly with SIMD; the rest of a model costs little beside it.
//
// The code is assembled here, as the format is small: https://webassembly.github.io/spec/core/binary/

const BLOCK = 16; // columns that one round of the inner loop takes; rows are padded to a multiple of it

const [I32, V128] = [0x7f, 0x7b];
const get = (local) => [0x20, local];
const set = (local) => [0x21, local];
const simd = (code) => [0xfd, ...unsigned(code)];
const load = (offset) => [...simd(0x00), 4, offset];
const lane = (number) => [...simd(0x1f), number];
const [zero, add, multiply] = [[...simd(0x0c), ...new Array(16).fill(0)], simd(0xe4), simd(0xe6)];
const [addFloats, storeFloat] = [[0x92], [0x38, 2, 0]];
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

/** The body of product(vector, matrix, results, blocks, rows): four sums for the columns of a block. */
function product() {
  const [vector, matrix, results, blocks, rows, place, block, ...sums] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const inner = sums.flatMap((sum, part) => [
    ...get(place), ...load(16 * part), ...get(matrix), ...load(16 * part), ...multiply,
    ...get(sum), ...add, ...set(sum),
  ]);
  const outer = [
    ...sums.flatMap((sum) => [...zero, ...set(sum)]),
    ...get(vector), ...set(place),
    ...loop(block, get(blocks), [...inner, ...advance(matrix, 4 * BLOCK), ...advance(place, 4 * BLOCK)]),
    ...sums.flatMap((sum, part) => [...get(sum), ...(part ? add : [])]), ...set(sums[0]),
    ...get(results),
    ...sums.flatMap((_, part) => [...get(sums[0]), ...lane(part), ...(part ? addFloats : [])]), ...storeFloat,
    ...advance(results, 4),
  ];
  return [2, 2, I32, 4, V128, ...loop(rows, get(rows), outer), 0x0b];
}

const sized = (bytes) => [...unsigned(bytes.length), ...bytes];
const list = (items) => [...unsigned(items.length), ...items.flat()];
const text = (string) => sized(Array.from(string, (each) => each.charCodeAt(0)));

/** The bytes of a WebAssembly module with the function f. */
function assembled() {
  const sections = [
    [1, list([[0x60, ...list(new Array(5).fill([I32])), 0]])],
    [2, list([[...text("m"), ...text("m"), 0x02, 0x00, 0x01]])], // imports its memory, of at least one page
    [3, list([[0]])],
    [7, list([[...text("f"), 0x00, 0]])],
    [10, list([sized(product())])],
  ];
  const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return new Uint8Array([...magic, ...sections.flatMap(([id, bytes]) => [id, ...sized(bytes)])]);
}

const padded = (columns) => Math.ceil(columns / BLOCK) * BLOCK;

/** Matrices {shape, data} in the memory of the WebAssembly module, ready for products. */
class FastProducts {
  constructor(matrices) {
    const sizes = matrices.map(({ shape: [rows, columns] }) => rows * padded(columns));
    this.results = Math.max(BLOCK, ...matrices.map(({ shape }) => padded(shape[1]))); // after the vector
    let end = this.results + Math.ceil(Math.max(1, ...matrices.map(({ shape }) => shape[0])) / BLOCK) * BLOCK;
    const total = sizes.reduce((sum, size) => sum + size, end);
    const memory = new WebAssembly.Memory({ initial: Math.ceil((4 * total) / 65536) });
    this.floats = new Float32Array(memory.buffer);
    this.places = new Map();
    matrices.forEach((each, i) => {
      const [rows, columns] = each.shape;
      for (let row = 0; row < rows; row++) {
        this.floats.set(each.data.subarray(row * columns, (row + 1) * columns), end + row * padded(columns));
      }
      this.places.set(each, end);
      end += sizes[i];
    });
    this.product = new WebAssembly.Instance(new WebAssembly.Module(assembled()), { m: { m: memory } }).exports.f;
  }

  /** The products (count, rows) of a matrix with vectors (count, columns). */
  multiply(weight, vectors, count) {
    const [rows, columns] = weight.shape;
    const { floats, results } = this;
    const products = new Float32Array(count * rows);
    floats.fill(0, columns, padded(columns));
    for (let i = 0; i < count; i++) {
      floats.set(vectors.subarray(i * columns, (i + 1) * columns));
      this.product(0, 4 * this.places.get(weight), 4 * results, padded(columns) / BLOCK, rows);
      products.set(floats.subarray(results, results + rows), i * rows);
    }
    return products;
  }
}

/** The same without WebAssembly, for browsers that lack it or its SIMD instructions. */
class PlainProducts {
  multiply({ shape: [rows, columns], data }, vectors, count) {
    return Float32Array.from({ length: count * rows }, (_, at) => {
      const [from, row] = [Math.floor(at / rows) * columns, (at % rows) * columns];
      let sum = 0;
      for (let column = 0; column < columns; column++) sum += data[row + column] * vectors[from + column];
      return sum;
    });
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
