// What to change: one line what, one line what to do, one line of links to the evidence.

import { el, svg } from "./dom.js";
import { time } from "./format.js";
import { hashOf } from "./state.js";

const SHAPES = {
  warning: ["warn", "M7 1 13.5 13H.5Z", "M7 5v4M7 10.4v1.3"],
  error: ["err", "M1.5 1.5h11v11h-11Z", "M7 4v4M7 9.6v1.3"],
  note: ["note", "M7 1.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11Z", "M7 6v4M7 3.8v1.3"],
};

/** The sign of a severity: shape and colour. */
export function severitySign(severity) {
  const [style, shape, mark] = SHAPES[severity] ?? SHAPES.note;
  return svg(
    "svg",
    { class: `sev ${style}`, viewBox: "0 0 14 14", role: "img", "aria-label": severity },
    svg("path", { d: shape, fill: "currentColor" }),
    svg("path", { d: mark, stroke: "var(--surface)", "stroke-width": "1.5" }),
  );
}

/** A text with `code` in code face and web addresses as links. */
export function withCode(text) {
  return text
    .split(/(`[^`]*`|https:\/\/[^\s)]+[^\s).,;])/)
    .filter(Boolean)
    .map((part) => {
      if (part.startsWith("`") && part.length > 1) return el("code", null, part.slice(1, -1));
      return part.startsWith("https://") ? el("a", { href: part, rel: "noreferrer noopener" }, part) : part;
    });
}

/** Where the rows of a table are shown: its view, and the prefix of its grid in the address. */
const PLACES = {
  ops: ["ops", "ops"],
  kernel_summaries: ["ops", "kernel_summaries"],
  kernel_names: ["kernels", "kernel_names"],
  kernels: ["iterkernels", "kernels"],
  gpus: ["gpus", "gpus"],
  iterations: ["iterations", "iterations"],
  steps: ["iterations", "steps"],
  op_types: ["optypes", "op_types"],
};

/** The link to rows of a table that hold conditions. */
export function evidenceHref(table, conditions, sort = "") {
  const [view, prefix] = PLACES[table] ?? ["table", table];
  const values = conditions.length
    ? { [`${prefix}.where`]: JSON.stringify(conditions.map(({ column, op, value }) => [column, op, value])) }
    : {};
  if (sort) values[`${prefix}.sort`] = sort;
  if (view === "table") values.key = table;
  return hashOf(view, values);
}

/** Links to the evidence of a row of table `findings`: one link per table, to the rows that the finding names. */
function evidenceLinks(row) {
  let evidence = [];
  try {
    evidence = JSON.parse(row.evidence || "[]");
  } catch {
    return [];
  }
  const shown = /show ([a-z-]+)/.exec(row.command ?? "")?.[1]?.replaceAll("-", "_");
  const sort = /--sort (-?[a-z_]+)/.exec(row.command ?? "")?.[1] ?? "";
  const tables = [...new Set([...(shown ? [shown] : []), ...evidence.map((item) => item.table)])];
  const links = tables.slice(0, 4).map((table) => {
    const items = evidence.filter((item) => item.table === table);
    const words = table.replaceAll("_", " ");
    return el(
      "a",
      { href: evidenceHref(table, evidenceConditions(items), table === shown ? sort : "") },
      items.length > 1 ? `${items.length} rows of ${words}` : words,
    );
  });
  if (/stall|gap|idle|launch|sync/.test(row.finding_id)) links.push(el("a", { href: evidenceHref("longest_gaps", [], "-duration_ns") }, "longest gaps"));
  return links;
}

/** The rows that items of evidence name: of each column one of the values. */
function evidenceConditions(items) {
  const keys = [...new Set(items.map((item) => item.key))];
  return keys.map((column) => ({
    column,
    op: "in",
    value: [...new Set(items.filter((item) => item.key === column).map((item) => item.value))],
  }));
}

/** A rule of the user's own that failed: which one, and why. */
export function failedRule({ problem, reason, hint }) {
  const lines = [reason, hint].filter(Boolean).map((text) => el("p", null, ...withCode(text)));
  return el("article.find.failed", null, severitySign("error"), el("div", null, el("h3", null, ...withCode(problem)), ...lines));
}

/** What stands in place of a figure, as everywhere. */
function inPlaceOfSaving(finding) {
  if (finding.same_cause_as) return "same cause as above";
  if (finding.unlikely) return "none likely";
  return finding.saves_nothing ? "none" : "not known";
}

/** A finding: `finding` as in the overview, `row` as in table `findings`. */
export function findingCard(finding, row, stepNs, factor) {
  const saving = finding.saving;
  const ns = saving ? (saving.expected_ns ?? saving.at_most_ns) : null;
  const bounds =
    saving && saving.expected_ns !== null && saving.at_most_ns !== null
      ? `expected; at most −${time(saving.at_most_ns * factor)}`
      : saving?.expected_ns !== null
        ? "expected"
        : "at most";
  const amount = saving
    ? [
        el("b", { title: saving.basis }, `−${time(ns * factor)}`),
        el("span", null, bounds),
        el(
          "span.meter.c-tc",
          { "aria-hidden": "true" },
          el("i", { style: { width: `${Math.min(100, (ns / stepNs) * 100)}%` } }),
        ),
      ]
    : [el("b.unk", null, "–"), el("span", null, inPlaceOfSaving(finding))];
  const links = el(
    "div.links",
    null,
    ...(row ? evidenceLinks(row) : []),
    finding.link ? el("a", { href: finding.link, rel: "noreferrer noopener" }, "more") : null,
    el("span", null, `confidence ${finding.confidence}`),
  );
  return el(
    "article.find",
    null,
    severitySign(finding.severity),
    el("div", null, el("h3", null, ...withCode(finding.problem)), el("p", null, ...withCode(finding.advice)), links),
    el("div.save", null, ...amount),
  );
}
