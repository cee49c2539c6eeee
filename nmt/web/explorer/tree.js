// The places of a beam search's hypotheses in a drawn tree.

/** Nodes to draw, {place, x, y, depth, …} with x in columns and y in rows, and how many rows there are.
 *
 * `all` keeps every pruned continuation; without it, only the likeliest beside the chosen translation. */
export function layout(tree, best, all) {
  const children = new Map();
  tree.forEach(({ parent }, place) => children.set(parent, [...(children.get(parent) ?? []), place]));
  const path = new Set();
  for (let place = best; place >= 0; place = tree[place].parent) path.add(place);
  const nodes = [];
  let rows = 0;
  const visit = (place, depth) => {
    const shown = wanted(children.get(place) ?? [], tree, path, all || place === -1 || path.has(place));
    const first = rows;
    const node = place >= 0 ? { place, depth, ...tree[place], onPath: path.has(place) } : null;
    if (node) nodes.push(node);
    const ys = shown.map((child) => visit(child, depth + 1));
    if (!ys.length) rows = first + 1;
    const y = ys.length ? (ys[0] + ys.at(-1)) / 2 : first;
    if (node) node.y = node.onPath && ys.length ? ys[0] : y;
    return node ? node.y : y;
  };
  visit(-1, -1);
  return { nodes, rows, depth: nodes.reduce((most, { depth }) => Math.max(most, depth), 0) + 1 };
}

const BESIDE = 2; // pruned continuations beside the chosen translation

/** The children to draw: the chosen one first, then those kept, then some of the pruned. */
function wanted(places, tree, path, withPruned) {
  const rank = (place) => (path.has(place) ? 2 : tree[place].kept ? 1 : 0);
  const sorted = [...places].sort((a, b) => rank(b) - rank(a) || tree[b].total - tree[a].total);
  const pruned = sorted.filter((place) => !tree[place].kept).slice(0, withPruned === true ? BESIDE : 0);
  return [...sorted.filter((place) => tree[place].kept), ...pruned];
}

/** The places from the root to a node. */
export function pathTo(tree, place) {
  const found = [];
  for (let each = place; each >= 0; each = tree[each].parent) found.unshift(each);
  return found;
}
