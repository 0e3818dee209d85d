// Kernels as points: calls against time, occupancy against time, and ops below the roof of the GPU.

import { el } from "../dom.js";
import { answerWords, count, percent, phrases, significant, time } from "../format.js";
import { baseName } from "../cut.js";
import { card } from "../plain-table.js";
import { scatterPlot } from "../chart-spread.js";
import { hashOf, setState } from "../state.js";

const KINDS = [
  ["calls", "Calls × time"],
  ["occupancy", "Occupancy"],
  ["roofline", "Roofline"],
];

async function objects(source, key, count) {
  const known = source.tables().find((table) => table.key === key);
  if (!known) return [];
  const { rows } = await source.rows(key, { count });
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [known.columns[at].key, cell])));
}

function kernelPoints(rows, x) {
  return rows
    .map((row) => ({
      x: x(row),
      y: row.gpu_time_ns,
      style: answerWords(row.tensor_cores) === "yes" ? "tc" : "kernel-3",
      name: baseName(row.long_kernel_name),
      row,
      title: [
        `${time(row.gpu_time_ns)} in ${count(row.calls)} calls`,
        `mean ${time(row.gpu_time_ns / Math.max(1, row.calls))}`,
        `occupancy ${percent(row.occupancy_percent)}`,
      ],
    }))
    .filter((point) => point.x !== null);
}

/** The roofs of the GPU for the data types of ops: { top, slope }, each once. */
function roofsOf(rows) {
  const roofs = new Map();
  for (const { peak_tflop_per_s: top, peak_gb_per_s: bandwidth } of rows)
    if (top > 0 && bandwidth > 0) roofs.set(`${top} ${bandwidth}`, { top, slope: bandwidth / 1e3 });
  return [...roofs.values()];
}

async function plotOf(kind, source, divisor) {
  const timeTexts = (ticks) => ticks.map((ns) => (ns === null ? "" : time(ns)));
  if (kind === "roofline") {
    const rows = await objects(source, "op_work");
    const intensity = rows.length ? Object.keys(rows[0]).find((key) => /intensity$/.test(key)) : null;
    const rate = rows.length ? Object.keys(rows[0]).find((key) => /tflop_per_s$/.test(key)) : null;
    const points = rows
      .filter((row) => row[intensity] > 0 && row[rate] > 0)
      .map((row) => ({
        x: row[intensity],
        y: row[rate],
        style: "kernel-3",
        name: row.op_name,
        row,
        title: [`${significant(row[rate])} TFLOP/s`, `${significant(row[intensity])} FLOP/byte`],
      }));
    return {
      points,
      axes: {
        xLabel: "FLOP per byte",
        yLabel: "TFLOP/s",
        xLog: true,
        yLog: true,
        roofs: roofsOf(rows),
      },
      empty: "No op has known shapes. `emit_nvtx(record_shapes=True)` records them.",
    };
  }
  const rows = await objects(source, "kernel_names", 5000);
  rows.forEach((row) => {
    row.calls /= divisor;
    row.gpu_time_ns /= divisor;
  });
  if (kind === "occupancy")
    return {
      points: kernelPoints(rows, (row) => row.occupancy_percent),
      axes: {
        xLabel: "occupancy, %",
        yLabel: "GPU time",
        yLog: true,
        yTexts: timeTexts,
      },
      empty: "The capture does not record registers and shared memory.",
    };
  return {
    points: kernelPoints(rows, (row) => row.calls),
    axes: {
      xLabel: "calls",
      yLabel: "GPU time",
      xLog: true,
      yLog: true,
      xTexts: (ticks) => ticks.map((calls) => (calls === null ? "" : significant(calls))),
      yTexts: timeTexts,
    },
    empty: "The capture has no kernels in these iterations.",
  };
}

export async function scatterView({ source, state, divisor, perWords }, place) {
  const kind = KINDS.some(([key]) => key === state.kind) ? state.kind : "calls";
  const { points, axes, empty } = await plotOf(kind, source, divisor);
  const box = el("div.plotbox", {
    role: "img",
    "aria-label": `${KINDS.find(([key]) => key === kind)[1]}: ${count(points.length)} points. The same figures are in the table Kernels by name.`,
  });
  const choice = el(
    "span.r.seg",
    { role: "group", "aria-label": "axes" },
    ...KINDS.map(([key, name]) =>
      el(
        `button${key === kind ? ".on" : ""}`,
        {
          type: "button",
          "aria-pressed": String(key === kind),
          onclick: () => {
            setState({ kind: key }, true);
          },
        },
        name,
      ),
    ),
  );
  const colours =
    kind === "roofline" ? "lines: most that the GPU can do with the data types of these ops" : `dark: ${phrases.matrix_units}`;
  const body = points.length ? box : el("p.dim", null, empty);
  place.append(
    card(
      kind === "roofline" ? "Ops" : "Kernels",
      `${perWords}; ${colours}; drag to zoom, double click to see all, click to open`,
      choice,
      el("div.body", null, body),
    ),
  );
  let plot = null;
  const close = () => plot?.destroy();
  const draw = () => {
    close();
    if (!points.length) return;
    plot = scatterPlot(box, points, {
      ...axes,
      width: box.clientWidth || 800,
      height: 520,
      onPick: ({ row }) => {
        location.hash = row.op_id
          ? hashOf("ops", { op: row.op_id })
          : hashOf("kernels", {
              "kernel_names.where": JSON.stringify([["long_kernel_name", "=", row.long_kernel_name]]),
            });
      },
    });
  };
  return { shown: draw, repaint: draw, close };
}
