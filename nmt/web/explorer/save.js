// What the views draw and hold, as files: SVG, PNG, JSON.

import { saveFile } from "../copy_and_save.js";

export function saveSvg(name, picture) {
  saveFile(`${name}.svg`, new XMLSerializer().serializeToString(picture), "image/svg+xml");
}

export async function savePng(name, picture) {
  const [width, height] = ["width", "height"].map((name) => +picture.getAttribute(name));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scaled = Math.min(2, 8000 / Math.max(width, height));
  [canvas.width, canvas.height] = [width * scaled, height * scaled];
  const context = canvas.getContext("2d");
  context.scale(scaled, scaled);
  context.drawImage(image, 0, 0);
  canvas.toBlob((blob) => saveFile(`${name}.png`, blob, "image/png"), "image/png");
}

/** The numbers of a trace, as JSON can hold them. */
export function numbersOf(trace) {
  const plain = (numbers) => numbers && Array.from(numbers, (each) => +each.toPrecision(6));
  const byHead = (numbers) => (trace.heads > 1 ? numbers && rowsOf(plain(numbers), trace.source.ids.length) : plain(numbers));
  return {
    source: trace.source.pieces,
    target: trace.target.pieces,
    translation: trace.text,
    score: trace.score,
    search: trace.search,
    formulas: Object.fromEntries(
      Object.entries(trace.formulas).map(([role, { name, equation }]) => [role, { name, equation }]),
    ),
    encoder_states: rowsOf(plain(trace.encoder.states), trace.encoder.size),
    steps: trace.steps.map((step) => ({
      token: step.token,
      log_probability: step.logProb,
      set_by_hand: step.given,
      candidates: step.candidates.map(({ raw, probability }) => ({ piece: raw, probability })),
      query: plain(step.query),
      energies: byHead(step.energies),
      head_weights: trace.heads > 1 ? byHead(step.headWeights) : undefined,
      weights: plain(step.weights),
      context: plain(step.context),
      state: plain(step.state),
    })),
  };
}

const rowsOf = (numbers, size) =>
  Array.from({ length: numbers.length / size }, (_, row) => numbers.slice(row * size, (row + 1) * size));

export function saveJson(name, numbers) {
  saveFile(`${name}.json`, JSON.stringify(numbers, null, 1), "application/json");
}
