// Small tables: headings with units, numbers to the right, names cut in the middle.

import { el } from "./dom.js";

/** Columns of a table as it is declared: title, meaning, unit and so on. A file may lack the table. */
export function declared(source, key, columns) {
  const table = source.tables().find((table) => table.key === key);
  return columns.map((key) => table?.columns.find((column) => column.key === key) ?? { key, title: key });
}

/**
 * A table of few rows. A column is { title, unit, number, priority (2: from 560 px, 3: from 900 px, 4: from 1240 px), name, doc, sorted };
 * a row is { cells, href, selected, onOpen }; a cell is text, an element, or { text, title }.
 */
export function plainTable(label, columns, rows, dense = false) {
  const kind = (column, isHead) =>
    [
      column.number ? "num" : "",
      column.priority ? `p${column.priority}` : "",
      column.name ? "name" : "",
      column.mono && !isHead ? "mono" : "",
    ]
      .filter(Boolean)
      .join(".");
  const cell = (tag, column, attributes, ...children) =>
    el([tag, kind(column, tag === "th")].filter(Boolean).join("."), attributes, ...children);
  const heads = columns.map((column) =>
    cell(
      "th",
      column,
      { scope: "col", title: column.doc, "aria-sort": column.sorted ? "descending" : null },
      column.title,
      column.unit ? el("span.u", null, ` ${column.unit}`) : null,
    ),
  );
  const body = el("tbody");
  for (const row of rows) {
    const line = el(
      row.selected ? "tr.sel" : "tr",
      row.onOpen
        ? { tabindex: "0", onclick: row.onOpen, onkeydown: (event) => event.key === "Enter" && row.onOpen() }
        : null,
    );
    row.cells.forEach((content, at) => {
      const isPlain =
        content === null || typeof content !== "object" || content instanceof Node || Array.isArray(content);
      line.append(
        isPlain
          ? cell("td", columns[at], null, content ?? "")
          : cell("td", columns[at], { title: content.title }, content.text),
      );
    });
    body.append(line);
  }
  const table = el(
    dense ? "table.dense" : "table",
    { "aria-label": label },
    el("thead", null, el("tr", null, ...heads)),
    body,
  );
  return el("div.tw", { tabindex: "0", role: "region", "aria-label": label }, table);
}

/** A card with a heading, a dim note and a link at the right. */
export function card(title, note, link, ...children) {
  const heading = el("header", null, el("h2", null, title), note ? el("span.dim", null, note) : null, link ?? null);
  return el("section.card", { "aria-label": title }, heading, ...children);
}

/** Pairs of names and values: [name, value, title]. */
export function pairs(rows, style = "kv") {
  const list = el(`dl.${style}`);
  for (const [name, value, title] of rows) list.append(el("dt", { title }, name), el("dd", { title }, value));
  return list;
}

/** The link at the right of a card's heading. */
export function more(text, href) {
  return el("a.r", { href }, text);
}
