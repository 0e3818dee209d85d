// All iterations with the parts of their time, as charts show them.

import { STEP_CLASS, classWords } from "./classes.js";

/** Parts of a step from the bottom up: column, class, colour, and whether the GPU waits in it. */
export const STEP_PARTS = [
  ["copy_ns", "copy", "memory", false],
  ["gpu_ns", "gpu", "kernel", false],
  ["communication_ns", "communication", "comm", false],
  ["input_ns", "input", "loader", true],
  ["cpu_ns", "cpu", "cpu", true],
  ["sync_ns", "sync", "sync", true],
  ["other_ns", "other", "other", true],
];

/** All iterations with their parts; those that are not aggregated have none. */
export async function iterationModel(source) {
  const [iterations, steps] = await Promise.all([
    source.rows("iterations", {
      columns: ["iteration", "state", "aggregated", "duration_ns", "kernel_calls", "label"],
    }),
    source.rows("steps", { columns: ["iteration", ...STEP_PARTS.map(([key]) => key)] }),
  ]);
  const parts = new Map(
    steps.rows.map(([iteration, ...times]) => [iteration, times.some((ns) => ns > 0) ? times : null]),
  );
  const row = ([iteration, state, isAggregated, ns, kernels, label]) => ({
    iteration,
    state,
    isAggregated,
    ns,
    kernels,
    label,
    parts: parts.get(iteration) ?? null,
  });
  return iterations.rows.filter(([, state]) => state !== "outside").map(row);
}

/** The parts that take time in some iteration, with their styles; parts that are zero everywhere need no legend. */
export function partsInUse(rows) {
  const used = STEP_PARTS.filter((_, at) => rows.some((row) => row.parts?.[at] > 0));
  return used.map(([key, name, , isIdle]) => ({ key, style: STEP_CLASS[name], isIdle, name: classWords(name) }));
}
