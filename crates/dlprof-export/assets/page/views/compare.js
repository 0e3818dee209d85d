// Two captures, or two ranges of one: whether they differ, by how much, and where. The figures are those of `dlprof-agg compare`.

import { el } from "../dom.js";
import { changeBar } from "../bars.js";
import { count, decimals, percent, rawTime, significant, time, timeUnit, UNKNOWN } from "../format.js";
import { baseName, cutName } from "../cut.js";
import { card, plainTable } from "../plain-table.js";
import { severitySign, withCode } from "../findings.js";
import { rangesCompared } from "./compare-ranges.js";
import { comparedTimelines } from "./compare-timelines.js";
import { compareVerdict, signedPercent, signedTime } from "./compare-verdict.js";

/** Rows of a table of differences. */
const MOST = 40;
const TRENDS = { "within-noise": "within noise", uncertain: "not certain" };
const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

export async function compareView({ source, window, state }, place) {
  const comparison = await source.comparison();
  const ranges = window.last > 0 ? await rangesCompared(source, window, state) : { cards: [] };
  if (!comparison) {
    place.append(el("div.stack", null, ...ranges.cards, howTo(window)));
    return shownWith([ranges.timelines]);
  }
  const shown = [
    metrics(comparison, source.words().metrics),
    findings(comparison),
    parts(comparison),
    differences("Kernels", comparison.kernels),
    differences("Ops", comparison.ops),
    differences("Op types", comparison.op_types),
  ];
  const head = compareVerdict(comparison, source.words().metrics);
  const sides = [comparison.base, comparison.new].map((names, side) => ({
    name: `${side ? "New" : "Base"}: ${names.join(", ")}`,
    ask: () => source.comparedTimeline(side),
  }));
  const timelines = await comparedTimelines(source, sides);
  place.append(el("div.stack", null, head, timelines?.card, sideBySide(shown), ...ranges.cards));
  return shownWith([timelines, ranges.timelines]);
}

/** What is painted once the view is in the page. */
function shownWith(charts) {
  const repaint = () => charts.forEach((chart) => chart?.repaint());
  return { shown: repaint, repaint, key: (event) => charts.some((chart) => chart?.key(event)) };
}

/** Cards two by two, so that names and their figures stand close together. */
function sideBySide(cards) {
  return el("div.grid", null, ...cards.filter(Boolean).map((one) => el("div.c6", null, one)));
}

function howTo(window) {
  const file = /^[\w.@%+=:,/-]+$/.test(window.file) ? window.file : `'${window.file.replaceAll("'", "'\\''")}'`;
  const how = [
    "One capture is open. To compare two, open both:",
    el("pre.cmd", { tabindex: "0" }, `dlprof-agg view BASE.sqlite ${file}`),
    "or print the difference:",
    el("pre.cmd", { tabindex: "0" }, `dlprof-agg compare BASE.sqlite ${file}`),
  ];
  return card("Two captures", "no second capture", null, el("div.body", null, ...how));
}

function valueOf(value, unit) {
  if (value === null || value === undefined) return el("span.unk", null, UNKNOWN);
  if (unit === "ns") return { text: time(value), title: rawTime(value) };
  if (unit === "percent" || unit === "%") return percent(value);
  return significant(value);
}

/** Less time is good, more is bad; the sign says it as well. */
function styleOf({ trend }) {
  return { more: ".pos-t", less: ".neg-t" }[trend] ?? "";
}

function signed(row) {
  const text = row.unit === "ns" ? signedTime(row.change) : `${row.change > 0 ? "+" : ""}${significant(row.change)}`;
  return el(`span${row.unit === "ns" ? styleOf(row) : ""}`, { title: row.unit === "ns" ? rawTime(row.change) : null }, text);
}

function metrics({ metrics: rows }, titles) {
  if (!rows.length) return null;
  const columns = [
    { title: "Metric" },
    { title: "Base", number: true },
    { title: "New", number: true },
    { title: "Change", number: true },
    { title: "Change", unit: "%", number: true, priority: 2 },
    { title: "Trend", priority: 2 },
  ];
  const lines = rows.map((row) => ({
    cells: [
      titles[row.key] ?? row.key.replaceAll("_", " "),
      valueOf(row.base, row.unit),
      valueOf(row.new, row.unit),
      signed(row),
      signedPercent(row.change_percent),
      TRENDS[row.trend] ?? row.trend,
    ],
  }));
  return card(
    "Per iteration",
    "means of the runs, without the fifth of iterations at each end; the trend says whether chance explains it",
    null,
    plainTable("Per iteration", columns, lines),
  );
}

