// What takes the time: kernels, their kinds, ops and their types.

import { el } from "../../dom.js";
import { bars, meter } from "../../bars.js";
import { answerWords, decimals, percent, phrases, rawTime, time, timeUnit, UNKNOWN } from "../../format.js";
import { cutName } from "../../cut.js";
import { card, declared, more, plainTable } from "../../plain-table.js";
import { evidenceHref, withCode } from "../../findings.js";
import { hashOf } from "../../state.js";
import { nothingRecorded } from "./not-recorded.js";

/** The colour of a kernel's class. */
function styleOf({ kind, tensor_cores: answer }) {
  if (kind === "communication") return "c-comm";
  return answerWords(answer) === "yes" ? "c-tc" : "c-kernel";
}

/** The kernels with the most GPU time. */
export function topKernelsCard({ source, overview, factor, words }) {
  const kernels = overview.kernels;
  if (!kernels?.rows.length)
    return card("Top kernels", null, null, nothingRecorded(overview, "No kernel ran in these iterations."));
  const rows = kernels.rows.slice(0, 12);
  const [occupancy] = declared(source, "kernel_names", ["grid_occupancy_percent"]);
  const [symbol, one] = timeUnit(rows[0]?.ns * factor || 0);
  const [, meanOne] = timeUnit(1e3);
  const top = rows[0]?.percent || 1;
  const line = (row) => ({
    onOpen: () => {
      location.hash = evidenceHref("kernel_names", [{ column: "long_kernel_name", op: "=", value: row.long_name }]);
    },
    cells: [
      cutName(row.label),
      { text: decimals((row.ns * factor) / one, 1), title: rawTime(row.ns * factor) },
      el(
        "span",
        null,
        decimals(row.percent, 1),
        meter((row.percent / top) * 100, styleOf(row)),
      ),
      el("span.dim", null, decimals(row.cumulative_percent, 1)),
      decimals(row.calls * factor, Number.isInteger(row.calls * factor) ? 0 : 1),
      { text: decimals(row.mean_ns / meanOne, row.mean_ns < 1e4 ? 1 : 0), title: rawTime(row.mean_ns) },
      row.grid_occupancy_percent === null ? el("span.unk", null, UNKNOWN) : decimals(row.grid_occupancy_percent, 1),
    ],
  });
  const columns = [
    { title: "Kernel", name: true, mono: true },
    { title: "GPU", unit: symbol, number: true, sorted: true },
    { title: "Share", unit: "%", number: true },
    { title: "Cum.", unit: "%", number: true, priority: 4 },
    { title: "Calls", number: true, priority: 2 },
    { title: "Mean", unit: "µs", number: true, priority: 3 },
    { title: "Grid occ.", unit: "%", number: true, priority: 3, doc: occupancy.doc },
  ];
  return card(
    "Top kernels",
    `${rows.length} of ${kernels.names} names, ${percent(rows[rows.length - 1]?.cumulative_percent ?? 0, 0)} of ${time(kernels.total_ns * factor)} kernel time ${words}${kernels.gpus > 1 ? `, sum over ${kernels.gpus} GPUs` : ""}${kernels.other_work ? ", with time of other work" : ""}`,
    more("All kernels", hashOf("kernels")),
    plainTable("Top kernels", columns, rows.map(line)),
  );
}

/** GPU time by kind of kernel. */
export function kindsCard({ overview, factor, words }) {
  if (!overview.kernels?.kinds.length) return null;
  const [symbol, one] = timeUnit(overview.kernels.kinds[0].ns * factor);
  const top = overview.kernels.kinds[0].percent || 1;
  const rows = overview.kernels.kinds.slice(0, 8).map((row) => ({
    name: row.kind,
    width: (row.percent / top) * 100,
    value: decimals((row.ns * factor) / one, 1),
    percent: percent(row.percent),
    raw: rawTime(row.ns * factor),
  }));
  return card(
    "Kernel GPU time by kind",
    `${symbol} ${words}`,
    more("Areas", hashOf("flame", { by: "kernels" })),
    el("div.body", null, bars(rows)),
  );
}

/** GPU time by type of op. */
export function opTypesCard({ overview, factor, words }) {
  const types = overview.ops.types.slice(0, 8);
  if (!types.length) return null;
  const [symbol, one] = timeUnit(types[0].ns * factor);
  const name = (row) => row.op_type ?? row.name ?? "";
  const rows = types.map((row) => ({
    name: name(row) || "no type",
    href: hashOf("ops", { "ops.where": JSON.stringify([["op_type", "=", name(row)]]) }),
    width: (row.percent / (types[0].percent || 1)) * 100,
    value: decimals((row.ns * factor) / one, 1),
    percent: percent(row.percent),
    raw: rawTime(row.ns * factor),
  }));
  return card(
    "Top op types",
    `${symbol} ${words}`,
    more("Op types", hashOf("optypes")),
    el("div.body", null, bars(rows)),
  );
}

/** The ops with the most GPU time; copies of an op are one row. */
export function topOpsCard({ overview, factor }) {
  const ops = overview.ops;
  const rows = ops.rows.slice(0, 10);
  if (!rows.length)
    return card(
      "Top ops",
      null,
      null,
      el(
        "p.body.dim",
        null,
        ...withCode(
          ops.unknown ?? phrases.no_ops,
        ),
      ),
    );
  const isGpu = ops.ranked_by === "gpu_time";
  const [symbol, one] = timeUnit(rows[0].ns * factor);
  const top = rows[0].percent || 1;
  const line = (row) => ({
    onOpen: () => {
      location.hash = hashOf(
        "ops",
        row.members.length === 1
          ? { op: row.members[0].op_id }
          : { "ops.where": JSON.stringify([["op_name", "re", patternOf(row.name)]]) },
      );
    },
    cells: [
      cutName(row.name, behindName(row)),
      { text: decimals((row.ns * factor) / one, 1), title: rawTime(row.ns * factor) },
      el("span", null, decimals(row.percent, 1), meter((row.percent / top) * 100)),
      el("span.dim", null, decimals(row.cumulative_percent, 1)),
      decimals(row.calls * factor, Number.isInteger(row.calls * factor) ? 0 : 1),
      row.op_type || el("span.unk", null, UNKNOWN),
    ],
  });
  const columns = [
    { title: "Op", name: true, mono: true },
    { title: isGpu ? "GPU" : "CPU", unit: symbol, number: true, sorted: true },
    { title: "Share", unit: "%", number: true },
    { title: "Cum.", unit: "%", number: true, priority: 4 },
    { title: "Calls", number: true, priority: 2 },
    { title: "Type", priority: 3 },
  ];
  const exact = el("a", { href: hashOf("table", { key: "top_ops" }) }, `Direction and ${phrases.matrix_units}`);
  return card(
    "Top ops",
    `copies of one op are one row${isGpu ? "" : "; by the time of their ranges"}`,
    el("span.r.ways", null, exact, more("All ops", hashOf("ops"))),
    plainTable("Top ops", columns, rows.map(line)),
    ops.passes_said && el("p.body.dim", null, ops.passes_said),
  );
}

/** The direction of an op, and how many copies it has. */
function behindName(row) {
  const copies = row.members.length > 1 ? `×${row.members.length}` : "";
  return [row.direction, copies].filter(Boolean).join(" ");
}

function patternOf(name) {
  return `^${name
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join("\\d+")}$`;
}
