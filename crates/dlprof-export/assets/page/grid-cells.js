// Headings and cells of a grid.

import { meter } from "./bars.js";
import { cutName } from "./cut.js";
import { debounced, el } from "./dom.js";
import { answerWords, UNKNOWN } from "./format.js";
import { columnWidth, isNameColumn, isNumber, shortTitle } from "./grid-columns.js";
import { conditionWords } from "./table-filters.js";

const METER = 84;

/** The columns of a grid as Tabulator takes them. */
export function tabulatorColumns(grid) {
  return grid.columns.map((column, at) => ({
    field: column.key,
    title: column.title,
    visible: grid.shown.has(column.key),
    frozen: at === 0,
    headerSort: false,
    resizable: true,
    minWidth: columnWidth(column, at) + (grid.options.meterOf === column.key ? METER : 0),
    widthGrow: at === 0 && column.kind === "text" ? 6 : 1,
    hozAlign: isNumber(column) ? "right" : "left",
    cssClass: [at === 0 && "gname", isNumber(column) ? "gnum" : at > 0 && "gtext"].filter(Boolean).join(" "),
    titleFormatter: () => headCell(grid, column),
    formatter: (cell) => bodyCell(grid, column, at, grid.first + cell.getRow().getData().id),
  }));
}

/** Brings headings up to date: order, units and filters. */
export function updateHeads(grid) {
  for (const head of grid.parts.inner.querySelectorAll(".tabulator-col[tabulator-field]")) {
    const column = grid.columns.find((one) => one.key === head.getAttribute("tabulator-field"));
    const sorted = grid.sort.find((part) => part.column === column.key);
    if (sorted) head.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
    head.querySelector(".gsort")?.replaceChildren(headText(grid, column));
    const field = head.querySelector(".gfilter");
    if (field && field !== document.activeElement) field.value = typedOf(grid, column);
  }
}

function headText(grid, column) {
  const sorted = grid.sort.find((part) => part.column === column.key);
  const format = grid.formats[column.key];
  const unit = format?.unit ? el("span.u", null, ` ${format.unit}`) : null;
  const arrow = sorted ? el("span.arrow", { "aria-hidden": "true" }, sorted.descending ? " ↓" : " ↑") : null;
  return el("span", null, shortTitle(column, format), unit, arrow);
}

function headCell(grid, column) {
  const attributes = { title: column.doc, type: "button", onclick: () => grid.sortBy(column), "data-key": column.key };
  const button = el("button.gsort", attributes, headText(grid, column));
  const field = el("input.gfilter", {
    "aria-label": `filter ${column.title}`,
    placeholder: exampleOf(grid, column),
    spellcheck: "false",
  });
  field.value = typedOf(grid, column);
  field.addEventListener(
    "input",
    debounced(() => grid.filterBy(column, field), 150),
  );
  field.addEventListener("keydown", (event) => event.stopPropagation());
  field.addEventListener("click", (event) => event.stopPropagation());
  return el("div.ghead", null, button, el("div.gfield", null, field));
}

function exampleOf(grid, column) {
  if (column.kind === "flag" || column.kind === "answer") return "yes no";
  return column === grid.columns[0] && column.kind === "text" ? "contains, or /regex/" : "";
}

/** The text of the filter of a column. */
function typedOf(grid, column) {
  const own = grid.filters.filter((condition) => condition.column === column.key);
  if (!own.length) return "";
  if (own[0].typed !== undefined) return own[0].typed;
  if (own[0].op === "in") return "";
  const format = grid.formats[column.key];
  const words = conditionWords(own[0], format && { ...format, unit: "" });
  return words
    .replace(/^contains /, "")
    .replace(/^is (?!empty)/, "=")
    .trim();
}

function bodyCell(grid, column, at, row) {
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
  cell.title = value;
  return cell;
}
