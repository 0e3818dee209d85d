// The chart of iterations: a column each, stacked by class of the step; the aggregated range between two handles.

import { color } from "./classes.js";
import { drawText, el, setStyle } from "./dom.js";
import { penOf, timeTicks } from "./chart-canvas.js";
import { CHART_LEFT, columnTip, outlineColumn, paintAxis, paintColumn, paintCut } from "./chart-iterations-paint.js";

/** Most height on paper, in pixels. */
const PAPER_HEIGHT = 240;
const LEFT = CHART_LEFT;
const BOTTOM = 24;
const TOP = 22;

/** A value beyond 1.5 × the second largest is cut: one warm-up must not flatten ten steps. */
function axisTop(rows) {
  const inRange = rows.filter((row) => row.isAggregated).map((row) => row.ns);
  const sorted = (inRange.length ? inRange : rows.map((row) => row.ns)).slice().sort((a, b) => b - a);
  if (!sorted.length) return 1;
  const top = sorted.length > 1 && sorted[0] > 1.5 * sorted[1] ? sorted[1] : sorted[0];
  return top || 1;
}

/**
 * The chart. `options`: rows, height, range ({ start, stop }), onRange (while a handle moves), onPick (a column was chosen), picked,
 * canZoom.
 */
export function iterationChart(options) {
  const { rows } = options;
  const canvas = el("canvas", { "aria-hidden": "true" });
  const tip = el("div.tip.float", { hidden: true, role: "status" });
  const handles = options.onRange ? ["start", "stop"].map(makeHandle) : [];
  const box = el(
    "div.itchart",
    { role: "group", "aria-label": summary(rows, options.range), tabindex: "0" },
    canvas,
    ...handles,
    tip,
  );
  const view = { from: 0, to: rows.length };
  const ticks = timeTicks(axisTop(rows), options.height > 200 ? 6 : 4);
  const topNs = ticks[ticks.length - 1].ns;
  let range = { ...options.range };
  let picked = options.picked ?? null;
  let hovered = null;
  const hidden = new Set();

  const width = () => box.clientWidth || 400;
  // On paper nothing stands beside it.
  const height = () =>
    document.body.classList.contains("paper") ? Math.min(PAPER_HEIGHT, options.height) : options.height;
  const plotWidth = () => width() - LEFT - 8;
  const columnWidth = () => plotWidth() / Math.max(1, view.to - view.from);
  const xOf = (at) => LEFT + (at - view.from) * columnWidth();
  const placeOf = (iteration) => rows.findIndex((row) => row.iteration === iteration);
  const at = (x) => {
    const place = Math.floor(view.from + (x - LEFT) / columnWidth());
    return place >= 0 && place < rows.length && x >= LEFT ? place : null;
  };

  function paint() {
    setStyle(box, { height: `${height()}px` });
    const pen = penOf(canvas, width(), height());
    const plot = height() - BOTTOM - TOP;
    const y = (ns) => TOP + plot * (1 - Math.min(1, ns / topNs));
    paintAxis(pen, ticks, y, width());
    const size = columnWidth();
    const gap = size > 12 ? Math.min(14, size * 0.14) : size > 3 ? 1 : 0;
    const base = y(0);
    for (let place = Math.max(0, Math.floor(view.from)); place < Math.min(rows.length, Math.ceil(view.to)); place++) {
      const row = rows[place];
      const [x, wide] = [xOf(place) + gap, Math.max(0.6, size - 2 * gap)];
      pen.globalAlpha = row.isAggregated ? 1 : 0.5;
      if (inRangeOf(row) !== row.isAggregated) pen.globalAlpha = inRangeOf(row) ? 0.85 : 0.35;
      paintColumn(pen, row, { x, wide, y, base, hidden });
      pen.globalAlpha = 1;
      if (row.ns > topNs * 1.02) paintCut(pen, row, x, wide, y(topNs));
      if (row.iteration === picked || place === hovered)
        outlineColumn(pen, x, wide, y(Math.min(row.ns, topNs)), base, row.iteration === picked);
    }
    paintLabels(pen, size);
    paintRange(pen, base);
    placeHandles();
  }

  const inRangeOf = (row) => row.iteration >= range.start && row.iteration <= range.stop;

  function paintLabels(pen, size) {
    pen.fillStyle = color("text-3");
    pen.textAlign = "center";
    const every =
      [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((step) => step * size >= 34) ?? 20000;
    for (let place = Math.max(0, Math.floor(view.from)); place < Math.min(rows.length, view.to); place++) {
      if (rows[place].iteration % every === 0 && xOf(place) >= LEFT - 1)
        drawText(pen, String(rows[place].iteration), xOf(place) + size / 2, height() - 7);
    }
  }

  function paintRange(pen, base) {
    const [first, last] = [placeOf(range.start), placeOf(range.stop)];
    if (first < 0 || last < 0) return;
    const [from, to] = [Math.max(LEFT, xOf(first)), Math.min(LEFT + plotWidth(), xOf(last + 1))];
    if (to <= from) return;
    pen.fillStyle = color("accent");
    pen.fillRect(from, base + 2, to - from, 3);
    pen.fillStyle = color("boundary");
    if (xOf(first) >= LEFT - 1) pen.fillRect(from - 1, TOP - 6, 2, base - TOP + 11);
    if (xOf(last + 1) <= LEFT + plotWidth() + 1) pen.fillRect(to - 1, TOP - 6, 2, base - TOP + 11);
  }

  function placeHandles() {
    handles.forEach((handle, which) => {
      const place = placeOf(which ? range.stop : range.start) + which;
      const x = xOf(place);
      handle.hidden = x < LEFT - 2 || x > LEFT + plotWidth() + 2;
      setStyle(handle, { left: `${x - 12}px`, top: `${TOP - 12}px` });
      handle.setAttribute("aria-valuenow", which ? range.stop : range.start);
      handle.setAttribute("aria-valuetext", `iteration ${which ? range.stop : range.start}`);
    });
  }

  function makeHandle(which, index) {
    const handle = el("div.handle", {
      role: "slider",
      tabindex: "0",
      "aria-label": which === "start" ? "first aggregated iteration" : "last aggregated iteration",
      "aria-valuemin": rows[0]?.iteration ?? 0,
      "aria-valuemax": rows[rows.length - 1]?.iteration ?? 0,
    });
    const move = (place) => {
      const iteration = rows[Math.max(0, Math.min(rows.length - 1, place))].iteration;
      const next =
        index === 0
          ? { start: Math.min(iteration, range.stop), stop: range.stop }
          : { start: range.start, stop: Math.max(iteration, range.start) };
      if (next.start === range.start && next.stop === range.stop) return;
      range = next;
      paint();
      options.onRange(range);
    };
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      const drag = (moved) =>
        move(Math.round(view.from + (moved.clientX - box.getBoundingClientRect().left - LEFT) / columnWidth()) - index);
      handle.addEventListener("pointermove", drag);
      handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", drag), { once: true });
    });
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
      if (by) move(placeOf(index ? range.stop : range.start) + by * (event.shiftKey ? 10 : 1));
      else if (event.key === "Enter") options.onCommit?.();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    handle.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        event.stopPropagation();
        move(placeOf(index ? range.stop : range.start) + Math.sign(event.deltaY || event.deltaX));
      },
      { passive: false },
    );
    return handle;
  }

  function showTip(place, x) {
    hovered = place;
    tip.hidden = place === null || options.noTips;
    if (place !== null && !options.noTips) {
      tip.replaceChildren(...columnTip(rows[place]));
      setStyle(
        tip,
        x > width() * 0.6 ? { left: "auto", right: `${width() - x + 14}px` } : { left: `${x + 14}px`, right: "auto" },
      );
    }
    paint();
  }

  canvas.addEventListener("pointermove", (event) => showTip(at(event.offsetX), event.offsetX));
  canvas.addEventListener("pointerleave", () => showTip(null, 0));
  canvas.addEventListener("click", (event) => {
    const place = at(event.offsetX);
    if (place !== null && !box.dragged) pick(place);
  });
  function pick(place) {
    picked = rows[place].iteration;
    paint();
    options.onPick?.(rows[place]);
  }
  if (options.canZoom)
    addZoom(box, canvas, { view, rows, at: (x) => view.from + (x - LEFT) / columnWidth(), columnWidth, paint });
  box.addEventListener("keydown", (event) => {
    if (event.target !== box || !rows.length) return;
    const now = picked === null ? -1 : placeOf(picked);
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      pick(Math.max(0, Math.min(rows.length - 1, now + (event.key === "ArrowRight" ? 1 : -1))));
      showTip(placeOf(picked), xOf(placeOf(picked)));
    } else if (event.key === "0") box.resetZoom?.();
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => paint()).observe(box);
  return {
    element: box,
    paint,
    setRange(next) {
      range = { ...next };
      box.setAttribute("aria-label", summary(rows, range));
      paint();
    },
    setPicked(iteration) {
      picked = iteration;
      paint();
    },
    resetZoom: () => box.resetZoom?.(),
    /** Hides or shows a part; all other figures stay. */
    setPart(key, isShown) {
      if (isShown) hidden.delete(key);
      else hidden.add(key);
      paint();
    },
    setTips: (on) => {
      options.noTips = !on;
    },
    cut: rows.filter((row) => row.ns > topNs * 1.02),
  };
}

