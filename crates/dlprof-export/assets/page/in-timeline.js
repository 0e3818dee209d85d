// From a row of any table to the timeline of the whole capture: to its time, to its iteration, or to what has its name.

import { baseName } from "./cut.js";
import { el } from "./dom.js";
import { hashOf } from "./state.js";

/** Columns of times with those of their lengths, the most exact first. */
const TIMES = [
  ["gpu_start_ns", "gpu_time_ns"],
  ["start_ns", "duration_ns"],
];

/** Columns by which items of the timeline are found. */
const NAMES = [
  ["kernel_name", (name) => name],
  ["long_kernel_name", (name) => /([A-Za-z_]\w*)\s*[<(]/.exec(name)?.[1] ?? name],
  ["function", (name) => name],
  ["op_name", baseName],
];

/** What the address of the timeline says for a row; none if nothing in it can be found there. */
export function timelineOf(row) {
  for (const [start, length] of TIMES)
    if (Number.isFinite(row[start]) && Number.isFinite(row[length])) {
      const margin = Math.max(10, Math.round(row[length] / 2));
      const range = `${row[start]}-${row[start] + Math.max(1, row[length])}`;
      return { it: "all", t: `${row[start] - margin}-${row[start] + row[length] + margin}`, r: range };
    }
  const found = NAMES.find(([key]) => typeof row[key] === "string" && row[key] !== "");
  if (found) return { it: "all", find: found[1](row[found[0]]) };
  return Number.isFinite(row.iteration) ? { it: row.iteration } : null;
}

/** A link for the selected row; hidden without one, and where the source has no such timeline. */
export function timelineLink(source) {
  const element = el("a.small.in-timeline", { hidden: true }, "in the timeline");
  const show = (row) => {
    const values = row && source.lanes ? timelineOf(row) : null;
    element.hidden = !values;
    if (values) element.href = hashOf("timeline", values);
  };
  return { element, show };
}
