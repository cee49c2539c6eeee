// The file of a portable model (nmt/portable/file.py): the safetensors format, with the rest in its metadata.

const FORMAT = 2; // the version of the format
const LARGEST_HEADER = 64 * 2 ** 20;
const TYPES = { F32: Float32Array, I8: Int8Array, U8: Uint8Array };

/** An error whose message is for the reader of the page. */
export class ModelError extends Error {}

/** Bytes of base64 text. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The tensors of a file by name, {shape, data}, in float32 or bytes, and its record. */
export async function readModel(bytes) {
  try {
    return await unpack(bytes);
  } catch (error) {
    throw new ModelError(`The model in this page is damaged (${error.message}): export it again.`);
  }
}

async function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes.length < 8 ? 0 : Number(view.getBigUint64(0, true));
  if (size < 2 || size > Math.min(LARGEST_HEADER, bytes.length - 8)) throw new Error("it has no header");
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + size));
  const { __metadata__: metadata, ...header } = JSON.parse(text);
  const record = JSON.parse(metadata.nmt);
  if (record.version !== FORMAT) throw new Error(`it is of format ${record.version}, and this page reads ${FORMAT}`);
  const copy = bytes.slice(); // its tensors are aligned
  const place = 8 + text.indexOf(metadata.sha256); // the first text of the header
  copy.fill("0".charCodeAt(0), place, place + 64); // as the digest was taken
  if (crypto.subtle && (await digest(copy)) !== metadata.sha256) throw new Error("its checksum is wrong");
  const data = copy.subarray(8 + size);
  const stored = new Map(Object.entries(header).map(([name, entry]) => [name, tensor(entry, data)]));
  const tensors = new Map();
  for (const [name, each] of stored) {
    if (name.endsWith(":scale")) continue;
    tensors.set(name, each.data instanceof Int8Array ? dequantised(each, stored.get(`${name}:scale`)) : each);
  }
  return { tensors, record };
}

function tensor({ dtype, shape, data_offsets: [begin, end] }, data) {
  const type = TYPES[dtype];
  const length = shape.reduce((product, each) => product * each, 1);
  const fits = type && 0 <= begin && begin <= end && end <= data.length && Number.isInteger(length);
  if (!fits || length * type.BYTES_PER_ELEMENT !== end - begin) throw new Error("its tensors do not fit their places");
  return { shape, data: new type(data.buffer, data.byteOffset + begin, length) };
}

/** An int8 matrix in float32, given a scale for each row. */
function dequantised({ shape, data }, scale) {
  if (shape.length !== 2 || scale?.data.length !== shape[0]) throw new Error("a matrix has no scales");
  const found = Float32Array.from(data);
  scale.data.forEach((factor, row) => {
    for (let i = row * shape[1]; i < (row + 1) * shape[1]; i++) found[i] *= factor;
  });
  return { shape, data: found };
}

/** SHA-256 in hexadecimal digits; browsers offer it to local files and to https, not to plain http. */
async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
