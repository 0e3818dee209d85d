// The dashboard and the cards: what the screen says against the figures of the command line.

import { asShown, check, same, saying, says, settled, show } from "./helpers.mjs";

/** Rows of a small table on the screen: texts and what stands on hover, by its label. */
const rowsOf = (label) =>
  `[...document.querySelectorAll('table[aria-label="${label}"] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))`;
/** Names and values of a card. */
const pairsOf = (
  label,
) => `(() => { const card = [...document.querySelectorAll("section.card")].find((one) => one.getAttribute("aria-label") === "${label}");
  return card ? [...card.querySelectorAll("dt")].map((name) => [name.textContent, name.nextElementSibling.textContent]) : null; })()`;
const unitOf = (label, column) =>
  `document.querySelectorAll('table[aria-label="${label}"] th')[${column}].querySelector(".u")?.textContent.trim() ?? ""`;

async function topTables(page, overview, factor) {
  const { kernels, ops } = overview;
  if (kernels) {
    const unit = await page.run(unitOf("Top kernels", 1));
    const rows = await page.run(rowsOf("Top kernels"));
    same(rows.length, Math.min(12, kernels.rows.length), "rows of top kernels");
    rows.forEach((cells, at) => {
      saying(cells[1], kernels.rows[at].ns * factor, `GPU time of top kernel ${at}`, unit);
      saying(cells[2], kernels.rows[at].percent, `share of top kernel ${at}`, "%");
      saying(cells[4], kernels.rows[at].calls * factor, `calls of top kernel ${at}`);
    });
  }
  if (!ops.rows.length) return;
  const unit = await page.run(unitOf("Top ops", 1));
  const rows = await page.run(rowsOf("Top ops"));
  same(rows.length, Math.min(10, ops.rows.length), "rows of top ops");
  rows.forEach((cells, at) => {
    saying(cells[1], ops.rows[at].ns * factor, `time of top op ${at}`, unit);
    saying(cells[4], ops.rows[at].calls * factor, `calls of top op ${at}`);
  });
}

