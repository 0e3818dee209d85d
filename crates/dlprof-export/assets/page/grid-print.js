// Grids on paper: a table with all shown columns, and the rows from the first one in sight on, as many as are here.

import { el, setStyle } from "./dom.js";
import { count } from "./format.js";
import { headText, lineCell } from "./grid-cells.js";
import { BLOCK } from "./grid-store.js";

/** So many columns fit an upright sheet, and one on its side, in letters of the usual size. */
const [FITTING, FITTING_SIDEWAYS] = [9, 15];
/** Letters of tables on paper, in pixels. */
const [USUAL, SMALLEST] = [9, 5];

const grids = new WeakMap();

/** Lets a grid be printed while it is in the page. */
export function printable(grid) {
  grids.set(grid.parts.box, grid);
}

function paperTable(grid) {
  const columns = grid.columns.filter((column) => grid.shown.has(column.key));
  const rows = [];
  for (let row = grid.first; row < grid.matching && rows.length < BLOCK && grid.store.get(row); row++) rows.push(row);
  const head = columns.map((column) => el("th", { scope: "col" }, headText(grid, column)));
  const lines = rows.map((row) =>
    el("tr", null, ...columns.map((column) => {
      const cell = lineCell(grid, column, row);
      return el(`td.${cell.classList.contains("gnum") ? "num" : "text"}`, null, ...cell.childNodes);
    })),
  );
  const fitting = columns.length > FITTING ? FITTING_SIDEWAYS : FITTING;
  const table = el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...lines));
  setStyle(table, { "font-size": `${Math.max(SMALLEST, USUAL * Math.min(1, fitting / columns.length))}px` });
  const isWhole = rows.length === grid.matching;
  const [from, to] = [grid.first + 1, grid.first + rows.length].map(count);
  const note = `Rows ${from}\u2013${to} of ${count(grid.matching)}. \u201cExport\u201d writes all of them.`;
  // A table with more columns than fit an upright sheet turns all sheets of the view.
  if (columns.length > FITTING) document.body.classList.add("sideways");
  return el("div.gprint", null, table, isWhole ? null : el("p", null, note));
}

addEventListener("beforeprint", () => {
  for (const box of document.querySelectorAll(".grid-box")) {
    const grid = grids.get(box);
    if (grid?.matching) box.append(paperTable(grid));
  }
});
addEventListener("afterprint", () => {
  document.querySelectorAll(".gprint").forEach((table) => table.remove());
  document.body.classList.remove("sideways");
});
