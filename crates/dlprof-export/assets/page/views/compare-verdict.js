// Two captures: whether an iteration takes more or less time, what changed beyond chance, and every iteration as a dot.

import { el, setStyle } from "../dom.js";
import { count, percent, rawTime, time, UNKNOWN } from "../format.js";
import { withCode } from "../findings.js";

/** What the length of an iteration became, in a word. */
const TAGS = { more: "slower", less: "faster", equal: "as fast", "within-noise": "within noise", uncertain: "not certain", unknown: "not known" };
/** Changes beyond chance that are named. */
const MOST_NAMED = 3;
/** Parts of the line that stay free beside the shortest and the longest iteration. */
const MARGIN = 0.06;

export function signedTime(ns) {
  return `${ns > 0 ? "+" : ""}${time(ns)}`;
}

export function signedPercent(share) {
  return share === null || share === undefined ? UNKNOWN : `${share > 0 ? "+" : ""}${percent(share)}`;
}

function sentenceOf(row) {
  const [low, high] = row.interval;
  const change = `${signedTime(row.change)} (${signedPercent(row.change_percent)})`;
  const unsigned = change.replaceAll("\u2212", "").replaceAll("+", "");
  if (row.trend === "more") return `An iteration takes ${unsigned} longer; chance does not explain it.`;
  if (row.trend === "less") return `An iteration is shorter by ${unsigned}; chance does not explain it.`;
  if (row.trend === "equal") return `An iteration takes as long as before: ${time(row.new)}, ${change}.`;
  if (row.trend === "unknown")
    return `${time(row.base)} became ${time(row.new)}, ${change}: there are too few values to say whether chance explains it.`;
  return `Iterations differ by ${change}, which chance may explain: from ${signedTime(low)} to ${signedTime(high)}.`;
}

/** The times that changed more than chance explains, the largest first. */
function beyondChance(rows, main, titles) {
  const changed = rows.filter((row) => row !== main && row.unit === "ns" && ["more", "less"].includes(row.trend));
  changed.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const words = (row) => `${titles[row.key] ?? row.key} ${signedTime(row.change)} (${signedPercent(row.change_percent)})`;
  return changed.length ? `Beyond chance: ${changed.slice(0, MOST_NAMED).map(words).join("; ")}.` : null;
}

/** The first line says whether chance explains the difference. */
export function compareVerdict(comparison, titles) {
  const { base, new: changed, scope, metrics, iterations, warnings, lengths_ns: lengths, same } = comparison;
  const main = metrics.find((row) => row.key === "iteration_time_ns");
  const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  const side = (names, at) => `${names.join(", ")} (${count(total(iterations[at]))} iterations)`;
  const beyond = beyondChance(metrics, main, titles);
  const head = el(
    "div",
    null,
    el("span.tag", null, main ? (TAGS[main.trend] ?? main.trend) : TAGS.unknown),
    el("h1", null, main ? sentenceOf(main) : "These captures cannot be compared by iteration."),
    beyond ? el("p", null, beyond) : null,
    ...(warnings ?? []).map((warning) => el("p.small.dim", null, ...withCode(warning))),
  );
  const facts = el(
    "dl.facts",
    null,
    ...[
      ["Base", side(base, 0)],
      ["New", side(changed, 1)],
      ["Same", same?.length ? same.join(", ") : "nothing that is recorded"],
    ].map(([name, text]) => el("div", null, el("dt", null, name), el("dd", null, text))),
  );
  const dots = scope === "iterations" && lengths?.every((side) => side.length) ? dotsOf(lengths) : null;
  return el("section.card", { "aria-label": "verdict" }, el("div.verdict", null, head, dots), facts);
}

/** A line for each side: every iteration is a dot, and a bar stands at their mean. */
function dotsOf(sides) {
  const all = sides.flat();
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const width = high - low || 1;
  const place = (ns) => `${(MARGIN + ((ns - low) / width) * (1 - 2 * MARGIN)) * 100}%`;
  const line = (lengths, name, style) => {
    const mean = lengths.reduce((sum, ns) => sum + ns, 0) / lengths.length;
    const dots = el(`span.dots.${style}`, { role: "img", "aria-label": `${name}: ${count(lengths.length)} iterations, mean ${time(mean)}` });
    for (const ns of lengths) dots.append(el("i", { title: rawTime(ns), style: { left: place(ns) } }));
    const bar = el("u");
    setStyle(bar, { left: place(mean) });
    dots.append(bar);
    return [el("b", null, name), dots, el("span.num", { title: rawTime(mean) }, time(mean))];
  };
  return el(
    "div.sides",
    null,
    ...line(sides[0], "Base", "c-sync"),
    ...line(sides[1], "New", "c-accent"),
    el("span"),
    el("span.sidesaxis", null, el("span", null, time(low)), el("span", null, "iterations"), el("span", null, time(high))),
    el("span"),
  );
}
