// Classes per rank: a bar each, solid where the GPU works, hatched where it waits.

import { el } from "../../dom.js";
import { legend, stackedBar } from "../../bars.js";
import { STEP_CLASS } from "../../classes.js";
import { columnFormat, rawTime, time, UNKNOWN } from "../../format.js";
import { severitySign } from "../../findings.js";
import { card, declared, more, plainTable } from "../../plain-table.js";
import { hashOf } from "../../state.js";
import { objects } from "../dashboard/rows-as-objects.js";

const FIGURES = ["own_ns", "wait_ns", "lag_ns", "last_percent"];
const WHY = { slow: "", median: "median", fast: "fastest" };

/** The bar of a rank or of one of its steps; `values` are by key of the parts. */
export function rankBar(job, values, label) {
  const parts = job.parts.map((part) => ({
    style: STEP_CLASS[part.class],
    isIdle: !part.works,
    ns: values[part.key] ?? 0,
    title: `${part.name}: ${rawTime(values[part.key])}`,
  }));
  const bar = stackedBar(parts, label);
  bar.classList.add("gb");
  return bar;
}

/** A number of a column with its sign, where it is a difference. */
export function signed(format, value) {
  if (value === null || value === undefined) return UNKNOWN;
  const text = format.text(value);
  return value > 0 ? `+${text}` : text;
}

export async function rankRows({ job, source }) {
  const byRank = new Map((await objects(source, "ranks")).map((row) => [row.rank, row]));
  const columns = declared(source, "ranks", FIGURES);
  const shown = job.telling.map(({ rank, why }) => ({ ...byRank.get(rank), why }));
  const formats = columns.map((column) =>
    columnFormat(column, Math.max(...shown.map((row) => Math.abs(row[column.key] ?? 0)))),
  );
  const figure = (row, at) => {
    const value = row[FIGURES[at]];
    const text = FIGURES[at] === "lag_ns" ? signed(formats[at], value) : value === null ? UNKNOWN : formats[at].text(value);
    return { text, title: value === null ? "" : formats[at].raw(value) };
  };
  const hasGroups = new Set(shown.map((row) => row.group)).size > 1;
  const [rankHead, nodeHead, gpuHead, groupHead, causeHead] = declared(source, "ranks", ["rank", "node", "device_id", "group", "cause"]);
  const heads = [
    { title: job.one === "rank" ? rankHead.title : "Capture", number: true, doc: rankHead.doc },
    { title: nodeHead.title, priority: 2, doc: nodeHead.doc },
    { title: gpuHead.title, number: true, priority: 2, doc: gpuHead.doc },
    ...(hasGroups ? [{ title: groupHead.title, priority: 3, doc: groupHead.doc }] : []),
    { title: job.mean_of[0].toUpperCase() + job.mean_of.slice(1), name: true },
    ...columns.map((column, at) => ({
      title: column.title,
      unit: formats[at].unit,
      number: true,
      priority: [1, 2].includes(at) ? undefined : at === 0 ? 2 : 3,
      doc: column.doc,
    })),
    { title: causeHead.title, doc: causeHead.doc, priority: 2 },
  ];
  const selected = { row: null };
  const lines = shown.map((row) => ({
    cells: [
      el("span.ranknr", null, row.lagging ? severitySign("warning") : null, String(row.rank)),
      row.node,
      String(row.device_id),
      ...(hasGroups ? [row.group] : []),
      rankBar(job, row, `${job.one} ${row.rank}: own ${time(row.own_ns)}, waits ${time(row.wait_ns)}`),
      ...FIGURES.map((_, at) => figure(row, at)),
      row.lagging ? row.cause : WHY[row.why] ?? "",
    ],
    onOpen: () => selected.row?.(row.rank),
  }));
  const key = legend(
    job.parts.filter((part) => part.ns > 0).map((part) => ({ style: STEP_CLASS[part.class], isIdle: !part.works, name: part.name })),
  );
  key.className = "legend inl";
  const isAll = job.telling.length === job.ranks;
  const element = card(
    isAll ? `All ${job.many}` : `The slowest ${job.many}, the median and the fastest`,
    `${job.mean_of}; solid: the GPU works, hatched: it waits`,
    more("All figures", hashOf("table", { key: "ranks" })),
    plainTable(`classes of ${job.many}`, heads, lines),
    el("div.body.rankkey", null, key),
  );
  const mark = (rank) =>
    element.querySelectorAll("tbody tr").forEach((line, at) => line.classList.toggle("sel", shown[at].rank === rank));
  return { element, byRank, mark, onPick: (call) => (selected.row = call) };
}
