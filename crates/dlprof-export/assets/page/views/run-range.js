// What a range of time holds, list by list, as the program sums it.

import { el } from "../dom.js";
import { meter, swatch } from "../bars.js";
import { causeColor, STEP_CLASS } from "../classes.js";
import { cutName } from "../cut.js";
import { toClipboard, toDelimited } from "../export.js";
import { count, decimals, percent, rawTime, time, timeUnit } from "../format.js";
import { card, plainTable } from "../plain-table.js";
import { exactTime } from "../run-hover.js";
import { hashOf } from "../state.js";

/** The card of a range; `acts`: show and clear. */
export function runRangeCard(sums, acts) {
  const said = el("span.small.dim", { role: "status" });
  const copy = async () => {
    await toClipboard(csvOf(sums));
    said.textContent = "copied";
  };
  const button = (words, act) => el("button.btn", { type: "button", onclick: act }, words);
  const made = card(
    "Range",
    `${exactTime(sums.start_ns)} to ${exactTime(sums.start_ns + sums.length_ns)}, ${time(sums.length_ns)}`,
    el("span.r.acts", null, said, button("Show", acts.show), button("Copy as CSV", copy), button("Clear", acts.clear)),
    el("div.sumlists", null, ...sums.lists.map(listOf)),
  );
  made.classList.add("range-card");
  return made;
}

function listOf({ key, title, whose, whole_ns: whole, rows }) {
  const [symbol, one] = timeUnit(Math.max(...rows.map((row) => row.time_ns), 1));
  const isCounted = rows.some((row) => row.count !== null);
  const largest = Math.max(...rows.map((row) => row.time_ns), 1);
  const columns = [
    { title, name: true },
    ...(isCounted ? [{ title: "Count", number: true }] : []),
    { title: "Time", unit: symbol, number: true, sorted: true },
    { title: "Share", unit: "%", number: true, doc: `of ${time(whole)}, ${whose}` },
  ];
  const cells = (row) => [
    nameOf(key, row),
    ...(isCounted ? [count(row.count)] : []),
    { text: decimals(row.time_ns / one, 2), title: rawTime(row.time_ns) },
    el("span", null, percent((row.time_ns / whole) * 100).replace(/\s?%$/, ""), meter((row.time_ns / largest) * 100)),
  ];
  const table = plainTable(
    title,
    columns,
    rows.map((row) => ({ cells: cells(row) })),
    true,
  );
  return el("section.sumlist", { "data-list": key }, el("p.small.dim", null, whose), table);
}

function nameOf(key, row) {
  if (key === "classes") {
    const isIdle = !["gpu", "communication", "copy"].includes(row.class);
    return el("span", null, swatch(STEP_CLASS[row.class], isIdle), row.name);
  }
  if (key === "idle_causes") return el("span", null, swatch(`c-${causeColor(row.class)}`, true), row.name);
  if (key === "ops" && row.id)
    return el("a", { href: hashOf("ops", { op: row.id }), title: row.name }, cutName(row.name));
  return el("span", { title: row.name }, cutName(row.name));
}

/** All lists as one. */
function csvOf({ lists }) {
  const rowsOf = ({ key, rows }) => rows.map((row) => [key, row.name, row.id, row.count, row.time_ns]);
  return toDelimited(["list", "name", "id", "count", "time_ns"], lists.flatMap(rowsOf));
}
