// The part of the address after #: named values, so that a view can be linked.

const read = () => new URLSearchParams(location.hash.slice(1));

export const fragment = (name) => read().get(name) ?? "";

/** Change some of the values and keep the others; empty ones are removed. */
export function setFragment(changes) {
  const values = read();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null) values.delete(name);
    else values.set(name, value);
  }
  const text = values.toString();
  try {
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  } catch {
    // Some browsers refuse it for local files; the page works without.
  }
}
