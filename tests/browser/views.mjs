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
  "tables",
  "iterations",
  "timeline",
  "flame",
  "gpus",
  "compare",
];
