// What is said where the capture lacks something.

import { withCode } from "../../findings.js";
import { el } from "../../dom.js";

/** What stands in the place of figures about kernels. */
export function nothingRecorded(overview, otherwise) {
  const gap = overview.missing.find((row) => row.figure === "gpu");
  return el(
    "p.body.dim",
    null,
    ...withCode(gap ? `Not known: ${gap.reason}. Record with \`${gap.option}\`.` : otherwise),
  );
}
