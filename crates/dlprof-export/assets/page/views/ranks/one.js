// One rank: its mean step and one of its iterations, its figures, and how to look into its capture.

import { el } from "../../dom.js";
import { columnFormat, UNKNOWN } from "../../format.js";
import { card, declared, more, pairs } from "../../plain-table.js";
import { hashOf } from "../../state.js";
import { rankBar } from "./rows.js";

/** Columns that the bars and the heading say. */
const LEFT_OUT = ["rank", "gpu_name", "compute_ns", "transfer_ns"];

/** Columns beside those that people see first. */
const SHOWN = ["lag_share_percent", "score", "speed_percent", "work_percent", "caused_wait_ns", "clock_offset_ns", "clock_error_ns", "clock"];

function cellText(column, value) {
  if (value === null || value === undefined) return [UNKNOWN, ""];
  if (column.kind === "flag") return [value ? "yes" : "no", ""];
  if (column.kind === "text") return [value || UNKNOWN, ""];
  const format = columnFormat(column, Math.abs(value));
  return [`${format.text(value)}${format.unit ? `\u00a0${format.unit}` : ""}`, format.raw(value)];
}

/** The card of a rank; `step` is its row of table rank_iterations, if an iteration is chosen. */
export function rankCard({ job, source }, row, step, choose) {
  const table = source.tables().find((known) => known.key === "ranks");
  const facts = table.columns
    .filter((column) => column.importance < 3 || SHOWN.includes(column.key))
    .filter((column) => !LEFT_OUT.includes(column.key))
    .map((column) => {
      const [text, raw] = cellText(column, row[column.key]);
      return [column.title, text, [column.doc, raw].filter(Boolean).join("\n")];
    });
  const [stepColumn] = declared(source, "rank_iterations", ["length_ns"]);
  const bars = [[job.mean_of, row], ...(step ? [[`iteration ${step.iteration}`, step]] : [])].map(([name, values]) =>
    el(
      "div.onebar",
      null,
      el("span", null, name),
      rankBar(job, values, `${name} of ${job.one} ${row.rank}`),
      el("span.num", { title: stepColumn.doc }, cellText(stepColumn, values.length_ns)[0]),
    ),
  );
  const field = el("input.field", {
    type: "number",
    value: String(row.rank),
    "aria-label": `choose a ${job.one}`,
    onchange: (event) => choose(Number(event.target.value)),
  });
  return card(
    `${table.columns[0].title} ${row.rank}`,
    row.gpu_name,
    more("Its iterations", hashOf("table", { key: "rank_iterations", "rank_iterations.where": JSON.stringify([["rank", "=", row.rank]]) })),
    el(
      "div.body.onerank",
      null,
      el("label.small.rankpick", null, `Another ${job.one} `, field),
      ...bars,
      pairs(facts),
      el("p.dim.small", null, "Its own dashboard: ", el("code", null, `dlprof-agg ${row.file}`)),
    ),
  );
}