function addZoom(box, canvas, { view, rows, at, columnWidth, paint }) {
  const clampView = () => {
    const size = Math.max(3, Math.min(rows.length, view.to - view.from));
    view.from = Math.max(0, Math.min(rows.length - size, view.from));
    view.to = view.from + size;
  };
  box.resetZoom = () => {
    Object.assign(view, { from: 0, to: rows.length });
    paint();
  };
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const center = at(event.offsetX);
      const by = Math.exp(Math.sign(event.deltaY) * 0.2);
      Object.assign(view, { from: center - (center - view.from) * by, to: center + (view.to - center) * by });
      clampView();
      paint();
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    const from = { x: event.clientX, view: view.from };
    box.dragged = false;
    const drag = (moved) => {
      if (Math.abs(moved.clientX - from.x) > 4) box.dragged = true;
      if (!box.dragged) return;
      const size = view.to - view.from;
      Object.assign(view, {
        from: from.view - (moved.clientX - from.x) / columnWidth(),
        to: from.view - (moved.clientX - from.x) / columnWidth() + size,
      });
      clampView();
      paint();
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", () => removeEventListener("pointermove", drag), { once: true });
  });
}

function summary(rows, range) {
  return rows.length ? `Iterations ${range.start} to ${range.stop} of ${rows.length}. A table follows.` : "iterations";
}
