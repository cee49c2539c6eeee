// The places of a beam search's hypotheses in a drawn tree.

/** Nodes to draw, {place, depth, y, …} with y in rows, how many rows there are, and how deep the tree is.
 *
 * A first child stands in the row of its parent, the others below it, as high as there is room. `all` keeps every pruned
 * continuation; without it, only the likeliest beside the chosen translation. */
export function layout(tree, best, all) {
  const children = new Map();
  tree.forEach(({ parent }, place) => children.set(parent, [...(children.get(parent) ?? []), place]));
  const path = new Set();
  for (let place = best; place >= 0; place = tree[place].parent) path.add(place);
  const shown = new Map([-1, ...tree.keys()].map((place) => [place, []]));
  for (const [place, list] of children) {
    shown.set(place, wanted(list, tree, path, all ? Infinity : place === -1 || path.has(place) ? BESIDE : 0));
  }
  const nodes = [];
  const free = []; // the next free row of each depth
  const visit = (place, depth, least) => {
    let y = least;
    for (let [each, at] = [place, depth]; each !== undefined; each = shown.get(each)[0], at++)
      y = Math.max(y, free[at] ?? 0);
    free[depth] = y + 1;
    nodes.push({ place, depth, y, ...tree[place], onPath: path.has(place) });
    shown.get(place).forEach((child, i) => visit(child, depth + 1, i ? y + 1 : y));
  };
  for (const place of shown.get(-1)) visit(place, 0, 0);
  return { nodes, rows: Math.max(1, ...free), depth: free.length };
}

const BESIDE = 2; // pruned continuations beside the chosen translation

/** The children to draw: the chosen one first, then those kept, then at most so many of the pruned. */
function wanted(places, tree, path, most) {
  const rank = (place) => (path.has(place) ? 2 : tree[place].kept ? 1 : 0);
  const sorted = [...places].sort((a, b) => rank(b) - rank(a) || tree[b].total - tree[a].total);
  const pruned = sorted.filter((place) => !tree[place].kept).slice(0, most);
  return [...sorted.filter((place) => tree[place].kept), ...pruned];
}

/** The places from the root to a node. */
export function pathTo(tree, place) {
  const found = [];
  for (let each = place; each >= 0; each = tree[each].parent) found.unshift(each);
  return found;
}
