// Draws lanes of the whole capture from tiles: items one by one, and where they are shorter than a pixel how busy it is.

import { drawText } from "./dom.js";
import { color } from "./classes.js";
import { hatch } from "./chart-canvas.js";
import { time } from "./format.js";
import { fitted } from "./flame.js";
import { DARK, paintOf, rulerTicks } from "./timeline-paint.js";
import { paintCounter } from "./run-counters.js";
import { rowsIn } from "./run-lanes.js";
import { firstBehind } from "./run-tiles.js";

/** `scene`: blocks, top, height, width, from, to, level, store, selected, arrows, matches (a test of names), range. */
export function paintRun(pen, scene) {
  const { from, to, width, height } = scene;
  pen.fillStyle = color("line");
  for (const tick of rulerTicks(from, to, width)) pen.fillRect(Math.round(xOf(scene, tick)), 0, 1, height);
  for (const block of scene.blocks) {
    if (block.y > scene.top + height || block.y + block.height < scene.top) continue;
    if (block.heading) {
      pen.fillStyle = color("sunken");
      pen.fillRect(0, block.y - scene.top, width, block.height);
    }
    for (const row of rowsIn(block)) paintRow(pen, scene, row);
    pen.fillStyle = color("line");
    pen.fillRect(0, block.y + block.height - 1 - scene.top, width, 1);
  }
  if (scene.range) paintRange(pen, scene);
  paintSelection(pen, scene);
}

const xOf = (scene, time) => ((time - scene.from) / (scene.to - scene.from)) * scene.width;

function paintRow(pen, scene, { lane, row, y, high }) {
  const parts = scene.store.rowsOf(lane.at, row, scene.level, scene.from, scene.to);
  const paint = lane.kind === "counter" ? paintCounter : paintPart;
  for (const { row: data } of parts) paint(pen, scene, lane, data, y - scene.top, high);
}

function paintPart(pen, scene, lane, data, y, high) {
  const scale = scene.width / (scene.to - scene.from);
  const bin = data.answer.bin_ns;
  const end = data.start + data.answer.length_ns;
  for (let at = Math.max(0, firstBehind(data, scene.from) - 1); at < data.start_ns.length; at++) {
    const number = data.count?.[at] ?? 1;
    const first = data.start + data.start_ns[at];
    const start = number > 1 ? Math.floor(first / bin) * bin : first;
    if (start >= scene.to || start >= end) break;
    const length = data.length_ns[at];
    const covered = number > 1 ? bin : length;
    const left = Math.max(0, (start - scene.from) * scale);
    const right = Math.min(scene.width, (start + covered - scene.from) * scale);
    if (right < 0) continue;
    const name = data.answer.names[data.name[at]];
    const [fill, isIdle] = paintOf(lane.kind, data.answer.classes[data.class[at]], data.shades[data.name[at]]);
    const wide = Math.max(1, right - left);
    const isFaint = scene.matches && !scene.matches(name);
    // Of several items the height says how much of the bin they take.
    const share = number > 1 ? Math.max(0.25, Math.min(1, length / bin)) : 1;
    pen.globalAlpha = isFaint ? 0.2 : 1;
    paintPiece(pen, { x: left, y: y + high * (1 - share), wide, high: high * share, fill, isIdle });
    if (number === 1 && wide > 36 && lane.kind !== "samples")
      paintName(pen, { x: left, y, wide, high, fill, isIdle, lane, name, length });
    pen.globalAlpha = 1;
    if (scene.matches && !isFaint && name) {
      pen.fillStyle = color("accent");
      pen.fillRect(left, y + high - 2, wide, 2);
    }
  }
}

function paintPiece(pen, { x, y, wide, high, fill, isIdle }) {
  const isRange = fill === "sunken";
  pen.fillStyle = isIdle ? hatch(pen, fill) : color(isRange && wide <= 2 ? "line-2" : fill);
  pen.fillRect(x, y, Math.max(1, wide - (wide > 3 && !isRange ? 0.5 : 0)), high);
  if (!isRange || wide <= 2) return;
  pen.fillStyle = color("line-2");
  pen.fillRect(x, y + high - 1, wide, 1);
  pen.fillStyle = color("accent");
  pen.fillRect(x, y, wide > 24 ? 2 : 1, high);
}

