// Bars, meters, legends and swatches.

import { el, setStyle } from "./dom.js";
import { percent } from "./format.js";

export function swatch(style, isIdle = false) {
  return el(`span.sw.${style}${isIdle ? ".idle" : ""}`, { "aria-hidden": "true" });
}

/** A meter beside a number; the number says the same. */
export function meter(share, style = "c-kernel") {
  const fill = el("i", { style: { width: `${Math.max(0, Math.min(100, share))}%` } });
  return el(`span.meter.${style}`, { "aria-hidden": "true" }, fill);
}

/** One bar of parts: { style, isIdle, ns, title, label, least }. Parts without time are left out. */
export function stackedBar(parts, label) {
  const bar = el("div.bar", { role: "img", "aria-label": label });
  for (const part of parts.filter(({ ns }) => ns > 0)) {
    const text = part.label ? el(part.label.length > 14 ? "span.l3" : "span.l1", null, part.label) : null;
    const piece = el(`i.${part.style}${part.isIdle ? ".idle" : ""}`, { title: part.title }, text);
    setStyle(piece, { flex: `${part.ns} 1 0` });
    bar.append(piece);
  }
  return bar;
}

/** Rows of a legend that is a table: { style, isIdle, name, value, share, title }. */
export function legend(rows) {
  const list = el("ul.legend.one");
  for (const row of rows) {
    list.append(
      el(
        "li",
        { title: row.title },
        row.style ? swatch(row.style, row.isIdle) : null,
        el("span.n", null, row.name),
        row.value === undefined ? null : el("span.v", null, row.value),
        row.share === undefined ? null : el("span.p", null, percent(row.share)),
      ),
    );
  }
  return list;
}

/** A bar to the left for less, to the right for more. */
export function changeBar(change, most) {
  const bar = el(change > 0 ? "i.pos" : "i.neg", { style: { width: `${(Math.abs(change) / most) * 50}%` } });
  return el("span.delta", { "aria-hidden": "true" }, bar);
}

/** Horizontal bars: { name, share of the largest, value, percent, style, href, title }. */
export function bars(rows, columns = true) {
  const box = el("div.bars");
  for (const row of rows) {
    const name = row.href ? el("a", { href: row.href }, row.name) : row.name;
    const track = el(
      "span.track",
      { "aria-hidden": "true" },
      el(`i.${row.style ?? "c-kernel"}`, { style: { width: `${row.width}%` } }),
    );
    box.append(
      el("span.bn", { title: row.title ?? row.name }, name),
      track,
      el("span.num", { title: row.raw }, row.value),
      columns ? el("span.num.dim", null, row.percent ?? "") : el("span"),
    );
  }
  return box;
}