function findings({ findings: found }) {
  const rows = found?.changes ?? [];
  if (!rows.length) return null;
  const saving = (side) =>
    side?.saving
      ? `${side.saving.kind === "upper" ? "≤ " : ""}${time(side.saving.ns)}`
      : side?.runs > 0
        ? "found"
        : UNKNOWN;
  const columns = [
    { title: "State" },
    { title: "Finding" },
    { title: "Saving, base", number: true, priority: 2 },
    { title: "Saving, new", number: true, priority: 2 },
  ];
  const lines = rows.map((row) => ({
    cells: [
      row.state,
      el("span.prose", null, severitySign(row.severity), " ", ...withCode(row.problem)),
      saving(row.base),
      row.state === "gone" ? UNKNOWN : saving(row.new),
    ],
  }));
  return card(
    "Findings",
    rows
      .map((row) => row.state)
      .filter((state, at, all) => all.indexOf(state) === at)
      .map((state) => `${rows.filter((row) => row.state === state).length} ${state}`)
      .join(", "),
    null,
    plainTable("Findings", columns, lines),
  );
}

/** The parts add up to the difference, with a row for what is left. */
function parts({ decomposition, tells_ops: tellsOps }) {
  const rows = decomposition?.parts ?? [];
  if (!rows.length) return null;
  const [symbol, one] = timeUnit(Math.max(decomposition.base_ns, decomposition.new_ns));
  const change = (row) => row.new_ns - row.base_ns;
  const sorted = [...rows].sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)));
  const shown = sorted.slice(0, MOST);
  const rest = sorted.slice(MOST);
  const sum = (list, key) => total(list.map((row) => row[key]));
  if (rest.length)
    shown.push({
      name: `${rest.length} more parts`,
      class: "",
      op: "",
      base_ns: sum(rest, "base_ns"),
      new_ns: sum(rest, "new_ns"),
    });
  const left = {
    name: "not explained by these",
    class: "",
    op: "",
    base_ns: decomposition.base_ns - sum(rows, "base_ns"),
    new_ns: decomposition.new_ns - sum(rows, "new_ns"),
  };
  if (left.base_ns !== 0 || left.new_ns !== 0) shown.push(left);
  const most = Math.max(1, ...shown.map((row) => Math.abs(change(row))));
  const cell = (ns) => ({ text: decimals(ns / one, 2), title: rawTime(ns) });
  const lines = shown.map((row) => ({
    cells: [
      partName(row),
      row.op && tellsOps ? cutName(row.op) : el("span.unk", null, UNKNOWN),
      cell(row.base_ns),
      cell(row.new_ns),
      el(
        "span",
        { title: rawTime(change(row)) },
        `${change(row) > 0 ? "+" : ""}${decimals(change(row) / one, 2)}`,
        changeBar(change(row), most),
      ),
    ],
  }));
  const columns = [
    { title: "Part", name: true, mono: true },
    { title: "Op", name: true, mono: true, priority: 3 },
    { title: "Base", unit: symbol, number: true, priority: 2 },
    { title: "New", unit: symbol, number: true, priority: 2 },
    { title: "Change", unit: symbol, number: true, sorted: true },
  ];
  const difference = decomposition.new_ns - decomposition.base_ns;
  return card(
    "What the time was spent on",
    `the parts add up to ${signedTime(difference)}`,
    null,
    plainTable("Parts", columns, lines),
  );
}

/** The name of a part and, where that does not say it, what it is. */
function partName({ name, class: kind }) {
  const words = (kind ?? "").replaceAll("-", " ");
  if (!name) return words;
  return cutName(name, words && words !== "kernels" ? words : "");
}

function differences(title, rows) {
  if (!rows?.length) return null;
  const sorted = [...rows].sort((a, b) => Math.abs(b.change) - Math.abs(a.change)).slice(0, MOST);
  const [symbol, one] = timeUnit(Math.max(...sorted.map((row) => Math.max(row.base ?? 0, row.new ?? 0))));
  const [changeSymbol, changeOne] = timeUnit(Math.max(...sorted.map((row) => Math.abs(row.change))));
  const cell = (ns) =>
    ns === null || ns === undefined ? el("span.unk", null, UNKNOWN) : { text: decimals(ns / one, 2), title: rawTime(ns) };
  const lines = sorted.map((row) => ({
    cells: [
      cutName(title === "Kernels" ? baseName(row.key) : row.key, row.renamed_from ? `was ${row.renamed_from}` : ""),
      cell(row.base),
      cell(row.new),
      el(`span${styleOf(row)}`, { title: rawTime(row.change) }, `${row.change > 0 ? "+" : ""}${decimals(row.change / changeOne, 2)}`),
      signedPercent(row.change_percent),
      TRENDS[row.trend] ?? row.trend,
    ],
  }));
  const columns = [
    { title: "Name", name: true, mono: true },
    { title: "Base", unit: symbol, number: true, priority: 2 },
    { title: "New", unit: symbol, number: true, priority: 2 },
    { title: "Change", unit: changeSymbol, number: true, sorted: true },
    { title: "Change", unit: "%", number: true, priority: 2 },
    { title: "Trend", priority: 3 },
  ];
  const number = rows.length > MOST ? `${MOST} of ${count(rows.length)}` : count(rows.length);
  return card(title, `${number}, per iteration, greatest changes first`, null, plainTable(title, columns, lines));
}
