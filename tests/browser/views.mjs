// All views, as addresses name them.

export const VIEWS = [
  "dashboard",
  "ops",
  "optypes",
  "groups",
  "kernels",
  "iterkernels",
  "opkernels",
  "scatter",
  "counters",
  "tables",
  "iterations",
  "timeline",
  "flame",
  "gpus",
  "compare",
];

/** The same of a job of many ranks. */
export const VIEWS_OF_JOB = ["ranks", "tables"];
