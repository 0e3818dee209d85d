// Iterations as dots on a line, and their lengths as a histogram.

/* global uPlot */
import { color } from "./classes.js";
import { drawText, el, setStyle } from "./dom.js";
import { count, significant, tickTexts, time, timeUnit } from "./format.js";

/** Each length a dot; a line at the median. */
export function dots(lengths, { low, high, median }, label) {
  const pad = (high - low) * 0.12 || high * 0.1 || 1;
  const x = (ns) => `${((ns - low + pad) / (high - low + 2 * pad)) * 100}%`;
  const line = el("div.dots.c-accent", { role: "img", "aria-label": label });
  for (const ns of lengths) line.append(el("i", { title: time(ns), style: { left: x(ns) } }));
  line.append(el("u", { style: { left: x(median) } }));
  const middle = el("span", null, `median ${time(median)}`);
  return el(
    "div",
    null,
    line,
    el("div.hx", null, el("span.from", null, time(low)), middle, el("span.to", null, time(high))),
  );
}

/** Sizes of a plot that fit its place, and colours of the page. */
function axes(xLabel, yLabel, xTexts = tickTexts, yTexts = tickTexts) {
  const common = {
    stroke: color("text-3"),
    grid: { stroke: color("line"), width: 1 },
    ticks: { show: false },
    font: "11px sans-serif",
    labelFont: "11px sans-serif",
    labelSize: 18,
  };
  return [
    { ...common, label: xLabel, size: 28, values: (_, ticks) => xTexts(ticks) },
    { ...common, label: yLabel, size: 56, values: (_, ticks) => yTexts(ticks) },
  ];
}

/** A histogram of lengths, with marks at quantiles; bins and quantiles are those of the overview. */
export function histogramPlot(place, { bins, quantiles, max_ns: high }, width, height = 170) {
  const [symbol, one] = timeUnit(high);
  const xs = bins.map((bin) => (bin.from_ns + bin.to_ns) / 2 / one);
  const words = { 5: "5 %", 50: "median", 95: "95 %" };
  const marks = quantiles.filter(({ percent }) => words[percent]).map(({ percent, ns }) => [words[percent], ns / one]);
  const draw = (plot) => {
    const pen = plot.ctx;
    pen.save();
    pen.strokeStyle = color("text");
    pen.fillStyle = color("text-2");
    pen.textAlign = "left";
    const line = 12 * devicePixelRatio;
    const right = plot.bbox.left + plot.bbox.width;
    // Where the names of each row end: those that would meet go below each other.
    const ends = marks.map(() => -Infinity);
    for (const [name, value] of marks) {
      const x = Math.round(plot.valToPos(value, "x", true));
      pen.fillRect(x, plot.bbox.top, 1, plot.bbox.height);
      const wide = pen.measureText(name).width;
      const from = x + 4 + wide > right ? x - 4 - wide : x + 4;
      const row = Math.max(0, ends.findIndex((end) => end < from));
      ends[row] = from + wide + 4;
      drawText(pen, name, from, plot.bbox.top + (row + 0.8) * line);
    }
    pen.restore();
  };
  place.replaceChildren();
  place.setAttribute("role", "img");
  place.setAttribute(
    "aria-label",
    `Histogram of iterations: ${marks.map(([name, value]) => `${name} ${significant(value)} ${symbol}`).join(", ")}`,
  );
  return new uPlot(
    {
      width,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: (_, __, top) => [0, Math.max(1, top * 1.2)] } },
      axes: axes(`length, ${symbol}`, "iterations", tickTexts, (ticks) =>
        ticks.map((tick) => (Number.isInteger(tick) ? count(tick) : "")),
      ),
      series: [
        {},
        {
          fill: color("kernel"),
          stroke: color("kernel"),
          paths: uPlot.paths.bars({ size: [0.94, 100] }),
          points: { show: false },
        },
      ],
      hooks: { draw: [draw] },
    },
    [xs, bins.map((bin) => bin.count)],
    place,
  );
}

/**
 * Points on two axes, each linear or logarithmic. `points` are { x, y, style, name, title }.
 * `roofs` are lines { top, slope }: what is possible at x is the smaller of `top` and `slope` × x.
 * @returns the plot; `onPick` is called with a point.
 */
export function scatterPlot(place, points, options) {
  const { width, height, xLabel, yLabel, xLog, yLog, xTexts, yTexts, roofs = [], onPick } = options;
  const sorted = points.filter((point) => (!xLog || point.x > 0) && (!yLog || point.y > 0)).sort((a, b) => a.x - b.x);
  const styles = [...new Set(sorted.map((point) => point.style))];
  const series = styles.map((style) => ({
    label: style,
    stroke: color(style),
    paths: () => null,
    points: { show: true, size: 8, fill: color(style), stroke: color("surface"), width: 1 },
  }));
  const data = [
    sorted.map((point) => point.x),
    ...styles.map((style) => sorted.map((point) => (point.style === style ? point.y : null))),
  ];
  const tip = el("div.tip.float", { hidden: true });
  const nearest = (plot) => {
    const { left, top } = plot.cursor;
    let best = null;
    for (const point of sorted) {
      const far = Math.hypot(plot.valToPos(point.x, "x") - left, plot.valToPos(point.y, "y") - top);
      if (far < 24 && (!best || far < best.far)) best = { far, point };
    }
    return best?.point ?? null;
  };
  const setCursor = (plot) => {
    const point = plot.cursor.left >= 0 ? nearest(plot) : null;
    tip.hidden = !point;
    if (!point) return;
    tip.replaceChildren(el("b", null, point.name), ...point.title.map((line) => el("span.dim", null, line)));
    setStyle(
      tip,
      plot.cursor.left > width * 0.6
        ? { left: "auto", right: `${width - plot.cursor.left}px`, top: `${plot.cursor.top}px` }
        : { left: `${plot.cursor.left + 80}px`, right: "auto", top: `${plot.cursor.top}px` },
    );
  };
  // The roofs are in sight until a part is chosen.
  const top = Math.max(...roofs.map((roof) => roof.top));
  const range = (_, least, most) => uPlot.rangeLog(least, Math.max(most, top), 10, true);
  const drawRoofs = (plot) => {
    const { min, max } = plot.scales.x;
    const pen = plot.ctx;
    pen.save();
    pen.beginPath();
    pen.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    pen.clip();
    pen.strokeStyle = color("text-3");
    pen.lineWidth = devicePixelRatio;
    for (const roof of roofs) {
      const ridge = Math.min(max, Math.max(min, roof.top / roof.slope));
      pen.beginPath();
      for (const x of [min, ridge, max])
        pen.lineTo(plot.valToPos(x, "x", true), plot.valToPos(Math.min(roof.top, roof.slope * x), "y", true));
      pen.stroke();
    }
    pen.restore();
  };
  place.replaceChildren();
  const plot = new uPlot(
    {
      width,
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
      scales: { x: { time: false, distr: xLog ? 3 : 1 }, y: { distr: yLog ? 3 : 1, ...(roofs.length ? { range } : {}) } },
      axes: axes(xLabel, yLabel, xTexts, yTexts),
      series: [{}, ...series],
      hooks: { setCursor: [setCursor], draw: [drawRoofs] },
    },
    data,
    place,
  );
  plot.over.addEventListener("click", () => {
    const point = nearest(plot);
    if (point) onPick(point);
  });
  place.append(tip);
  return plot;
}
