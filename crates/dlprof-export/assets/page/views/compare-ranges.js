// Two iterations, or two ranges, of one capture: what one has that the other has not. Titles, words and figures come from Rust.

import { el } from "../dom.js";
import { changeBar } from "../bars.js";
import { count, decimals, rawTime, timeUnit, UNKNOWN } from "../format.js";
import { cutName } from "../cut.js";
import { card, plainTable } from "../plain-table.js";
import { setState } from "../state.js";
import { comparedTimelines } from "./compare-timelines.js";

/** Rows of a list. */
const MOST = 40;

/** The cards of the comparison that the address asks for, and its timelines; without one, of the slowest iteration. */
export async function rangesCompared(source, window, state) {
  const wanted = state.pair || source.pair;
  const ask = () => source.rangesCompared(wanted).catch((error) => ({ error }));
  const answer = isPair(wanted, window.last) ? await ask() : { error: notAPair(window) };
  const said = answer?.error ?? (answer ? null : notInFile(window, wanted));
  const head = card(
    "Two iterations or ranges of this capture",
    answer?.sentence ? "the second against the first" : null,
    null,
    el("div.body", null, chooser(source, window, state, answer?.sentence ? answer : null), ...sentenceOf(answer, said)),
  );
  const lists = (answer?.lists ?? []).map((list) => el("div.c6", null, listCard(list)));
  const timelines = answer?.sentence ? await comparedTimelines(source, sidesOf(source, answer)) : null;
  const cards = [head, timelines?.card, lists.length ? el("div.grid", null, ...lists) : null].filter(Boolean);
  return { cards, timelines };
}

/** Of each side the iteration that stands for it in the timelines. */
function sidesOf(source, { base, new: other }) {
  const nameOf = (side, which) =>
    side.start === side.stop
      ? `${which}: iteration ${side.start}`
      : `${which}: iteration ${side.median}, the median of ${side.start} to ${side.stop}`;
  return [
    { name: nameOf(base, "First"), ask: () => source.timeline(base.median) },
    { name: nameOf(other, "Second"), ask: () => source.timeline(other.median) },
  ];
}

/** Whether a text names two iterations or ranges that exist. */
function isPair(text, last) {
  if (text === "slowest") return true;
  const ranges = text.split(",").map((range) => /^(\d+)(?:-(\d+))?$/.exec(range.trim()));
  const exists = (range) => range && Number(range[1]) <= Number(range[2] ?? range[1]) && Number(range[2] ?? range[1]) <= last;
  return ranges.length === 2 && ranges.every(exists);
}

function notAPair(window) {
  const hint = `Name two iterations or ranges of 0 to ${window.last}, such as 3 and 7, or 1-5 and 6-10.`;
  return Object.assign(new Error("There are no such iterations."), { hint });
}

function notInFile(window, wanted) {
  const command = `dlprof-agg compare ${window.file} --iterations ${wanted}`;
  return Object.assign(new Error("This file holds no such comparison."), { hint: `Print it with: ${command}` });
}

function sentenceOf(answer, said) {
  if (said) return [el("p", { role: "alert" }, el("b", null, said.message), " ", said.hint ?? "")];
  return [el("p", { role: "status" }, el("b", null, answer.sentence))];
}

function rangeText({ start, stop }) {
  return start === stop ? String(start) : `${start}-${stop}`;
}

/** Two fields and a button. A report file holds one comparison, so its fields cannot be changed. */
function chooser(source, window, state, answer) {
  const [first, second] = (state.pair ?? "").split(",");
  const field = (name, value) =>
    el("input.field.num", {
      type: "text",
      value: value ?? "",
      placeholder: `0 to ${window.last}`,
      "aria-label": name,
      disabled: source.kind === "file" ? "" : null,
    });
  const base = field("First iteration or range, such as 3 or 1-5", answer ? rangeText(answer.base) : first);
  const other = field("Second iteration or range, such as 7 or 6-10", answer ? rangeText(answer.new) : second);
  const choose = (pair) => setState({ pair }, true);
  const compare = () => choose(`${base.value.trim()},${other.value.trim()}`);
  for (const input of [base, other])
    input.addEventListener("keydown", (event) => event.key === "Enter" && compare());
  if (source.kind === "file") return el("div.toolbar", null, base, " against ", other);
  return el(
    "div.toolbar",
    null,
    base,
    el("span.against", null, "against"),
    other,
    el("button.btn.primary", { type: "button", onclick: compare }, "Compare"),
    el("button.btn", { type: "button", onclick: () => choose("slowest") }, "Slowest against median"),
  );
}

function listCard({ title, meaning, rows }) {
  const differs = rows.filter((row) => row.change_ns !== 0 || row.base_calls !== row.new_calls);
  const shown = differs.slice(0, MOST);
  const note = shown.length < rows.length ? `${shown.length} of ${rows.length}, largest changes first` : "largest changes first";
  if (!shown.length) return card(title, `no difference in ${rows.length}`, null);
  const [symbol, one] = timeUnit(Math.max(...shown.map((row) => Math.max(row.base_ns, row.new_ns))));
  const isCounted = shown.some((row) => row.base_calls !== null);
  const most = Math.max(...shown.map((row) => Math.abs(row.change_ns)), 1);
  const [changeSymbol, changeOne] = timeUnit(most);
  const time = (ns) => ({ text: decimals(ns / one, 2), title: rawTime(ns) });
  const calls = ({ base_calls: first, new_calls: second }) =>
    first === null
      ? el("span.unk", null, UNKNOWN)
      : first === second
        ? count(first)
        : `${count(first)} \u2192 ${count(second)}`;
  const columns = [
    { title: "Name", name: true, mono: true },
    { title: "First", unit: symbol, number: true, priority: 2 },
    { title: "Second", unit: symbol, number: true, priority: 2 },
    { title: "Change", unit: changeSymbol, number: true, sorted: true },
    ...(isCounted ? [{ title: "Calls", number: true, priority: 3 }] : []),
  ];
  const lines = shown.map((row) => ({
    cells: [
      cutName(row.words),
      time(row.base_ns),
      time(row.new_ns),
      el(
        "span",
        { title: rawTime(row.change_ns) },
        `${row.change_ns > 0 ? "+" : ""}${decimals(row.change_ns / changeOne, 2)}`,
        changeBar(row.change_ns, most),
      ),
      ...(isCounted ? [calls(row)] : []),
    ],
  }));
  return card(title, note, null, el("p.small.dim.body", null, meaning), plainTable(`Two ranges: ${title}`, columns, lines));
}
