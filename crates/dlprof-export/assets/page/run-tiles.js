// Tiles of the timeline of the whole capture: which ones a view needs, asked for once, kept while they are near.

/** Bins of a tile, as the program cuts them. */
const BINS = 512;
/** Requests at a time. */
const AT_ONCE = 3;
/** Tiles that are kept. */
const MOST_KEPT = 240;

/** The level at which a bin is about as wide as a pixel. */
export function levelFor(nsPerPixel) {
  return Math.max(0, Math.round(Math.log2(Math.max(1, nsPerPixel))));
}

const lengthOf = (level) => BINS * 2 ** level;

/** `ask(level, number, lanes)` gives a tile; `onArrival` is called when one came. */
export function tileStore(ask, onArrival) {
  const kept = new Map();
  let waiting = [];
  let running = 0;

  const tileAt = (level, number) => kept.get(`${level}/${number}`);

  /** What is known of a row between two times: tiles of this level, and where they are missing, of the nearest wider one. */
  function rowsOf(lane, row, level, from, to) {
    const found = [];
    const length = lengthOf(level);
    for (let number = Math.floor(from / length); number * length < to; number++) {
      const part = known(lane, row, level, number);
      if (part && found.at(-1)?.row !== part.row) found.push(part);
    }
    return found;
  }

  function known(lane, row, level, number) {
    for (let up = 0; up <= 8; up++) {
      const tile = tileAt(level + up, Math.floor(number / 2 ** up));
      if (tile?.lanes.has(lane)) {
        const data = tile.rows.get(`${lane}.${row}`);
        return data ? { tile, row: data } : null;
      }
    }
    return null;
  }

  /** Asks for what is missing of a view; what was wanted before and is not under way is forgotten. */
  function want(level, from, to, lanes) {
    waiting = [];
    add(level, from, to, lanes);
  }

  /** Asks for more beside it. */
  function add(level, from, to, lanes) {
    const length = lengthOf(level);
    for (let number = Math.floor(from / length); number * length < to; number++) {
      const key = `${level}/${number}`;
      const tile = kept.get(key) ?? { level, number, lanes: new Set(), asked: new Set(), rows: new Map() };
      kept.delete(key);
      kept.set(key, tile);
      const missing = lanes.filter((lane) => !tile.lanes.has(lane) && !tile.asked.has(lane));
      if (missing.length) waiting.push({ tile, lanes: missing });
    }
    for (const key of [...kept.keys()].slice(0, Math.max(0, kept.size - MOST_KEPT))) kept.delete(key);
    next();
  }

  function next() {
    while (running < AT_ONCE && waiting.length) {
      const { tile, lanes } = waiting.shift();
      running += 1;
      lanes.forEach((lane) => tile.asked.add(lane));
      ask(tile.level, tile.number, lanes)
        .then((answer) => take(tile, lanes, answer))
        // What cannot be had is not asked for again and again.
        .catch(() => {})
        .finally(() => {
          running -= 1;
          onArrival();
          next();
        });
    }
  }

  function take(tile, lanes, answer) {
    const end = answer.next === null ? lanes.length : lanes.indexOf(answer.next);
    lanes.slice(0, end).forEach((lane) => tile.lanes.add(lane));
    lanes.forEach((lane) => tile.asked.delete(lane));
    const shades = answer.names.map(shadeOf);
    for (const row of answer.rows)
      tile.rows.set(`${row.lane}.${row.row}`, { ...row, start: answer.start_ns, answer, shades });
    for (const counter of answer.counters)
      tile.rows.set(`${counter.lane}.0`, { ...counter, start: answer.start_ns, answer });
    if (end < lanes.length) waiting.unshift({ tile, lanes: lanes.slice(end) });
  }

  return { want, add, rowsOf, isIdle: () => running === 0 && waiting.length === 0 };
}

/** A number that is the same for a name in every tile. */
function shadeOf(name) {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) >>> 0;
  return sum;
}

/** The first place of a row whose start, in nanoseconds of the capture, is after a time. */
export function firstBehind(row, time) {
  let [low, high] = [0, row.start_ns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.start + row.start_ns[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A piece of a row with all that is known of it. */
export function pieceOf(row, at) {
  return {
    lane: row.lane,
    row: row.row,
    item: row.item[at],
    start: row.start + row.start_ns[at],
    length: row.length_ns[at],
    count: row.count?.[at] ?? 1,
    name: row.answer.names[row.name[at]],
    class: row.answer.classes[row.class[at]],
    bin: row.answer.bin_ns,
  };
}
