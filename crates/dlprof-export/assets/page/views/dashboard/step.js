// Where a step goes, and why the GPU idled.

import { el } from "../../dom.js";
import { legend, stackedBar } from "../../bars.js";
import { STEP_CLASS, causeColor, causeMeaning, classMeaning } from "../../classes.js";
import { decimals, percent, rawTime, time, timeUnit } from "../../format.js";
import { card, more } from "../../plain-table.js";
import { evidenceHref } from "../../findings.js";
import { hashOf } from "../../state.js";

/** Where a step goes, and why the GPU idled. */
export function stepCard({ overview, factor }) {
  const step = overview.step;
  if (!step) {
    const gap = overview.missing.find((row) => row.figure === "gpu");
    return card(
      "Where a step goes",
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
      ? `${part.words} ${time(each(part.working_ns))} · ${percent((part.working_ns / step.length_ns) * 100)}`
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
  const idle = step.idle.filter((row) => row.ns > 0);
  const below = stackedBar(
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
  return card(
    "Where a step goes",
    `${overview.basis.per === "iteration" && factor === 1 ? "mean iteration" : "all"}, ${time(each(step.length_ns))}; solid: the GPU works, hatched: it waits`,
    more("Timeline", hashOf("timeline")),
    el("div.body", null, top, ...(step.idle_ns > 0 ? [lens(step), below] : []), stepLegends(step, idle, each)),
  );
}

/** The idle part of the bar opens into a full bar of causes. */
function lens(step) {
  const from = (step.busy_ns / step.length_ns) * 100;
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  shape.setAttribute("class", "lens");
  shape.setAttribute("viewBox", "0 0 100 20");
  shape.setAttribute("preserveAspectRatio", "none");
  shape.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M${from} 0H100L100 20H0Z`);
  shape.append(path);
  return shape;
}

function stepLegends(step, idle, each) {
  const [symbol, one] = timeUnit(each(step.length_ns));
  const value = (ns) => decimals(each(ns) / one, 2);
  const classes = step.classes.filter((part) => part.ns > 0).sort((a, b) => b.ns - a.ns);
  const none = step.classes.filter((part) => !(part.ns > 0)).map((part) => part.words);
  const classRows = classes.map((part) => ({
    style: STEP_CLASS[part.class],
    isIdle: !(part.working_ns > part.ns / 2),
    name: part.words,
    value: value(part.ns),
    share: part.percent,
    title: [classMeaning(part.class), rawTime(each(part.ns))].filter(Boolean).join("\n"),
  }));
  const shown = idle.slice(0, idle.length > 6 ? 5 : 6);
  const rest = idle.slice(shown.length);
  const [idleSymbol, idleOne] = timeUnit(each(step.idle_ns));
  const idleRows = shown.map((row) => ({
    style: `c-${causeColor(row.cause)}`,
    isIdle: true,
    name: row.words,
    value: decimals(each(row.ns) / idleOne, 2),
    share: row.percent,
    title: [causeMeaning(row.cause), rawTime(each(row.ns))].filter(Boolean).join("\n"),
  }));
  if (rest.length) {
    const ns = rest.reduce((sum, row) => sum + row.ns, 0);
    idleRows.push({
      style: "c-outside",
      isIdle: true,
      name: `${rest.length} more causes`,
      value: decimals(each(ns) / idleOne, 2),
      share: rest.reduce((sum, row) => sum + row.percent, 0),
      title: rest.map((row) => `${row.words}: ${rawTime(each(row.ns))}`).join("\n"),
    });
  }
  const sentence = none.length ? el("p.dim.small", null, `No ${none.join(", no ")}`) : null;
  return el(
    "div.twocol.mt",
    null,
    el(
      "div",
      null,
      el("div.sub", null, el("span", null, `Step classes, ${symbol} and share of the step`)),
      legend(classRows),
      sentence,
    ),
    el(
      "div",
      null,
      el(
        "div.sub",
        null,
        el("span", null, `Why the GPU idled, ${idleSymbol} and share of ${time(each(step.idle_ns))}`),
        el(
          "span",
          null,
          el("a", { href: evidenceHref("idle_totals", [], "-time_ns") }, "all causes"),
          ", ",
          el("a", { href: evidenceHref("longest_gaps", [], "-duration_ns") }, "longest gaps"),
        ),
      ),
      legend(idleRows),
    ),
  );
}
