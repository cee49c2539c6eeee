// Elements made without innerHTML: text gets into a page through textContent alone.

/** An element with a class, text, attributes and children. */
export function element(name, { text, children = [], data = {}, ...attributes } = {}) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== "") node.setAttribute(key === "className" ? "class" : key, value);
  }
  Object.assign(node.dataset, data);
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

export const percent = (share) => `${Math.round(100 * share)} %`;
