// Answer, evidence, detail, in this order.

import { el } from "../dom.js";
import { objects } from "./dashboard/rows-as-objects.js";
import { alerts, verdictCard } from "./dashboard/verdict.js";
import { stepCard } from "./dashboard/step.js";
import { findingsCard, iterationsCard } from "./dashboard/evidence.js";
import { kindsCard, opTypesCard, topKernelsCard, topOpsCard } from "./dashboard/top.js";
import { gpusCard, kernelDetailsCard, performanceCard, resourcesCard } from "./dashboard/figures.js";
import { servingCard } from "./dashboard/serving.js";
import { guidanceCard, systemCard } from "./dashboard/system.js";

export async function dashboardView(context, place) {
  const { source } = context;
  const [overview, findingRows, summary] = await Promise.all([
    source.overview(),
    objects(source, "findings"),
    objects(source, "summary"),
  ]);
  const factor = context.state.per === "total" ? overview.basis.divisor : 1;
  const words = overview.basis.per === "iteration" && factor === 1 ? "per iteration" : "in all";
  const dashboard = { ...context, overview, findingRows, summary: summary[0] ?? {}, factor, words };
  const chart = overview.iterations ? iterationsCard(dashboard) : null;
  const left = (...cards) => el("div.c7.stack", null, ...cards.filter(Boolean));
  const right = (...cards) => el("div.c5.stack", null, ...cards.filter(Boolean));
  const details = await kernelDetailsCard(dashboard);
  const tall = left(topKernelsCard(dashboard), topOpsCard(dashboard));
  const beside = right(kindsCard(dashboard), opTypesCard(dashboard), resourcesCard(dashboard));
  const free = [performanceCard(dashboard), details, gpusCard(dashboard), systemCard(dashboard), guidanceCard()];
  place.append(
    el(
      "div.stack",
      null,
      ...(await alerts(dashboard)),
      verdictCard(dashboard),
      servingCard(dashboard),
      stepCard(dashboard),
      chart ? el("div.grid.stretch", null, left(findingsCard(dashboard)), right(chart.card)) : findingsCard(dashboard),
      el("div.grid.stretch", null, tall, beside),
    ),
  );
  fillColumns([tall, beside], free.filter(Boolean));
  return { repaint: () => chart?.paint(), shown: () => chart?.paint() };
}

/** Pixels between cards. */
const GAP = 16;

/** Shares the cards among two columns so that both end at about the same height: of all ways the one that differs least. */
function fillColumns(columns, cards) {
  const bottom = (column) => column.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  columns.forEach((column) => column.classList.add("natural"));
  const ends = columns.map(bottom);
  const heights = columns.map((column) => {
    column.append(...cards);
    return cards.map((one) => one.offsetHeight + GAP);
  });
  const sideOf = (way, at) => (way >> at) & 1;
  const difference = (way) =>
    Math.abs(cards.reduce((sum, _, at) => sum + (sideOf(way, at) ? -1 : 1) * heights[sideOf(way, at)][at], ends[0] - ends[1]));
  const ways = Array.from({ length: 2 ** cards.length }, (_, way) => way);
  const best = ways.reduce((least, way) => (difference(way) < difference(least) ? way : least));
  cards.forEach((one, at) => columns[sideOf(best, at)].append(one));
  columns.forEach((column) => column.classList.remove("natural"));
}