export const FIGURES = {
  async "steps of a server over time and the times of tokens are drawn"({ page, address, overview }) {
    await show(page, address, "dashboard");
    const drawn = await page.run(
      "[...document.querySelectorAll('svg.columns')].map((one) => [one.getAttribute('aria-label'), one.viewBox.baseVal.width, [...one.querySelectorAll('rect.fill')].reduce((sum, part) => sum + part.height.baseVal.value, 0)])",
    );
    const picture = overview.serving_picture;
    if (!picture) return same(drawn.length, 0, "pictures of a server");
    const { pieces, piece_ns, tokens } = picture;
    const filled = pieces.flat().reduce((sum, ns) => sum + ns, 0);
    same(drawn[0][1], pieces.length, "pieces of the strip");
    check(Math.abs(drawn[0][2] - (filled / piece_ns) * 32) < 0.1, `the strip holds ${drawn[0][2]} of ${filled}`);
    check(drawn[0][0].startsWith("Steps over "), drawn[0][0]);
    same(drawn.length, tokens ? 2 : 1, "pictures of a server");
    if (!tokens) return;
    const all = tokens.counts.flat().reduce((sum, count) => sum + count, 0);
    same(drawn[1][1], tokens.counts.length, "steps of the distribution");
    check(drawn[1][0].endsWith(`${all.toLocaleString("en-US")} tokens`), `${drawn[1][0]}: ${all}`);
  },

  async "the dashboard says the figures of the command line"({ page, address, facts, overview }) {
    const { tiles, basis } = overview;
    for (const per of ["", "total"]) {
      const factor = per === "total" ? basis.divisor : 1;
      await show(page, address, `dashboard${per ? "&per=total" : ""}`);
      const kpis = await page.run(
        "[...document.querySelectorAll('.kpi')].map((tile) => tile.querySelector('b').innerText)",
      );
      const [length, spread] = kpis[0].split("±");
      saying(length, tiles.iteration_ns, "length of an iteration");
      if (tiles.deviation_ns !== null)
        check(says(`${spread.trim()} ${length.trim().split(/\s/).pop()}`, tiles.deviation_ns) || spread, "deviation");
      saying(kpis[1], tiles.gpu_busy_percent, "GPU busy");
      saying(kpis[2], tiles.tensor_core_percent, "Tensor Cores");
      if (tiles.kernels !== null)
        check(
          Math.abs(Number(kpis[3].replaceAll(",", "")) - tiles.kernels * factor) <= 0.5001,
          `kernels ${kpis[3]}, not ${tiles.kernels * factor}`,
        );
      saying(kpis[basis.per === "iteration" ? 4 : 0], overview.window.length_ns, "length of the window");
      const verdict = await page.run(
        "document.querySelector('.verdict').innerText.replace(/\\s+/g, ' ').toLowerCase()",
      );
      for (const word of asShown([overview.verdict, overview.verdict_detail ?? ""].join(" "))
        .replace(/\s+/g, " ")
        .toLowerCase()
        .replaceAll("`", "")
        .split(/[:.;()] |[.:]$/)
        .map((part) => part.trim())
        .filter(Boolean))
        check(verdict.includes(word), `the verdict lacks ${word}`);
      await topTables(page, overview, factor);
    }
    const found = await page.run("[...document.querySelectorAll('.find h3')].map((head) => head.textContent)");
    same(found.length, overview.findings.length, "findings");
    overview.findings.forEach((finding, at) => same(found[at], asShown(finding.problem).replaceAll("`", ""), `finding ${at}`));
  },

  async "cards of the dashboard say the figures of the tables"({ page, address, facts }) {
    await show(page, address, "dashboard&per=total");
    const [summary] = facts.tables.summary;
    const definition = await page.run("window.dlprofSource.tables().find((table) => table.key === 'summary').columns");
    for (const [title, text] of await page.run(pairsOf("Performance summary"))) {
      const column = definition.find((one) => one.title === title);
      saying(text, summary[column.key], `performance summary, ${title}`, column.unit === "ns" ? "" : column.unit);
    }
    const totals = await page.run(rowsOf("Kernel details"));
    const unit = totals.length ? await page.run(unitOf("Kernel details", 1)) : "";
    // Without kernel records the card says so instead.
    same(
      totals.length,
      facts.tables.kernel_names.length ? facts.tables.kernel_totals.length : 0,
      "rows of kernel details",
    );
    totals.forEach(([, time, launches], at) => {
      saying(time, facts.tables.kernel_totals[at].gpu_time_ns, `kernel details ${at}`, unit);
      saying(launches, facts.tables.kernel_totals[at].launches, `launches of kernel details ${at}`);
    });
    const system = Object.fromEntries(await page.run(pairsOf("System")));
    for (const [name, key] of [
      ["CPU", "cpu_model"],
      ["Driver", "driver_version"],
      ["CUDA", "cuda_version"],
      ["cuDNN", "cudnn_version"],
      ["nsys", "nsys_version"],
    ]) {
      same(system[name], summary[key] ?? "not recorded", name);
    }
    check(system.GPUs.startsWith(`${summary.gpu_count} `), `GPUs: ${system.GPUs}`);
  },

  async "iterations say their number, range, mean and deviation"({ page, address, facts }) {
    const [summary] = facts.tables.summary;
    await show(page, address, "iterations");
    await settled(page);
    const badges = await page.run("[...document.querySelectorAll('.badges .tag')].map((badge) => badge.textContent)");
    check(badges[1] === `Profiled ${summary.aggregated_iterations.toLocaleString("en")}`, badges[1]);
    check(
      badges[2] === `Start ${summary.start_iteration}` && badges[3] === `Stop ${summary.stop_iteration}`,
      badges.join(),
    );
    const said = await page.run("document.querySelector('.rangefields + p b').textContent.replaceAll('\\u00a0', ' ')");
    const [, iterations, mean] = /^([\d,]+) iterations?, (.*?)(?: mean.*|\.\s*)$/.exec(said) ?? [];
    same(iterations, summary.aggregated_iterations.toLocaleString("en"), "iterations of the range");
    saying(mean, summary.avg_iteration_ns, "mean of the range");
    same(said.includes("σ"), summary.iteration_deviation_ns !== null, "a deviation");
  },
};
