// Where a step goes, and of what limits it the parts: of a step that the GPU limits the kinds of kernels, else why the GPU idled.

import { el } from "../../dom.js";
import { legend, stackedBar } from "../../bars.js";
import { STEP_CLASS, causeColor, causeMeaning, classMeaning, classWords } from "../../classes.js";
import { decimals, percent, rawTime, time, timeUnit } from "../../format.js";
import { card, more } from "../../plain-table.js";
import { evidenceHref } from "../../findings.js";
import { hashOf } from "../../state.js";

/** The title of the parts of the time. */
function whereItGoes(overview) {
  return overview.basis.per === "iteration" ? "Where a step goes" : "Where the time goes";
}

/** Where a step goes, and what its limit is made of. */
export function stepCard({ overview, factor }) {
  const step = overview.step;
  if (!step) {
    const gap = overview.missing.find((row) => row.figure === "gpu");
    return card(
      whereItGoes(overview),
      "not known",
      null,
      el(
        "div.body",
        null,
        el("div.bar.unkbar", null, gap ? `Not known: ${gap.reason}.` : "Not known."),
        gap ? el("pre.cmd", { tabindex: "0" }, gap.option) : null,
      ),
    );
  }
  const each = (ns) => ns * factor;
  const working = step.classes.filter((part) => part.working_ns > 0);
  const gpu = working.find((part) => part.class === "gpu");
  const busy = [...working.filter((part) => part !== gpu), ...(gpu ? [gpu] : [])];
  const label = (part) =>
    part.class === "gpu"
      ? `kernels run ${time(each(part.working_ns))} · ${percent((part.working_ns / step.length_ns) * 100)}`
      : "";
  const top = stackedBar(
    [
      ...busy.map((part) => ({
        style: STEP_CLASS[part.class],
        ns: part.working_ns,
        label: label(part),
        title: `${part.words}, the GPU works: ${rawTime(each(part.working_ns))}`,
      })),
      {
        style: "c-outside",
        isIdle: true,
        ns: step.idle_ns,
        label: `idle ${time(each(step.idle_ns))}`,
        title: `the GPU waits: ${rawTime(each(step.idle_ns))}`,
      },
    ],
    `Of ${time(each(step.length_ns))}, the GPU works ${time(each(step.busy_ns))} and waits ${time(each(step.idle_ns))}`,
  );
  // Kernels that exchange data are a class of their own.
  const isCompute = (row) => row.kind !== classWords("communication");
  const isLimit = overview.verdict_parts.step_class === "gpu" && gpu;
  const kinds = isLimit ? (overview.kernels?.kinds ?? []).filter(isCompute) : [];
  const opened = kinds.length ? ofKinds(overview, kinds, gpu, each) : ofIdle(step, each);
  return card(
    whereItGoes(overview),
    `${overview.basis.per === "iteration" && factor === 1 ? "mean iteration" : "all"}, ${time(each(step.length_ns))}; solid: the GPU works, hatched: it waits`,
    more("Timeline", hashOf("timeline")),
    el("div.body", null, top, ...opened.bars, el("div.twocol.mt", null, classesLegend(overview, each), opened.legend)),
  );
}

/** What the part of the bar opens into in which the GPU computes: kernels by kind. */
function ofKinds(overview, kinds, gpu, each) {
  const { step } = overview;
  const [symbol, one] = timeUnit(each(kinds[0].ns));
  const shown = kinds.slice(0, kinds.length > 6 ? 5 : 6);
  const rows = shown.map((row) => ({
    style: STEP_CLASS.gpu,
    name: row.kind,
    value: decimals(each(row.ns) / one, 2),
    share: row.percent,
    title: rawTime(each(row.ns)),
  }));
  const rest = kinds.slice(shown.length);
  if (rest.length) {
    const ns = rest.reduce((sum, row) => sum + row.ns, 0);
    rows.push({
      style: STEP_CLASS.gpu,
      name: `${rest.length} more kinds`,
      value: decimals(each(ns) / one, 2),
      share: rest.reduce((sum, row) => sum + row.percent, 0),
      title: rest.map((row) => `${row.kind}: ${rawTime(each(row.ns))}`).join("\n"),
    });
  }
  const bar = stackedBar(
    kinds.map((row, at) => ({
      style: STEP_CLASS.gpu,
      ns: row.ns,
      title: `${row.kind}: ${rawTime(each(row.ns))}`,
      label: at < 3 && row.percent > 12 ? `${row.kind} ${percent(row.percent)}` : "",
    })),
    `Kernel time by kind: ${kinds
      .slice(0, 3)
      .map((row) => `${row.kind} ${percent(row.percent)}`)
      .join(", ")}`,
  );
  const most = step.idle[0];
  const idle = most ? ` ${time(each(step.idle_ns))} of the step the GPU idles, mostly ${most.words}: ` : "";
  const { gpus } = overview.kernels;
  const title = `Kernel time by kind, ${symbol} and share${gpus > 1 ? `, sum over ${gpus} GPUs` : ""}`;
  return {
    bars: [lens(step.busy_ns - gpu.working_ns, step.busy_ns, step.length_ns), bar],
    legend: el(
      "div",
      null,
      el("div.sub", null, el("span", null, title), more("all kernels", evidenceHref("kernel_names", [], "-gpu_time_ns"))),
      legend(rows),
      most ? el("p.dim.small", null, idle, ...idleLinks()) : null,
    ),
  };
}

