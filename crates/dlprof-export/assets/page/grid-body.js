// The lines of a grid, made by Tabulator: as many as are in sight. Which row a line shows depends on how far the grid is scrolled.

/* global Tabulator */
import { el } from "./dom.js";
import { tabulatorColumns, updateHeads } from "./grid-cells.js";

/** Height of a line in pixels. */
export const ROW_HEIGHT = 28;

/** Waits until an element is in the page, which a grid needs to know its width; false if its view was left before. */
async function connected(element) {
  for (let tries = 0; tries < 600 && !element.isConnected; tries++) await new Promise((done) => setTimeout(done, 16));
  return element.isConnected;
}

/** Makes the headings and no line yet; null if the view was left before. */
export async function buildBody(grid) {
  const { inner, nothing } = grid.parts;
  if (!(await connected(inner))) return null;
  const table = new Tabulator(inner, {
    data: [],
    index: "id",
    columns: tabulatorColumns(grid),
    layout: "fitColumns",
    rowHeight: ROW_HEIGHT,
    height: "100%",
    renderVertical: "basic",
    columnHeaderVertAlign: "bottom",
    columnDefaults: { vertAlign: "middle" },
    placeholder: () => nothing,
    keybindings: false,
    headerSortElement: () => el("span"),
    rowFormatter: (row) => markRow(grid, row),
  });
  table.on("renderComplete", () => sayOrder(grid));
  table.on("rowClick", (_, row) => grid.select(grid.first + row.getData().id, true));
  table.on("rowDblClick", (_, row) => grid.open(grid.first + row.getData().id));
  await new Promise((done) => table.on("tableBuilt", done));
  setTimeout(() => inner.isConnected && table.redraw(true), 50);
  inner.setAttribute("aria-label", `${grid.title}: rows with the arrow keys`);
  inner.removeAttribute("aria-owns");
  inner.querySelector(".tabulator-table").setAttribute("role", "presentation");
  return table;
}

/** What screen readers need besides what Tabulator says. */
export function sayOrder(grid) {
  const { inner } = grid.parts;
  inner.setAttribute("aria-rowcount", String(grid.matching + 1));
  inner.querySelector(".tabulator-tableholder").setAttribute("role", "rowgroup");
  inner.querySelector(".tabulator-placeholder")?.setAttribute("role", "row");
  updateHeads(grid);
}

/** Says which row a line shows, and whether it is the selected one. */
export function markRow(grid, line) {
  const row = grid.first + line.getData().id;
  const element = line.getElement();
  element.classList.toggle("sel", row === grid.selected);
  element.setAttribute("aria-rowindex", String(row + 2));
  if (row === grid.selected) element.setAttribute("aria-selected", "true");
  else element.removeAttribute("aria-selected");
}
