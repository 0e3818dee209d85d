// Keys of a grid. It is one stop for Tab: rows with the arrow keys; above the first row are the filters, above them the headings.

import { showWholeRow } from "./grid-row.js";

/** What a key does in the rows of a grid; false if nothing. */
function keyInRows(grid, event) {
  const page = grid.pageRows;
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
  if (event.key === "ArrowUp" && !grid.selected) return focusHead(grid, grid.body.keys()[0], ".gfilter");
  if (by && grid.matching > 0) {
    const next = Math.max(0, Math.min(grid.matching - 1, (grid.selected ?? -1) + by));
    grid.scroll.bring(next);
    grid.select(next, true);
    return true;
  }
  if (event.key === "Enter" && grid.selected !== null) {
    grid.open(grid.selected);
    return true;
  }
  if (event.key.toLowerCase() === "v" && grid.selected !== null && !event.ctrlKey && !event.metaKey) {
    showWholeRow(grid, grid.selected);
    return true;
  }
  if (event.key.toLowerCase() !== "s" || event.ctrlKey || event.metaKey) return false;
  grid.sortBy(grid.columns.find((column) => column.key === grid.sort[0]?.column) ?? grid.columns[1]);
  return true;
}

function focusHead(grid, key, selector) {
  const target = key && grid.body.headingOf(key)?.querySelector(selector);
  target?.focus();
  return Boolean(target);
}

/** What a key does in a heading or a filter; false if nothing. Within a filter, left and right move in its text. */
function keyInHead(grid, event) {
  const isField = event.target.matches(".gfilter");
  const keys = grid.body.keys();
  const at = keys.indexOf(event.target.closest(".gcol").dataset.field);
  const beside = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: keys.length - 1 }[event.key];
  if (beside !== undefined && !isField) return focusHead(grid, keys[beside], ".gsort");
  if (event.key === "ArrowUp") return isField && focusHead(grid, keys[at], ".gsort");
  if (event.key === "ArrowDown" && !isField) return focusHead(grid, keys[at], ".gfilter");
  if (event.key !== "ArrowDown" && event.key !== "Escape") return false;
  grid.body.element.focus();
  return true;
}

/** Lets a grid answer keys. */
export function listenToKeys(grid) {
  grid.parts.box.addEventListener("keydown", (event) => {
    const isDone = event.target.closest(".gcol") ? keyInHead(grid, event) : keyInRows(grid, event);
    if (!isDone) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
