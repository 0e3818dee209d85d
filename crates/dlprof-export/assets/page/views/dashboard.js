// Answer, evidence, detail, in this order.

import { el } from "../dom.js";
import { bars, legend, meter, stackedBar } from "../bars.js";
import { STEP_CLASS, STEP_WORDS, causeColor, causeMeaning, causeWords } from "../classes.js";
import { answerWords, count, decimals, percent, rawTime, significant, time, timeUnit, UNKNOWN } from "../format.js";
import { cutName } from "../cut.js";
import { card, more, pairs, plainTable } from "../plain-table.js";
import { evidenceHref, findingCard, severitySign, withCode } from "../findings.js";
import { iterationChart } from "../chart-iterations.js";
import { iterationModel } from "../iteration-model.js";
import { hashOf } from "../state.js";
import { kernelTotals } from "../panes.js";

export async function dashboardView(context, place) {
  const { source } = context;
  const [overview, findingRows, summary, model] = await Promise.all([source.overview(), objects(source, "findings"), objects(source, "summary"), iterationModel(source)]);
  const factor = context.state.per === "total" ? overview.basis.divisor : 1;
  const words = overview.basis.per === "iteration" && factor === 1 ? "per iteration" : "in all";
  const dashboard = { ...context, overview, findingRows, summary: summary[0] ?? {}, factor, words };
  const chart = overview.iterations ? iterationsCard(dashboard, model) : null;
  const left = (...cards) => el("div.c7.stack", null, ...cards.filter(Boolean));
  const right = (...cards) => el("div.c5.stack", null, ...cards.filter(Boolean));
  const details = await kernelDetailsCard(dashboard);
  place.append(el("div.stack", null, ...(await alerts(dashboard)), verdictCard(dashboard), stepCard(dashboard),
    chart ? el("div.grid.stretch", null, left(findingsCard(dashboard)), right(chart.card)) : findingsCard(dashboard),
    el("div.grid.stretch", null, left(topKernels(dashboard), topOps(dashboard), performance(dashboard)), right(kinds(dashboard), opTypes(dashboard), resources(dashboard), gpus(dashboard), details)),
    el("div.grid.stretch", null, left(systemCard(dashboard)), right(guidance()))));
  return { repaint: () => chart?.chart.paint(), shown: () => chart?.chart.paint() };
}

async function objects(source, key) {
  const known = source.tables().find((table) => table.key === key);
  if (!known) return [];
  const { rows } = await source.rows(key);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [known.columns[at].key, cell])));
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/** Warnings about the capture itself stand above the verdict. */
async function alerts({ source }) {
  const rows = (await objects(source, "diagnostics")).filter((row) => row.severity !== "note");
  if (!rows.length) return [];
  const alert = (row) => el("div.alert", null, severitySign(row.severity), el("div", null, el("b", null, sentence(row.meaning ?? row.code)), row.hint ? el("span", null, " ", ...withCode(sentence(row.hint))) : null), el("a", { href: hashOf("table", { key: "diagnostics" }) }, row.count > 1 ? `${count(row.count)} times` : "details"));
  return [el("section.card.alerts", { "aria-label": "about the capture" }, ...rows.map(alert))];
}

