// The answer: warnings about the capture, the verdict, its figures, and what a change would bring.

import { el } from "../../dom.js";
import { count, decimals, rawTime, significant, time, timeUnit, UNKNOWN } from "../../format.js";
import { severitySign, withCode } from "../../findings.js";
import { hashOf } from "../../state.js";
import { objects } from "./rows-as-objects.js";

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/** Warnings about the capture itself stand above the verdict. */
export async function alerts({ source }) {
  const rows = (await objects(source, "diagnostics")).filter((row) => row.severity !== "note");
  if (!rows.length) return [];
  const alert = (row) =>
    el(
      "div.alert",
      null,
      severitySign(row.severity),
      el(
        "div",
        null,
        el("b", null, sentence(row.meaning ?? row.code)),
        row.hint ? el("span", null, " ", ...withCode(sentence(row.hint))) : null,
      ),
      el(
        "a",
        { href: hashOf("table", { key: "diagnostics" }) },
        row.count > 1 ? `${count(row.count)} times` : "details",
      ),
    );
  return [el("section.card.alerts", { "aria-label": "about the capture" }, ...rows.map(alert))];
}

/** The verdict, its figures, and what the best change would bring. */
export function verdictCard({ overview, factor, words }) {
  const { limit } = overview.verdict_parts;
  const start = `${limit}: `;
  const tag = overview.verdict.startsWith(start) ? limit : "";
  const said = tag ? overview.verdict.slice(start.length) : overview.verdict;
  const head = el(
    "div",
    null,
    tag ? el(`span.tag${/^GPU/.test(tag) ? ".gpu" : ""}`, null, tag) : null,
    el("h1", null, ...withCode(said[0].toUpperCase() + said.slice(1))),
    overview.verdict_detail ? el("p", null, ...withCode(overview.verdict_detail)) : null,
  );
  const { tiles, labels } = overview;
  const missing = (figure) => overview.missing.find((row) => row.figure === figure);
  const tile = (value, unit, text, title) =>
    el(
      "div.kpi",
      { title },
      value === null ? el("b.unk", null, UNKNOWN) : el("b", null, value, unit ? el("small", null, ` ${unit}`) : null),
      el("span", null, ...withCode(text)),
    );
  const [symbol, one] = timeUnit(tiles.iteration_ns);
  const unknown = (figure, text) => (missing(figure) ? `${text}: give \`${missing(figure).option}\`` : text);
  const [windowSymbol, windowOne] = timeUnit(overview.window.length_ns);
  const captured = `of ${time(overview.window.captured_ns)} captured`;
  const isEach = overview.basis.per === "iteration";
  const kpis = [
    tile(
      significant(tiles.iteration_ns / one),
      symbol + labels.deviation,
      isEach ? labels.iteration_ns : `${labels.iteration_ns}, ${captured}`,
      rawTime(tiles.iteration_ns),
    ),
    tile(
      tiles.gpu_busy_percent === null ? null : decimals(tiles.gpu_busy_percent, 1),
      "%",
      unknown("gpu", labels.gpu_busy_percent),
      "share of the time in which a kernel, copy or memset runs; mean of the GPUs in use",
    ),
    tile(
      tiles.tensor_core_percent === null
        ? null
        : decimals(tiles.tensor_core_percent, tiles.tensor_core_percent === 0 ? 0 : 1),
      "%",
      unknown("tensor_cores", labels.tensor_core_percent),
    ),
    tile(tiles.kernels === null ? null : count(tiles.kernels * factor), "", factor === 1 ? labels.kernels : `kernels ${words}`),
  ];
  // Without steps, the first tile is the window, and there are no items of a step.
  if (isEach)
    kpis.push(
      tile(
        significant(overview.window.length_ns / windowOne),
        windowSymbol,
        `aggregated ${captured}`,
        rawTime(overview.window.length_ns),
      ),
      tile(
        tiles.items_per_s === null ? null : significant(tiles.items_per_s),
        "/s",
        tiles.items_per_s === null ? unknown("items_per_s", labels.items_per_s) : labels.items_per_s,
      ),
    );
  return el(
    "section.card",
    { "aria-label": "verdict" },
    el("div.verdict", null, head, outlook(overview)),
    el("div.kpis", null, ...kpis),
  );
}

/** What changes would bring. */
function outlook({ outlook: bars }) {
  if (!bars.length) return el("div");
  const [{ ns: now }] = bars;
  const row = ({ words, ns }, at) => [
    el("span", null, words),
    el(
      "span.obar",
      { "aria-hidden": "true" },
      el(`i.${at ? "c-tc" : "c-kernel"}`, { style: { width: `${(ns / now) * 100}%` } }),
    ),
    el("b", { title: rawTime(ns) }, time(ns)),
  ];
  return el("div.outlook", { "aria-label": "what changes would bring" }, ...bars.flatMap(row));
}
