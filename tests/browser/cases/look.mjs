// What the pages look like where it can be said in words: legends, units, paper, and what was not recorded.

import { check, goTo, same, settled, show } from "./helpers.mjs";

const PIXELS = `(() => { const canvas = document.querySelector(".itchart canvas"); return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.join("").length + ":" + canvas.toDataURL().length; })()`;

export const LOOK = {
  async "a click on the legend of the iterations hides a class, another click shows it"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "iterations");
    await settled(page);
    if (!(await page.run("document.querySelectorAll('.keypart').length"))) return;
    const before = await page.run(PIXELS);
    const click = "document.querySelector('.keypart:nth-child(2), .keypart').click()";
    await page.run(click);
    check((await page.run(PIXELS)) !== before, "the chart did not change");
    check(
      (await page.run("document.querySelectorAll('.keypart[aria-pressed=false]').length")) === 1,
      "no entry says that it is hidden",
    );
    await page.run(click);
    check((await page.run(PIXELS)) === before, "the class did not come back");
  },

  async "average, smallest and largest of one time have one unit"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "ops");
    await settled(page);
    const grids = JSON.parse(
      await page.run(
        `JSON.stringify([...document.querySelectorAll('.gridview')].map((grid) => [...grid.querySelectorAll('.gsort')].filter((head) => /^(avg|min|max)_gpu_time_ns$/.test(head.dataset.key)).map((head) => head.querySelector('.u')?.textContent.trim())))`,
      ),
    );
    check(grids.flat().length > 0, "there are no such columns");
    for (const units of grids) {
      check(new Set(units).size <= 1, `the units are ${units.join(", ")}`);
      check(!units.includes("ns"), "a heading has nanoseconds");
    }
  },

  async "of several GPUs their lanes come before those of threads"({ page, address }) {
    await show(page, address, "timeline");
    if (!(await page.run("window.dlprofSource.window().gpus_used.length > 1"))) return;
    const headings = JSON.parse(
      await page.run("JSON.stringify([...document.querySelectorAll('.tl-card .grp')].map((head) => head.textContent))"),
    );
    const firstThread = headings.findIndex((name) => name.startsWith("Process"));
    check(headings.some((name) => name.startsWith("GPU")), `headings are ${headings.join(", ")}`);
    check(!headings.slice(Math.max(0, firstThread)).some((name) => name.startsWith("GPU")), headings.join(", "));
  },

  async "timelines are painted for the width of the paper"({ page, address, isServed }) {
    for (const view of ["timeline", ...(isServed ? ["timeline&it=all"] : [])]) {
      await show(page, address, view);
      if (!(await page.run("Boolean(document.querySelector('.tl-card canvas'))"))) return;
      await page.until("document.querySelectorAll('.ruler span').length > 0", "a ruler");
      const widths = () =>
        page.run("[...document.querySelectorAll('.tl-card canvas')].map((one) => one.getBoundingClientRect().width)");
      const screen = await widths();
      await page.run("dispatchEvent(new Event('beforeprint'))");
      const card = await page.run("document.querySelector('.tl-card').getBoundingClientRect().width");
      const paper = await widths();
      check(card <= 880, `the card is ${card} pixels wide`);
      check(paper.every((wide) => wide < card), `a card of ${card} pixels has ${paper.join(", ")}`);
      await page.run("dispatchEvent(new Event('afterprint'))");
      same((await widths()).join(), screen.join(), "widths on the screen again");
    }
  },

  async "paper is light and has no fields"({ page, address, isServed }) {
    if (isServed) return;
    await page.theme("dark");
    await show(page, address, "dashboard");
    await page.run("dispatchEvent(new Event('beforeprint'))");
    await page.send("Emulation.setEmulatedMedia", { media: "print" });
    check(
      (await page.run("getComputedStyle(document.body).backgroundColor")) === "rgb(255, 255, 255)",
      "the paper is not white",
    );
    check(
      (await page.run("getComputedStyle(document.querySelector('.top')).display")) === "none",
      "the bar of the screen is printed",
    );
    await page.send("Emulation.setEmulatedMedia", { media: "" });
    await page.run("dispatchEvent(new Event('afterprint'))");
    check(
      (await page.run("document.documentElement.dataset.theme ?? ''")) === "",
      "the theme of the screen is another one now",
    );
    await page.theme("light");
  },

  async "cards that need kernels say what records them"({ page, address, facts, isServed }) {
    if (isServed || facts.tables.kernel_names.length) return;
    await show(page, address, "dashboard");
    const text = await page.run(
      "[...document.querySelectorAll('main .card')].find((card) => card.getAttribute('aria-label') === 'Top kernels')?.innerText ?? ''",
    );
    check(text.includes("--trace=cuda"), `the card of kernels says "${text}"`);
  },

  async "the tab of the view is in sight in a narrow window"({ page, address, isServed }) {
    if (isServed) return;
    await page.size(500);
    await show(page, address, "dashboard");
    await goTo(page, "compare");
    const [right, edge] = JSON.parse(
      await page.run(
        "JSON.stringify([document.querySelector('.tabs a[aria-current]').getBoundingClientRect().right, document.querySelector('.tabs').getBoundingClientRect().right])",
      ),
    );
    check(right <= edge + 1, `the tab ends at ${right}, the bar at ${edge}`);
  },

  async "columns of the dashboard end on one line without empty paper"({ page, address, isServed }) {
    if (isServed) return;
    await page.size(1440);
    await show(page, address, "dashboard");
    const empty = await page.run(`[...document.querySelectorAll(".grid.stretch:last-of-type > .stack")].map((column) => {
      const one = column.lastElementChild;
      return Math.round(one.getBoundingClientRect().bottom - one.lastElementChild.getBoundingClientRect().bottom);
    })`);
    check(
      empty.every((pixels) => pixels < 150),
      `below the last cards are ${empty.join(" and ")} pixels of empty paper`,
    );
  },

  async "headings of tables are read whole"({ page, address, isServed }) {
    if (isServed) return;
    for (const view of ["iterations", "kernels", "ops"]) {
      await show(page, address, view);
      await settled(page);
      const cut = await page.run(
        "[...document.querySelectorAll('.gsort > span')].filter((text) => text.scrollWidth > text.clientWidth + 1).map((text) => text.textContent)",
      );
      check(cut.length === 0, `${view} cuts ${cut.join(", ")}`);
    }
  },

  async "labels of the spread do not overlap"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "iterations");
    const boxes = await page.run(
      "[...document.querySelectorAll('.hx')].map((line) => [...line.children].map((label) => { const box = label.getBoundingClientRect(); return [box.left, box.right]; }))",
    );
    for (const line of boxes)
      line.slice(1).forEach(([left], at) => check(left >= line[at][1], `labels overlap: ${JSON.stringify(line)}`));
  },

  async "tables are whole on paper"({ page, address, facts, isServed }) {
    if (isServed || !facts.tables.kernels.length) return;
    await show(page, address, "table&key=kernels");
    await settled(page);
    await page.run("dispatchEvent(new Event('beforeprint'))");
    await page.send("Emulation.setEmulatedMedia", { media: "print" });
    const width = (await page.run("document.body.classList.contains('sideways')")) ? 1060 : 760;
    await page.size(width);
    const [columns, wanted, right] = await page.run(
      "(() => { const table = document.querySelector('.gprint table'); return [table.querySelectorAll('th').length, Number(document.querySelector('.gridview').getAttribute('aria-colcount')), table.getBoundingClientRect().right]; })()",
    );
    check(columns >= wanted && columns > 3, `${columns} of ${wanted} columns are printed`);
    check(right <= width + 1, `the table ends at ${right} of ${width} pixels`);
    await page.send("Emulation.setEmulatedMedia", { media: "" });
    await page.run("dispatchEvent(new Event('afterprint'))");
    check(!(await page.run("Boolean(document.querySelector('.gprint'))")), "the table of the paper stays");
  },
};
