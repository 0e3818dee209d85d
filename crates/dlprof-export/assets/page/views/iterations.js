// Iterations: their lengths, the range, the key node, and another aggregation.

import { el } from "../dom.js";
import { count, counted, decimals, percent, rawTime, significant, time, timeUnit, UNKNOWN } from "../format.js";
import { card, pairs, plainTable } from "../plain-table.js";
import { grid } from "../table.js";
import { iterationChart, iterationModel, partsInUse } from "../chart-iterations.js";
import { dots, histogramPlot } from "../chart-spread.js";
import { swatch } from "../bars.js";
import { hashOf, setState } from "../state.js";
import { cutName } from "../cut.js";
import { withProgress } from "../progress.js";

const COLUMNS = ["iteration", "duration_ns", "state", "gpu_utilization_percent", "kernel_calls", "tc_kernel_calls", "kernel_gpu_time_ns", "start_ns", "aggregated", "label"];

export async function iterationsView({ source, state, window }, place) {
  const all = await iterationModel(source);
  const onlyProfiled = state.show === "profiled";
  const rows = onlyProfiled ? all.filter((row) => row.isAggregated) : all;
  const wanted = { start: Number(state.start ?? window.start), stop: Number(state.stop ?? window.stop) };
  const panel = rangePanel(source, window, all, wanted, state);
  const chart = iterationChart({
    rows, height: 360, range: wanted, canZoom: true, picked: state.it === undefined ? null : Number(state.it), onCommit: () => panel.run(),
    onRange(range) {
      panel.show(range);
      setState({ start: range.start === window.start ? "" : range.start, stop: range.stop === window.stop ? "" : range.stop });
    },
    onPick: (row) => { setState({ it: row.iteration }); pick(row); },
  });
  panel.onChange = (range) => { chart.setRange(range); setState({ start: range.start === window.start ? "" : range.start, stop: range.stop === window.stop ? "" : range.stop }); };
  const picked = el("span.picked");
  const pick = (row) => picked.replaceChildren(`Iteration ${row.iteration}: ${time(row.ns)}. `, el("a", { href: hashOf("timeline", { it: row.iteration }) }, "Timeline"), " ", el("a", { href: hashOf("iterkernels", { it: row.iteration }) }, "Kernels"));
  const tools = chartTools(chart, onlyProfiled);
  const note = chart.cut.length ? `Cut: ${chart.cut.slice(0, 4).map((row) => `iteration ${row.iteration} takes ${time(row.ns)}`).join(", ")}${chart.cut.length > 4 ? " and others" : ""}. ` : "";
  const chartCard = card("Iterations", "duration, stacked by step class", tools, el("div.body", null, badges(window, all), chart.element, key(rows, chart), el("p.dim.small", null, note, picked)));
  chartCard.append(el("footer", null, el("span", null, "Drag the handles, or Tab to one and ←→ (Shift: 10). Wheel zooms, drag pans, 0 resets.")));
  const table = grid({ source, key: "iterations", title: "All iterations", columns: COLUMNS, sort: [{ column: "iteration", descending: false }], meterOf: "gpu_utilization_percent", height: 420, onOpen: (row) => { location.hash = hashOf("timeline", { it: row.iteration }); }, onSelect: (row, byUser) => { if (row && byUser) { chart.setPicked(row.iteration); setState({ it: row.iteration }); pick({ iteration: row.iteration, ns: row.duration_ns }); } } });
  const steps = grid({ source, key: "steps", title: "What limits each iteration", columns: ["iteration", "length_ns", "gpu_ns", "verdict", "communication_ns", "copy_ns", "input_ns", "cpu_ns", "sync_ns", "other_ns", "launch_calls", "sync_calls", "launches_per_s"], sort: [{ column: "iteration", descending: false }], meterOf: "gpu_ns", height: 320 });
  const spread = spreadCard(window, all, wanted);
  place.append(el("div.grid", null, el("div.c8.stack", null, chartCard, table.element, steps.element), el("div.c4.stack", null, panel.element, await keyNodeCard(source, window, panel), spread.card)));
  const start = all.find((row) => String(row.iteration) === state.it);
  if (start) pick(start);
  const repaint = () => { chart.paint(); spread.draw(); };
  return { shown: repaint, repaint };
}

function badges(window, all) {
  const badge = (name, value) => el("span.tag", null, `${name} ${value}`);
  return el("div.badges", null, badge("Total", count(all.length)), badge("Profiled", count(window.aggregated)), badge("Start", window.start), badge("Stop", window.stop));
}

