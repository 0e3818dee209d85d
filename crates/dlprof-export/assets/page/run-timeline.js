// The timeline of the whole capture: overview, iterations and ruler stay in sight; the wheel scrolls the lanes below them, Ctrl and
// the wheel zoom.

import { el, setStyle } from "./dom.js";
import { penOf } from "./chart-canvas.js";
import { count, counted, decimals, time, timeUnit } from "./format.js";
import { laneLabel } from "./timeline-model.js";
import { rulerTicks } from "./timeline-paint.js";
import { levelFor, tileStore } from "./run-tiles.js";
import { iterationAt, pieceUnder, wordsOfPiece } from "./run-hover.js";
import { lanesInSight, layoutLanes } from "./run-lanes.js";
import { paintIterations, paintOverview, paintRun } from "./run-paint.js";

const MINI = 40;
const BAND = 22;
/** No closer than this many nanoseconds over the whole width. */
export const LEAST_NS = 20;

/**
 * `options`: span ({ from, to }), groups, arrangement, iterations, ask, view, range, labels (buttons of headings and lanes),
 * onView, onSelect (an item), onRange ([from, to]).
 */
export function runTimeline(options) {
  const { span, iterations } = options;
  const whole = Math.max(LEAST_NS, span.to - span.from);
  const view = { from: options.view?.[0] ?? span.from, to: options.view?.[1] ?? span.to };
  let [selected, matches, range, pending, labelWidth] = [null, null, options.range ?? null, 0, 210];
  let [drawnLevel, drawnMini] = [0, 0];
  let laid = layoutLanes(options.groups, options.arrangement);
  const store = tileStore(options.ask, () => schedule());
  const hidden = { "aria-hidden": "true" };
  const [canvas, mini, band] = [el("canvas", hidden), el("canvas", hidden), el("canvas.band", hidden)];
  const frame = el("div.vp");
  const miniBox = el("div.mini.short", null, mini, frame);
  const ruler = el("div.ruler.ranged", hidden);
  const tip = el("div.tip.float.wide-tip", { hidden: true });
  const labels = el("div.runlabels");
  const inner = el("div.runinner", null, labels, canvas);
  const lanes = el(
    "div.runlanes",
    {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "timeline",
      "aria-label": `Timeline of the whole capture, ${time(whole)}: ${options.groups.length} GPUs and processes. W and S zoom, A and D pan, F fits the selection, 0 shows everything. The range below says what it holds.`,
    },
    inner,
  );
  const lab = (first, second) => el("div.lab", null, el("b", null, first), second ? el("span", null, second) : null);
  const element = el(
    "div.tlbox.run",
    null,
    el("div.tlrow", null, lab("Whole capture", time(whole)), miniBox),
    iterations.length > 1 ? el("div.tlrow", null, lab("Iterations"), band) : null,
    el("div.tlrow", null, lab("Time", "drag: a range"), ruler),
    lanes,
    tip,
  );
  const overview = options.groups
    .filter((group) => group.isGpu)
    .slice(0, 4)
    .map((group) => group.lanes.find((lane) => lane.kind === "stream"))
    .filter(Boolean);

  const width = () => Math.max(100, lanes.clientWidth - labelWidth);
  const timeOf = (x) => view.from + (x / width()) * (view.to - view.from);
  function schedule() {
    pending ||= requestAnimationFrame(() => {
      pending = 0;
      if (element.isConnected) paint();
    });
  }

  function paint() {
    labelWidth = lanes.clientWidth < 520 ? 110 : 210;
    setStyle(element, { "--lab": `${labelWidth}px` });
    const [top, height, wide] = [lanes.scrollTop, lanes.clientHeight, width()];
    // Paper does not wait: it is painted from the tiles of the screen.
    const isPaper = document.body.classList.contains("paper");
    const level = isPaper ? drawnLevel : levelFor((view.to - view.from) / wide);
    drawnLevel = level;
    const miniLevel = isPaper ? drawnMini : levelFor(whole / wide);
    drawnMini = miniLevel;
    store.want(level, view.from, view.to, lanesInSight(laid.blocks, top, top + height));
    store.add(
      miniLevel,
      span.from,
      span.to,
      overview.map((lane) => lane.at),
    );
    const scene = { ...view, width: wide, height, top, level, store, blocks: laid.blocks, selected, matches, range };
    paintRun(penOf(canvas, wide, height), scene);
    const small = { ...scene, from: span.from, to: span.from + whole, level: miniLevel, height: MINI };
    paintOverview(penOf(mini, wide, MINI), small, overview);
    if (iterations.length > 1)
      paintIterations(penOf(band, wide, BAND), { ...view, width: wide, iterations, height: BAND });
    paintRuler();
    const [from, to] = [view.from, view.to].map((at) => ((at - span.from) / whole) * wide);
    setStyle(frame, { left: `${from}px`, width: `${Math.max(4, to - from)}px` });
    element.dataset.drawn = String(store.isIdle());
    options.onView?.(view);
  }

  function paintRuler() {
    const [symbol, one] = timeUnit(Math.max(Math.abs(view.to), 1));
    const ticks = rulerTicks(view.from, view.to, width());
    const step = (ticks[1] ?? view.to) - (ticks[0] ?? view.from) || 1;
    const places = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / one) - 1e-9)));
    const marks = ticks.map((tick) => el("span", null, `${decimals(tick / one, places)} ${symbol}`));
    marks.forEach((mark, at) =>
      setStyle(mark, { left: `${((ticks[at] - view.from) / (view.to - view.from)) * 100}%` }),
    );
    ruler.replaceChildren(...marks);
  }

  function arrange() {
    laid = layoutLanes(options.groups, options.arrangement);
    const label = (block) => {
      const buttons = options.labels(block);
      const texts = block.heading ? [el("b", null, block.heading)] : labelTexts(block.lane);
      const box = el(block.heading ? "div.grp" : "div.lab", null, ...texts, ...buttons);
      setStyle(box, { top: `${block.y}px`, height: `${block.height}px` });
      return box;
    };
    labels.replaceChildren(...laid.blocks.map(label));
    setStyle(inner, { height: `${laid.height}px` });
    schedule();
  }
  function labelTexts(lane) {
    if (lane.kind === "counter") return [el("span.two", { title: lane.name }, lane.name)];
    const [first, second] = laneLabel({ ...lane, words: options.words[lane.kind] });
    const [bold, dim] = lane.owner.of === "thread" ? [second, first] : [first, second];
    const missing = lane.left_out ? `${counted(lane.left_out, "item")} not shown: too many overlap` : "";
    return [
      el("span.two", { title: [`${bold}, ${dim}`, missing].filter(Boolean).join("; ") }, el("b", null, bold), ` ${dim}`),
      missing ? el("span.left-out", { title: missing }, `+${count(lane.left_out)}`) : null,
    ].filter(Boolean);
  }

  function setView(from, to) {
    const size = Math.max(LEAST_NS, Math.min(whole, to - from));
    view.from = Math.max(span.from, Math.min(span.from + whole - size, from));
    view.to = view.from + size;
    schedule();
  }
  function zoom(by, center = (view.from + view.to) / 2) {
    setView(center - (center - view.from) * by, center + (view.to - center) * by);
  }
  const pan = (share) => setView(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
  const show = (item) => {
    const size = Math.max(LEAST_NS, item.length_ns ?? item.length);
    const start = item.start_ns ?? item.start;
    setView(start - size * 4, start + size * 5);
  };

  const hit = (event) =>
    pieceUnder({ store, blocks: laid.blocks, view, width: width() }, event.offsetX, event.offsetY + lanes.scrollTop);
  canvas.addEventListener("pointermove", (event) => {
    const found = event.buttons ? null : hit(event);
    tip.hidden = !found;
    if (!found) return;
    tip.replaceChildren(...wordsOfPiece(found, iterations, options.words));
    const y = event.offsetY + lanes.offsetTop + 16;
    const side =
      event.offsetX > width() / 2
        ? { left: "auto", right: `${width() - event.offsetX}px` }
        : { left: `${event.offsetX + labelWidth + 12}px`, right: "auto" };
    setStyle(tip, { top: `${y}px`, ...side });
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  lanes.addEventListener("scroll", schedule);
  element.addEventListener(
    "wheel",
    (event) => {
      const x = event.clientX - canvas.getBoundingClientRect().left;
      if (event.ctrlKey || event.metaKey)
        zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 100)) * 0.3), timeOf(Math.max(0, x)));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan(Math.sign(event.deltaX || event.deltaY) * 0.08);
      else return;
      event.preventDefault();
    },
    { passive: false },
  );

  /** Follows the mouse until it is let go; `moved` gets the distance in pixels, `done` whether it went anywhere. */
  function drag(event, moved, done) {
    let went = false;
    const move = (now) => {
      went ||= Math.abs(now.clientX - event.clientX) > 3;
      if (went) moved(now.clientX - event.clientX);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => (removeEventListener("pointermove", move), done(went)), { once: true });
  }
  function dragRange(event) {
    const start = timeOf(event.clientX - canvas.getBoundingClientRect().left);
    const moved = (by) => {
      const other = start + (by / width()) * (view.to - view.from);
      setRange([
        Math.round(Math.max(span.from, Math.min(start, other))),
        Math.round(Math.min(span.to, Math.max(start, other))),
      ]);
    };
    drag(event, moved, (went) => (went ? options.onRange?.(range) : null));
  }
  canvas.addEventListener("pointerdown", (event) => {
    if (event.shiftKey) return dragRange(event);
    const begun = { ...view };
    const moved = (by) => {
      const time = (by / width()) * (begun.to - begun.from);
      setView(begun.from - time, begun.to - time);
    };
    drag(event, moved, async (went) => {
      const found = went ? null : hit(event);
      if (!found || found.value !== undefined) return;
      if (found.count > 1) setView(found.start - found.bin, found.start + found.bin * 2);
      else options.onSelect?.(found);
    });
  });
  canvas.addEventListener("dblclick", () => selected && show(selected));
  ruler.addEventListener("pointerdown", dragRange);
  band.addEventListener("click", (event) => {
    const found = iterationAt(iterations, timeOf(event.offsetX));
    if (found) setView(found.start - found.length * 0.02, found.start + found.length * 1.02);
  });
  miniBox.addEventListener("pointerdown", (event) => {
    const left = miniBox.getBoundingClientRect().left;
    const half = (view.to - view.from) / 2 || whole / 20;
    const to = (x) => {
      const center = span.from + ((x - left) / width()) * whole;
      setView(center - half, center + half);
    };
    to(event.clientX);
    drag(
      event,
      (by) => to(event.clientX + by),
      () => {},
    );
  });

  function key(event) {
    const acts = {
      w: () => zoom(0.7),
      s: () => zoom(1 / 0.7),
      a: () => pan(-0.25),
      d: () => pan(0.25),
      f: () => selected && show(selected),
      0: () => setView(span.from, span.to),
    };
    const act = acts[event.key.toLowerCase()];
    act?.();
    return Boolean(act);
  }
  function select(item) {
    selected = item;
    schedule();
  }
  function setRange(wanted) {
    range = wanted;
    schedule();
  }
  function setMatches(test) {
    matches = test;
    schedule();
  }
  new ResizeObserver(schedule).observe(lanes);
  arrange();
  return { element, key, repaint: paint, select, show, setView, setRange, setMatches, arrange, zoom, view };
}
