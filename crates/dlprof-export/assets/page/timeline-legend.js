// What the colours of lanes mean.

import { swatch } from "./bars.js";
import { STEP_CLASS, classWords } from "./classes.js";
import { el } from "./dom.js";

/** Solid is work, hatched is waiting. */
export function timelineLegend(source) {
  const work = source.words().flame_classes.filter(([key]) => key !== "matrix");
  const styles = { tc: "c-tc", kernel: "c-kernel", comm: "c-comm", copy: "c-copy" };
  const waits = ["cpu", "sync", "input", "copy", "communication", "other"];
  const item = (style, words, isIdle) => el("span.keyed", null, swatch(style, isIdle), words);
  return [
    el("span.dim", null, "solid: works"),
    ...work.map(([key, words]) => item(styles[key], words, false)),
    el("span.dim", null, "hatched: waits for"),
    ...waits.map((key) => item(STEP_CLASS[key], classWords(key), true)),
  ];
}
