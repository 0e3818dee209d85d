// Two captures: whether they differ, by how much, and where.

import { el } from "../dom.js";
import { decimals, percent, rawTime, time } from "../format.js";
import { cutName } from "../cut.js";
import { card, plainTable } from "../plain-table.js";

export async function compareView({ source, window }, place) {
  const comparison = await source.comparison();
  if (!comparison) {
    const file = /^[\w.@%+=:,/-]+$/.test(window.file) ? window.file : `'${window.file}'`;
    const how = ["A report shows one capture. To compare two, open both:", el("pre.cmd", { tabindex: "0" }, `dlprof-agg view BASE.sqlite ${file}`), "or print the difference:", el("pre.cmd", { tabindex: "0" }, `dlprof-agg compare BASE.sqlite ${file}`)];
    return void place.append(card("Compare", "no second capture", null, el("div.body", null, ...how)));
  }
  place.append(el("div.stack", null, verdict(comparison), ...[parts(comparison), differences("Ops", comparison.ops), differences("Kernels", comparison.kernels)].filter(Boolean)));
}

function verdict(comparison) {
  return el("section.card", null, el("div.verdict", null, el("div", null, el("h1", null, comparison.verdict ?? "Two captures"), comparison.explanation ? el("p", null, comparison.explanation) : null)));
}

/** The parts add up to the difference, with a row for what is left. */
function parts(comparison) {
  const rows = comparison.decomposition ?? [];
  if (!rows.length) return null;
  return card("Where the difference comes from", "per iteration", null, plainTable("Parts", [{ title: "Part" }, { title: "Base", unit: "ms", number: true }, { title: "New", unit: "ms", number: true }, { title: "Difference", unit: "ms", number: true }], rows.map(({ name, base_ns: base, new_ns: now }) => ({ cells: [name, ms(base), ms(now), signed(now - base)] }))));
}

function ms(ns) {
  return ns === null || ns === undefined ? el("span.unk", null, "–") : { text: decimals(ns / 1e6, 2), title: rawTime(ns) };
}

function signed(ns) {
  const text = `${ns > 0 ? "+" : ""}${decimals(ns / 1e6, 2)}`;
  return el(ns > 0 ? "span.pos-t" : "span.neg-t", { title: rawTime(ns) }, text);
}

function differences(title, rows) {
  if (!rows?.length) return null;
  const lines = rows.slice(0, 100).map((row) => ({ cells: [cutName(row.name ?? ""), ms(row.base_ns), ms(row.new_ns), signed((row.new_ns ?? 0) - (row.base_ns ?? 0)), row.base_ns ? percent((((row.new_ns ?? 0) - row.base_ns) / row.base_ns) * 100) : "new"] }));
  const total = rows.reduce((sum, row) => sum + (row.new_ns ?? 0) - (row.base_ns ?? 0), 0);
  return card(title, `${time(total)} together`, null, plainTable(title, [{ title: "Name", name: true, mono: true }, { title: "Base", unit: "ms", number: true }, { title: "New", unit: "ms", number: true }, { title: "Difference", unit: "ms", number: true }, { title: "Change", unit: "%", number: true, priority: 2 }], lines));
}