function chartTools(chart, onlyProfiled) {
  const option = (name, on, act) => el(`button${on ? ".on" : ""}`, { type: "button", "aria-pressed": String(on), onclick: act }, name);
  const tips = el("button.on", { type: "button", "aria-pressed": "true" }, "Tooltips");
  tips.addEventListener("click", () => {
    const on = tips.getAttribute("aria-pressed") !== "true";
    tips.setAttribute("aria-pressed", String(on));
    tips.classList.toggle("on", on);
    chart.setTips(on);
  });
  return el("span.r.tools", null, el("span.seg", { role: "group", "aria-label": "which iterations" }, option("Profiled", onlyProfiled, () => setState({ show: "profiled" }, true)), option("All", !onlyProfiled, () => setState({ show: "" }, true))),
    el("span.seg", null, tips, el("button", { type: "button", onclick: () => chart.resetZoom() }, "Reset zoom")));
}

/** What the colours mean; a click hides a part of all columns or shows it again. */
function key(rows, chart) {
  const parts = partsInUse(rows);
  const grey = rows.some((row) => !row.isAggregated) ? "not aggregated" : "";
  const unknown = parts.length ? grey : "what the GPU did is not recorded";
  const entry = ({ key: part, style, isIdle, name }) => {
    const button = el("button.keypart", { type: "button", "aria-pressed": "true", title: "hide or show" }, swatch(style, isIdle), name);
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isShown));
      chart.setHidden(part, !isShown);
    });
    return button;
  };
  return el("div.keyrow", null, ...parts.map(entry), unknown ? el("span", null, swatch("c-outside"), unknown) : null);
}

/** Start and stop, what they would give, and the button. */
function rangePanel(source, window, all, wanted, state) {
  const last = window.last;
  const field = (name, value) => el("input.field.num", { type: "number", min: 0, max: last, value, "aria-label": name });
  const start = field("Select Iter Start", wanted.start);
  const stop = field("Select Iter Stop", wanted.stop);
  const said = el("p.small", { role: "status" });
  const state_ = el("div.small", { role: "status" });
  const run = el("button.btn.primary", { type: "button" }, "Re-aggregate");
  const self = { range: { ...wanted }, keyNode: state.key ?? null, onChange: () => {}, element: null, show, run: commit };
  function show(range) {
    self.range = { ...range };
    start.value = range.start;
    stop.value = range.stop;
    const inside = all.filter((row) => row.iteration >= range.start && row.iteration <= range.stop).map((row) => row.ns);
    const mean = inside.reduce((sum, ns) => sum + ns, 0) / Math.max(1, inside.length);
    const deviation = Math.sqrt(inside.reduce((sum, ns) => sum + (ns - mean) ** 2, 0) / Math.max(1, inside.length - 1));
    const isNew = range.start !== window.start || range.stop !== window.stop || (self.keyNode !== null && self.keyNode !== window.key_node);
    said.replaceChildren(el("b", null, `${counted(inside.length, "iteration")}, ${time(mean)} mean, σ ${percent(mean ? (deviation / mean) * 100 : 0)}. `), isNew ? `The figures are still those of ${window.start} to ${window.stop}.` : "These are the figures shown.");
    run.disabled = !isNew || !source.reaggregate;
    state_.replaceChildren(...(isNew && !source.reaggregate ? offline(window, self) : []));
  }
  const typed = () => {
    const range = { start: Number(start.value), stop: Number(stop.value) };
    const wrong = !Number.isInteger(range.start) || !Number.isInteger(range.stop) || range.start > range.stop || range.start < 0 || range.stop > last;
    start.setAttribute("aria-invalid", String(wrong));
    stop.setAttribute("aria-invalid", String(wrong));
    if (wrong) return said.replaceChildren(el("b.err-t", null, `Iterations are 0 to ${last}. `), "Nothing was changed.");
    show(range);
    self.onChange(range);
  };
  start.addEventListener("change", typed);
  stop.addEventListener("change", typed);
  const set = (range) => { show(range); self.onChange(range); };
  async function commit() {
    if (run.disabled) return;
    state_.replaceChildren(el("p", null, `Aggregating ${self.range.start} to ${self.range.stop}. The old figures stay until it is done.`));
    run.disabled = true;
    try {
      const request = { start: self.range.start, stop: self.range.stop, key_node: self.keyNode, clock: "auto" };
      const made = await withProgress(source, state_, source.reaggregate(request));
      state_.replaceChildren(el("p", null, `Done: ${made.start} to ${made.stop}. `));
      location.hash = hashOf("iterations", { agg: made.id });
    } catch (error) {
      state_.replaceChildren(el("p", null, el("b.err-t", null, error.message), " ", error.hint ?? "", " Nothing was changed."));
      run.disabled = false;
    }
  }
  run.addEventListener("click", commit);
  const button = (name, range) => el("button.btn", { type: "button", disabled: !range, onclick: () => set(range) }, name);
  self.element = card("Range and key node", null, null, el("div.body", null, el("div.rangefields", null, el("label", null, "Start", start), el("label", null, "Stop, inclusive", stop)), said,
    el("div.buttons", null, run, button("Steady", window.steady && { start: window.steady[0], stop: window.steady[1] }), button("All", { start: 0, stop: last })), state_));
  show(wanted);
  return self;
}