function verdictCard({ overview, factor, words }) {
  const parts = /^([^:]{3,40}): (.*?)(?: \((.*)\))?$/s.exec(overview.verdict);
  const [, tag, sentence, rest] = parts ?? [null, "", overview.verdict, ""];
  const upper = sentence ? sentence[0].toUpperCase() + sentence.slice(1) : overview.verdict;
  const head = el("div", null, tag ? el(`span.tag${/^GPU/.test(tag) ? ".gpu" : ""}`, null, tag) : null, el("h1", null, ...withCode(upper)), rest ? el("p", null, ...withCode(rest[0].toUpperCase() + rest.slice(1)), ".") : null);
  const tiles = overview.tiles;
  const missing = (figure) => overview.missing.find((row) => row.figure === figure);
  const tile = (value, unit, text, title) => el("div.kpi", { title }, value === null ? el("b.unk", null, UNKNOWN) : el("b", null, value, unit ? el("small", null, ` ${unit}`) : null), el("span", null, ...withCode(text)));
  const [symbol, one] = timeUnit(tiles.iteration_ns);
  const spread = tiles.deviation_ns === null ? "" : ` ± ${decimals(tiles.deviation_ns / one, (significant(tiles.iteration_ns / one).split(".")[1] ?? "").length)}`;
  const unknown = (figure, text) => (missing(figure) ? `${text}: give \`${missing(figure).option}\`` : text);
  const [windowSymbol, windowOne] = timeUnit(overview.window.length_ns);
  const kpis = [
    tile(significant(tiles.iteration_ns / one), symbol + spread, overview.basis.per === "iteration" ? `per iteration, mean of ${overview.basis.divisor}` : "in all", rawTime(tiles.iteration_ns)),
    tile(tiles.gpu_busy_percent === null ? null : decimals(tiles.gpu_busy_percent, 1), "%", unknown("gpu", "GPU busy"), "share of the time in which a kernel, copy or memset runs; mean of the GPUs in use"),
    tile(tiles.tensor_core_percent === null ? null : decimals(tiles.tensor_core_percent, tiles.tensor_core_percent === 0 ? 0 : 1), "%", unknown("tensor_cores", "of kernel time on Tensor Cores")),
    tile(tiles.kernels === null ? null : count(Math.round(tiles.kernels * factor)), "", `kernels ${words}`),
    tile(significant(overview.window.length_ns / windowOne), windowSymbol, `aggregated of ${time(overview.window.captured_ns)} captured`, rawTime(overview.window.length_ns)),
    tile(tiles.items_per_s === null ? null : significant(tiles.items_per_s), "/s", tiles.items_per_s === null ? unknown("items_per_s", "items/s") : "items per second"),
  ];
  return el("section.card", { "aria-label": "verdict" }, el("div.verdict", null, head, outlook(overview)), el("div.kpis", null, ...kpis));
}

/** What the best change would bring. */
function outlook(overview) {
  const best = overview.step && overview.findings.find((finding) => finding.saving);
  const now = overview.tiles.iteration_ns;
  if (!best || !(now > 0)) return el("div");
  const row = (name, ns, style, title) => [el("span", { title }, name), el("span.obar", { "aria-hidden": "true" }, el(`i.${style}`, { style: { width: `${(ns / now) * 100}%` } })), el("b", { title: rawTime(ns) }, time(ns))];
  const title = best.title;
  const lines = [row("now", now, "c-kernel")];
  if (best.saving.expected_ns !== null) lines.push(row("after the first change, expected", now - best.saving.expected_ns, "c-tc", title));
  if (best.saving.at_most_ns !== null) lines.push(row("after the first change, at best", now - best.saving.at_most_ns, "c-tc", title));
  return el("div.outlook", { "aria-label": "what a change would bring" }, ...lines.flat());
}

function stepCard({ overview, factor }) {
  const step = overview.step;
  if (!step) {
    const gap = overview.missing.find((row) => row.figure === "gpu");
    return card("Where a step goes", "not known", null, el("div.body", null, el("div.bar.unkbar", null, gap ? `Not known: ${gap.reason}.` : "Not known."), gap ? el("pre.cmd", { tabindex: "0" }, gap.option) : null));
  }
  const each = (ns) => ns * factor;
  const working = step.classes.filter((part) => part.working_ns > 0);
  const gpu = working.find((part) => part.class === "gpu");
  const busy = [...working.filter((part) => part !== gpu), ...(gpu ? [gpu] : [])];
  const label = (part) => (part.class === "gpu" ? `GPU computing ${time(each(part.working_ns))} · ${percent((part.working_ns / step.length_ns) * 100)}` : "");
  const top = stackedBar([...busy.map((part) => ({ style: STEP_CLASS[part.class], ns: part.working_ns, label: label(part), title: `${part.class}, the GPU works: ${rawTime(each(part.working_ns))}` })),
    { style: "c-other", isIdle: true, ns: step.idle_ns, label: `idle ${time(each(step.idle_ns))}`, title: `the GPU waits: ${rawTime(each(step.idle_ns))}` }],
  `Of ${time(each(step.length_ns))}, the GPU works ${time(each(step.busy_ns))} and waits ${time(each(step.idle_ns))}`);
  const idle = step.idle.filter((row) => row.ns > 0);
  const below = stackedBar(idle.map((row, at) => ({ style: `c-${causeColor(row.cause)}`, isIdle: true, ns: row.ns, title: `${causeWords(row.cause)}: ${rawTime(each(row.ns))}`, label: at < 3 && row.percent > 5 ? `${shortWords(row)} ${time(each(row.ns))}` : "" })), `Why the GPU idled: ${idle.slice(0, 3).map((row) => `${shortWords(row)} ${percent(row.percent)}`).join(", ")}`);
  return card("Where a step goes", `${overview.basis.per === "iteration" && factor === 1 ? "mean iteration" : "all"}, ${time(each(step.length_ns))}; solid: the GPU works, hatched: it waits`, more("Timeline", hashOf("timeline")),
    el("div.body", null, top, ...(step.idle_ns > 0 ? [lens(step), below] : []), stepLegends(step, idle, each)));
}

