// Answer, evidence, detail, in this order.

import { el } from "../dom.js";
import { objects } from "./dashboard/rows-as-objects.js";
import { alerts, verdictCard } from "./dashboard/verdict.js";
import { stepCard } from "./dashboard/step.js";
import { findingsCard, iterationsCard } from "./dashboard/evidence.js";
import { kindsCard, opTypesCard, topKernelsCard, topOpsCard } from "./dashboard/top.js";
import { gpusCard, kernelDetailsCard, performanceCard, resourcesCard } from "./dashboard/figures.js";
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
  place.append(
    el(
      "div.stack",
      null,
      ...(await alerts(dashboard)),
      verdictCard(dashboard),
      stepCard(dashboard),
      chart ? el("div.grid.stretch", null, left(findingsCard(dashboard)), right(chart.card)) : findingsCard(dashboard),
      el(
        "div.grid.stretch",
        null,
        left(topKernelsCard(dashboard), topOpsCard(dashboard), performanceCard(dashboard)),
        right(kindsCard(dashboard), opTypesCard(dashboard), resourcesCard(dashboard), gpusCard(dashboard), details),
      ),
      el("div.grid.stretch", null, left(systemCard(dashboard)), right(guidanceCard())),
    ),
  );
  return { repaint: () => chart?.paint(), shown: () => chart?.paint() };
}
