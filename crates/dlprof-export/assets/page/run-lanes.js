// Lanes of the whole capture as people arrange them: pinned ones first, then GPUs, then processes; groups fold, lanes hide.

const ROW = { idle: 20, stream: 22, counter: 28, samples: 12, profiler: 12 };
const HEADING = 26;
/** More groups than this are folded at first, so that all fit one screen. */
const MOST_OPEN = 4;

/** What the address says of lanes: lists of numbers. */
export function arrangementOf(state, groups) {
  const list = (text) =>
    (text ?? "")
      .split(",")
      .filter((part) => /^\d+$/.test(part))
      .map(Number);
  const all = [...groups.keys()];
  const folded = state.fold === undefined ? (all.length > MOST_OPEN ? all : []) : list(state.fold);
  const order = list(state.order).filter((group) => group < all.length);
  return {
    folded: new Set(folded),
    hidden: new Set(list(state.hide)),
    pinned: list(state.pin),
    order: [...order, ...all.filter((group) => !order.includes(group))],
  };
}

/** The arrangement as the address has it. */
export function arrangementState({ folded, hidden, pinned, order }, groups) {
  const all = [...groups.keys()];
  const usual = all.length > MOST_OPEN ? all.length : 0;
  return {
    fold: folded.size === usual ? undefined : [...folded].join(",") || "-",
    hide: [...hidden].join(","),
    pin: pinned.join(","),
    order: order.every((group, at) => group === at) ? "" : order.join(","),
  };
}

/** Lanes and counters by what they belong to: a GPU or a process, in the order of the program. */
export function groupsOf({ lanes, counters }) {
  const groups = new Map();
  const isCounter = { kind: "counter", rows: 1 };
  [...lanes, ...counters.map((counter) => ({ ...counter, ...isCounter }))].forEach((lane, at) => {
    const name = headingOf(lane);
    if (!groups.has(name)) groups.set(name, { name, lanes: [], isGpu: lane.owner.of !== "thread" });
    groups.get(name).lanes.push({ ...lane, at });
  });
  return [...groups.values()];
}

function headingOf(lane) {
  return lane.owner.of === "thread" ? `Process ${lane.owner.pid}` : `GPU ${lane.owner.device_id}`;
}

/** Headings and lanes from top to bottom, with their places. A folded group is a heading with the rows of its telling lane. */
export function layoutLanes(groups, arrangement) {
  const blocks = [];
  let y = 0;
  const put = (block) => {
    blocks.push({ ...block, y });
    y += block.height;
  };
  const all = new Map(groups.flatMap((group) => group.lanes).map((lane) => [lane.at, lane]));
  const pinned = arrangement.pinned.map((at) => all.get(at)).filter(Boolean);
  if (pinned.length) put({ heading: "Pinned", height: HEADING });
  pinned.forEach((lane) => put(laneBlock(lane, true)));
  for (const number of arrangement.order) {
    const group = groups[number];
    const isFolded = arrangement.folded.has(number);
    const summary = isFolded ? tellingLane(group) : null;
    put({ heading: group.name, group: number, isFolded, summary, height: HEADING });
    if (isFolded) continue;
    for (const lane of group.lanes)
      if (!arrangement.hidden.has(lane.at) && !arrangement.pinned.includes(lane.at)) put(laneBlock(lane, false));
  }
  return { blocks, height: y };
}

function laneBlock(lane, isPinned) {
  const rowHeight = ROW[lane.kind] ?? 18;
  return { lane, isPinned, rowHeight, height: Math.max(24, lane.rows * rowHeight + 6) };
}

/** What a folded group shows: the stream with most work, or the calls of the thread that launches most. */
function tellingLane(group) {
  const of = (kind) => group.lanes.find((lane) => lane.kind === kind);
  return of("stream") ?? of("api_calls") ?? group.lanes[0];
}

/** The lanes of which rows are in sight between two heights. */
export function lanesInSight(blocks, top, bottom) {
  const near = blocks.filter((block) => block.y < bottom && block.y + block.height > top);
  return [...new Set(near.map((block) => block.lane?.at ?? block.summary?.at).filter((at) => at !== undefined))];
}

/** Where the rows of a block are: lane, row, height of its top, and how high it is. */
export function rowsIn(block) {
  if (block.summary) return [{ lane: block.summary, row: 0, y: block.y + 4, high: block.height - 8 }];
  const { lane, rowHeight } = block;
  const row = (_, at) => ({ lane, row: at, y: block.y + 3 + at * rowHeight, high: rowHeight - 2 });
  return Array.from({ length: lane?.rows ?? 0 }, row);
}
