// GPUs: one bar each on one axis. Communication is solid where its kernels run, which wait inside as well.

import { el } from "../dom.js";
import { legend, stackedBar } from "../bars.js";
import { causeColor, causeWords } from "../classes.js";
import { percent, phrases, rawTime, time } from "../format.js";
import { card } from "../plain-table.js";
import { grid } from "../table.js";
import { evidenceHref, withCode } from "../findings.js";

const STYLES = { compute_ns: "c-kernel", exposed_communication_ns: "c-comm", exposed_copy_ns: "c-copy" };
const LATE =
  "Where GPUs work together, the one that is late waits least for the others: its bar has the least communication.";

export async function gpusView({ source, state, divisor, perWords }, place) {
  const { columns, works: workNames } = source.words();
  const works = workNames.map(([key, name]) => [key, STYLES[key], name]);
  const [overview, names] = await Promise.all([
    source.overview(),
    source.rows("gpus", {
      columns: ["device_id", "gpu_name", "compute_capability", "sm_count"],
    }),
  ]);
  const factor = state.per === "total" ? overview.basis.divisor : 1;
  const same = new Set(
    names.rows.map(([, name, capability, sms]) =>
      name === null ? "type not recorded" : `${name}, compute capability ${capability ?? "unknown"}, ${sms ?? "?"} ${phrases.multiprocessors}`,
    ),
  );
  const note = same.size === 1 ? `${names.rows.length} × ${[...same][0]}` : `${names.rows.length} GPUs`;
  const knowsUse = overview.gpus.some((gpu) => gpu.is_used);
  const lines = overview.gpus.map((gpu) => gpuLine(gpu, works, factor, knowsUse));
  const link = el(
    "a.r",
    { href: evidenceHref("idle_causes", [{ column: "cause", op: "!=", value: "unused" }], "-time_ns") },
    "Causes of idle time",
  );
  const body = el(
    "div.body",
    null,
    el("div.gpulines", null, ...lines),
    keyOf(overview.gpus, works),
    el("p.dim.small", null, ...withCode(LATE)),
  );
  place.append(
    el(
      "div.stack",
      null,
      card("GPUs", `${note}; ${perWords}, with the share of time with any work`, link, body),
      grid({
        source,
        key: "gpus",
        title: "GPUs",
        sub: `sums ${perWords}`,
        divisor,
        columns: columns.gpus,
        meterOf: "gpu_utilization_percent",
        height: 320,
      }).element,
      grid({
        source,
        key: "gpu_time",
        title: "GPU time by iteration",
        sub: "each iteration by itself",
        columns: columns.gpu_time,
        meterOf: "busy_ns",
        height: 420,
      }).element,
    ),
  );
}

/** What the colours mean: works, then the causes that take most time on some GPU. */
function keyOf(gpus, all) {
  const times = gpus.filter((gpu) => gpu.is_used && gpu.time).map((gpu) => gpu.time);
  const works = all
    .filter(([key]) => times.some((time) => time[key] > 0))
    .map(([, style, name]) => ({
      style,
      name,
    }));
  const longest = new Map();
  for (const { cause, ns } of times.flatMap((time) => time.idle))
    longest.set(cause, Math.max(ns, longest.get(cause) ?? 0));
  const causes = [...longest]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 6)
    .map(([cause]) => ({ style: `c-${causeColor(cause)}`, isIdle: true, name: causeWords(cause) }));
  const list = legend([...works, ...causes]);
  list.className = "legend inl";
  return list;
}

function gpuLine({ number, is_used: isUsed, time: times, busy_percent: busy }, works, factor, knowsUse) {
  const name = el("span.gname", null, `GPU ${number}`);
  if (!isUsed || !times) {
    return el(
      "div.gpuline",
      null,
      name,
      el("div.bar.gb.unkbar", null, isUsed || !knowsUse ? "not recorded" : "not used"),
      el("span.num.dim", null, "–"),
    );
  }
  const each = (ns) => time(ns * factor);
  const parts = works.map(([key, style, words]) => ({
    style,
    ns: times[key],
    title: `${words}: ${rawTime(times[key] * factor)}`,
    label: key === "compute_ns" ? each(times[key]) : "",
  }));
  const waits = times.idle.map(({ cause, words, ns }) => {
    const label = ns > times.length_ns * 0.08 ? `${words} ${each(ns)}` : "";
    return { style: `c-${causeColor(cause)}`, isIdle: true, ns, title: `${words}: ${rawTime(ns * factor)}`, label };
  });
  const bar = stackedBar(
    [...parts, ...waits],
    `GPU ${number}: works ${each(times.busy_ns)}, waits ${each(times.idle_ns)}`,
  );
  bar.classList.add("gb");
  return el(
    "div.gpuline",
    null,
    name,
    bar,
    el("span.num", { title: "GPU busy: share of the time with any work" }, percent(busy)),
  );
}
