// Where the cells of a heat map are: a row per rank and a column per iteration, or of many ranks a column per node and a row per GPU.

/** Pixels of labels at the left and below. */
const LEFT = 52;
const BELOW = 18;
const ABOVE = 14;

const between = (low, value, high) => Math.max(low, Math.min(high, value));

/** Labels that have room: every 1st, 2nd, 5th, 10th … */
function stepOf(size, least) {
  const rough = Math.max(1, Math.ceil(least / size));
  const scale = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((by) => by * scale).find((step) => step >= rough);
}

/** A row per rank in the given order, a column per iteration; the rows are about `tall` pixels together. */
export function rankCells(ranks, iterations, width, tall) {
  const wide = between(2, Math.floor((width - LEFT) / Math.max(1, iterations.length)), 64);
  const high = ranks.length <= 16 ? 20 : between(2, Math.floor(tall / ranks.length), 16);
  const x = (column) => LEFT + column * wide;
  const y = (row) => row * high;
  const placeOf = new Map(ranks.map((rank, row) => [rank, row]));
  const columnOf = new Map(iterations.map((number, column) => [number, column]));
  const every = stepOf(high, 12);
  const across = stepOf(wide, 28);
  return {
    width: LEFT + iterations.length * wide,
    height: ranks.length * high + BELOW,
    each(call) {
      ranks.forEach((rank, row) =>
        iterations.forEach((iteration, column) => call({ rank, iteration, x: x(column), y: y(row), wide, high })),
      );
    },
    boxOf(rank, iteration) {
      const row = placeOf.get(rank);
      if (row === undefined) return null;
      const column = columnOf.get(iteration);
      return column === undefined
        ? { x: LEFT, y: y(row), wide: wide * iterations.length, high }
        : { x: x(column), y: y(row), wide, high };
    },
    at(left, top) {
      const [rank, iteration] = [ranks[Math.floor(top / high)], iterations[Math.floor((left - LEFT) / wide)]];
      return left < LEFT || rank === undefined || iteration === undefined ? null : { rank, iteration };
    },
    next(rank, iteration, right, down) {
      const row = between(0, (placeOf.get(rank) ?? 0) + down, ranks.length - 1);
      const column = between(0, (columnOf.get(iteration) ?? 0) + right, iterations.length - 1);
      return { rank: ranks[row], iteration: iterations[column] };
    },
    labels: [
      ...ranks.flatMap((rank, row) =>
        row % every === 0 ? [{ text: String(rank), x: LEFT - 8, y: y(row) + high / 2, align: "right", rank }] : [],
      ),
      ...iterations.flatMap((number, column) =>
        column % across === 0
          ? [{ text: String(number), x: x(column) + wide / 2, y: ranks.length * high + BELOW / 2 + 2, align: "center" }]
          : [],
      ),
    ],
  };
}

/** A column per node and a row per GPU, in as many blocks as the width needs. `nodes` are { name, gpus: Map of GPU to rank }. */
export function nodeCells(nodes, width) {
  const gpus = [...new Set(nodes.flatMap((node) => [...node.gpus.keys()]))].sort((a, b) => a - b);
  const wide = between(6, Math.floor((width - LEFT) / nodes.length), 28);
  const perBlock = Math.max(1, Math.min(nodes.length, Math.floor((width - LEFT) / wide)));
  // Where all are in few rows, these are taller than wide: there is room below.
  const high = between(14, Math.floor(240 / (gpus.length * Math.ceil(nodes.length / perBlock))), 28);
  const tall = gpus.length * high + ABOVE + 10;
  const x = (at) => LEFT + (at % perBlock) * wide;
  const y = (at, row) => Math.floor(at / perBlock) * tall + ABOVE + row * high;
  const cells = nodes.flatMap((node, at) =>
    gpus.flatMap((gpu, row) => [{ rank: node.gpus.get(gpu), x: x(at), y: y(at, row), wide, high, at, row }]),
  );
  const byRank = new Map(cells.filter((cell) => cell.rank !== undefined).map((cell) => [cell.rank, cell]));
  const blocks = Math.ceil(nodes.length / perBlock);
  return {
    width: LEFT + perBlock * wide,
    height: blocks * tall,
    each: (call) => cells.forEach(call),
    boxOf: (rank) => byRank.get(rank) ?? null,
    at(left, top) {
      const block = Math.floor(top / tall);
      const [column, row] = [Math.floor((left - LEFT) / wide), Math.floor((top - block * tall - ABOVE) / high)];
      if (left < LEFT || column >= perBlock) return null;
      const rank = nodes[block * perBlock + column]?.gpus.get(gpus[row]);
      return rank === undefined ? null : { rank, iteration: null };
    },
    next(rank, iteration, right, down) {
      const cell = byRank.get(rank) ?? cells[0];
      const at = between(0, cell.at + right, nodes.length - 1);
      const row = between(0, cell.row + down, gpus.length - 1);
      return { rank: nodes[at].gpus.get(gpus[row]) ?? rank, iteration };
    },
    labels: Array.from({ length: blocks }, (_, block) => {
      const first = nodes[block * perBlock];
      const last = nodes[Math.min(nodes.length, (block + 1) * perBlock) - 1];
      const text = first === last ? first.name : `${first.name} to ${last.name}`;
      return [
        { text, x: LEFT, y: block * tall + ABOVE / 2, align: "left" },
        ...gpus.map((gpu, row) => ({
          text: `GPU ${gpu}`,
          x: LEFT - 8,
          y: block * tall + ABOVE + (row + 0.5) * high,
          align: "right",
        })),
      ];
    }).flat(),
  };
}
