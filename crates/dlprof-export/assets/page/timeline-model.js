// A timeline as rows to draw: each lane is split by depth, so that the items of a row follow each other. What is drawn of a row
// depends on how many nanoseconds a pixel has; it is found once for each power of two of them.

const HEIGHT = {
  ranges: 22,
  ops: 22,
  api_calls: 26,
  mpi_calls: 22,
  os_calls: 22,
  profiler: 18,
  samples: 18,
  idle: 30,
  stream: 34,
};
const MOST_DEPTH = 8;

/**
 * Lanes with rows and their words, headings between them, and who launched what. `isWanted` decides which lanes are shown,
 * `gpusFirst` whether those of GPUs come before those of threads.
 */
export function timelineModel(data, words, { isWanted = () => true, gpusFirst = false } = {}) {
  const lanes = data.lanes.map((lane, at) => ({
    ...typed(lane),
    at,
    words: words[lane.kind],
    rows: rowsOf(lane),
    height: 0,
  }));
  const shown = byProcess(lanes.filter((lane) => lane.rows.length && isWanted(lane) && !repeatsRanges(lane, lanes)));
  if (gpusFirst) shown.sort((a, b) => Number(a.owner.of === "thread") - Number(b.owner.of === "thread"));
  const blocks = [];
  let y = 0;
  let heading = "";
  for (const lane of shown) {
    const own = headingOf(lane);
    if (own !== heading) {
      blocks.push({ heading: own, y, height: 24 });
      y += 24;
      heading = own;
    }
    lane.rowHeight = HEIGHT[lane.kind] ?? 22;
    lane.y = y;
    const before = blocks[blocks.length - 1].lane;
    lane.isFurther =
      before?.owner.of === "thread" && before.owner.tid === lane.owner.tid && before.owner.pid === lane.owner.pid;
    lane.height = Math.max(lane.isFurther ? 0 : 36, lane.rowHeight * lane.rows.length + 8);
    blocks.push({ lane, y, height: lane.height });
    y += lane.height;
  }
  return { data, lanes, shown, blocks, height: y, ...linksOf(data), gaps: gapsOf(data, lanes) };
}

/** The lane with its times as numbers side by side. */
function typed(lane) {
  return { ...lane, start_ns: Float64Array.from(lane.start_ns), length_ns: Float64Array.from(lane.length_ns) };
}

/** Threads of one process follow each other; the process that launches most comes first. */
function byProcess(lanes) {
  const headings = [...new Set(lanes.map(headingOf))];
  return [...lanes].sort((a, b) => headings.indexOf(headingOf(a)) - headings.indexOf(headingOf(b)));
}

function rowsOf(lane) {
  const rows = [];
  lane.start_ns.forEach((_, item) => {
    const depth = Math.min(MOST_DEPTH - 1, lane.depth?.[item] ?? 0);
    (rows[depth] ??= []).push(item);
  });
  return Array.from(rows, (row) => Int32Array.from(row ?? []));
}

/**
 * The items of a row that can be told apart where a pixel has so many nanoseconds: those of a pixel and more, and of shorter ones
 * those that do not touch the one before.
 */
export function distinctItems(lane, depth, nsPerPixel) {
  const exponent = Math.floor(Math.log2(nsPerPixel));
  const row = lane.rows[depth];
  if (exponent < 0 || row.length < 500) return row;
  lane.levels ??= lane.rows.map(() => new Map());
  const levels = lane.levels[depth];
  if (!levels.has(exponent)) levels.set(exponent, thinned(lane, row, 2 ** exponent));
  return levels.get(exponent);
}

function thinned(lane, row, bin) {
  const kept = new Int32Array(row.length);
  let number = 0;
  let covered = -Infinity;
  for (const item of row) {
    const end = lane.start_ns[item] + lane.length_ns[item];
    if (lane.length_ns[item] < bin && end < covered + bin) continue;
    kept[number++] = item;
    covered = Math.max(end, lane.start_ns[item] + bin);
  }
  return kept.slice(0, number);
}

/** Plain ranges are ops as well: one lane says both. */
function repeatsRanges(lane, lanes) {
  if (lane.kind !== "ops") return false;
  const ranges = lanes.find(
    (other) => other.kind === "ranges" && other.owner.tid === lane.owner.tid && other.owner.pid === lane.owner.pid,
  );
  return (
    Boolean(ranges) &&
    lane.start_ns.every((start, at) => ranges.start_ns[at] === start) &&
    lane.start_ns.length === ranges.start_ns.length
  );
}

function headingOf(lane) {
  return lane.owner.of === "thread" ? `Process ${lane.owner.pid}` : `GPU ${lane.owner.device_id}`;
}

/** The two lines of a lane's label. */
export function laneLabel(lane) {
  const { owner } = lane;
  if (owner.of === "thread")
    return [owner.name && owner.name !== "" ? `${owner.name} ${owner.tid}` : `Thread ${owner.tid}`, lane.words];
  if (owner.of === "gpu") return [lane.words, "by cause"];
  const name = owner.stream === null ? "All streams" : `Stream ${owner.stream}`;
  return [name, owner.pid ? `process ${owner.pid}` : lane.words];
}

function linksOf(data) {
  const callOf = new Map();
  const worksOf = new Map();
  for (const [callLane, call, workLane, work] of data.links) {
    callOf.set(`${workLane}:${work}`, [callLane, call]);
    const key = `${callLane}:${call}`;
    if (!worksOf.has(key)) worksOf.set(key, []);
    worksOf.get(key).push([workLane, work]);
  }
  return { callOf, worksOf };
}

/** Idle times in order of time, with the item after each. */
function gapsOf(data, lanes) {
  const found = [];
  for (const lane of lanes.filter((one) => one.kind === "idle")) {
    const streams = lanes.filter((other) => other.kind === "stream" && other.owner.device_id === lane.owner.device_id);
    lane.start_ns.forEach((start, item) => {
      const end = start + lane.length_ns[item];
      let next = null;
      for (const stream of streams) {
        const at = firstFrom(stream.start_ns, end);
        if (at < stream.start_ns.length && (!next || stream.start_ns[at] < next.start))
          next = { lane: stream, item: at, start: stream.start_ns[at] };
      }
      const words = data.names[lane.name[item]];
      found.push({ lane, item, start, length: lane.length_ns[item], cause: lane.class[item], words, next });
    });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The first place whose start is not before a time. */
export function firstFrom(starts, time) {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first item of a row that ends after a time. */
export function firstEndingAfter(lane, row, time) {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.start_ns[row[middle]] + lane.length_ns[row[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The item at a time and a height below the top of its lane; items near by count where they are thin. */
export function itemAt(model, time, y, slack) {
  const lane = model.shown.find((one) => y >= one.y && y < one.y + one.height);
  if (!lane) return null;
  const row = lane.rows[Math.min(lane.rows.length - 1, Math.max(0, Math.floor((y - lane.y - 4) / lane.rowHeight)))];
  const first = firstEndingAfter(lane, row, time - slack);
  let best = null;
  for (let at = first; at < row.length && lane.start_ns[row[at]] <= time + slack; at++) {
    const item = row[at];
    const far = Math.max(0, lane.start_ns[item] - time, time - lane.start_ns[item] - lane.length_ns[item]);
    if (!best || far < best.far || (far === best.far && lane.length_ns[item] > lane.length_ns[best.item]))
      best = { lane, item, far };
  }
  return best;
}
