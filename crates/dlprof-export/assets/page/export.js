// What is shown, as a file or on the clipboard: the columns and rows of a grid, in raw values.

import { announce, el } from "./dom.js";

function cellText(value) {
  return value === null || value === undefined
    ? ""
    : typeof value === "boolean"
      ? value
        ? "true"
        : "false"
      : String(value);
}

function quoted(text, separator) {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that a spreadsheet would take for a formula, as one that it takes for text. */
function safeCell(cell) {
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

/** Comma-separated values with the columns' keys as header. */
export function toDelimited(keys, rows, separator = ",") {
  const line = (cells) => cells.map((cell) => quoted(cellText(cell), separator)).join(separator);
  return [line(keys), ...rows.map(line)].join("\n") + "\n";
}

/** An array of objects, as `export --format json` writes a table. */
export function toJson(keys, rows) {
  return (
    JSON.stringify(
      rows.map((row) => Object.fromEntries(row.map((cell, at) => [keys[at], cell]))),
      null,
      2,
    ) + "\n"
  );
}

/** Offers a file for saving. */
export function save(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Puts a text on the clipboard. */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea.sr", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  announce("Copied.");
}

/** Ways to export: { name, run }. XLSX and PDF need the server. */
export function exportWays(source, key, profileName, columns, question) {
  const keys = columns.map((column) => column.key);
  const all = async () => (await source.rows(key, { ...question(), columns: keys })).rows;
  const file = (ending) => `${profileName}-${key}.${ending}`;
  const text = async (ending, type, write, rows = all) =>
    source.exportTable
      ? save(file(ending), await source.exportTable(key, ending, { ...question(), columns: keys }))
      : save(file(ending), new Blob([write(keys, await rows())], { type }));
  const safe = source.isCsvSafe ? "texts like formulas get a '" : "";
  const copied = async () => (await all()).map((row) => (source.isCsvSafe ? row.map(safeCell) : row));
  const ways = [
    { name: "CSV", run: () => text("csv", "text/csv", toDelimited, copied), hint: safe },
    { name: "JSON", run: () => text("json", "application/json", toJson) },
    { name: "Copy to the clipboard", run: async () => toClipboard(toDelimited(keys, await copied(), "\t")), hint: safe },
  ];
  for (const [name, ending] of [
    ["Excel workbook", "xlsx"],
    ["PDF", "pdf"],
  ]) {
    const run =
      source.exportTable &&
      (async () => save(file(ending), await source.exportTable(key, ending, { ...question(), columns: keys })));
    ways.push({ name, run, hint: run ? "" : "needs `dlprof-agg view`" });
  }
  return ways;
}
