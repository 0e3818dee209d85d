// Groups and ops as a tree: groups end with a slash; a chain of single children is one row.

/** The tree from rows of table `groups`. A node has its cells, its name, its parent and its children. */
export function treeOf(rows, keys) {
  const [name, id] = ["name", "op_id"].map((key) => keys.indexOf(key));
  const nodes = rows.map((cells, at) => ({ at, cells, name: cells[name], isGroup: !cells[id], children: [] }));
  const groups = new Map(nodes.filter((node) => node.isGroup).map((node) => [trimmed(node.name), node]));
  const roots = [];
  for (const node of nodes) {
    const parent = parentOf(node, groups);
    if (parent && parent !== node) {
      node.parent = parent;
      parent.children.push(node);
    } else roots.push(node);
  }
  return { roots, nodes };
}

/** A name without the slash at its end. */
export function trimmed(name) {
  return name.replace(/\/+$/, "");
}

function parentOf(node, groups) {
  let path = trimmed(node.name);
  while (path.includes("/")) {
    path = path.slice(0, path.lastIndexOf("/"));
    if (groups.has(path) && groups.get(path) !== node) return groups.get(path);
  }
  const root = groups.get("");
  return root === node || !node.name.startsWith("/") ? null : (root ?? null);
}

/**
 * Puts siblings in the order of a column; empty cells come last, equal ones in order of names. At the top, what has something below
 * it comes first.
 */
export function sortTree({ roots, nodes }, column, descending) {
  const order = (a, b) => {
    const [left, right] = [a.cells[column], b.cells[column]];
    const isEmpty = (cell) => cell === null || cell === "";
    if (left !== right && (isEmpty(left) || isEmpty(right))) return isEmpty(left) ? 1 : -1;
    if (left !== right) return (left < right ? -1 : 1) * (descending ? -1 : 1);
    return a.name < b.name ? -1 : 1;
  };
  const hasNone = (node) => Number(!node.children.length);
  [roots, ...nodes.map((node) => node.children)].forEach((siblings) => siblings.sort(order));
  roots.sort((a, b) => hasNone(a) - hasNone(b));
}

/** A group and the groups in it, as long as each has one child alone. */
export function chainOf(node) {
  const chain = [node];
  for (let last = node; last.isGroup && last.children.length === 1 && last.children[0].isGroup; last = last.children[0])
    chain.push(last.children[0]);
  return chain;
}

/** What a chain is called below the groups around it. */
export function chainName(chain, depth) {
  const isRoot = depth === 0 && trimmed(chain[0].name) === "";
  return (isRoot ? "/" : "") + chain.slice(isRoot ? 1 : 0).map(leafOf).join("");
}

const leafOf = (node) => (node.isGroup ? trimmed(node.name) : node.name).split("/").pop() + (node.isGroup ? "/" : "");

/** Some nodes, and all groups around them. */
export function withGroupsAround(wanted) {
  const found = new Set();
  for (const node of wanted) for (let around = node; around && !found.has(around); around = around.parent) found.add(around);
  return found;
}

/** The rows that are shown, from top to bottom: chains with their depths. `matching` opens all that it has, and leaves out the rest. */
export function visibleRows(roots, { open, matching, most }) {
  const found = [];
  const left = roots.map((node) => ({ node, depth: 0 })).reverse();
  while (left.length && found.length < most) {
    const { node, depth } = left.pop();
    if (matching && !matching.has(node)) continue;
    const chain = chainOf(node);
    const last = chain[chain.length - 1];
    found.push({ chain, node: last, depth });
    if (open.has(last) || matching)
      for (const child of last.children.toReversed()) left.push({ node: child, depth: depth + 1 });
  }
  return found;
}

/** A node and all below it. */
export function allBelow(top) {
  const found = [top];
  for (let at = 0; at < found.length; at++) found.push(...found[at].children);
  return found;
}