/** A file cannot aggregate: the command that can. */
function offline(window, panel) {
  const named = panel.keyNode && panel.keyNode !== window.key_node ? ` --key-node '${panel.keyNode.replaceAll("'", "'\\''")}'` : "";
  const command = `dlprof-agg view ${/^[\w.@%+=:,/-]+$/.test(window.file) ? window.file : `'${window.file.replaceAll("'", "'\\''")}'`} --iter-start ${panel.range.start} --iter-stop ${panel.range.stop}${named}`;
  return [el("p.dim", null, "This file holds one aggregation. Another one, at once:"), el("pre.cmd", { tabindex: "0" }, command)];
}

/** What may begin an iteration. */
async function keyNodeCard(source, window, panel) {
  const { rows } = await source.rows("key_nodes", { columns: ["name", "executions", "interval_ns", "confidence", "score"] });
  const place = el("div");
  const field = el("input.field", { type: "search", placeholder: "Filter ranges and ops", "aria-label": "filter key nodes" });
  const [symbol, one] = timeUnit(Math.max(0, ...rows.map(([, , interval]) => interval ?? 0)));
  let chosen = panel.keyNode ?? window.key_node;
  const paint = () => {
    const words = field.value.toLowerCase();
    const shown = rows.filter(([name]) => name.toLowerCase().includes(words));
    place.replaceChildren(plainTable("Key nodes", [{ title: "Range", name: true, mono: true }, { title: "Runs", number: true }, { title: "Interval", unit: symbol, number: true }, { title: "Sure" }],
      shown.map(([name, runs, interval, confidence]) => ({ selected: name === chosen, onOpen: () => pick(name), cells: [cutName(name), count(runs), interval === null ? UNKNOWN : { text: decimals(interval / one, 2), title: rawTime(interval) }, confidence] })), true));
    if (!shown.length) place.append(el("p.body.dim", null, rows.length ? "No key node matches." : "No repeating step was found. Pick a key node with --key-node, or add a range around a step."));
  };
  function pick(name) {
    chosen = name;
    panel.keyNode = name;
    setState({ key: name === window.key_node ? "" : name });
    panel.show(panel.range);
    paint();
  }
  field.addEventListener("input", paint);
  paint();
  const best = rows.find(([name]) => name === window.key_node);
  return card("Key node", "what begins an iteration", null, el("div.pad", null, field), place, el("footer", null, el("span", null, window.key_node === null ? "none in force" : best ? `in force: the marked one, score ${significant(best[4])}` : `in force: ${window.key_node}`)));
}

function spreadCard(window, all, range) {
  const lengths = all.filter((row) => row.isAggregated).map((row) => row.ns);
  if (lengths.length < 2) return { card: card("Spread", "needs two iterations"), draw() {} };
  const [low, high] = [Math.min(...lengths), Math.max(...lengths)];
  const plot = el("div.plotbox");
  const facts = pairs([["Shortest", time(low), rawTime(low)], ["Longest", time(high), rawTime(high)]], "kv.rt");
  const made = card("Spread", `${count(lengths.length)} aggregated iterations`, null, el("div.body", null, lengths.length <= 40 ? dots(lengths, `Lengths of iterations ${range.start} to ${range.stop}`) : plot, facts));
  return { card: made, draw: () => { if (lengths.length > 40) histogramPlot(plot, lengths, plot.clientWidth || 360); } };
}
