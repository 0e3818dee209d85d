// Iterations: their lengths, the range, the key node, and another aggregation.

import { el } from "../dom.js";
import { count, rawTime, time } from "../format.js";
import { card, pairs } from "../plain-table.js";
import { grid } from "../table.js";
import { iterationChart } from "../chart-iterations.js";
import { iterationModel, partsInUse } from "../iteration-model.js";
import { dots, histogramPlot } from "../chart-spread.js";
import { swatch } from "../bars.js";
import { hashOf, setState } from "../state.js";
import { keyNodeCard, rangePanel } from "./range-panel.js";


export async function iterationsView({ source, state, window }, place) {
  const [all, sums, overview] = await Promise.all([iterationModel(source), source.ranges(), source.overview()]);
  const onlyProfiled = state.show === "profiled";
  const rows = onlyProfiled ? all.filter((row) => row.isAggregated) : all;
  const wanted = { start: Number(state.start ?? window.start), stop: Number(state.stop ?? window.stop) };
  const panel = rangePanel(source, window, sums, wanted, state);
  const chart = iterationChart({
    rows,
    height: 360,
    range: wanted,
    canZoom: true,
    picked: state.it === undefined ? null : Number(state.it),
    onCommit: () => panel.run(),
    onRange(range) {
      panel.show(range);
      setState({
        start: range.start === window.start ? "" : range.start,
        stop: range.stop === window.stop ? "" : range.stop,
      });
    },
    onPick: (row) => {
      setState({ it: row.iteration });
      pick(row);
      table.revealPlain(row.iteration);
    },
  });
  panel.onChange = (range) => {
    chart.setRange(range);
    setState({
      start: range.start === window.start ? "" : range.start,
      stop: range.stop === window.stop ? "" : range.stop,
    });
  };
  const picked = el("span.picked");
  const pick = (row) =>
    picked.replaceChildren(
      `Iteration ${row.iteration}: ${time(row.ns)}. `,
      el("a", { href: hashOf("timeline", { it: row.iteration }) }, "Timeline"),
      " ",
      el("a", { href: hashOf("iterkernels", { it: row.iteration }) }, "Kernels"),
    );
  const tools = chartTools(chart, onlyProfiled);
  const note = chart.cut.length
    ? `Cut: ${chart.cut
        .slice(0, 4)
        .map((row) => `iteration ${row.iteration} takes ${time(row.ns)}`)
        .join(", ")}${chart.cut.length > 4 ? " and others" : ""}. `
    : "";
  const chartCard = card(
    "Iterations",
    "duration, stacked by step class",
    tools,
    el("div.body", null, badges(window, all), chart.element, key(rows, chart), el("p.dim.small", null, note, picked)),
  );
  chartCard.append(
    el(
      "footer",
      null,
      el("span", null, "Drag the handles, or Tab to one and ←→ (Shift: 10). Wheel zooms, drag pans, 0 resets."),
    ),
  );
  const table = grid({
    source,
    key: "iterations",
    title: "All iterations",
    columns: source.words().columns.iterations,
    sort: [{ column: "iteration", descending: false }],
    meterOf: "gpu_utilization_percent",
    startRow: state.it,
    height: 420,
    onOpen: (row) => {
      location.hash = hashOf("timeline", { it: row.iteration });
    },
    onSelect: (row, byUser) => {
      if (row && byUser) {
        chart.setPicked(row.iteration);
        setState({ it: row.iteration });
        pick({ iteration: row.iteration, ns: row.duration_ns });
      }
    },
  });
  const steps = grid({
    source,
    key: "steps",
    title: "What limits each iteration",
    columns: source.words().columns.steps,
    sort: [{ column: "iteration", descending: false }],
    meterOf: "gpu_ns",
    height: 320,
  });
  const spread = spreadCard(overview.iterations, all);
  place.append(
    el(
      "div.grid",
      null,
      el("div.c8.stack", null, chartCard, table.element, steps.element),
      el("div.c4.stack", null, panel.element, await keyNodeCard(source, window, panel), spread.card),
    ),
  );
  const start = all.find((row) => String(row.iteration) === state.it);
  if (start) pick(start);
  const repaint = () => {
    chart.paint();
    spread.draw();
  };
  return { shown: repaint, repaint, close: spread.close };
}