function shortWords(row) {
  return causeWords(row.cause).split(":")[0];
}

/** The idle part of the bar opens into a full bar of causes. */
function lens(step) {
  const from = (step.busy_ns / step.length_ns) * 100;
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  shape.setAttribute("class", "lens");
  shape.setAttribute("viewBox", "0 0 100 20");
  shape.setAttribute("preserveAspectRatio", "none");
  shape.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M${from} 0H100L100 20H0Z`);
  shape.append(path);
  return shape;
}

function stepLegends(step, idle, each) {
  const [symbol, one] = timeUnit(each(step.length_ns));
  const value = (ns) => decimals(each(ns) / one, 2);
  const classes = step.classes.filter((part) => part.ns > 0).sort((a, b) => b.ns - a.ns);
  const none = step.classes.filter((part) => !(part.ns > 0)).map((part) => part.class);
  const classRows = classes.map((part) => ({ style: STEP_CLASS[part.class], isIdle: !(part.working_ns > part.ns / 2), name: STEP_WORDS[part.class], value: value(part.ns), share: part.percent, title: rawTime(each(part.ns)) }));
  const shown = idle.slice(0, idle.length > 6 ? 5 : 6);
  const rest = idle.slice(shown.length);
  const [idleSymbol, idleOne] = timeUnit(each(step.idle_ns));
  const idleRows = shown.map((row) => ({ style: `c-${causeColor(row.cause)}`, isIdle: true, name: causeWords(row.cause), value: decimals(each(row.ns) / idleOne, 2), share: row.percent, title: [causeMeaning(row.cause), rawTime(each(row.ns))].filter(Boolean).join("\n") }));
  if (rest.length) {
    const ns = rest.reduce((sum, row) => sum + row.ns, 0);
    idleRows.push({ style: "c-outside", isIdle: true, name: `${rest.length} more causes`, value: decimals(each(ns) / idleOne, 2), share: rest.reduce((sum, row) => sum + row.percent, 0), title: rest.map((row) => `${causeWords(row.cause)}: ${rawTime(each(row.ns))}`).join("\n") });
  }
  const sentence = none.length ? el("p.dim.small", null, `No ${none.join(", no ")}`) : null;
  return el("div.twocol.mt", null, el("div", null, el("div.sub", null, el("span", null, `Step classes, ${symbol} and share of the step`)), legend(classRows), sentence),
    el("div", null, el("div.sub", null, el("span", null, `Why the GPU idled, ${idleSymbol} and share of ${time(each(step.idle_ns))}`), el("a", { href: evidenceHref("idle_causes", [], "-time_ns") }, "by iteration")), legend(idleRows)));
}

function findingsCard({ overview, findingRows, factor }) {
  const rows = overview.findings.map((finding) => findingCard(finding, findingRows.find((row) => row.finding_id === finding.id && (row.problem === finding.problem || overview.findings.filter((other) => other.id === finding.id).length === 1)), overview.tiles.iteration_ns || 1, factor));
  if (!rows.length) rows.push(el("div.body.dim", null, "The expert system found no problem."));
  return card("What to change", "by saving per iteration; savings overlap, do not add them", more("As a table", hashOf("table", { key: "findings" })), ...rows);
}

/** As high as the findings beside it, where they stand beside it. */
function chartHeight(overview) {
  return innerWidth > 1180 ? Math.max(250, Math.min(420, overview.findings.length * 96 - 60)) : 220;
}

function iterationsCard({ overview, window }, rows) {
  const range = { start: window.start, stop: window.stop };
  const chart = iterationChart({ rows, height: chartHeight(overview), range, onPick: (row) => { location.hash = hashOf("iterations", { it: row.iteration }); } });
  const { min_ns, median_ns, max_ns } = overview.iterations;
  const text = el("p.dim.small", null, `${time(min_ns)} to ${time(max_ns)}, median ${time(median_ns)}. `, chart.cut.length ? `Cut: ${chart.cut.slice(0, 3).map((row) => `iteration ${row.iteration} takes ${time(row.ns)}`).join(", ")}. ` : "", rows.length > window.aggregated ? "0 is everything before the first iteration." : "");
  return { chart, card: card("Iterations", `${range.start} to ${range.stop} of 0 to ${window.last}`, more("Change range", hashOf("iterations")), el("div.body", null, chart.element, text)) };
}

function topKernels({ overview, factor, words }) {
  const kernels = overview.kernels;
  if (!kernels?.rows.length) return card("Top kernels", null, null, nothingRecorded(overview, "No kernel ran in these iterations."));
  const rows = kernels.rows.slice(0, 12);
  const [symbol, one] = timeUnit(rows[0]?.ns * factor || 0);
  const [, meanOne] = timeUnit(1e3);
  const top = rows[0]?.percent || 1;
  const line = (row) => ({
    onOpen: () => { location.hash = evidenceHref("kernel_names", [{ column: "long_kernel_name", op: "=", value: row.long_name }]); },
    cells: [cutName(row.label), { text: decimals((row.ns * factor) / one, 1), title: rawTime(row.ns * factor) }, el("span", null, decimals(row.percent, 1), meter((row.percent / top) * 100, answerWords(row.tensor_cores) === "yes" ? "c-tc" : "c-kernel")), el("span.dim", null, decimals(row.cumulative_percent, 1)), decimals(row.calls * factor, Number.isInteger(row.calls * factor) ? 0 : 1), { text: decimals(row.mean_ns / meanOne, row.mean_ns < 1e4 ? 1 : 0), title: rawTime(row.mean_ns) }, row.occupancy_percent === null ? el("span.unk", null, UNKNOWN) : decimals(row.occupancy_percent, 1)],
  });
  const columns = [{ title: "Kernel", name: true, mono: true }, { title: "GPU", unit: symbol, number: true, sorted: true }, { title: "Share", unit: "%", number: true }, { title: "Cum.", unit: "%", number: true, priority: 3 }, { title: "Calls", number: true, priority: 2 }, { title: "Mean", unit: "µs", number: true, priority: 3 }, { title: "Occ.", unit: "%", number: true, priority: 3 }];
  return card("Top kernels", `${rows.length} of ${kernels.names} names, ${percent(rows[rows.length - 1]?.cumulative_percent ?? 0, 0)} of ${time(kernels.total_ns * factor)} kernel time ${words}`, more("All kernels", hashOf("kernels")), plainTable("Top kernels", columns, rows.map(line)));
}

/** What stands in the place of figures about kernels. */
function nothingRecorded(overview, otherwise) {
  const gap = overview.missing.find((row) => row.figure === "gpu");
  return el("p.body.dim", null, ...withCode(gap ? `Not known: ${gap.reason}. Record with \`${gap.option}\`.` : otherwise));
}

