// DLProf's figures: resource usage, GPUs, kernel details, performance summary.

import { el } from "../../dom.js";
import { bars, legend, stackedBar } from "../../bars.js";
import { count, decimals, percent, phrases, rawTime, time, timeUnit, UNKNOWN } from "../../format.js";
import { card, declared, more, pairs } from "../../plain-table.js";
import { hashOf } from "../../state.js";
import { kernelTotals } from "../../panes.js";
import { nothingRecorded } from "./not-recorded.js";

/** The styles of classes of the wall clock, by their columns. */
const STYLES = {
  tc_kernel_ns: "c-tc",
  non_tc_kernel_ns: "c-kernel",
  memory_ns: "c-memory",
  dataloader_ns: "c-loader",
  io_ns: "c-io",
  cpu_ns: "c-cpu",
  other_ns: "c-other",
};

/** DLProf's resource usage; the names and colours are DLProf's. */
export function resourcesCard({ source, summary, factor, overview, window }) {
  const known = source.words().resources.map(([key, name]) => [key, name, STYLES[key]]);
  const divisor = factor === 1 ? Math.max(1, overview.basis.divisor) : 1;
  const parts = known.filter(([key]) => summary[key] !== null && summary[key] !== undefined);
  const total = parts.reduce((sum, [key]) => sum + summary[key], 0);
  if (!total || !overview.step)
    return card("Resource usage", null, null, nothingRecorded(overview, "Nothing ran in these iterations."));
  const [symbol, one] = timeUnit(total / divisor);
  const rows = parts
    .filter(([key]) => summary[key] > 0)
    .map(([key, name, style]) => ({
      style,
      name,
      value: decimals(summary[key] / divisor / one, 1),
      share: summary[key.replace("_ns", "_percent")],
      title: rawTime(summary[key] / divisor),
    }));
  const efficiency = summary.tc_utilization_percent;
  const untold = overview.dlprof.tc_unknown_percent;
  const unknown = known.filter(([key]) => summary[key] === null).map(([, name]) => name);
  return card(
    "Resource usage",
    `by DLProf's definitions, mean of used GPUs, ${symbol}`,
    null,
    el(
      "div.body",
      null,
      stackedBar(
        parts.map(([key, name, style]) => ({ style, ns: summary[key], title: `${name}: ${rawTime(summary[key] / divisor)}` })),
        "Resource usage",
      ),
      legend(rows),
      el(
        "p.dim.small.mt",
        null,
        `${phrases.matrix_unit_efficiency}, eligible ops: `,
        el("b", null, percent(efficiency)),
        efficiency === null ? ": no op is known to be eligible." : " of their kernel time.",
        efficiency !== null && untold !== null
          ? ` Of ${percent(untold)} of the kernel time names do not tell.`
          : "",
      ),
      unknown.length ? el("p.dim.small", null, `Not recorded: ${unknown.join(", ")}.`) : null,
      window.key_node === null ? el("p.dim.small", null, "The whole window is one iteration.") : null,
    ),
  );
}

/** How busy each GPU is. */
export function gpusCard({ overview }) {
  const rows = overview.gpus.map((gpu) => ({
    name: `GPU ${gpu.number}`,
    title: gpu.name ?? "",
    width: gpu.busy_percent ?? 0,
    value: gpu.is_used ? percent(gpu.busy_percent) : overview.step ? "not used" : UNKNOWN,
  }));
  if (!rows.length) return null;
  return card(
    "GPUs",
    "share of time with any work",
    rows.length > 1 ? more("All GPUs", hashOf("gpus")) : null,
    el("div.body", null, bars(rows, false)),
  );
}

/** DLProf's kernel details. */
export async function kernelDetailsCard({ source, divisor, overview, words }) {
  if (!source.tables().some((table) => table.key === "kernel_totals")) return null;
  if (!overview.kernels)
    return card("Kernel details", null, null, nothingRecorded(overview, "No kernel ran in these iterations."));
  return card("Kernel details", `by class, ${words}`, null, await kernelTotals(source, divisor));
}

/** DLProf's performance summary; each figure is explained on hover. */
export function performanceCard({ source, summary }) {
  if (!source.tables().some((table) => table.key === "summary")) return null;
  const shown = declared(source, "summary", source.words().columns.performance).map((column) => {
    const value = summary[column.key];
    const text = column.unit === "ns" ? time(value) : column.unit === "%" ? percent(value) : count(value);
    return [column.title, el("span", { title: column.unit === "ns" ? rawTime(value) : null }, text), column.doc];
  });
  return card(
    "Performance summary",
    "hover a name for its meaning",
    null,
    el("div.body", null, pairs(shown, "kv.sysk")),
  );
}
