// GPUs: one bar each on one axis. Communication is solid where it transfers, hatched where it waits.

import { el } from "../dom.js";
import { legend, stackedBar } from "../bars.js";
import { causeColor, causeWords } from "../classes.js";
import { percent, rawTime, time } from "../format.js";
import { card } from "../plain-table.js";
import { grid } from "../table.js";
import { evidenceHref, withCode } from "../findings.js";

const WORKS = [["compute", "c-kernel", "computing"], ["communication", "c-comm", "communication, exposed"], ["copy", "c-copy", "copies, exposed"]];

/** Sums over the aggregated iterations by GPU, from rows of the tables. */
async function gpuSums(source) {
  const [times, causes] = await Promise.all([
    source.rows("gpu_time", { columns: ["device_id", "length_ns", "compute_ns", "exposed_communication_ns", "exposed_copy_ns", "busy_ns", "idle_ns"] }),
    source.rows("idle_causes", { columns: ["device_id", "cause", "time_ns"] }),
  ]);
  const gpus = new Map();
  for (const [device, length, compute, communication, copy, busy, idle] of times.rows) {
    const sum = gpus.get(device) ?? { device, length: 0, busy: 0, idle: 0, works: { compute: 0, communication: 0, copy: 0 }, causes: new Map() };
    sum.length += length;
    sum.busy += busy;
    sum.idle += idle;
    sum.works.compute += compute;
    sum.works.communication += communication;
    sum.works.copy += copy;
    gpus.set(device, sum);
  }
  for (const [device, cause, ns] of causes.rows) {
    const own = gpus.get(device)?.causes;
    own?.set(cause, (own.get(cause) ?? 0) + ns);
  }
  return [...gpus.values()].sort((a, b) => a.device - b.device);
}

export async function gpusView({ source, divisor, perWords }, place) {
  const gpus = await gpuSums(source);
  const names = await source.rows("gpus", { columns: ["device_id", "gpu_name", "compute_capability", "sm_count", "gpu_utilization_percent"] });
  const facts = new Map(names.rows.map(([device, ...rest]) => [device, rest]));
  const same = new Set(names.rows.map(([, name, capability, sms]) => `${name}, compute capability ${capability ?? "unknown"}, ${sms ?? "?"} SMs`));
  const lines = gpus.map((gpu) => gpuLine(gpu, facts.get(gpu.device), divisor));
  const causes = new Map();
  for (const gpu of gpus) for (const [cause, ns] of gpu.causes) if (cause !== "unused") causes.set(cause, (causes.get(cause) ?? 0) + ns);
  const keyRows = [...WORKS.filter(([key]) => gpus.some((gpu) => gpu.works[key] > 0)).map(([, style, name]) => ({ style, name })), ...[...causes].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([cause]) => ({ style: `c-${causeColor(cause)}`, isIdle: true, name: causeWords(cause) }))];
  const keyList = legend(keyRows);
  keyList.className = "legend inl";
  const note = same.size === 1 ? `${names.rows.length} × ${[...same][0]}` : `${names.rows.length} GPUs`;
  place.append(el("div.stack", null,
    card("GPUs", `${note}; ${perWords}`, el("a.r", { href: evidenceHref("idle_causes", [], "-time_ns") }, "Idle causes"), el("div.body", null, el("div.gpulines", null, ...lines), keyList, el("p.dim.small", null, ...withCode("Where GPUs work together, the one that is late waits least for the others: its bar has the least hatching of communication.")))),
    grid({ source, key: "gpus", title: "GPUs", columns: ["device_id", "gpu_utilization_percent", "gpu_name", "compute_capability", "sm_count", "memory_bytes", "tc_kernel_ns", "non_tc_kernel_ns", "memory_ns", "clock_hz", "memory_bandwidth", "peak_fp32", "peak_tf32", "peak_fp16"], meterOf: "gpu_utilization_percent", height: 320 }).element,
    grid({ source, key: "gpu_time", title: "GPU time by iteration", columns: ["iteration", "busy_ns", "device_id", "idle_ns", "compute_ns", "communication_ns", "exposed_communication_ns", "copy_ns", "exposed_copy_ns", "gaps", "longest_gap_ns"], meterOf: "busy_ns", height: 420 }).element));
}

function gpuLine(gpu, facts, divisor) {
  const utilization = facts?.[3];
  const isUsed = gpu.busy > 0;
  const head = [el("span.gname", null, `GPU ${gpu.device}`)];
  if (!isUsed) return el("div.gpuline", null, ...head, el("div.bar.gb.unkbar", null, "not used"), el("span.num.dim", null, "–"));
  const parts = WORKS.map(([key, style, name]) => ({ style, ns: gpu.works[key], title: `${name}: ${rawTime(gpu.works[key])}`, label: key === "compute" ? time(gpu.works[key] / divisor) : "" }));
  const waits = [...gpu.causes].sort((a, b) => b[1] - a[1]).map(([cause, ns]) => ({ style: `c-${causeColor(cause)}`, isIdle: true, ns, title: `${causeWords(cause)}: ${rawTime(ns)}`, label: ns > gpu.length * 0.08 ? `${causeWords(cause).split(":")[0]} ${time(ns / divisor)}` : "" }));
  const bar = stackedBar([...parts, ...waits], `GPU ${gpu.device}: works ${time(gpu.busy / divisor)}, waits ${time(gpu.idle / divisor)}`);
  bar.classList.add("gb");
  return el("div.gpuline", null, ...head, bar, el("span.num", { title: "share of the wall clock with a kernel running" }, percent(utilization)));
}
