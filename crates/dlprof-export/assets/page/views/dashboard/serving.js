// What is said of an inference server.

import { legend } from "../../bars.js";
import { el, svg } from "../../dom.js";
import { count, rawTime, time } from "../../format.js";
import { card, more } from "../../plain-table.js";
import { hashOf } from "../../state.js";

/** The colours of what a strip divides into, in the order of the picture; hatched is time in which nobody waited for a token. */
const STRIP_STYLES = ["c-memory", "c-tc", "c-kernel", "c-other", "c-outside"];

/** The same of tokens: without a prefill in between, and with one. */
const TOKEN_STYLES = ["c-tc", "c-memory"];

/** Its steps by phase, the time between tokens, and what GPUs wait for; nothing of other captures. */
export function servingCard({ overview }) {
  const said = overview.serving ?? [];
  if (!said.length) return null;
  const lines = said.map((sentence) => el("p", null, sentence));
  const picture = overview.serving_picture;
  const drawings = picture ? [stepStrip(picture), picture.tokens ? tokenTimes(picture.tokens) : null] : [];
  return card(
    "Server: steps and tokens",
    "over the whole capture",
    more("Steps", hashOf("table", { key: "engine_steps" })),
    el("div.body", null, ...drawings.filter(Boolean), el("div.mt", null, ...lines)),
  );
}

/** Bars of parts side by side: `bars` are lists of numbers, each as high as its share of `most`. */
function servingColumns(bars, most, { height, styles, titles, label }) {
  const shapes = bars.flatMap((parts, x) => {
    let y = height;
    return parts.map((part, at) => {
      const high = (part / most) * height;
      y -= high;
      return part > 0 ? svg("rect", { x, y, width: 1, height: high, class: `fill ${styles[at]}` }) : null;
    });
  });
  const hovers = bars.map((_, x) =>
    svg("rect", { x, y: 0, width: 1, height, fill: "transparent" }, svg("title", null, titles(x))),
  );
  return svg(
    "svg",
    { class: "columns", viewBox: `0 0 ${bars.length} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    ...shapes.filter(Boolean),
    ...hovers,
  );
}

/** What the steps of the server are over time. */
function stepStrip({ parts, piece_ns, length_ns, pieces }) {
  const sums = parts.map((_, at) => pieces.reduce((sum, piece) => sum + piece[at], 0));
  const rows = parts.map((name, at) => ({ name, at, ns: sums[at] })).filter(({ ns }) => ns > 0);
  const title = (x) =>
    [`from ${time(x * piece_ns)}`, ...parts.flatMap((name, at) => (pieces[x][at] ? [`${name} ${rawTime(pieces[x][at])}`] : []))].join("\n");
  const label = `Steps over ${time(length_ns)}: ${rows.map(({ name, ns }) => `${name} ${time(ns)}`).join(", ")}`;
  return el(
    "div.mt",
    null,
    el("div.sub", null, `Steps over ${time(length_ns)}, a column per ${time(piece_ns)}`),
    servingColumns(pieces, piece_ns, { height: 32, styles: STRIP_STYLES, titles: title, label }),
    legend(
      rows.map(({ name, at, ns }) => ({
        style: STRIP_STYLES[at],
        name,
        value: time(ns),
        share: (ns / length_ns) * 100,
      })),
    ),
  );
}

/** How the time between tokens is distributed. */
function tokenTimes({ width_ns, counts, median_ns, p99_ns }) {
  const most = Math.max(...counts.map(([own, delayed]) => own + delayed), 1);
  const all = counts.reduce((sum, [own, delayed]) => sum + own + delayed, 0);
  const delayed = counts.reduce((sum, [, delayed]) => sum + delayed, 0);
  const title = (x) => {
    const range = x + 1 < counts.length ? `${time(x * width_ns)} to ${time((x + 1) * width_ns)}` : `${time(x * width_ns)} and longer`;
    return `${range}\n${count(counts[x][0])} tokens, ${count(counts[x][1])} with a prefill in between`;
  };
  const label = `Time between tokens: median ${time(median_ns)}, p99 ${time(p99_ns)}, ${count(all)} tokens`;
  const rows = [
    { style: TOKEN_STYLES[0], name: "tokens", value: count(all - delayed), share: ((all - delayed) / Math.max(all, 1)) * 100 },
    { style: TOKEN_STYLES[1], name: "with a prefill in between", value: count(delayed), share: (delayed / Math.max(all, 1)) * 100 },
  ];
  return el(
    "div.mt",
    null,
    el("div.sub", null, `Time between tokens, 0 to ${time(width_ns * counts.length)}: median ${time(median_ns)}, p99 ${time(p99_ns)}`),
    servingColumns(counts, most, { height: 32, styles: TOKEN_STYLES, titles: title, label }),
    legend(delayed ? rows : rows.slice(0, 1)),
  );
}