/** What the part of the bar opens into in which the GPU waits: causes. */
function ofIdle(step, each) {
  const idle = step.idle.filter((row) => row.ns > 0);
  const bar = stackedBar(
    idle.map((row, at) => ({
      style: `c-${causeColor(row.cause)}`,
      isIdle: true,
      ns: row.ns,
      title: `${row.words}: ${rawTime(each(row.ns))}`,
      label: at < 3 && row.percent > 5 ? `${row.words} ${time(each(row.ns))}` : "",
    })),
    `Why the GPU idled: ${idle
      .slice(0, 3)
      .map((row) => `${row.words} ${percent(row.percent)}`)
      .join(", ")}`,
  );
  const bars = step.idle_ns > 0 ? [lens(step.busy_ns, step.length_ns, step.length_ns), bar] : [];
  return { bars, legend: idleLegend(step, idle, each) };
}

function idleLinks() {
  return [
    el("a", { href: evidenceHref("idle_totals", [], "-time_ns") }, "all causes"),
    ", ",
    el("a", { href: evidenceHref("longest_gaps", [], "-duration_ns") }, "longest gaps"),
  ];
}

/** A part of the bar opens into a full bar. */
function lens(from_ns, to_ns, whole_ns) {
  const [from, to] = [from_ns, to_ns].map((ns) => (ns / whole_ns) * 100);
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  shape.setAttribute("class", "lens");
  shape.setAttribute("viewBox", "0 0 100 20");
  shape.setAttribute("preserveAspectRatio", "none");
  shape.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M${from} 0H${to}L100 20H0Z`);
  shape.append(path);
  return shape;
}

function classesLegend({ step, basis }, each) {
  const [symbol, one] = timeUnit(each(step.length_ns));
  const classes = step.classes.filter((part) => part.ns > 0).sort((a, b) => b.ns - a.ns);
  const none = step.classes.filter((part) => !(part.ns > 0)).map((part) => part.words);
  const idle = (part) => decimals(each(Math.max(0, part.ns - part.working_ns)) / one, 2);
  const rows = classes.map((part) => ({
    style: STEP_CLASS[part.class],
    isIdle: !(part.working_ns > part.ns / 2),
    name: part.working_ns > 0 && idle(part) !== decimals(0, 2) ? `${part.words}, of it idle ${idle(part)}` : part.words,
    value: decimals(each(part.ns) / one, 2),
    share: part.percent,
    title: [classMeaning(part.class), rawTime(each(part.ns))].filter(Boolean).join("\n"),
  }));
  return el(
    "div",
    null,
    el("div.sub", null, el("span", null, `Where time goes, ${symbol} and share of the ${basis.per === "iteration" ? "step" : "window"}`)),
    legend(rows),
    none.length ? el("p.dim.small", null, `No ${none.join(", no ")}`) : null,
  );
}

function idleLegend(step, idle, each) {
  const shown = idle.slice(0, idle.length > 6 ? 5 : 6);
  const rest = idle.slice(shown.length);
  const [symbol, one] = timeUnit(each(step.idle_ns));
  const rows = shown.map((row) => ({
    style: `c-${causeColor(row.cause)}`,
    isIdle: true,
    name: row.words,
    value: decimals(each(row.ns) / one, 2),
    share: row.percent,
    title: [causeMeaning(row.cause), rawTime(each(row.ns))].filter(Boolean).join("\n"),
  }));
  if (rest.length) {
    const ns = rest.reduce((sum, row) => sum + row.ns, 0);
    rows.push({
      style: "c-outside",
      isIdle: true,
      name: rest.length === 1 ? "1 more cause" : `${rest.length} more causes`,
      value: decimals(each(ns) / one, 2),
      share: rest.reduce((sum, row) => sum + row.percent, 0),
      title: rest.map((row) => `${row.words}: ${rawTime(each(row.ns))}`).join("\n"),
    });
  }
  const title = `Why the GPU idled, ${symbol} and share of ${time(each(step.idle_ns))}`;
  return el(
    "div",
    null,
    el("div.sub", null, el("span", null, title), el("span", null, ...idleLinks())),
    legend(rows),
  );
}
