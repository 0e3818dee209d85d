// Headings and cells of a grid.

import { meter } from "./bars.js";
import { cutName } from "./cut.js";
import { debounced, el, plain } from "./dom.js";
import { answerWords, UNKNOWN } from "./format.js";
import { isNameColumn, isNumber, shortTitle } from "./grid-columns.js";
import { typedText } from "./table-filters.js";

/** The heading of a column: its title, unit and order. */
export function headText(grid, column) {
  const sorted = grid.sort.find((part) => part.column === column.key);
  const format = grid.formats[column.key];
  const unit = format?.unit ? el("span.u", null, ` ${format.unit}`) : null;
  const arrow = sorted ? el("span.arrow", { "aria-hidden": "true" }, sorted.descending ? " ↓" : " ↑") : null;
  return el("span", null, shortTitle(column, format), unit, arrow);
}

/** Brings a heading up to date: order, unit and filter. */
export function updateHead(grid, column, head) {
  const sorted = grid.sort.find((part) => part.column === column.key);
  if (sorted) head.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
  else head.removeAttribute("aria-sort");
  head.querySelector(".gsort").replaceChildren(headText(grid, column));
  const field = head.querySelector(".gfilter");
  if (field !== document.activeElement) field.value = typedOf(grid, column);
}

/** What says how a column looks: where its texts stand, and in which letters. */
function classesOf(grid, column) {
  const isFirst = column === grid.columns[0];
  return [isFirst && "gname", isNumber(column) ? "gnum" : !isFirst && "gtext"].filter(Boolean).join(".");
}

/** The heading of a column with its filter. `resize` is told how wide the user makes it. */
export function headCell(grid, column, resize) {
  const attributes = { title: column.doc, type: "button", tabindex: "-1", onclick: () => grid.sortBy(column), "data-key": column.key };
  const button = el("button.gsort", attributes, headText(grid, column));
  const field = el("input.gfilter", {
    "aria-label": `filter ${column.title}`,
    placeholder: exampleOf(grid, column),
    spellcheck: "false",
    tabindex: "-1",
  });
  field.value = typedOf(grid, column);
  field.addEventListener(
    "input",
    debounced(() => grid.filterBy(column, field), 150),
  );
  const edge = el("span.gedge", { "aria-hidden": "true" });
  const head = el(`div.gcol.${classesOf(grid, column)}`, { role: "columnheader", "data-field": column.key });
  head.append(button, el("div.gfield", null, field), edge);
  edge.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
    const start = head.offsetWidth - event.clientX;
    const move = (moved) => resize(start + moved.clientX);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), { once: true });
  });
  return head;
}

function exampleOf(grid, column) {
  if (column.kind === "flag" || column.kind === "answer") return "yes no";
  return column === grid.columns[0] && column.kind === "text" ? "contains, or /regex/" : "";
}

/** The text of the filter of a column. */
function typedOf(grid, column) {
  const own = grid.filters.filter((condition) => condition.column === column.key);
  if (!own.length) return "";
  return own[0].typed ?? typedText(own[0], grid.formats[column.key]);
}

/** The cell of a column in a row. */
export function lineCell(grid, column, row) {
  const attributes = { role: "gridcell", "data-field": column.key };
  return el(`div.gcell.${classesOf(grid, column)}`, attributes, content(grid, column, row));
}

function content(grid, column, row) {
  const at = grid.columns.indexOf(column);
  const value = grid.store.get(row)?.[at];
  if (value === undefined) return el("span.wait", null, "\u00a0");
  if (value === null || value === "") return el("span.unk", null, UNKNOWN);
  if (column.kind === "flag") return el(value ? "span.yes" : "span.no", null, value ? "yes" : "no");
  if (column.kind === "answer") return el(value === "true" ? "span.yes" : "span.no", null, answerWords(value));
  if (column.kind === "text") return textCell(grid, column, at, row, value);
  const { formats, largest, options } = grid;
  const format = formats[column.key];
  // A share is of 100 %, another figure of the largest.
  const share = column.unit === "%" ? Math.min(value, 100) : (value / (largest[column.key] || 1)) * 100;
  return el(
    "span",
    { title: format.raw(value) },
    format.text(value),
    options.meterOf === column.key ? meter(share, options.meterStyle) : null,
  );
}

function textCell(grid, column, at, row, value) {
  if (at === 0) return nameCell(grid, row, value);
  if (/_name$/.test(column.key)) return el("span.mono", null, cutName(value));
  return el(isNameColumn(column) ? "span.mono" : "span", { title: value.length > 20 ? value : null }, value);
}

/** The name of a row; a shorter label where the view knows one. */
function nameCell(grid, row, value) {
  const { labelOf, marks } = grid.options;
  const cell = cutName(labelOf?.(value) ?? value, marks?.(grid.rowObject(row)));
  cell.title = plain(value);
  return cell;
}