function kinds({ overview, factor, words }) {
  if (!overview.kernels?.kinds.length) return null;
  const [symbol, one] = timeUnit(overview.kernels.kinds[0].ns * factor);
  const top = overview.kernels.kinds[0].percent || 1;
  const rows = overview.kernels.kinds.slice(0, 8).map((row) => ({ name: row.kind, width: (row.percent / top) * 100, value: decimals((row.ns * factor) / one, 1), percent: percent(row.percent), raw: rawTime(row.ns * factor) }));
  return card("Kernel GPU time by kind", `${symbol} ${words}`, more("Areas", hashOf("flame", { by: "kernels" })), el("div.body", null, bars(rows)));
}

function opTypes({ overview, factor, words }) {
  const types = overview.ops.types.slice(0, 8);
  if (!types.length) return null;
  const [symbol, one] = timeUnit(types[0].ns * factor);
  const name = (row) => row.op_type ?? row.name ?? "";
  const rows = types.map((row) => ({ name: name(row) || "no type", href: hashOf("ops", { "ops.where": JSON.stringify([["op_type", "=", name(row)]]) }), width: (row.percent / (types[0].percent || 1)) * 100, value: decimals((row.ns * factor) / one, 1), percent: percent(row.percent), raw: rawTime(row.ns * factor) }));
  return card("Top op types", `${symbol} ${words}`, more("Op types", hashOf("optypes")), el("div.body", null, bars(rows)));
}

