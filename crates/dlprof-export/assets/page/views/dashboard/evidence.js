// What to change, and the iterations beside it.

import { el } from "../../dom.js";
import { time } from "../../format.js";
import { card, more } from "../../plain-table.js";
import { failedRule, findingCard } from "../../findings.js";
import { iterationChart } from "../../chart-iterations.js";
import { iterationModel } from "../../iteration-model.js";
import { hashOf } from "../../state.js";

/** The findings, each with links to its rows. */
export function findingsCard({ overview, findingRows, factor, words }) {
  const rows = overview.findings.map((finding) =>
    findingCard(
      finding,
      findingRows.find(
        (row) =>
          row.finding_id === finding.id &&
          (row.problem === finding.problem ||
            overview.findings.filter((other) => other.id === finding.id).length === 1),
      ),
      overview.tiles.iteration_ns || 1,
      factor,
    ),
  );
  const failed = (overview.failed_rules ?? []).map(failedRule);
  if (!rows.length) rows.push(el("div.body.dim", null, "The expert system found no problem."));
  return card(
    "What to change",
    `by saving ${words}${overview.savings_overlap ? "; savings do not add up" : ""}`,
    more("As a table", hashOf("table", { key: "findings" })),
    ...failed,
    ...rows,
    overview.after_changes && factor === 1 ? el("p.body.small", null, overview.after_changes) : null,
  );
}

/** As high as the findings beside it, where they stand beside it. */
function chartHeight(overview) {
  return innerWidth > 1180 ? Math.max(250, Math.min(420, overview.findings.length * 96 - 60)) : 220;
}

/**
 * The iterations, with the aggregated ones marked. A capture may have very many, so that the chart comes when it is there, and the
 * other cards do not wait for it.
 */
export function iterationsCard({ overview, window, source }) {
  const range = { start: window.start, stop: window.stop };
  const height = chartHeight(overview);
  const body = el("div.body", null, el("div.wait", { style: { height: `${height + 40}px` } }));
  const shown = { chart: null };
  const fill = async () => {
    const rows = await iterationModel(source);
    shown.chart = iterationChart({
      rows,
      height,
      range,
      onPick: (row) => {
        location.hash = hashOf("iterations", { it: row.iteration });
      },
    });
    body.replaceChildren(shown.chart.element, spanInWords(overview, window, rows, shown.chart.cut));
    shown.chart.paint();
  };
  fill().catch((error) => {
    console.error(error);
    body.replaceChildren(el("p.dim", null, `The iterations could not be shown: ${error.message}`));
  });
  return {
    paint: () => shown.chart?.paint(),
    card: card(
      "Iterations",
      `${range.start} to ${range.stop} of 0 to ${window.last}`,
      more("Change range", hashOf("iterations")),
      body,
    ),
  };
}

function spanInWords(overview, window, rows, cut) {
  const { min_ns, median_ns, max_ns } = overview.iterations;
  const longest = cut.slice(0, 3).map((row) => `iteration ${row.iteration} takes ${time(row.ns)}`);
  return el(
    "p.dim.small",
    null,
    `${time(min_ns)} to ${time(max_ns)}, median ${time(median_ns)}. `,
    longest.length ? `Cut: ${longest.join(", ")}. ` : "",
    rows.length > window.aggregated ? "0 is everything before the first iteration." : "",
  );
}
