// Draws a timeline: items under a pixel are merged, those in sight only are looked at.

import { drawText } from "./dom.js";
import { callColor, causeColor, color, workColor } from "./classes.js";
import { hatch } from "./chart-canvas.js";
import { time } from "./format.js";
import { distinctItems, firstEndingAfter } from "./timeline-model.js";
import { fitted } from "./flame.js";

const SHADES = ["kernel", "kernel-2", "kernel-3"];

/** The colour variable of an item, and whether it is hatched. */
export function itemPaint(lane, item) {
  return paintOf(lane.kind, lane.class[item], lane.name[item]);
}

/** The same by the kind of its lane, its class, and a number that tells names apart. */
export function paintOf(kind, itemClass, nameNumber) {
  if (kind === "idle") return [itemClass === "gap" ? "line-2" : causeColor(itemClass), true];
  if (kind === "stream") {
    if (itemClass === "kernel") return [SHADES[nameNumber % 3], false];
    return [workColor({ communication: "comm", memory: "copy" }[itemClass] ?? itemClass), false];
  }
  if (kind === "api_calls") return [callColor(itemClass), false];
  if (kind === "ranges" || kind === "ops") return ["sunken", false];
  if (kind === "samples") return ["text-3", false];
  return [kind === "mpi_calls" ? "comm" : kind === "profiler" ? "other" : "line-2", false];
}

/** Fills on which text is light. */
export const DARK = new Set(["tc", "memory", "comm", "cpu", "sync"]);

/** All lanes between two times. `scene`: model, from, to, width, selected, hovered. */
export function paintLanes(pen, scene) {
  const { model, width } = scene;
  paintGrid(pen, scene);
  for (const lane of model.shown) {
    const gap = lane.kind === "stream" || lane.kind === "idle" ? 2 : 1;
    lane.rows.forEach((_, depth) =>
      paintRow(pen, scene, lane, depth, lane.y + 4 + depth * lane.rowHeight, lane.rowHeight - gap),
    );
    pen.fillStyle = color("line");
    pen.fillRect(0, lane.y + lane.height - 1, width, 1);
  }
  if (scene.selected) paintSelected(pen, scene);
}

/** Round places on the time axis. */
export function rulerTicks(from, to, width) {
  const rough = (to - from) / Math.max(2, width / 110);
  const size = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((by) => by * size).find((one) => one >= rough) ?? size;
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}

function paintGrid(pen, { from, to, width, model }) {
  pen.fillStyle = color("line");
  for (const tick of rulerTicks(from, to, width))
    pen.fillRect(Math.round(((tick - from) / (to - from)) * width), 0, 1, model.height);
}

function paintRow(pen, scene, lane, depth, y, high) {
  const { from, to, width } = scene;
  const scale = width / (to - from);
  const row = distinctItems(lane, depth, 1 / scale);
  // A canvas is slow at changing colours, and at places between pixels: thin items wait, stand on whole pixels, one on each.
  const thin = new Map();
  let taken = -1;
  for (let at = firstEndingAfter(lane, row, from); at < row.length; at++) {
    const item = row[at];
    const start = lane.start_ns[item];
    if (start >= to) break;
    const left = Math.max(0, (start - from) * scale);
    const right = Math.min(width, (start + lane.length_ns[item] - from) * scale);
    if (right - left > 3) paintItem(pen, lane, item, left, y, right - left, high, scene.words);
    else {
      const x = Math.floor(left);
      const wide = Math.max(1, Math.round(right - x));
      if (x === taken && wide === 1) continue;
      taken = x + wide - 1;
      const [name, isIdle] = itemPaint(lane, item);
      const key = isIdle ? `~${name}` : name;
      const places = thin.get(key);
      if (places) places.push(x, wide);
      else thin.set(key, [x, wide]);
    }
  }
  for (const [key, places] of thin) {
    pen.fillStyle = key.startsWith("~") ? hatch(pen, key.slice(1)) : color(key === "sunken" ? "line-2" : key);
    for (let at = 0; at < places.length; at += 2) pen.fillRect(places[at], y, places[at + 1], high);
  }
}

