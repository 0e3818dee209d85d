// Kernels by iteration, and kernels by op of an iteration.

import { el } from "../dom.js";
import { grid } from "../table.js";
import { conditionsFromText } from "../table-filters.js";
import { card, pairs } from "../plain-table.js";
import { launchFacts } from "../panes.js";
import { iterationChart } from "../chart-iterations.js";
import { iterationModel } from "../iteration-model.js";
import { hashOf, setState } from "../state.js";

const GPU_TIME = [{ column: "gpu_time_ns", descending: true }];
const isIteration = (iteration) => [{ column: "iteration", op: "=", value: iteration }];

export async function iterationKernelsView({ source, state, window }, place) {
  const pane = el("div.c4");
  const hasFilter = conditionsFromText(state["kernels.where"] ?? "").length > 0;
  const first = Number(state.it ?? window.start);
  const kernels = grid({
    source,
    key: "kernels",
    title: hasFilter ? "Kernels" : `Kernels of iteration ${first}`,
    columns: source.words().columns.launches,
    sort: GPU_TIME,
    where: hasFilter ? [] : isIteration(first),
    meterOf: "gpu_time_ns",
    height: 520,
    onSelect: (row) => pane.replaceChildren(...(row ? [launchCard(row)] : [])),
    onLoad: (model) => {
      if (model.selected === null) kernels.selectFirst();
    },
    onOpen: (row) => {
      location.hash = hashOf("timeline", { it: row.iteration, sel: `${row.device_id}:${row.gpu_start_ns}` });
    },
    foot: [
      el("span", null, "Enter or T: in the timeline"),
      el("span.opt", null, "Kernels belong to the iteration that launched them."),
    ],
  });
  const iterations = grid({
    source,
    key: "iterations",
    name: "iterlist",
    title: "Iterations",
    sub: "GPU time per GPU; its share may pass 100 %",
    columns: source.words().columns.launch_iterations,
    sort: [{ column: "iteration", descending: false }],
    meterOf: "kernel_gpu_time_per_gpu_ns",
    startRow: String(first),
    height: 330,
    onSelect(row, byUser) {
      if (!row || !byUser) return;
      setState({ it: row.iteration });
      kernels.setWhere(
        isIteration(row.iteration),
        `Kernels of iteration ${row.iteration}`,
        row.aggregated ? "" : "not aggregated: no kernels are listed",
      );
    },
  });
  place.append(
    el("div.stack", null, iterations.element, el("div.grid", null, el("div.c8", null, kernels.element), pane)),
  );
}

function launchCard(row) {
  const link = el(
    "a.r",
    { href: hashOf("timeline", { it: row.iteration, sel: `${row.device_id}:${row.gpu_start_ns}` }) },
    "In the timeline",
  );
  return card(
    "Launch",
    `GPU ${row.device_id}`,
    link,
    el(
      "div.body",
      null,
      el("p.mono.long", null, row.long_kernel_name || row.kernel_name),
      pairs(launchFacts(row, null)),
    ),
  );
}

export async function opKernelsView({ source, state, window }, place) {
  const rows = await iterationModel(source);
  let iteration = Number(state.it ?? window.start);
  const chart = iterationChart({
    rows,
    height: 180,
    range: { start: window.start, stop: window.stop },
    picked: iteration,
    onPick: (row) => {
      setState({ it: row.iteration });
      show(row.iteration);
    },
  });
  const kernels = grid({
    source,
    key: "kernels",
    name: "opkernels",
    title: "Kernels",
    columns: source.words().columns.launches,
    sort: GPU_TIME,
    where: isIteration(iteration),
    meterOf: "gpu_time_ns",
    height: 420,
    onOpen: (row) => {
      location.hash = hashOf("timeline", { it: row.iteration, sel: `${row.device_id}:${row.gpu_start_ns}` });
    },
  });
  const ops = grid({
    source,
    key: "iteration_ops",
    title: `Ops of iteration ${iteration}`,
    columns: source.words().columns.iteration_ops,
    sort: GPU_TIME,
    where: isIteration(iteration),
    meterOf: "gpu_time_ns",
    height: 360,
    onSelect(row) {
      if (row)
        kernels.setWhere(
          [...isIteration(row.iteration), { column: "op_id", op: "=", value: row.op_id }],
          `Kernels of ${row.op_name} in iteration ${row.iteration}`,
        );
    },
    onLoad: (model) => {
      if (model.selected === null) ops.selectFirst();
    },
  });
  function show(next) {
    iteration = next;
    ops.setWhere(isIteration(next), `Ops of iteration ${next}`);
  }
  const picker = card("Iteration", "click a column, or ← → on the chart", null, el("div.body", null, chart.element));
  place.append(el("div.stack", null, picker, ops.element, kernels.element));
  return { repaint: chart.paint, shown: chart.paint };
}
