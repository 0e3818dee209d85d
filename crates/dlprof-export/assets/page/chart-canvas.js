// Canvases: sharp on every screen, with the hatches of the page, and round ticks.

import { color } from "./classes.js";
import { tickTexts, timeUnit } from "./format.js";

let family = null;

/** Makes the canvas as fine as the screen, and gives its pen, in CSS pixels. */
export function penOf(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  family ??= getComputedStyle(document.body).fontFamily;
  pen.font = `11px ${family}`;
  return pen;
}

const patterns = new Map();

/** A hatched fill: the class is waited in, not worked in. */
export function hatch(pen, name) {
  const scale = window.devicePixelRatio || 1;
  const key = `${color(name)} ${color("hatch")} ${scale}`;
  const known = patterns.get(key);
  if (known) return known;
  const pattern = pen.createPattern(hatchTile(name, scale), "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  patterns.set(key, pattern);
  return pattern;
}

function hatchTile(name, scale) {
  const tile = document.createElement("canvas");
  const size = Math.round(7 * scale);
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  ink.fillStyle = color(name);
  ink.fillRect(0, 0, size, size);
  ink.strokeStyle = color("hatch");
  ink.lineWidth = 2 * scale;
  ink.beginPath();
  for (const shift of [-size, 0, size]) {
    ink.moveTo(shift - 1, size + 1);
    ink.lineTo(shift + size + 1, -1);
  }
  ink.stroke();
  return tile;
}

/** Round ticks from 0 to at least `top`: three to six of them. */
export function roundTicks(top, most = 6) {
  if (!(top > 0)) return [0, 1];
  const rough = top / (most - 1);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((by) => by * size).find((candidate) => candidate >= rough - size * 1e-9);
  const ticks = [];
  for (let at = 0; at < top + step * 0.999; at += step) ticks.push(at);
  return ticks;
}

/** Ticks of a time axis: places in nanoseconds and their texts; the unit stands at the top tick only. */
export function timeTicks(topNs, most = 6) {
  const [symbol, one] = timeUnit(topNs);
  const ticks = roundTicks(topNs / one, most);
  return tickTexts(ticks).map((text, at) => ({
    ns: ticks[at] * one,
    text: text + (at === ticks.length - 1 ? ` ${symbol}` : ""),
  }));
}