function paintItem(pen, lane, item, x, y, wide, high, words) {
  const [name, isIdle] = itemPaint(lane, item);
  const isRange = name === "sunken";
  const gap = wide > 3 && !isRange ? 0.5 : 0;
  pen.fillStyle = isIdle ? hatch(pen, name) : color(name);
  pen.fillRect(x, y, Math.max(1, wide - gap), high);
  if (isRange && wide > 2) {
    pen.fillStyle = color("line-2");
    pen.fillRect(x, y, 1, high);
    pen.fillRect(x, y + high - 1, wide, 1);
    pen.fillStyle = color("accent");
    if (lane.depth === undefined || (lane.depth[item] ?? 0) === 0) pen.fillRect(x, y, wide > 24 ? 3 : 1, high);
  }
  if (wide > 36 && lane.kind !== "samples") paintName(pen, lane, item, x, y, wide, high, { name, isIdle, words });
}

function paintName(pen, lane, item, x, y, wide, high, { name, isIdle, words }) {
  const text = isIdle
    ? `${lane.class[item].replaceAll("_", " ")} ${time(lane.length_ns[item])}`
    : words[lane.name[item]];
  const label =
    fitted(
      pen,
      lane.kind === "ranges" || lane.kind === "ops" ? `${text}  ${time(lane.length_ns[item])}` : text,
      wide - 10,
    ) ?? (isIdle ? null : fitted(pen, text, wide - 10, true));
  if (!label) return;
  if (isIdle) {
    pen.fillStyle = color(name);
    pen.fillRect(x + 4, y + high / 2 - 8, pen.measureText(label).width + 8, 16);
  }
  pen.fillStyle = color(name === "sunken" || name === "line-2" ? "text" : DARK.has(name) ? "on-dark" : "on-light");
  drawText(pen, label, x + (isIdle ? 8 : 6), y + high / 2 + 4);
}

function place(scene, lane, item) {
  const scale = scene.width / (scene.to - scene.from);
  const depth = Math.min(lane.rows.length - 1, lane.depth?.[item] ?? 0);
  return {
    x: (lane.start_ns[item] - scene.from) * scale,
    y: lane.y + 4 + depth * lane.rowHeight,
    wide: Math.max(2, lane.length_ns[item] * scale),
    high: lane.rowHeight - 2,
  };
}

/** The selected item, and the arrow from its launch. */
function paintSelected(pen, scene) {
  const { lane, item } = scene.selected;
  const own = place(scene, lane, item);
  pen.strokeStyle = color("boundary");
  pen.lineWidth = 2;
  pen.strokeRect(own.x - 1, own.y - 1, own.wide + 2, own.high + 2);
  const key = `${lane.at}:${item}`;
  const call = scene.model.callOf.get(key);
  if (call) arrow(pen, place(scene, scene.model.lanes[call[0]], call[1]), own);
  for (const [workLane, work] of (scene.model.worksOf.get(key) ?? []).slice(0, 50))
    arrow(pen, own, place(scene, scene.model.lanes[workLane], work));
}

function arrow(pen, call, work) {
  if (!(call.y >= 0)) return;
  const [x1, y1] = [call.x + Math.min(call.wide / 2, 4), call.y + call.high];
  const [x2, y2] = [work.x + 2, work.y];
  const middle = (y1 + y2) / 2;
  pen.lineWidth = 1.5;
  pen.strokeStyle = pen.fillStyle = color("boundary");
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.bezierCurveTo(x1, middle + 8, x2, middle - 8, x2, y2);
  pen.stroke();
  pen.beginPath();
  pen.arc(x1, y1 - 4, 3, 0, 7);
  pen.fill();
}

/** The whole iteration in one strip of a length in time: how busy, and idle times of a pixel and more in full height. */
export function paintMinimap(pen, model, length, width, height) {
  const busy = new Float64Array(width);
  for (const lane of model.lanes.filter((one) => one.kind === "stream")) {
    lane.start_ns.forEach((start, item) => {
      const end = start + lane.length_ns[item];
      for (
        let x = Math.floor((start / length) * width);
        x <= Math.min(width - 1, Math.floor((end / length) * width));
        x++
      )
        busy[x] += Math.max(0, Math.min(end, ((x + 1) / width) * length) - Math.max(start, (x / width) * length));
    });
  }
  pen.fillStyle = color("kernel");
  for (let x = 0; x < width; x++) {
    const share = Math.min(1, busy[x] / (length / width));
    pen.fillRect(x, height - share * height * 0.8, 1, share * height * 0.8);
  }
  for (const gap of model.gaps.filter((one) => one.length > length / width)) {
    pen.fillStyle = hatch(pen, causeColor(gap.cause));
    pen.fillRect((gap.start / length) * width, 0, Math.max(1.5, (gap.length / length) * width), height);
  }
}
