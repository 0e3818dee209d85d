// The part of a grid that is in sight: headings and lines in one box that scrolls sideways, so that they cannot part. Only the
// columns between its edges are elements, and a line that leaves at one end comes back at the other.

import { el, setStyle } from "./dom.js";
import { headCell, lineCell, updateHead } from "./grid-cells.js";
import { leastWidth } from "./grid-columns.js";

/** Height of a line in pixels. */
export const ROW_HEIGHT = 28;
/** Height of headings and their filters. */
export const HEAD_HEIGHT = 65;
/** Columns beyond either edge that are elements, so that scrolling finds them there. */
const BESIDE = 1;
/** Rows that the lines may be moved by; browsers bound places. */
const FARTHEST = 100_000;
/** No column is made narrower by hand. */
const NARROWEST = 48;

/** The headings and lines of a grid; `element` is the box that scrolls sideways and takes the keys. */
export function gridBody(grid) {
  const heads = el("div.gheads", { role: "row", "aria-rowindex": "1" });
  const body = el("div.glines", { role: "presentation" });
  const empty = el("div.gempty", { role: "row", hidden: true }, grid.parts.nothing);
  const clip = el("div.gclip", { role: "rowgroup" }, body);
  const wide = el("div.gwide", { role: "presentation" }, heads, clip, empty);
  const attributes = { role: "grid", tabindex: "0", "aria-label": `${grid.title}: rows with the arrow keys` };
  const element = el("div.gridview", attributes, wide);
  const chosen = new Map();
  const headings = new Map();
  /** Lines by their row. */
  let lines = new Map();
  let places = [];
  let [columns, edges] = [[], ""];
  /** The row at the top of `body`, which is moved by the rows between it and the first one in sight. */
  let base = 0;

  /** Where each shown column begins and how wide it is. What is left of the box goes to all, most of it to the names. */
  function place() {
    columns = grid.columns.filter((column) => grid.shown.has(column.key));
    const least = columns.map((column) => chosen.get(column.key) ?? leastWidth(grid, column));
    const share = columns.map((column, at) => (chosen.has(column.key) ? 0 : at === 0 && column.kind === "text" ? 6 : 1));
    const all = share.reduce((sum, one) => sum + one, 0);
    const left = Math.max(0, element.clientWidth - least.reduce((sum, one) => sum + one, 0));
    let from = 0;
    places = columns.map((column, at) => {
      const width = Math.floor(least[at] + (all ? (left * share[at]) / all : 0));
      from += width;
      return { column, from: from - width, width };
    });
    setStyle(wide, { width: `${from}px` });
    element.setAttribute("aria-colcount", String(columns.length));
  }

  /** The columns between the edges of the box; the first one is always there, and so is the one that has the focus. */
  function inSight() {
    const [left, right] = [element.scrollLeft, element.scrollLeft + element.clientWidth];
    const first = places.findIndex(({ from, width }) => from + width > left + (places[0]?.width ?? 0));
    let last = places.length - 1;
    while (last > 0 && places[last].from >= right) last--;
    const focused = heads.contains(document.activeElement) && document.activeElement.closest(".gcol").dataset.field;
    return places.filter(
      ({ column }, at) => at === 0 || (at >= first - BESIDE && at <= last + BESIDE) || column.key === focused,
    );
  }

  function showHeads(seen, keys) {
    for (const [key, heading] of headings) {
      if (keys.has(key)) continue;
      heading.remove();
      headings.delete(key);
    }
    for (const { column, from, width } of seen) {
      if (!headings.has(column.key)) {
        const heading = headCell(grid, column, (to) => resize(column, to));
        headings.set(column.key, heading);
        const isBehind = (other) => columns.findIndex((known) => known.key === other.dataset.field) > columns.indexOf(column);
        heads.insertBefore(heading, [...heads.children].find(isBehind) ?? null);
      }
      const heading = headings.get(column.key);
      heading.setAttribute("aria-colindex", String(columns.indexOf(column) + 1));
      setStyle(heading, from === 0 ? { width: `${width}px` } : { left: `${from}px`, width: `${width}px` });
      updateHead(grid, column, heading);
    }
  }

  function resize(column, width) {
    chosen.set(column.key, Math.max(NARROWEST, width));
    layout();
  }

  /** Says whether a line is the selected one. */
  function markLine(line) {
    const isSelected = line.row === grid.selected;
    line.classList.toggle("sel", isSelected);
    if (isSelected) line.setAttribute("aria-selected", "true");
    else line.removeAttribute("aria-selected");
  }

  function cellOf(row, { column, from, width }) {
    const cell = lineCell(grid, column, row);
    cell.setAttribute("aria-colindex", String(columns.indexOf(column) + 1));
    setStyle(cell, from === 0 ? { width: `${width}px` } : { left: `${from}px`, width: `${width}px` });
    return cell;
  }

  /** Gives a line a row with its cells. */
  function fill(line, row, seen) {
    line.row = row;
    line.waits = grid.store.get(row) === undefined;
    line.setAttribute("aria-rowindex", String(row + 2));
    setStyle(line, { top: `${(row - base) * ROW_HEIGHT}px` });
    markLine(line);
    line.cells = new Map(seen.map((one) => [one.column.key, cellOf(row, one)]));
    line.replaceChildren(...line.cells.values());
  }

  /** Gives a line the cells that came into sight, and takes those that left it. */
  function adjust(line, seen, keys) {
    for (const [key, cell] of line.cells) {
      if (keys.has(key)) continue;
      cell.remove();
      line.cells.delete(key);
    }
    let next = line.firstChild;
    for (const one of seen) {
      const known = line.cells.get(one.column.key);
      if (known) next = known.nextSibling;
      else {
        const cell = cellOf(line.row, one);
        line.cells.set(one.column.key, cell);
        line.insertBefore(cell, next);
      }
    }
  }

  function newLine() {
    const line = el("div.gline", { role: "row" });
    line.addEventListener("click", () => grid.select(line.row, true));
    line.addEventListener("dblclick", () => grid.open(line.row));
    return line;
  }

  /** Shows the rows from `grid.first` on. Lines that stay in sight keep their cells, unless all are to be made anew. */
  function showLines(isAnew) {
    const seen = inSight();
    const keys = new Set(seen.map(({ column }) => column.key));
    const now = [...keys].join();
    const isSame = now === edges;
    edges = now;
    if (isAnew || !isSame) showHeads(seen, keys);
    const isFar = Math.abs(grid.first - base) > FARTHEST;
    if (isFar) base = grid.first;
    const count = Math.min(grid.matching, grid.pageRows);
    const spare = [];
    for (const [row, line] of lines) if (row < grid.first || row >= grid.first + count) spare.push(line);
    spare.forEach((line) => line.remove());
    const shown = new Map();
    // Readers of the screen read lines in the order of the elements.
    let next = body.firstChild;
    for (let row = grid.first; row < grid.first + count; row++) {
      const known = lines.get(row);
      const line = known ?? spare.pop() ?? newLine();
      if (isAnew || isFar || !known || line.waits) fill(line, row, seen);
      else if (!isSame) adjust(line, seen, keys);
      if (known) next = line.nextSibling;
      else body.insertBefore(line, next);
      shown.set(row, line);
    }
    lines = shown;
    empty.hidden = count > 0;
    setStyle(body, { transform: `translateY(${(base - grid.first) * ROW_HEIGHT}px)` });
    element.setAttribute("aria-rowcount", String(grid.matching + 1));
  }

  function layout() {
    place();
    showLines(true);
  }

  element.addEventListener("scroll", () => {
    showLines(false);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    layout();
  }).observe(element);

  return {
    element,
    layout,
    /** The same rows, or others, in the places that columns have. */
    show: () => showLines(false),
    /** Says which line is the selected one. */
    mark() {
      for (const line of lines.values()) markLine(line);
    },
    /** Brings a column into sight and gives its heading. */
    headingOf(key) {
      const one = places.find(({ column }) => column.key === key);
      if (!one) return null;
      const [names, edge] = [places[0].width, element.clientWidth];
      if (one.from > 0 && one.from < element.scrollLeft + names) element.scrollLeft = one.from - names;
      else if (one.from + one.width > element.scrollLeft + edge) element.scrollLeft = one.from + one.width - edge;
      showLines(false);
      return headings.get(key);
    },
    /** Keys of the shown columns, in order. */
    keys: () => columns.map((column) => column.key),
  };
}
