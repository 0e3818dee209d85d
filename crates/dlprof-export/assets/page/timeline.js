// The timeline: lanes that zoom and pan, a ruler, and a minimap of the iteration.

import { el, setStyle } from "./dom.js";
import { penOf } from "./chart-canvas.js";
import { rawTime, time, timeUnit, decimals, percent } from "./format.js";
import { itemAt, laneLabel } from "./timeline-model.js";
import { paintLanes, paintMinimap, rulerTicks } from "./timeline-paint.js";

const MINI = 48;
/** No closer than this many nanoseconds over the whole width. */
export const LEAST_VIEW_NS = 200;

/** `options`: model, extent (time that can be shown, at least the length), view ({ from, to } or null), onView, onSelect. */
export function timelineChart(options) {
  const { model } = options;
  const length = Math.max(1, model.data.length_ns);
  const extent = Math.max(length, options.extent ?? 0);
  const view = { from: options.view?.from ?? 0, to: options.view?.to ?? extent };
  const canvas = el("canvas", { "aria-hidden": "true" });
  const mini = el("canvas", { "aria-hidden": "true" });
  const frame = el("div.vp");
  const ruler = el("div.ruler", { "aria-hidden": "true" });
  const tip = el("div.tip.float.wide-tip", { hidden: true });
  const lanes = el(
    "div.lanes",
    {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "timeline",
      "aria-label": `Timeline of iteration ${model.data.iteration}, ${time(length)}: ${model.shown.length} lanes. W and S zoom, A and D pan, G goes to the next gap. The list of gaps follows as a table.`,
    },
    ...model.blocks.map(label),
    canvas,
    tip,
  );
  const miniBox = el("div.mini", null, mini, frame);
  const element = el(
    "div.tlbox",
    null,
    el(
      "div.tlrow",
      null,
      el("div.lab", null, el("b", null, `Iteration ${model.data.iteration}`), el("span", null, "idle in full height")),
      miniBox,
    ),
    el("div.tlrow", null, el("div.lab"), ruler),
    lanes,
  );
  setStyle(lanes, { height: `${model.height}px` });
  let selected = null;
  let pending = 0;
  let labelWidth = 168;

  function label(block) {
    const box = block.heading ? el("div.grp", null, block.heading) : el("div.lab", null, ...labelTexts(block.lane));
    setStyle(box, { top: `${block.y}px`, height: `${block.height}px` });
    return box;
  }

  function labelTexts(lane) {
    const [first, second] = laneLabel(lane);
    return lane.isFurther
      ? [el("span", { title: `${first}, ${second}` }, second)]
      : [el("b", { title: first }, first), el("span", null, second)];
  }

  const width = () => Math.max(100, lanes.clientWidth - labelWidth);
  const schedule = () => {
    pending ||= requestAnimationFrame(() => {
      pending = 0;
      paint();
    });
  };

  function measure() {
    labelWidth = lanes.clientWidth < 520 ? 96 : 168;
  }

  function paint() {
    measure();
    setStyle(element, { "--lab": `${labelWidth}px` });
    setStyle(canvas, { left: `${labelWidth}px` });
    const pen = penOf(canvas, width(), model.height);
    paintLanes(pen, { model, from: view.from, to: view.to, width: width(), selected, words: model.data.names });
    paintRuler();
    const [from, to] = [(view.from / extent) * width(), (view.to / extent) * width()];
    setStyle(frame, { left: `${from}px`, width: `${Math.max(4, to - from)}px` });
    options.onView?.(view);
  }

  function paintRuler() {
    const [symbol, one] = timeUnit(Math.max(view.to, 1));
    const ticks = rulerTicks(view.from, view.to, width());
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : view.to - view.from;
    const places = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / one || 1))));
    ruler.replaceChildren(
      ...ticks.map((tick) => {
        const mark = el("span", null, `${decimals(tick / one, places)} ${symbol}`);
        setStyle(mark, { left: `${((tick - view.from) / (view.to - view.from)) * 100}%` });
        return mark;
      }),
    );
  }

  function setView(from, to) {
    const size = Math.max(LEAST_VIEW_NS, Math.min(extent, to - from));
    view.from = Math.max(0, Math.min(extent - size, from));
    view.to = view.from + size;
    schedule();
  }

  const timeOf = (x) => view.from + (x / width()) * (view.to - view.from);
  function zoom(by, center = (view.from + view.to) / 2) {
    setView(center - (center - view.from) * by, center + (view.to - center) * by);
  }
  const pan = (share) => setView(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

  canvas.addEventListener(
    "wheel",
    (event) => {
      // Without Ctrl the wheel scrolls the page, as everywhere else; a pinch comes as a wheel with Ctrl.
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(Math.sign(event.deltaY) * 0.18), timeOf(event.offsetX));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan(Math.sign(event.deltaX || event.deltaY) * 0.08);
      else return;
      event.preventDefault();
    },
    { passive: false },
  );
  let dragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    const start = { x: event.clientX, from: view.from, to: view.to };
    dragged = false;
    const move = (moved) => {
      const by = ((start.x - moved.clientX) / width()) * (start.to - start.from);
      if (Math.abs(start.x - moved.clientX) > 3) dragged = true;
      if (dragged) setView(start.from + by, start.to + by);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  });
  const hit = (event) => itemAt(model, timeOf(event.offsetX), event.offsetY, (3 / width()) * (view.to - view.from));
  canvas.addEventListener("click", (event) => {
    const found = dragged ? null : hit(event);
    if (found) select(found.lane, found.item);
  });
  canvas.addEventListener("dblclick", () => selected && fit());
  canvas.addEventListener("pointermove", (event) => {
    const found = hit(event);
    tip.hidden = !found;
    if (!found) return;
    tip.replaceChildren(...tipOf(found));
    setStyle(tip, {
      top: `${event.offsetY + 16}px`,
      ...(event.offsetX > width() / 2
        ? { left: "auto", right: `${width() - event.offsetX}px` }
        : { left: `${event.offsetX + labelWidth + 12}px`, right: "auto" }),
    });
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  function tipOf({ lane, item }) {
    const name = model.data.names[lane.name[item]];
    const lines = [
      el("b.mono", null, name),
      el(
        "span.dim",
        null,
        `${time(lane.length_ns[item])}, at ${time(lane.start_ns[item])}, ${percent((lane.length_ns[item] / length) * 100, 2)} of the iteration`,
      ),
    ];
    if (lane.op?.[item] !== undefined && lane.op[item] !== null)
      lines.push(el("span.dim", null, `op ${model.data.names[lane.op[item]]}`));
    return [...lines, el("span.dim", null, rawTime(lane.length_ns[item]))];
  }

  miniBox.addEventListener("pointerdown", (event) => {
    const box = mini.getBoundingClientRect();
    const to = (moved) => {
      const center = ((moved.clientX - box.left) / box.width) * extent;
      const half = (view.to - view.from) / 2 || extent / 20;
      setView(center - half, center + half);
    };
    to(event);
    addEventListener("pointermove", to);
    addEventListener("pointerup", () => removeEventListener("pointermove", to), { once: true });
  });

  function select(lane, item, show = false) {
    selected = { lane, item };
    if (
      show &&
      (lane.start_ns[item] > view.to ||
        lane.start_ns[item] + lane.length_ns[item] < view.from ||
        lane.length_ns[item] < (view.to - view.from) / 400)
    )
      fit();
    schedule();
    options.onSelect?.(lane, item);
  }
  function fit() {
    const { lane, item } = selected;
    const [start, size] = [lane.start_ns[item], Math.max(LEAST_VIEW_NS, lane.length_ns[item])];
    setView(start - size * 4, start + size * 5);
  }
  function nextGap(by = 1) {
    const gaps = longGaps(model);
    if (!gaps.length) return;
    const now = gaps.findIndex((gap) => selected && gap.lane === selected.lane && gap.item === selected.item);
    const gap = gaps[(now + by + gaps.length) % gaps.length];
    select(gap.lane, gap.item);
    setView(gap.start - gap.length * 2, gap.start + gap.length * 3);
  }
  function key(event) {
    const act = {
      w: () => zoom(0.7),
      s: () => zoom(1 / 0.7),
      a: () => pan(-0.25),
      d: () => pan(0.25),
      g: () => nextGap(event.shiftKey ? -1 : 1),
      f: () => selected && fit(),
      0: () => setView(0, extent),
    }[event.key.toLowerCase()];
    if (!act) return false;
    act();
    return true;
  }
  function repaint() {
    measure();
    const pen = penOf(mini, width(), MINI);
    paintMinimap(pen, model, extent, Math.floor(width()), MINI);
    paint();
  }
  new ResizeObserver(() => repaint()).observe(lanes);
  /** Shows an item as selected, without telling of it. */
  function mark(found) {
    selected = found;
    schedule();
  }
  return { element, key, repaint, select, mark, nextGap, fit, setView, view };
}

/** Gaps of 1 ms and more; where there are none, the twenty longest. */
export function longGaps(model) {
  const long = model.gaps.filter((gap) => gap.length >= 1e6);
  if (long.length) return long;
  return [...model.gaps]
    .sort((a, b) => b.length - a.length)
    .slice(0, 20)
    .sort((a, b) => a.start - b.start);
}
