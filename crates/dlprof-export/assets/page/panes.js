// Panes beside tables: one launch, and all kernels by class.

import { el } from "./dom.js";
import {
  answerWords,
  bytes,
  count,
  counted,
  decimals,
  percent,
  phrases,
  rawTime,
  significant,
  time,
  timeUnit,
} from "./format.js";
import { card, declared, pairs, plainTable } from "./plain-table.js";
import { hashOf } from "./state.js";

/** The longest launch of some, and how the lengths of all of them are spread. */
export async function launchPane(source, where, kernel) {
  const known = source.tables().find((table) => table.key === "kernels");
  if (!known) return el("div");
  const [first, all] = await Promise.all([
    source.rows("kernels", { where, sort: [{ column: "gpu_time_ns", descending: true }], count: 1 }),
    source.rows("kernels", { where, columns: ["gpu_time_ns"], count: 20000 }),
  ]);
  if (!first.rows.length) return card("Launches", "none in these iterations");
  const row = Object.fromEntries(first.rows[0].map((cell, at) => [known.columns[at].key, cell]));
  const lengths = all.rows.map(([ns]) => ns).sort((a, b) => a - b);
  const usual = kernel.median_gpu_time_ns
    ? { ns: kernel.median_gpu_time_ns, words: "the median" }
    : { ns: kernel.avg_gpu_time_ns, words: "the mean" };
  const inTimeline = hashOf("timeline", { it: row.iteration, sel: `${row.device_id}:${row.gpu_start_ns}` });
  const pane = card(
    `Launch 1 of ${count(first.matching)}`,
    "the longest",
    el("a.r", { href: inTimeline }, "In the timeline"),
    el(
      "div.body",
      null,
      el("p.mono.long", null, row.long_kernel_name ?? row.kernel_name),
      pairs(launchFacts(row, usual)),
      histogram(lengths),
    ),
  );
  pane.classList.add("pane");
  return pane;
}

/** What is known of a launch. */
export function launchFacts(row, usual) {
  const size = (...axes) => axes.join(" × ");
  const facts = [
    [
      "Duration",
      usual?.ns
        ? `${time(row.gpu_time_ns)}, ${significant(row.gpu_time_ns / usual.ns)} × ${usual.words}`
        : time(row.gpu_time_ns),
      rawTime(row.gpu_time_ns),
    ],
    [
      "Iteration, op",
      [
        `${row.iteration}, `,
        el("a", { href: hashOf("ops", { op: row.op_id }) }, row.op_name || row.op_id),
        row.attribution === "by_time" ? " by time" : "",
      ],
    ],
    [
      "Launched",
      row.launch_latency_ns === null ? "–" : `${time(row.launch_latency_ns)} earlier`,
      rawTime(row.launch_latency_ns),
    ],
    ["Grid, block", `${size(row.grid_x, row.grid_y, row.grid_z)}, ${size(row.block_x, row.block_y, row.block_z)}`],
    ["Registers, shared", `${count(row.registers_per_thread)} per thread, ${bytes(row.shared_bytes)} per block`],
    [
      "Occupancy",
      row.occupancy_percent === null
        ? "–"
        : `${percent(row.occupancy_percent)}: ${counted(row.blocks_per_sm, "block")} ${phrases.per_multiprocessor}, limited by ${row.limited_by}`,
    ],
    ["Waves", row.waves === null ? "–" : significant(row.waves)],
    [phrases.matrix_units, answerWords(row.tensor_cores)],
  ];
  return facts.map(([name, value, title]) => [name, Array.isArray(value) ? el("span", null, ...value) : value, title]);
}

/** A picture of lengths: 28 bins, heights by the logarithm of the count. */
function histogram(lengths) {
  if (lengths.length < 8) return el("div");
  const top = lengths[lengths.length - 1] || 1;
  const bins = Array(28).fill(0);
  for (const ns of lengths) bins[Math.min(27, Math.floor((ns / top) * 28))]++;
  const most = Math.log(Math.max(...bins) + 1);
  const columns = bins.map((number) =>
    el("i", { title: `${number}`, style: { height: `${(Math.log(number + 1) / most) * 100}%` } }),
  );
  const label = `Durations of ${count(lengths.length)} launches, longest ${time(top)}`;
  return el(
    "div",
    null,
    el(
      "div.sub.hist-head",
      null,
      el("span", null, `Durations of ${count(lengths.length)} launches`),
      el("span", null, "log count"),
    ),
    el("div.hist", { role: "img", "aria-label": label }, ...columns),
    el("div.hx", null, el("span.from", null, "0"), el("span.to", null, time(top))),
  );
}

/** DLProf's pane of kernel details: kernels by class. */
export async function kernelTotals(source, divisor) {
  const columns = ["class", "gpu_time_ns", "launches"];
  const { rows } = await source.rows("kernel_totals", { columns });
  const heads = declared(source, "kernel_totals", columns);
  const [symbol, one] = timeUnit(Math.max(...rows.map(([, ns]) => ns / divisor)));
  const places = rows.every(([, , launches]) => launches % divisor === 0) ? 0 : 1;
  return plainTable(
    "Kernel details",
    [heads[0], { ...heads[1], unit: symbol, number: true }, { ...heads[2], number: true }],
    rows.map(([name, ns, launches]) => ({
      cells: [
        name,
        { text: decimals(ns / divisor / one, 2), title: rawTime(ns) },
        { text: decimals(launches / divisor, places), title: count(launches) },
      ],
    })),
    true,
  );
}
