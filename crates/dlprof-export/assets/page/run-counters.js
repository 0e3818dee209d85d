// Counters in the timeline of the whole capture: steps from reading to reading, and where many are in a pixel from the smallest to
// the largest.

import { color } from "./classes.js";
import { bytes, significant } from "./format.js";

/** The value of a counter with its unit. */
export function counterValue(lane, value) {
  return lane.unit === "bytes" ? bytes(value) : `${significant(value)} ${lane.unit}`.trim();
}

/** The value in force at a time: of several readings in the same pixel the last. */
export function counterAt(row, time) {
  const starts = row.start_ns;
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.start + starts[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low === 0
    ? null
    : { start: row.start + starts[low - 1], value: row.last[low - 1], low: row.low[low - 1], high: row.high[low - 1] };
}

/** Draws what a tile says of a counter. */
export function paintCounter(pen, scene, lane, row, y, high) {
  const scale = scene.width / (scene.to - scene.from);
  const x = (time) => (time - scene.from) * scale;
  const size = lane.high - lane.low || 1;
  const level = (value) => y + high - ((value - lane.low) / size) * high;
  const zero = level(0);
  const [first, end] = [Math.max(scene.from, row.start), Math.min(scene.to, row.start + row.answer.length_ns)];
  row.start_ns.forEach((offset, at) => {
    const from = Math.max(first, row.start + offset);
    const to = Math.min(end, at + 1 < row.start_ns.length ? row.start + row.start_ns[at + 1] : Infinity);
    if (to <= first || from >= end) return;
    const [left, wide] = [x(from), Math.max(1, x(to) - x(from))];
    const top = level(row.last[at]);
    pen.fillStyle = color("accent");
    pen.globalAlpha = 0.25;
    pen.fillRect(left, Math.min(top, zero), wide, Math.abs(zero - top));
    pen.globalAlpha = 1;
    pen.fillRect(left, top, wide, 1);
    if (row.high[at] > row.low[at])
      pen.fillRect(left, level(row.high[at]), 1, level(row.low[at]) - level(row.high[at]));
  });
}
