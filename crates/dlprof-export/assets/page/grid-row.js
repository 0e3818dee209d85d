// A row of a grid as a whole: every column with its full text, to read and to copy.

import { el } from "./dom.js";
import { UNKNOWN } from "./format.js";

/** Opens a dialog with all columns of a row, also those that are not shown. */
export function showWholeRow(grid, row) {
  const cells = grid.store.get(row);
  if (!cells) return;
  const lines = grid.columns.flatMap((column, at) => [
    el("dt", { title: column.doc }, column.title),
    el("dd.whole", null, textOf(grid, column, cells[at])),
  ]);
  const dialog = el(
    "dialog.dialog.rowdialog",
    { "aria-label": `row ${row + 1} of ${grid.title}` },
    el("h2", null, `${grid.title}, row ${row + 1}`),
    el("dl.kv", { tabindex: "0" }, ...lines),
    el("form", { method: "dialog" }, el("button.btn", null, "Close")),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function textOf(grid, column, value) {
  if (value === null || value === undefined || value === "") return UNKNOWN;
  const format = grid.formats[column.key];
  if (typeof value !== "number" || !format) return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  const shown = `${format.text(value)} ${format.unit}`.trim();
  return column.unit === "ns" ? `${shown} (${format.raw(value)}${column.is_sum ? " in all" : ""})` : shown;
}
