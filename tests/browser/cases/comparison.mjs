// Two captures, and two ranges of one: the view against `dlprof-agg compare --format json`.

import { check, goTo, same, saying, show } from "./helpers.mjs";

const rowsOf = (label) =>
  `[...document.querySelectorAll('table[aria-label="${label}"] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))`;

/** A value as JSON with its keys in order. */
const inOrder = (value) =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );

export const COMPARISON = {
  async "the comparison says the figures of the command line"({ page, address, comparison }) {
    await show(page, address, "compare");
    const shown = await page.run("window.dlprofSource.comparison()");
    same(inOrder(shown.metrics), inOrder(comparison.metrics), "metrics of the source");
    same(inOrder(shown.decomposition), inOrder(comparison.decomposition), "parts of the source");
    const metrics = await page.run(rowsOf("Per iteration"));
    same(metrics.length, comparison.metrics.length, "rows of metrics");
    metrics.forEach((cells, at) => {
      const { base, new: changed, change, change_percent, unit, key } = comparison.metrics[at];
      const shownUnit = unit === "percent" ? "%" : "";
      saying(cells[1], base, `${key}, base`, shownUnit);
      saying(cells[2], changed, `${key}, new`, shownUnit);
      saying(cells[3], change, `${key}, change`, shownUnit);
      saying(cells[4], change_percent, `${key}, change in percent`, "%");
    });
    for (const [title, rows] of [
      ["Ops", comparison.ops],
      ["Kernels", comparison.kernels],
    ]) {
      const lines = await page.run(rowsOf(title));
      const unit = await page.run(
        `document.querySelector('table[aria-label="${title}"] th[aria-sort] .u').textContent.trim()`,
      );
      const wanted = [...rows].sort((a, b) => Math.abs(b.change) - Math.abs(a.change)).slice(0, 40);
      same(lines.length, wanted.length, `rows of ${title}`);
      lines.forEach((cells, at) => saying(cells[3], wanted[at].change, `${title} ${at}, change`, unit));
    }
    check((await page.run("document.querySelector('h1').textContent.length")) > 10, "no verdict");
    const dots = await page.run("[...document.querySelectorAll('.sides .dots')].map((line) => line.querySelectorAll('i').length)");
    same(dots.join(), comparison.iterations.map((runs) => runs.reduce((sum, one) => sum + one, 0)).join(), "iterations as dots");
  },

  async "names of a comparison stand close to their figures at 1440 pixels"({ page, address }) {
    await page.size(1440);
    await show(page, address, "compare");
    const far = await page.run(`[...document.querySelectorAll("main table")].map((table) => {
      const [name, next] = table.querySelectorAll("tbody tr td");
      const range = document.createRange();
      range.selectNodeContents(next);
      return [table.getAttribute("aria-label"), range.getBoundingClientRect().left - name.getBoundingClientRect().left];
    }).filter(([, pixels]) => pixels > 480)`);
    same(far.join(), "", "tables whose first figure is far from its name");
  },

  async "a comparison as a file opens with the comparison"({ page, address, isServed }) {
    if (isServed) return;
    await page.open(address);
    await page.until("document.body?.dataset.ready === 'compare'", "the comparison");
    await goTo(page, "dashboard");
    await page.until("document.body.dataset.ready === 'dashboard'", "the dashboard of the new run");
  },

  async "both timelines stand one above the other, in one scale, and move together"({ page, address }) {
    await show(page, address, "compare");
    const card = "document.querySelector('section[aria-label=Timelines]')";
    const charts = `[...${card}.querySelectorAll('.aligned')]`;
    same(await page.run(`${charts}.length`), 2, "timelines");
    const marks = `${charts}.map((one) => one.querySelector('.ruler').textContent).join('|')`;
    await page.until(`(() => { const [a, b] = ${marks}.split('|'); return a && a === b; })()`, "equal rulers");
    const before = await page.run(marks);
    await page.run(`${charts}[0].querySelector('.lanes').focus()`);
    await page.key("w", "KeyW");
    await page.until(`${marks} !== ${JSON.stringify(before)}`, "a closer view");
    await page.until(`(() => { const [a, b] = ${marks}.split('|'); return a && a === b; })()`, "equal rulers again");
    const ends = await page.run(`${charts}.map((one) => {
      const [ruler, mini] = [".ruler", ".mini canvas"].map((name) => one.querySelector(name).getBoundingClientRect());
      return Math.abs(ruler.left - mini.left) + Math.abs(ruler.right - mini.right);
    })`);
    check(ends.every((pixels) => pixels <= 2), `strip and ruler differ by ${ends.join(" and ")} pixels`);
    const edge = `(() => {
      const canvas = ${charts}[0].querySelector(".lanes canvas");
      const box = canvas.getBoundingClientRect();
      for (let y = box.bottom - 20; y > box.top; y -= 8)
        for (let x = box.left + 4; x < box.right; x += 16) {
          canvas.dispatchEvent(new MouseEvent("click", { clientX: x, clientY: y, bubbles: true }));
          if (/first:/.test(${card}.textContent)) return ${card}.querySelector("[role=status]").textContent;
        }
      return "";
    })()`;
    const said = await page.run(edge);
    check(/first: .* second: .* Number \d+ of its name/.test(said), `an item says ${JSON.stringify(said)}`);
  },

  async "both captures can be chosen"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, "dashboard");
    const known = await page.run("window.dlprofSource.aggregations()");
    const names = new Set(known.map((one) => one.profile_name));
    same(names.size, 2, "captures in the list");
    for (const one of known) {
      await goTo(page, `dashboard&agg=${one.id}`);
      await page.until(
        `window.dlprofSource.window().profile_name === ${JSON.stringify(one.profile_name)}`,
        one.profile_name,
      );
      await page.until("document.body.dataset.ready === 'dashboard'", "the dashboard");
    }
  },

  async "two iterations of one capture are compared, and the address names them"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, "compare");
    const slowest = await page.run("window.dlprofSource.rangesCompared('slowest')");
    check(
      await page.run(`document.body.textContent.includes(${JSON.stringify(slowest.sentence)})`),
      "the sentence of the slowest iteration",
    );
    await goTo(page, "compare&pair=1,2");
    const pair = await page.run("window.dlprofSource.rangesCompared('1,2')");
    same(pair.base.start, 1, "first iteration");
    same(pair.new.start, 2, "second iteration");
    check(
      await page.run(`document.body.textContent.includes(${JSON.stringify(pair.sentence)})`),
      "the sentence of the pair",
    );
    const classes = pair.lists.find((list) => list.subject === "classes");
    const changed = classes.rows.filter((row) => row.change_ns !== 0);
    same((await page.run(rowsOf(`Two ranges: ${classes.title}`))).length, changed.length, "rows of classes");
    await goTo(page, "compare&pair=1,100000");
    check(await page.run("!!document.querySelector('[role=alert]')"), "an iteration that does not exist is refused");
  },
};
