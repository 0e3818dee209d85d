// One hue for a class everywhere. Causes of idle time have the hue of their class of the step, hatched.

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

export const STEP_WORDS = {
  gpu: "GPU: computing and turnaround",
  communication: "Communication",
  copy: "Copy: exposed copies",
  input: "Input: waiting for data",
  cpu: "CPU: host late with launches",
  sync: "Sync: waiting calls",
  other: "Other",
};

const CAUSE_STYLE = {
  turnaround: "kernel",
  communication: "comm",
  copy: "memory",
  data_loading: "loader",
  input_wait: "loader",
  io: "io",
  sync: "sync",
  launch: "cpu",
  slow_launch: "cpu",
  allocation: "cpu",
  setup: "cpu",
  api: "cpu",
  host_range: "cpu",
  host_issue: "cpu",
  edge: "outside",
  unused: "outside",
};

/** The colour variable of a cause of idle time, without `--`. */
export function causeColor(cause) {
  return CAUSE_STYLE[cause] ?? "other";
}

const CAUSE_WORDS = {
  no_api_call: "no API call",
  api: "other API call",
  io: "I/O",
  input_wait: "waiting for input",
  os_call: "OS call",
  host_issue: "between launches",
  edge: "before or after all work",
  setup: "set-up",
  stall: "stall: work queued, nothing runs",
  turnaround: "turnaround between kernels",
  launch: "launch in flight",
  host_range: "host busy in a range",
  sync: "synchronisation",
};

export function causeWords(cause) {
  return CAUSE_WORDS[cause] ?? cause.replaceAll("_", " ");
}

/** What a cause means, for those who meet its name for the first time. */
const CAUSE_MEANINGS = {
  turnaround: "Short gaps between kernels that were queued: the GPU itself needs them. They count as GPU time.",
  launch: "The launch had been called and was on its way to the GPU.",
  slow_launch: "The launch call took much longer than others.",
  host_issue: "The thread was between two launches, in code without ranges or calls that the capture knows.",
  host_range: "The thread that launches was busy in a range of the program.",
  api: "The thread that launches was in another CUDA call.",
  allocation: "The thread that launches was taking or giving back memory.",
  setup: "Code was loaded, a context made, or a library set up.",
  sync: "The thread that launches waited in a synchronising call.",
  communication: "The GPU waited for another process or GPU.",
  copy: "The thread that launches waited in a copy.",
  data_loading: "The thread that launches was in a range that loads data.",
  input_wait: "The thread that launches waited for workers or for input.",
  io: "The thread that launches read or wrote a file or socket.",
  os_call: "The thread that launches was in a call of the operating system.",
  stall:
    "Work was queued, and nothing in the capture says why the GPU did not start it. Another program on the GPU is a likely cause.",
  dependency: "The stream had been told to wait for something, or the work belongs to a graph.",
  profiler: "The profiler itself was at work.",
  unknown: "Nothing in the capture says what the host did.",
  no_api_call: "No CUDA call belongs to the next work.",
  edge: "Before the first or after the last work of the range.",
};

export function causeMeaning(cause) {
  return CAUSE_MEANINGS[cause] ?? "";
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

/** The colour behind a variable, for canvases. */
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
