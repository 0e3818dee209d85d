// The timeline of the whole capture with what belongs to it: lanes that fold, hide and move, the selected item, and the legend.

import { debounced, el, plain } from "../dom.js";
import { timelineOf } from "../in-timeline.js";
import { grid } from "../table.js";
import { counted, time } from "../format.js";
import { card } from "../plain-table.js";
import { exactTime, iterationAt } from "../run-hover.js";
import { LEAST_NS, runTimeline } from "../run-timeline.js";
import { arrangementOf, arrangementState, groupsOf } from "../run-lanes.js";
import { hashOf, setState } from "../state.js";
import { withProgress } from "../progress.js";
import { timelineLegend } from "../timeline-legend.js";
import { timesNamed, viewNamed } from "../time-address.js";
import { runItemCard } from "./run-item.js";
import { runRangeCard } from "./run-range.js";
import { runSearch } from "./run-search.js";

/** What the address says in the place of an iteration. */
export const WHOLE = "all";

/** What is shown of the longest gaps at first. */
const GAP_COLUMNS = [
  "duration_ns",
  "in_words",
  "range",
  "api_call",
  "mpi_call",
  "os_call",
  "function",
  "ended_by",
  "thread_name",
  "iteration",
];

export async function wholeRunView({ source, state, window }, place) {
  const [head, iterations] = await Promise.all([source.lanes(), iterationsOf(source)]);
  if (!head.lanes.length && !head.counters.length) return void place.append(card("Timeline", "nothing was recorded"));
  const groups = groupsOf(head);
  const arrangement = arrangementOf(state, groups);
  const pane = el("div.c3.stuck");
  const where = el("span.sp", { role: "status" });
  const asked = viewNamed(state.t, [head.start_ns, head.end_ns], LEAST_NS);
  const shownLanes = el("span");
  // An address that leads elsewhere is not this view's to write.
  let isOpen = true;
  const remember = debounced(({ from, to }) => {
    const isWhole = from <= head.start_ns && to >= head.end_ns;
    if (isOpen) setState({ t: isWhole ? "" : `${Math.round(from)}-${Math.round(to)}` });
  }, 250);
  const chart = runTimeline({
    span: { from: head.start_ns, to: head.end_ns },
    groups,
    arrangement,
    iterations,
    words: source.words().lanes,
    ask: source.tile,
    view: asked.view,
    range: rangeNamed(state.r),
    labels: (block) => buttonsOf(block, arrangement, rearranged),
    onView(view) {
      where.textContent = plain(whereWords(view, iterations));
      remember(view);
    },
    onSelect: select,
    onRange: showRange,
  });
  const search = runSearch(source, chart, { state, select, span: head });
  const rangePlace = el("div");

  /** What a range holds, below the lanes; without one, nothing. */
  async function showRange(range) {
    chart.setRange(range);
    setState({ r: range ? range.join("-") : "" });
    if (!range || range[0] >= range[1]) return void rangePlace.replaceChildren();
    const sums = await withProgress(source, rangePlace, source.timeRange(...range));
    const margin = (range[1] - range[0]) * 0.02;
    const acts = { show: () => chart.setView(range[0] - margin, range[1] + margin), clear: () => showRange(null) };
    rangePlace.replaceChildren(runRangeCard(sums, acts));
  }

  function rearranged() {
    setState(arrangementState(arrangement, groups));
    chart.arrange();
    sayHidden();
  }
  function sayHidden() {
    const all = () => (arrangement.hidden.clear(), rearranged());
    const button = el(
      "button.chip",
      { type: "button", onclick: all },
      counted(arrangement.hidden.size, "hidden lane"),
      el("i", null, "show"),
    );
    shownLanes.replaceChildren(...(arrangement.hidden.size ? [button] : []));
  }
  async function select(wanted, isShown = true) {
    const item = await source.laneItem(wanted);
    chart.select(item);
    if (!isShown) chart.show(item);
    setState({ sel: `${item.lane}.${item.row}.${item.item}` });
    const card = runItemCard(source, head.lanes, iterations, item, (other) => select(other, false));
    pane.replaceChildren(card, measures(item));
  }

  /** A row of the longest gaps, in the lanes. The table keeps the focus, so that the next row can follow. */
  function showGap(row) {
    const { t, r } = timelineOf(row);
    chart.setView(...timesNamed(t));
    showRange(rangeNamed(r));
    chart.element.scrollIntoView({ block: "nearest" });
  }

  /** A range between two events: from the one that was kept to the one that is selected. */
  let kept = null;
  function measures(item) {
    const button = (words, act) => el("button.btn", { type: "button", onclick: act }, words);
    const end = item.start_ns + item.length_ns;
    const range = kept && [Math.min(kept.start_ns, item.start_ns), Math.max(kept.start_ns + kept.length_ns, end)];
    return el(
      "div.buttons.acts",
      null,
      button("Range of this", () => showRange([item.start_ns, end])),
      button("Measure from here", () => ((kept = item), pane.lastChild.replaceWith(measures(item)))),
      kept && kept !== item ? button(`Measure from ${kept.name || "the gap"} to here`, () => showRange(range)) : null,
    );
  }

  const lanes = el(
    "section.card.tl-card",
    { "aria-label": "Timeline" },
    el(
      "div.toolbar",
      null,
      el("h2", null, "Timeline"),
      choices(window),
      el(
        "span.seg",
        { role: "group", "aria-label": "zoom" },
        el("button", { type: "button", "aria-label": "closer", onclick: () => chart.zoom(0.5) }, "+"),
        el("button", { type: "button", "aria-label": "wider", onclick: () => chart.zoom(2) }, "−"),
        el("button", { type: "button", onclick: () => chart.setView(head.start_ns, head.end_ns) }, "All"),
      ),
      search.element,
      shownLanes,
      where,
    ),
    asked.said ? el("p.note", { role: "status" }, asked.said) : null,
    chart.element,
    el("footer.tl-legend", null, ...timelineLegend(source), el("span.opt", null, keys())),
  );
  pane.append(
    el(
      "section.card.pane",
      null,
      el("div.body.dim", null, "Select an item: click it. Where items are merged, a click zooms in."),
    ),
  );
  sayHidden();
  place.append(el("div.grid", null, el("div.c9.stack", null, lanes, rangePlace, longestGaps(source, head, showGap)), pane));
  return {
    shown: () => {
      chart.repaint();
      search.start();
      if (rangeNamed(state.r)) showRange(rangeNamed(state.r));
      const [lane, row, item] = (state.sel ?? "").split(".");
      if (item !== undefined) select({ lane, row, item }, state.t !== undefined).catch(() => setState({ sel: "" }));
    },
    repaint: chart.repaint,
    key: chart.key,
    close: () => (isOpen = false),
  };
}

