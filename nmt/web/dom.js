// Elements of a page. Text gets into the page through textContent alone.

const SVG = "http://www.w3.org/2000/svg";
const MATH = "http://www.w3.org/1998/Math/MathML";

function filled(node, { text, children = [], data = {}, on = {}, style = {}, ...attributes }) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === "" || value === false) continue;
    node.setAttribute(key === "className" ? "class" : key, value === true ? "" : value);
  }
  Object.assign(node.dataset, data);
  for (const [name, value] of Object.entries(style)) node.style.setProperty(name, value);
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  if (text !== undefined) node.textContent = text;
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element with text, children, listeners (`on`), data, style properties and attributes (`className` for class). */
export function element(name, options = {}) {
  return filled(document.createElement(name), options);
}

/** The same for SVG. */
export function svg(name, options = {}) {
  return filled(document.createElementNS(SVG, name), options);
}

/** The same for MathML. */
export function math(name, options = {}) {
  return filled(document.createElementNS(MATH, name), options);
}

/** A share of one as a whole percentage. */
export const roundPercent = (share) => `${Math.round(100 * share)} %`;

/** A share of one as a percentage, with a digit more where it is small. */
export function percent(share) {
  if (share < 0.0005) return "<0.1 %";
  return `${share >= 0.0995 ? Math.round(100 * share) : (100 * share).toFixed(1)} %`;
}

/** A probability in two digits. */
export const chance = (share) => (share < 0.005 ? "<0.01" : share.toFixed(2));

/** A number with a true minus sign. */
export const signed = (value, digits = 2) =>
  value
    .toFixed(digits)
    .replace("-", "−")
    .replace(/^−(0(\.0*)?)$/, "$1");

const put = new WeakMap(); // element → what was last put there

/** Set a style property (a name that begins with --), the text (""), or an attribute, if it is another than before. */
export function update(node, name, value) {
  const last = put.get(node) ?? put.set(node, {}).get(node);
  if (last[name] === value) return;
  last[name] = value;
  if (!name) node.textContent = value;
  else if (name.startsWith("--")) node.style.setProperty(name, value);
  else node.setAttribute(name, value);
}

/** Arrow keys, Home and End move the focus among elements of which one is in the tab order. */
export function roving(
  nodes,
  { forward = ["ArrowRight", "ArrowDown"], back = ["ArrowLeft", "ArrowUp"], start = 0 } = {},
) {
  nodes.forEach((node, place) => {
    node.tabIndex = place === start ? 0 : -1;
    node.addEventListener("keydown", (event) => {
      const steps = { Home: -Infinity, End: Infinity };
      for (const key of forward) steps[key] = 1;
      for (const key of back) steps[key] = -1;
      const step = steps[event.key];
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      const to = nodes[Math.max(0, Math.min(nodes.length - 1, nodes.indexOf(node) + step))];
      for (const each of nodes) each.tabIndex = each === to ? 0 : -1;
      to.focus();
      event.preventDefault();
      event.stopPropagation();
    });
  });
}

/** A group of buttons of which one is chosen: {node, choose(value)}; `options` are pairs of a value and its name. */
export function segments(label, options, chosen, className = "") {
  const buttons = options.map(([value, text]) =>
    element("button", { type: "button", text, on: { click: () => chosen(value) } }),
  );
  const choose = (value) =>
    options.forEach(([each], place) => update(buttons[place], "aria-pressed", String(each === value)));
  const attributes = { className: `segments ${className}`, role: "group", "aria-label": label };
  return { node: element("div", { ...attributes, children: buttons }), choose };
}