function topOps({ overview, factor }) {
  const ops = overview.ops;
  const rows = ops.rows.slice(0, 10);
  if (!rows.length) return card("Top ops", null, null, el("p.body.dim", null, ...withCode("No op ran in these iterations. Ops are NVTX ranges: put them around the parts of a step (in PyTorch `torch.autograd.profiler.emit_nvtx()`), and record them with `nsys profile --trace=cuda,nvtx`.")));
  const isGpu = ops.ranked_by === "gpu_time";
  const [symbol, one] = timeUnit(rows[0].ns * factor);
  const top = rows[0].percent || 1;
  const flag = (value) => (value === undefined || value === null ? el("span.unk", null, UNKNOWN) : el(value ? "span.yes" : "span.no", null, value ? "yes" : "no"));
  const line = (row) => ({
    onOpen: () => { location.hash = hashOf("ops", row.members.length === 1 ? { op: row.members[0].op_id } : { "ops.where": JSON.stringify([["op_name", "re", patternOf(row.name)]]) }); },
    cells: [cutName(row.name, row.members.length > 1 ? `×${row.members.length}` : ""), { text: decimals((row.ns * factor) / one, 1), title: rawTime(row.ns * factor) }, el("span", null, decimals(row.percent, 1), meter((row.percent / top) * 100)), el("span.dim", null, decimals(row.cumulative_percent, 1)), decimals(row.calls * factor, Number.isInteger(row.calls * factor) ? 0 : 1), row.op_type || el("span.unk", null, UNKNOWN), row.direction || el("span.unk", null, UNKNOWN), flag(row.tc_eligible), flag(row.using_tc ?? row.uses_tc)],
  });
  const columns = [{ title: "Op", name: true, mono: true }, { title: isGpu ? "GPU" : "CPU", unit: symbol, number: true, sorted: true }, { title: "Share", unit: "%", number: true }, { title: "Cum.", unit: "%", number: true, priority: 3 }, { title: "Calls", number: true, priority: 2 }, { title: "Type", priority: 3 }, { title: "Direction", priority: 3 }, { title: "TC eligible", priority: 3 }, { title: "Using TC", priority: 3 }];
  const has = (at) => at < 6 || rows.some((row) => (at === 6 ? row.direction : at === 7 ? row.tc_eligible !== undefined : (row.using_tc ?? row.uses_tc) !== undefined));
  const kept = columns.map((_, at) => at).filter(has);
  const cut = ({ onOpen, cells }) => ({ onOpen, cells: kept.map((at) => cells[at]) });
  return card("Top ops", `copies of one op are one row${isGpu ? "" : "; by CPU time"}`, more("All ops", hashOf("ops")), plainTable("Top ops", kept.map((at) => columns[at]), rows.map(line).map(cut)));
}

function patternOf(name) {
  return `^${name.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("\\d+")}$`;
}

/** DLProf's resource usage; the names and colours are DLProf's. */
function resources({ summary, factor, overview, window }) {
  const known = [["tc_kernel_ns", "Using Tensor Cores", "c-tc"], ["non_tc_kernel_ns", "Not using Tensor Cores", "c-kernel"], ["memory_ns", "Memory", "c-memory"], ["dataloader_ns", "Dataloader", "c-loader"], ["io_ns", "I/O", "c-io"], ["cpu_ns", "CPU", "c-cpu"], ["other_ns", "Other", "c-other"]];
  const divisor = factor === 1 ? Math.max(1, overview.basis.divisor) : 1;
  const parts = known.filter(([key]) => summary[key] !== null && summary[key] !== undefined);
  const total = parts.reduce((sum, [key]) => sum + summary[key], 0);
  if (!total || !overview.step) return card("Resource usage", null, null, nothingRecorded(overview, "Nothing ran in these iterations."));
  const [symbol, one] = timeUnit(total / divisor);
  const rows = parts.filter(([key]) => summary[key] > 0).map(([key, name, style]) => ({ style, name, value: decimals(summary[key] / divisor / one, 1), share: summary[key.replace("_ns", "_percent")], title: rawTime(summary[key]) }));
  const efficiency = summary.tc_utilization_percent;
  const unknown = known.filter(([key]) => summary[key] === null).map(([, name]) => name);
  return card("Resource usage", `mean of used GPUs, ${symbol}`, null, el("div.body", null, stackedBar(parts.map(([key, name, style]) => ({ style, ns: summary[key], title: `${name}: ${rawTime(summary[key])}` })), "Resource usage"), legend(rows),
    el("p.dim.small.mt", null, "Tensor Core kernel efficiency ", el("b", null, percent(efficiency)), efficiency === null ? ": no op is known to be eligible." : " of the kernel time of eligible ops."), unknown.length ? el("p.dim.small", null, `Not recorded: ${unknown.join(", ")}.`) : null, window.key_node === null ? el("p.dim.small", null, "The whole window is one iteration.") : null));
}

