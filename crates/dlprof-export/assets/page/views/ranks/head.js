// The answer about a job: what is missing, the verdict, its figures, what a change would bring, and where a step goes.

import { el } from "../../dom.js";
import { legend, stackedBar } from "../../bars.js";
import { STEP_CLASS } from "../../classes.js";
import { count, decimals, percent, rawTime, significant, time, timeUnit, UNKNOWN } from "../../format.js";
import { findingCard, severitySign, withCode } from "../../findings.js";
import { card, declared, more } from "../../plain-table.js";
import { hashOf } from "../../state.js";

/** What is missing: ranks, files, waiting, communicators. */
export function jobAlerts({ job }) {
  if (!job.problems.length) return null;
  const alert = (text) => el("div.alert", null, severitySign("warning"), el("div", null, ...withCode(text)));
  return el("section.card.alerts", { "aria-label": "about the captures" }, ...job.problems.map(alert));
}

function tileText({ value, unit }) {
  if (value === null) return el("b.unk", null, UNKNOWN);
  const [number, symbol] =
    unit === "ns"
      ? [significant(value / timeUnit(value)[1]), timeUnit(value)[0]]
      : unit === "%"
        ? [decimals(value, 1), "%"]
        : [significant(value), unit];
  return el("b", null, number, el("small", null, ` ${symbol}`));
}

/** The verdict, its figures, and what a change would bring. */
export function jobVerdict({ job }) {
  const tile = (one) =>
    el(
      "div.kpi",
      { title: one.unit === "ns" ? `${one.title}\n${rawTime(one.value)}` : one.title },
      tileText(one),
      el("span", null, ...withCode(one.label)),
    );
  return el(
    "section.card",
    { "aria-label": "verdict" },
    el("div.verdict", null, el("div", null, el("h1", null, ...withCode(job.verdict))), outlook(job)),
    el("div.kpis", null, ...job.tiles.map(tile)),
  );
}

/** The length of a step now, and if nobody waited for the ranks that lag. */
function outlook(job) {
  const now = job.length_ns;
  const best = job.findings[job.best];
  if (!best?.saving || !(now > 0)) return el("div");
  const row = (name, ns, style, title) => [
    el("span", { title }, name),
    el("span.obar", { "aria-hidden": "true" }, el(`i.${style}`, { style: { width: `${(ns / now) * 100}%` } })),
    el("b", { title: rawTime(ns) }, time(ns)),
  ];
  const lines = [row("now", now, "c-kernel")];
  const { expected_ns: expected, at_most_ns: most } = best.saving;
  if (expected !== null) lines.push(row("after this change, expected", now - expected, "c-tc", best.problem));
  else lines.push(row("after this change, at best", now - most, "c-tc", best.problem));
  if (job.lagging.length > 1 && job.saving_ns !== null)
    lines.push(row(`if nobody waited for ${job.lagging.length} ${job.many}`, now - job.saving_ns, "c-tc", job.lagging.join(", ")));
  return el("div.outlook", { "aria-label": "what a change would bring" }, ...lines.flat());
}

/** Where a step goes. Waiting for others has the hue of communication, hatched. */
export function jobStep({ job, source }) {
  const total = job.length_ns;
  const [symbol, one] = timeUnit(total);
  const meanings = declared(source, "job", job.parts.map((part) => part.key));
  const shown = job.parts
    .map((part, at) => ({ ...part, style: STEP_CLASS[part.class], title: `${meanings[at].doc ?? part.name}\n${rawTime(part.ns)}` }))
    .filter((part) => part.ns > 0);
  const parts = shown.map((part) => ({
    style: part.style,
    isIdle: !part.works,
    ns: part.ns,
    title: part.title,
    label: part.percent > 7 ? `${part.name} ${time(part.ns)}` : "",
  }));
  const spoken = shown.map((part) => `${part.name} ${percent(part.percent)}`).join(", ");
  const rows = shown.map((part) => ({
    style: part.style,
    isIdle: !part.works,
    name: part.name,
    value: decimals(part.ns / one, 2),
    share: part.percent,
    title: part.title,
  }));
  const half = Math.ceil(rows.length / 2);
  const none = job.parts.filter((part) => !(part.ns > 0)).map((part) => part.name);
  return card(
    job.where_it_goes,
    `mean of ${count(job.ranks)} ${job.many}, ${time(total)}; solid: the GPU works, hatched: it waits`,
    more("Per rank", hashOf("table", { key: "ranks" })),
    el(
      "div.body",
      null,
      stackedBar(parts, `Of ${time(total)}: ${spoken}`),
      el("div.sub.mt", null, el("span", null, `${symbol} and share of the step`)),
      el("div.twocol.tops", null, legend(rows.slice(0, half)), legend(rows.slice(half))),
      none.length ? el("p.dim.small", null, `No ${none.join(", no ")}`) : null,
    ),
  );
}

/** What to change. */
export function jobFindings({ job }) {
  const link = (rank) => el("a", { href: hashOf("ranks", { rank }) }, `${job.one} ${rank}`);
  const cards = job.findings.map((finding) => {
    const one = findingCard(finding, null, job.length_ns || 1, 1);
    one.querySelector(".links").prepend(...finding.ranks.slice(0, 4).map(link));
    return one;
  });
  if (!cards.length) cards.push(el("div.body.dim", null, "No rule fired."));
  return card(
    "What to change",
    `by ${job.about_savings}`,
    more("As a table", hashOf("table", { key: "job_findings" })),
    ...cards,
  );
}