function paintName(pen, { x, y, wide, high, fill, isIdle, lane, name, length }) {
  const text = isIdle || lane.kind === "ranges" || lane.kind === "ops" ? `${name}  ${time(length)}` : name;
  const label = fitted(pen, text, wide - 10) ?? (isIdle ? null : fitted(pen, name, wide - 10, true));
  if (!label || high < 12) return;
  if (isIdle) {
    pen.fillStyle = color(fill);
    pen.fillRect(x + 4, y + high / 2 - 7, pen.measureText(label).width + 8, 14);
  }
  pen.fillStyle = color(fill === "sunken" || fill === "line-2" ? "text" : DARK.has(fill) ? "on-dark" : "on-light");
  drawText(pen, label, x + (isIdle ? 8 : 6), y + high / 2 + 4);
}

function paintRange(pen, scene) {
  const [left, right] = scene.range.map((time) => xOf(scene, time));
  pen.fillStyle = color("accent");
  pen.globalAlpha = 0.12;
  pen.fillRect(left, 0, Math.max(1, right - left), scene.height);
  pen.globalAlpha = 1;
  pen.fillRect(left, 0, 1, scene.height);
  pen.fillRect(right, 0, 1, scene.height);
}

/** Where an item is, if its row is among those laid out. */
function placeOf(scene, item) {
  for (const block of scene.blocks)
    for (const row of rowsIn(block))
      if (row.lane.at === item.lane && row.row === item.row) {
        const x = xOf(scene, item.start_ns);
        const wide = (item.length_ns / (scene.to - scene.from)) * scene.width;
        return { x, y: row.y - scene.top, wide: Math.max(2, wide), high: row.high };
      }
  return null;
}

function paintSelection(pen, scene) {
  const own = scene.selected && placeOf(scene, scene.selected);
  if (!own) return;
  pen.strokeStyle = color("boundary");
  pen.lineWidth = 2;
  const left = Math.max(-4, own.x - 1);
  pen.strokeRect(left, own.y - 1, Math.min(scene.width + 8, own.x + own.wide + 1) - left, own.high + 2);
  const { launch, launched = [], partners = [] } = scene.selected;
  if (launch) arrow(pen, placeOf(scene, launch), own);
  for (const work of launched) arrow(pen, own, placeOf(scene, work));
  pen.setLineDash([4, 3]);
  for (const partner of partners) arrow(pen, own, placeOf(scene, partner));
  pen.setLineDash([]);
}

/** An arrow between two items; ends beyond the window are drawn as far as it reaches. */
function arrow(pen, from, to) {
  if (!from || !to) return;
  const isDown = to.y > from.y;
  const [x1, y1] = [from.x + Math.min(from.wide / 2, 4), isDown ? from.y + from.high : from.y];
  const [x2, y2] = [to.x + 2, isDown ? to.y : to.y + to.high];
  const bend = (y1 + y2) / 2;
  pen.lineWidth = 1.5;
  pen.strokeStyle = pen.fillStyle = color("boundary");
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.bezierCurveTo(x1, bend, x2, bend, x2, y2);
  pen.stroke();
  pen.beginPath();
  pen.arc(x2, y2, 3, 0, 7);
  pen.fill();
}

/** The iterations as a band: `iterations` have number, start, length and isAggregated, in order of time. */
export function paintIterations(pen, { from, to, width, iterations, height }) {
  const scale = width / (to - from);
  // Where iterations are narrow, their edges would cover everything.
  const typical = iterations.reduce((sum, { length }) => sum + length, 0) / iterations.length;
  const hasEdges = typical * scale >= 5;
  let taken = -1;
  for (const { number, start, length, isAggregated } of iterations) {
    const [left, right] = [(start - from) * scale, (start + length - from) * scale];
    if (right < 0 || left > width || Math.floor(right) <= taken) continue;
    taken = Math.floor(right);
    const [x, end] = [Math.max(0, left), Math.min(width, right)];
    pen.fillStyle = color(isAggregated ? "sunken" : "outside");
    pen.fillRect(x, 2, Math.max(1, end - x), height - 4);
    pen.fillStyle = color("accent");
    if (left >= 0 && hasEdges) pen.fillRect(x, 2, 1, height - 4);
    const words = end - x > 70 ? `iteration ${number}  ${time(length)}` : String(number);
    const label = fitted(pen, words, end - x - 8);
    pen.fillStyle = color(isAggregated ? "text" : "on-light");
    if (label && end - x > 16) drawText(pen, label, x + 5, height / 2 + 4);
  }
}

/** The whole capture in one strip: the rows of some lanes below each other. */
export function paintOverview(pen, scene, lanes) {
  const high = scene.height / lanes.length;
  lanes.forEach((lane, at) =>
    paintRow(pen, { ...scene, top: 0, matches: null }, { lane, row: 0, y: at * high, high: high - 1 }),
  );
}
