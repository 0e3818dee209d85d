// What is under the mouse in the timeline of the whole capture, and what is said of it.

import { el } from "./dom.js";
import { counted, decimals, rawTime, time } from "./format.js";
import { counterAt, counterValue } from "./run-counters.js";
import { rowsIn } from "./run-lanes.js";
import { firstBehind, levelFor, pieceOf } from "./run-tiles.js";

/** The piece at a place of what is shown, near ones where they are thin; of a counter its value there. */
export function pieceUnder({ store, blocks, view, width }, x, y) {
  const block = blocks.find((one) => y >= one.y && y < one.y + one.height);
  const row = block && rowsIn(block).find((one) => y >= one.y && y < one.y + one.high + 2);
  if (!row) return null;
  const nsPerPixel = (view.to - view.from) / width;
  const [at, slack] = [view.from + x * nsPerPixel, 3 * nsPerPixel];
  const parts = store.rowsOf(row.lane.at, row.row, levelFor(nsPerPixel), at - slack, at + slack);
  if (row.lane.kind === "counter") {
    const found = parts.map(({ row: data }) => counterAt(data, at)).findLast(Boolean);
    return found ? { ...found, lane: row.lane } : null;
  }
  let best = null;
  for (const { row: data } of parts)
    for (let place = Math.max(0, firstBehind(data, at - slack) - 1); place < data.start_ns.length; place++) {
      const piece = { ...pieceOf(data, place), kind: row.lane.kind };
      if (piece.start > at + slack) break;
      const end = piece.start + (piece.count > 1 ? piece.bin : piece.length);
      const far = Math.max(0, piece.start - at, at - end);
      if (far <= slack && (!best || far < best.far)) best = { ...piece, far };
    }
  return best;
}

/** A piece in words: its name, its length, when in the capture and in the iteration. */
export function wordsOfPiece(piece, iterations, words) {
  if (piece.value !== undefined) return wordsOfCounter(piece);
  const inside = iterationAt(iterations, piece.start);
  const within = inside ? `, ${time(piece.start - inside.start)} into iteration ${inside.number}` : "";
  const when = `at ${exactTime(piece.start)}${within}`;
  const name = el("b.mono", null, piece.name || words[piece.kind]);
  if (piece.count === 1)
    return [name, el("span.dim", null, `${time(piece.length)} ${when}`), el("span.dim", null, rawTime(piece.length))];
  const together = `${counted(piece.count, "item")}, ${time(piece.length)} together; the longest:`;
  return [el("span.dim", null, together), name, el("span.dim", null, when)];
}

function wordsOfCounter({ lane, start, value, low, high }) {
  const range = high > low ? `, ${counterValue(lane, low)} to ${counterValue(lane, high)} near by` : "";
  return [
    el("b", null, `${lane.name}: ${counterValue(lane, value)}`),
    el("span.dim", null, `since ${exactTime(start)}${range}`),
  ];
}

/** The iteration in which a time is. */
export function iterationAt(iterations, time) {
  return iterations.find(({ start, length }) => time >= start && time < start + length);
}

/** A time of the capture in seconds, to the nanosecond. */
export function exactTime(ns) {
  return `${decimals(ns / 1e9, 9)} s`;
}
