// What must hold for every capture, whatever its source. Each case opens the page anew.

import { AGGREGATION } from "./cases/aggregation.mjs";
import { COMPARISON } from "./cases/comparison.mjs";
import { COUNTERS } from "./cases/counters.mjs";
import { FIGURES } from "./cases/figures.mjs";
import { FRAME } from "./cases/frame.mjs";
import { GRIDS } from "./cases/grids.mjs";
import { JOBS } from "./cases/jobs.mjs";
import { LINKS } from "./cases/links.mjs";
import { LOOK } from "./cases/look.mjs";
import { TABLES } from "./cases/tables.mjs";
import { OPENED } from "./cases/views.mjs";
import { WHOLE_RUN } from "./cases/whole-run.mjs";

/** Cases of one capture. */
export const CASES = { ...OPENED, ...TABLES, ...GRIDS, ...FIGURES, ...LINKS, ...LOOK, ...AGGREGATION, ...WHOLE_RUN, ...COUNTERS };

/** Cases of a capture that is another one with counters beside it. */
export const CASES_OF_COUNTERS = { ...OPENED, ...FIGURES, ...LOOK, ...COUNTERS };

/** Cases of two captures side by side. */
export const CASES_OF_TWO = { ...COMPARISON, ...FRAME };

/** Cases of a job of many ranks. */
export const CASES_OF_JOB = JOBS;
