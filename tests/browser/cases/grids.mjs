// Grids as they are seen: headings above their columns, no more elements than fit, and one stop for Tab.

import { check, goTo, rowsSaid, same, settled, show, VIEWS } from "./helpers.mjs";

/** How far each heading of the first grid lies from the cell below it, and which columns have a heading without a cell. */
const APART = `(() => {
  const view = document.querySelector(".gridview");
  const line = view.querySelector(".gline");
  return [...view.querySelectorAll(".gcol")].map((head) => {
    const cell = line.querySelector('.gcell[data-field="' + head.dataset.field + '"]');
    return cell ? Math.abs(head.getBoundingClientRect().left - cell.getBoundingClientRect().left) : Infinity;
  });
})()`;

/** Columns between the edges of the first grid where no cell is painted. */
const HOLES = `(() => {
  const view = document.querySelector(".gridview");
  const box = view.getBoundingClientRect();
  const y = view.querySelector(".gline").getBoundingClientRect().top + 10;
  const holes = [];
  for (let x = box.left + 4; x < box.left + view.clientWidth - 4; x += 40)
    if (!document.elementFromPoint(x, y)?.closest(".gcell")) holes.push(Math.round(x - box.left));
  return holes;
})()`;

const allColumns = async (page, key) => {
  const tables = await page.run("window.dlprofSource.tables()");
  return tables.find((table) => table.key === key).columns;
};

export const GRIDS = {
  async "headings stay above their columns when a far filter gets the focus, and at every place"({
    page,
    address,
    facts,
    isServed,
  }) {
    if (isServed || !facts.tables.kernels.length) return;
    await page.size(1024);
    await show(page, address, "table&key=kernels");
    await settled(page);
    await page.run("document.querySelector('.gridview').focus()");
    for (const key of ["ArrowUp", "ArrowUp", "End", "ArrowDown"]) await page.key(key);
    const last = (await allColumns(page, "kernels")).at(-1).title;
    await page.until(
      `document.activeElement.getAttribute("aria-label") === ${JSON.stringify(`filter ${last}`)}`,
      "the filter of the last column by keys",
    );
    const edges = await page.run(
      "(() => { const view = document.querySelector('.gridview').getBoundingClientRect(), field = document.activeElement.getBoundingClientRect(); return [field.right, view.right]; })()",
    );
    check(edges[0] <= edges[1] + 1, `the filter ends at ${edges[0]}, the grid at ${edges[1]}`);
    for (const place of [1e9, 400, 77, 0]) {
      await page.run(`document.querySelector('.gridview').scrollLeft = ${place}`);
      await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const apart = await page.run(APART);
      check(apart.length > 3 && apart.every((pixels) => pixels < 1), `at ${place} headings are ${apart} pixels off`);
      same((await page.run(HOLES)).join(), "", `places without a cell at ${place}`);
    }
  },

  async "a link may ask for many rows; no more are elements than fit"({ page, address, facts }) {
    if (facts.tables.kernels.length < 200) return;
    await show(page, address, "tables");
    const columns = await allColumns(page, "kernels");
    const link = `table&key=kernels&kernels.rows=5000&kernels.cols=${columns.map((column) => column.key).join(",")}`;
    await show(page, address, link);
    await settled(page);
    await rowsSaid(page, facts.tables.kernels.length);
    const [lines, cells, shown] = await page.run(
      "[document.querySelectorAll('.gline').length, document.querySelectorAll('.gline .gcell').length, Number(document.querySelector('.gridview').getAttribute('aria-colcount'))]",
    );
    same(lines, 100, "lines");
    same(shown, columns.length, "columns that can be reached");
    check(cells / lines < columns.length / 2, `${cells} cells of ${lines} lines are elements`);
  },

  async "a grid is one stop for Tab, and its selected row shows the focus"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "kernels");
    await settled(page);
    if (!(await page.run("Boolean(document.querySelector('.gline'))"))) return;
    const stops = await page.run(
      "[...document.querySelectorAll('.gridview, .gridview *')].filter((one) => one.tabIndex >= 0).map((one) => one.className)",
    );
    same(stops.join(), "gridview", "stops for Tab");
    await page.run("document.querySelector('.gridview').focus()");
    await page.key("ArrowDown");
    await page.key("Home");
    await page.until("document.querySelector('.gline.sel')", "a selected row");
    const ring = await page.run("getComputedStyle(document.querySelector('.gline.sel')).outlineStyle");
    same(ring, "solid", "the ring of the selected row");
  },

  async "the page does not grow while one goes through its views"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "dashboard");
    const nodes = async () => {
      for (const view of VIEWS) {
        await goTo(page, view);
        await settled(page);
      }
      await goTo(page, "dashboard");
      // What a page lets go of is counted until it is collected, some of it only by the second time.
      for (let time = 0; time < 2; time++) await page.send("HeapProfiler.collectGarbage");
      return (await page.send("Memory.getDOMCounters")).nodes;
    };
    // What is collected by when differs a little; what is never let go of adds up.
    const counts = [];
    for (let round = 0; round < 10; round++) counts.push(await nodes());
    const [first, last] = [Math.max(...counts.slice(0, 3)), Math.min(...counts.slice(-5))];
    check(last <= first * 1.1, `nodes after each round: ${counts.join(", ")}`);
  },

  async "a whole row opens by keys, and names are copied as one text"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "ops");
    await settled(page);
    if (!(await page.run("Boolean(document.querySelector('.gline'))"))) return;
    await page.run("document.querySelector('.gridview').focus()");
    await page.key("Home");
    await page.key("v", "KeyV");
    await page.until("document.querySelector('.rowdialog[open]')", "the row");
    const name = await page.run("document.querySelector('.gline .cut').title");
    const shown = await page.run("document.querySelector('.rowdialog dd').textContent");
    same(shown, name, "the name in the row");
    const columns = (await allColumns(page, "ops")).length;
    same(await page.run("document.querySelectorAll('.rowdialog dt').length"), columns, "columns of the row");
    await page.key("Escape");
    await page.until("!document.querySelector('.rowdialog')", "the row closed");
    const copied = await page.run(`(() => {
      getSelection().selectAllChildren(document.querySelector(".gline .gname"));
      const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
      document.querySelector(".gridview").dispatchEvent(event);
      return event.clipboardData.getData("text/plain");
    })()`);
    same(copied, name, "the copied name");
  },
};
