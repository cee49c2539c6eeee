// The part of the address after #: named values, so that a view can be linked.

const LONGEST = 60_000; // characters; some browsers cut addresses that are longer

const read = () => new URLSearchParams(location.hash.slice(1));

export const fragment = (name) => read().get(name) ?? "";

/** Change some of the values and keep the others; empty ones are removed. If they are too long, the address holds none,
 * and false is returned. */
export function setFragment(changes) {
  const values = read();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") values.delete(name);
    else values.set(name, value);
  }
  const text = values.toString();
  const fits = text.length <= LONGEST;
  try {
    history.replaceState(null, "", text && fits ? `#${text}` : location.pathname + location.search);
  } catch {
    // Some browsers refuse it for local files; the page works without.
  }
  return fits;
}
