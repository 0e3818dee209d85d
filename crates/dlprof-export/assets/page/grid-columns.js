// Which columns a grid shows, in which order, how wide, and under which heading.

import { columnFormat } from "./format.js";

export function isNumber(column) {
  return column.kind === "int" || column.kind === "float";
}

/**
 * The value that decides the unit: where nearly all are alike, a start-up and a warm-up must not take their digits. Sizes are given
 * largest first.
 */
function usualLargest(sizes) {
  const middle = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const far = sizes.filter((size) => size > 2 * middle).length;
  const areAlike = sizes.length >= 8 && middle > 0 && far <= Math.max(2, sizes.length / 20);
  return sizes[areAlike ? far : 0] ?? 0;
}

/** What columns of the smallest, mean, median and largest of one time have in common; `null` of other columns. */
function familyOf(column) {
  const parts = /^(?:avg|mean|median|min|max)_(.+_ns)$/.exec(column.key);
  return parts && !column.is_sum ? parts[1] : null;
}

export function isNameColumn(column) {
  return /name|op_id|^ops$|grid|block|shapes|stack|function|call/.test(column.key);
}

/** Columns in order: those named by the view, else those that the table declares as important, then the others. */
export function orderedColumns(definition, options) {
  const first = (options.columns ?? definition.first ?? [])
    .map((key) => definition.columns.find((column) => column.key === key))
    .filter(Boolean);
  return [...first, ...definition.columns.filter((column) => !first.includes(column))];
}

/** Whether a column is not shown until it is chosen: what a view does not name; in narrow windows what is less important. */
export function isHiddenColumn(column, options) {
  const named = options.columns ?? [];
  if (!named.length)
    return (
      (column.importance === 3 && document.documentElement.clientWidth < 900) ||
      (column.importance === 2 && document.documentElement.clientWidth < 560)
    );
  if (!named.includes(column.key)) return true;
  const width = document.documentElement.clientWidth;
  const at = named.indexOf(column.key);
  return (width < 560 && at > 3) || (width < 900 && at > 7);
}

/** Width of a meter beside a number. */
const METER = 84;

/** Padding of a heading at both sides, and room for the arrow of the order. */
const [HEAD_PADDING, ARROW] = [22, 14];

const pen = document.createElement("canvas").getContext("2d");

/** The width of a heading with its unit. */
function headWidth(grid, column) {
  const format = grid.formats[column.key];
  pen.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  const unit = isNumber(column) ? (format?.unit ?? "MiB/s") : "";
  return Math.ceil(pen.measureText(`${shortTitle(column, format)} ${unit}`).width) + HEAD_PADDING + ARROW;
}

/** The width of the largest number of a column. */
function numberWidth(grid, column) {
  const format = grid.formats[column.key];
  if (!format) return 0;
  pen.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(pen.measureText(format.text(grid.largest[column.key] ?? 0)).width) + HEAD_PADDING;
}

/** The least width of a column: its heading, its largest number and its meter fit. */
export function leastWidth(grid, column) {
  const at = grid.columns.indexOf(column);
  const meter = grid.options.meterOf === column.key ? METER : 0;
  return Math.max(columnWidth(column, at), headWidth(grid, column) + (at === 0 ? 6 : 0), numberWidth(grid, column)) + meter;
}

function columnWidth(column, at) {
  const narrow = document.documentElement.clientWidth < 560;
  if (at === 0) return column.kind === "text" ? (narrow ? 188 : 320) : 88;
  if (column.kind === "text")
    return column.is_sentence || /long|stack|shapes|trace/.test(column.key)
      ? 300
      : column.key === "gpu_name"
        ? 196
        : 132;
  return 84;
}

/** A heading without the word that the unit says. */
export function shortTitle(column, format) {
  return format?.unit ? column.title.replace(/ Time$/, "").replace(/^Avg\.? /, "Avg ") : column.title;
}

/** The unit of each column of numbers, and the largest number of each, from some rows. */
export function columnFormats(columns, rows, divisor) {
  const [formats, largest, usual, known] = [{}, {}, {}, {}];
  columns.forEach((column, at) => {
    if (!isNumber(column)) return;
    const sizes = rows
      .map((row) => row[at])
      .filter((cell) => typeof cell === "number")
      .map(Math.abs)
      .sort((a, b) => b - a);
    largest[column.key] = sizes[0] ?? 0;
    usual[column.key] = usualLargest(sizes);
    known[column.key] = sizes;
  });
  for (const column of columns.filter(isNumber)) {
    // Smallest, mean and largest of one time are compared with each other: they have one unit.
    const family = columns
      .filter((other) => familyOf(other) !== null && familyOf(other) === familyOf(column))
      .map((other) => usual[other.key])
      .filter((top) => top > 0);
    const unitOf = family.length ? Math.min(...family) : usual[column.key];
    formats[column.key] = columnFormat(column, usual[column.key], divisor, { unitOf, sizes: known[column.key] });
  }
  return { formats, largest };
}