/** The longest gaps of the aggregated iterations, with what the host did in each; a row leads to its place in the lanes. */
function longestGaps(source, head, showGap) {
  const hasMpi = head.lanes.some((lane) => lane.kind === "mpi_calls");
  return grid({
    source,
    key: "longest_gaps",
    name: "gaps",
    title: "Longest gaps",
    sub: "and what the host did in each",
    columns: GAP_COLUMNS.filter((column) => hasMpi || column !== "mpi_call"),
    sort: [{ column: "duration_ns", descending: true }],
    height: 320,
    onOpen: showGap,
    foot: [el("span", null, "Enter: in the timeline")],
  }).element;
}

/** All iterations in order of time. */
async function iterationsOf(source) {
  const { rows } = await source.rows("iterations", {
    columns: ["iteration", "aggregated", "start_ns", "duration_ns", "state"],
  });
  return rows
    .filter(([, , , , state]) => state !== "outside")
    .map(([number, isAggregated, start, length]) => ({ number, isAggregated, start, length }))
    .sort((a, b) => a.start - b.start);
}

/** The range of an address, in whole nanoseconds; none if it names none. */
function rangeNamed(text) {
  const times = timesNamed(text)?.map(Math.round);
  return times && times[0] < times[1] ? times : null;
}

function whereWords({ from, to }, iterations) {
  const inside = iterationAt(iterations, from);
  const within = inside ? `; iteration ${inside.number} + ${time(from - inside.start)}` : "";
  return `${exactTime(Math.round(from))}, ${time(to - from)} wide${within}`;
}

function choices(window) {
  const [median, slowest] = window.telling;
  const option = (name, it) =>
    el(
      `a${it === WHOLE ? ".on" : ""}`,
      { href: hashOf("timeline", { it }), "aria-current": it === WHOLE ? "true" : null },
      name,
    );
  return el(
    "span.seg",
    { role: "group", "aria-label": "iteration" },
    option("Whole capture", WHOLE),
    option("Median", median),
    option("Slowest", slowest),
  );
}

/** The buttons of a heading or of a lane. */
function buttonsOf(block, arrangement, changed) {
  const button = (sign, words, act) =>
    el(
      "button.lanebtn",
      { type: "button", "aria-label": words, title: words, onclick: () => (act(), changed()) },
      sign,
    );
  if (block.group !== undefined) {
    const { folded, order } = arrangement;
    const fold = () => (block.isFolded ? folded.delete(block.group) : folded.add(block.group));
    const up = () => order.unshift(...order.splice(order.indexOf(block.group), 1));
    return [
      button(block.isFolded ? "▸" : "▾", `${block.isFolded ? "unfold" : "fold"} ${block.heading}`, fold),
      order[0] === block.group ? null : button("↑", `${block.heading} to the top`, up),
    ].filter(Boolean);
  }
  if (!block.lane) return [];
  const { pinned, hidden } = arrangement;
  const { at } = block.lane;
  const pin = () => (block.isPinned ? pinned.splice(pinned.indexOf(at), 1) : pinned.push(at));
  return [
    button(block.isPinned ? "⇩" : "⇧", block.isPinned ? "back to its place" : "pin to the top", pin),
    block.isPinned ? null : button("×", "hide", () => hidden.add(at)),
  ].filter(Boolean);
}

function keys() {
  return "wheel scrolls, Ctrl + wheel zooms, W S A D move, F fits, 0 shows all, Shift + drag marks a range";
}
