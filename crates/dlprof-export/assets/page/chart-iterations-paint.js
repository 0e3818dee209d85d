// Draws the parts of the chart of iterations.

import { classWords, color, STEP_CLASS } from "./classes.js";
import { drawText, el } from "./dom.js";
import { decimals, rawTime, time, timeUnit } from "./format.js";
import { hatch } from "./chart-canvas.js";
import { legend } from "./bars.js";
import { STEP_PARTS } from "./iteration-model.js";

/** Where the columns begin: the axis stands left of it. */
export const CHART_LEFT = 52;

export function paintAxis(pen, ticks, y, width) {
  pen.textAlign = "right";
  for (const tick of ticks) {
    pen.fillStyle = color(tick.ns === 0 ? "line-2" : "line");
    pen.fillRect(CHART_LEFT, Math.round(y(tick.ns)), width - CHART_LEFT - 8, 1);
    pen.fillStyle = color("text-3");
    drawText(pen, tick.text, CHART_LEFT - 8, y(tick.ns) + 4);
  }
}

/** A column of parts, without those that are hidden. */
export function paintColumn(pen, row, { x, wide, y, base, hidden }) {
  if (row.state === "untraced" || row.state === "empty") return paintHollow(pen, row, x, wide, y(row.ns), base);
  if (!row.parts) {
    if (hidden.has("outside")) return;
    pen.fillStyle = color("outside");
    pen.fillRect(x, y(row.ns), wide, base - y(row.ns));
    paintEdge(pen, x, wide, y(row.ns), base);
    return;
  }
  let sum = 0;
  STEP_PARTS.forEach(([key, , name, isIdle], at) => {
    const ns = row.parts[at];
    if (!(ns > 0) || hidden.has(key)) return;
    const [low, high] = [y(sum), y(sum + ns)];
    sum += ns;
    pen.fillStyle = isIdle ? hatch(pen, name) : color(name);
    pen.fillRect(x, high, wide, Math.max(0.5, low - high));
  });
}

/** Pale columns have an edge, without which they could hardly be seen. */
function paintEdge(pen, x, wide, top, base) {
  if (wide < 3) return;
  const before = pen.globalAlpha;
  pen.globalAlpha = 1;
  pen.strokeStyle = color("text-3");
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, top + 0.5, wide - 1, Math.max(0, base - top - 1));
  pen.globalAlpha = before;
}

/** A column without GPU work is hollow; one of which nothing is known is dashed, with a question mark. */
function paintHollow(pen, row, x, wide, top, base) {
  const isUntraced = row.state === "untraced";
  pen.strokeStyle = color(isUntraced ? "text-3" : "line-2");
  pen.lineWidth = 1;
  pen.setLineDash(isUntraced ? [3, 3] : []);
  pen.strokeRect(x + 0.5, top + 0.5, Math.max(1, wide - 1), Math.max(1, base - top - 1));
  pen.setLineDash([]);
  if (!isUntraced || wide < 10) return;
  pen.fillStyle = color("text-3");
  pen.textAlign = "center";
  drawText(pen, "?", x + wide / 2, (top + base) / 2 + 4);
}

/** The column goes on above the axis: a zigzag, and the number on top. */
export function paintCut(pen, row, x, wide, top) {
  pen.strokeStyle = color("surface");
  pen.lineWidth = 3;
  pen.beginPath();
  const steps = Math.max(2, Math.round(wide / 10));
  for (let step = 0; step <= steps; step++) pen.lineTo(x + (wide * step) / steps, top + 22 + (step % 2 ? -4 : 4));
  pen.stroke();
  pen.fillStyle = color("text-3");
  pen.textAlign = "center";
  if (wide > 24) drawText(pen, time(row.ns), x + wide / 2, top - 6);
}

export function outlineColumn(pen, x, wide, top, base, isPicked) {
  pen.strokeStyle = color(isPicked ? "accent" : "line-2");
  pen.lineWidth = 2;
  pen.strokeRect(x - 2, top - 3, wide + 4, base - top + 3);
}

/** What stands on hover of a column. */
export function columnTip(row) {
  const known = (row.parts ?? []).map((ns, at) => ({ ns, name: STEP_PARTS[at][1], isIdle: STEP_PARTS[at][3] }));
  const parts = known.filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns);
  const [symbol, one] = timeUnit(row.ns);
  const line = ({ ns, name, isIdle }) => ({
    style: STEP_CLASS[name],
    isIdle,
    name: classWords(name),
    value: `${decimals(ns / one, 2)} ${symbol}`,
    share: (ns / row.ns) * 100,
    title: rawTime(ns),
  });
  const title = row.label ? `Iteration ${row.iteration}, ${row.label}` : `Iteration ${row.iteration}`;
  return [
    el("b", null, `${title}: ${time(row.ns)}`),
    el("span.dim", null, row.isAggregated ? row.state : `${row.state}, not aggregated`),
    legend(parts.map(line)),
    el("span.dim", null, rawTime(row.ns)),
  ];
}
