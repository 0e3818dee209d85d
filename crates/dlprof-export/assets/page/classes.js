// One hue for a class everywhere. Causes of idle time have the hue of their class of the step, hatched. Words and meanings come
// with the data: core declares them.

/** Classes of a step: the style of their swatches and bars. */
export const STEP_CLASS = {
  gpu: "c-kernel",
  communication: "c-comm",
  copy: "c-copy",
  input: "c-loader",
  cpu: "c-cpu",
  sync: "c-sync",
  other: "c-other",
};

/** Colour variables of the classes. */
const CLASS_COLOR = {
  gpu: "kernel",
  communication: "comm",
  copy: "memory",
  input: "loader",
  cpu: "cpu",
  sync: "sync",
  other: "other",
};

const causes = new Map();
const classes = new Map();

/** Takes the words and meanings of causes and classes; called once, before any view is made. */
export function useTerms(terms) {
  for (const cause of terms.causes) causes.set(cause.key, cause);
  for (const known of terms.classes) classes.set(known.key, known);
}

/** The colour variable of a cause of idle time, without `--`. */
export function causeColor(cause) {
  if (cause === "edge" || cause === "unused") return "outside";
  return CLASS_COLOR[causes.get(cause)?.class] ?? "other";
}

/** The words for a cause. */
export function causeWords(cause) {
  return causes.get(cause)?.words ?? cause;
}

/** What a cause means, for those who meet its name for the first time. */
export function causeMeaning(cause) {
  return causes.get(cause)?.meaning ?? "";
}

/** The words for a class of the step. */
export function classWords(key) {
  return classes.get(key)?.words ?? key;
}

/** What a class of the step means. */
export function classMeaning(key) {
  return classes.get(key)?.meaning ?? "";
}

/** The colour variable of GPU work. */
export function workColor(workClass) {
  return { tc: "tc", comm: "comm", copy: "memory" }[workClass] ?? "kernel";
}

/** The colour variable of an API call. */
export function callColor(callClass) {
  return { launch: "cpu", sync: "sync", copy: "memory", allocation: "io", setup: "io" }[callClass] ?? "line-2";
}

const colors = new Map();

// Canvases ask for colours very often, so they are kept until the theme changes.
addEventListener("themechange", () => colors.clear());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colors.clear());

/** The colour after a variable, for canvases. */
export function color(name) {
  const known = colors.get(name);
  if (known) return known;
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  colors.set(name, found);
  return found;
}
