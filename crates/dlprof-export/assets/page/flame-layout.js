// Where the boxes of a flame graph and of a treemap lie.

/** Boxes of a flame graph: { node, x, width, depth, parent }, x and width as shares of the root. Narrow ones are left out. */
export function flameBoxes(root, least) {
  const boxes = [];
  // A list of what is left in place of a call for each level: a tree may be deep.
  const left = [{ node: root, x: 0, width: 1, depth: 0, parent: null }];
  while (left.length) {
    const box = left.pop();
    if (box.width < least) continue;
    boxes.push(box);
    const { node, x, width, depth } = box;
    let from = x;
    const inside = node.children.map((child) => {
      const size = node.time_ns > 0 ? (child.time_ns / node.time_ns) * width : 0;
      from += size;
      return { node: child, x: from - size, width: size, depth: depth + 1, parent: box };
    });
    for (const child of inside.reverse()) left.push(child);
  }
  return boxes;
}

/** Leaves of a tree, summed by name and class, largest first: a name may hide what tells two kernels apart. */
export function leavesOf(root) {
  const sums = new Map();
  const left = [root];
  while (left.length) {
    const node = left.pop();
    if (node.children.length) {
      for (const child of node.children.toReversed()) left.push(child);
      continue;
    }
    const key = `${node.class}\n${node.name}`;
    const known = sums.get(key);
    if (known) {
      known.time_ns += node.time_ns;
      known.launches += node.launches;
    } else sums.set(key, { ...node });
  }
  return [...sums.values()].sort((a, b) => b.time_ns - a.time_ns || (a.name < b.name ? -1 : 1));
}

/** Squarified areas: { item, x, y, width, height } for items with `time_ns`, largest first. */
export function treemap(items, width, height) {
  const total = items.reduce((sum, item) => sum + item.time_ns, 0);
  const areas = items.map((item) => ({ item, size: (item.time_ns / total) * width * height }));
  const found = [];
  let free = { x: 0, y: 0, width, height };
  let row = [];
  const worst = (list, side) => {
    const sum = list.reduce((all, one) => all + one.size, 0);
    return Math.max(
      ...list.map((one) => Math.max((side * side * one.size) / (sum * sum), (sum * sum) / (side * side * one.size))),
    );
  };
  const lay = () => {
    const sum = row.reduce((all, one) => all + one.size, 0);
    const isWide = free.width >= free.height;
    const thick = sum / (isWide ? free.height : free.width) || 0;
    let along = isWide ? free.y : free.x;
    for (const { item, size } of row) {
      const long = thick > 0 ? size / thick : 0;
      found.push(
        isWide
          ? { item, x: free.x, y: along, width: thick, height: long }
          : { item, x: along, y: free.y, width: long, height: thick },
      );
      along += long;
    }
    free = isWide
      ? { ...free, x: free.x + thick, width: free.width - thick }
      : { ...free, y: free.y + thick, height: free.height - thick };
    row = [];
  };
  for (const area of areas.filter(({ size }) => size > 0)) {
    const side = Math.max(1, Math.min(free.width, free.height));
    if (row.length && worst([...row, area], side) > worst(row, side)) lay();
    row.push(area);
  }
  if (row.length) lay();
  return found;
}