function gpus({ overview }) {
  const rows = overview.gpus.map((gpu) => ({ name: `GPU ${gpu.number}`, title: gpu.name ?? "", width: gpu.busy_percent ?? 0, value: gpu.is_used ? percent(gpu.busy_percent) : overview.step ? "not used" : UNKNOWN }));
  if (!rows.length) return null;
  return card("GPUs", "share of time with any work", rows.length > 1 ? more("All GPUs", hashOf("gpus")) : null, el("div.body", null, bars(rows, false)));
}

async function kernelDetailsCard({ source, divisor, overview, words }) {
  if (!source.tables().some((table) => table.key === "kernel_totals")) return null;
  if (!overview.kernels) return card("Kernel details", null, null, nothingRecorded(overview, "No kernel ran in these iterations."));
  return card("Kernel details", `by class, ${words}`, null, await kernelTotals(source, divisor));
}

function systemCard({ summary, window, overview }) {
  const or = (value) => value ?? el("span.dim", null, "not recorded");
  const names = summary.gpu_names ? [...new Set(summary.gpu_names.split(", "))].join(", ") : null;
  return card("System", null, null, el("div.body", null, pairs([
    ["Profile", window.profile_name], ["GPUs", names ? `${summary.gpu_count ?? overview.gpus.length} × ${names}` : `${summary.gpu_count ?? overview.gpus.length}, type not recorded`], ["CPU", or(summary.cpu_model)], ["Driver", or(summary.driver_version)],
    ["Framework", or(summary.framework)], ["CUDA", or(summary.cuda_version)], ["cuDNN", or(summary.cudnn_version)], ["nsys", or(summary.nsys_version)], ["dlprof-agg", window.tool_version], ["Mode", window.mode],
  ], "kv.sysk")));
}

/** DLProf's performance summary; each figure is explained on hover. */
function performance({ source, summary }) {
  const definition = source.tables().find((table) => table.key === "summary");
  if (!definition) return null;
  const rows = ["wall_clock_ns", "tc_utilization_percent", "gpu_utilization_percent", "gpu_idle_percent", "total_iterations", "aggregated_iterations", "start_iteration", "stop_iteration", "avg_iteration_ns", "iteration_deviation_ns"];
  const shown = rows.map((key) => definition.columns.find((column) => column.key === key)).filter(Boolean).map((column) => {
    const value = summary[column.key];
    const text = column.unit === "ns" ? time(value) : column.unit === "%" ? percent(value) : count(value);
    return [column.title, el("span", { title: column.unit === "ns" ? rawTime(value) : null }, text), column.doc];
  });
  return card("Performance summary", "hover a name for its meaning", null, el("div.body", null, pairs(shown, "kv.sysk")));
}

/** DLProf's static hints. */
function guidance() {
  const hints = [
    "Tensor Cores work on FP16, BF16, TF32, FP8 and INT8. Matrix sizes that are multiples of 8 (16 for INT8) use them fully.",
    "Automatic mixed precision, such as `torch.autocast`, moves eligible ops to Tensor Cores without other changes.",
    "Kernels that only transpose or convert layouts go away if the whole model uses one layout, such as `channels_last`.",
  ];
  return card("Guidance", null, null, el("ul.body.hints", null, ...hints.map((hint) => el("li", null, ...withCode(hint)))));
}
