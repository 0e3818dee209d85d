// Which columns a grid shows, in which order, how wide, and under which heading.

export function isNumber(column) {
  return column.kind === "int" || column.kind === "float";
}

export function isNameColumn(column) {
  return /name|op_id|^ops$|grid|block|shapes|stack|function|call/.test(column.key);
}

/** Columns in order: those named, then the others. */
export function orderedColumns(definition, options) {
  const first = (options.columns ?? []).map((key) => definition.columns.find((column) => column.key === key)).filter(Boolean);
  return [...first, ...definition.columns.filter((column) => !first.includes(column))];
}

export function isHiddenColumn(column, options) {
  const named = options.columns ?? [];
  if (!named.includes(column.key)) return named.length > 0;
  const width = document.documentElement.clientWidth;
  const at = named.indexOf(column.key);
  return (width < 560 && at > 3) || (width < 900 && at > 7);
}

export function columnWidth(column, at) {
  const narrow = document.documentElement.clientWidth < 560;
  if (at === 0) return column.kind === "text" ? (narrow ? 188 : 320) : 88;
  if (column.kind === "text") return /long|stack|shapes|trace|doc|problem|recommendation/.test(column.key) ? 260 : 132;
  return Math.max(84, 24 + column.title.length * 6.4);
}

/** A heading without the word that the unit says. */
export function shortTitle(column, format) {
  return format?.unit ? column.title.replace(/ Time$/, "").replace(/^Avg\.? /, "Avg ") : column.title;
}