function badges(window, all) {
  const badge = (name, value) => el("span.tag", null, `${name} ${value}`);
  return el(
    "div.badges",
    null,
    badge("Total", count(all.length)),
    badge("Profiled", count(window.aggregated)),
    badge("Start", window.start),
    badge("Stop", window.stop),
  );
}

function chartTools(chart, onlyProfiled) {
  const option = (name, on, act) =>
    el(`button${on ? ".on" : ""}`, { type: "button", "aria-pressed": String(on), onclick: act }, name);
  const tips = el("button.on", { type: "button", "aria-pressed": "true" }, "Tooltips");
  tips.addEventListener("click", () => {
    const on = tips.getAttribute("aria-pressed") !== "true";
    tips.setAttribute("aria-pressed", String(on));
    tips.classList.toggle("on", on);
    chart.setTips(on);
  });
  return el(
    "span.r.tools",
    null,
    el(
      "span.seg",
      { role: "group", "aria-label": "which iterations" },
      option("Profiled", onlyProfiled, () => setState({ show: "profiled" }, true)),
      option("All", !onlyProfiled, () => setState({ show: "" }, true)),
    ),
    el("span.seg", null, tips, el("button", { type: "button", onclick: () => chart.resetZoom() }, "Reset zoom")),
  );
}

/** What the colours mean. */
function key(rows, chart) {
  const parts = partsInUse(rows);
  const grey = rows.some((row) => !row.isAggregated) ? "not aggregated" : "";
  const unknown = parts.length ? grey : "what the GPU did is not recorded";
  const all = [...parts, ...(unknown ? [{ key: "outside", style: "c-outside", isIdle: false, name: unknown }] : [])];
  return el(
    "div.keyrow",
    { role: "group", "aria-label": "parts that are shown" },
    ...all.map((part) => keyEntry(part, chart)),
  );
}

/** A click hides the part in the chart, or shows it again. */
function keyEntry({ key: part, style, isIdle, name }, chart) {
  const entry = el(
    "button.keypart",
    { type: "button", "aria-pressed": "true", title: "hide or show in the chart" },
    swatch(style, isIdle),
    name,
  );
  entry.addEventListener("click", () => {
    const isShown = entry.getAttribute("aria-pressed") !== "true";
    entry.setAttribute("aria-pressed", String(isShown));
    chart.setPart(part, isShown);
  });
  return entry;
}

/** How the lengths are spread: figures and bins are those of the program. */
function spreadCard(iterations, all) {
  if (!iterations?.bins.length) return { card: card("Spread", "needs two iterations"), draw() {}, close() {} };
  const { min_ns: low, max_ns: high, median_ns: median } = iterations;
  const lengths = all.filter((row) => row.isAggregated).map((row) => row.ns);
  const isShort = lengths.length <= 40;
  const plot = el("div.plotbox");
  const quantiles = iterations.quantiles.map(({ percent: share, ns }) => [
    `${share} % take at most`,
    time(ns),
    rawTime(ns),
  ]);
  const facts = pairs(
    [["Shortest", time(low), rawTime(low)], ...quantiles, ["Longest", time(high), rawTime(high)]],
    "kv.rt",
  );
  const picture = isShort ? dots(lengths, { low, high, median }, "Lengths of the aggregated iterations") : plot;
  const made = card(
    "Spread",
    `${count(lengths.length)} aggregated iterations`,
    null,
    el("div.body", null, picture, facts),
  );
  let drawn = null;
  const close = () => drawn?.destroy();
  return {
    card: made,
    draw() {
      close();
      if (!isShort) drawn = histogramPlot(plot, iterations, plot.clientWidth || 360);
    },
    close,
  };
}
