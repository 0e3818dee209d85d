// Ways from view to view, keys, and addresses.

import { check, goTo, rowsSaid, same, settled, show, type } from "./helpers.mjs";

/** Clicks a line of a grid. */
const clickRow = (page, grid, line) =>
  page.run(`(() => {
  const cells = document.querySelectorAll(".gridview")[${grid}].querySelectorAll(".gline")[${line}].querySelectorAll(".gcell");
  cells[cells.length > 1 ? 1 : 0].click();
})()`);

/** What is on the screen: all texts, the selected rows, and the part of the timeline. */
const SCREEN = `(() => {
  document.querySelectorAll(".tip").forEach((tip) => { tip.hidden = true; });
  const place = document.querySelector(".mini .vp");
  const fields = [...document.querySelectorAll("main input, main select")].map((field) => field.value);
  return JSON.stringify([document.querySelector("main").innerText, [...document.querySelectorAll(".sel, .on")].map((one) => one.innerText), fields, place && [place.style.left, place.style.width]]);
})()`;

/** Waits until the view no longer changes, and neither does its address: what it writes there comes a moment later. */
async function resting(page) {
  const look = `${SCREEN} + location.hash`;
  let before;
  for (let isSame = false; !isSame; ) {
    await new Promise((done) => setTimeout(done, 250));
    await page.until("document.body.dataset.ready", "the view");
    await settled(page);
    const now = await page.run(look);
    isSame = now === before;
    before = now;
  }
}

/** What is done in a view before its address is copied. */
const ACTS = {
  dashboard: (page) =>
    page.run(
      "[...document.querySelectorAll('.ctx .seg button')].find((button) => button.textContent === 'total')?.click()",
    ),
  async ops(page) {
    await page.run(`document.querySelector('.gsort[data-key="calls"]').click()`);
    await settled(page);
    await type(page, `input[aria-label="filter Calls"]`, "> 0");
    await page.until("location.hash.includes('ops.where=')", "the filter");
    await settled(page);
    if (await page.run("document.querySelectorAll('.gridview')[0].querySelectorAll('.gline').length > 1"))
      await clickRow(page, 0, 1);
    await page.until("document.querySelector('.gline.sel')", "a selected op");
  },
  async optypes(page) {
    await page.run(
      `(() => { const sizes = document.querySelector("select.sizes"); sizes.value = "10"; sizes.dispatchEvent(new Event("change")); })()`,
    );
    await page.run(`document.querySelector('.gsort[data-key="calls"]').click()`);
  },
  async groups(page) {
    await page.run(
      "[...document.querySelectorAll('.toolbar button')].find((button) => button.textContent === 'Expand all').click()",
    );
    await page.run(
      "(() => { const rows = document.querySelectorAll('.treet tbody tr'); rows[Math.min(2, rows.length - 1)]?.click(); })()",
    );
  },
  kernels: async (page) =>
    (await page.run("document.querySelectorAll('.gline').length > 1")) && clickRow(page, 0, 1),
  async iterkernels(page) {
    if (await page.run("document.querySelectorAll('.gridview')[0].querySelectorAll('.gline').length > 2"))
      await clickRow(page, 0, 2);
    await settled(page);
    if (await page.run("document.querySelectorAll('.gridview')[1].querySelectorAll('.gline').length > 1"))
      await clickRow(page, 1, 1);
  },
  async opkernels(page) {
    await page.run("document.querySelector('.itchart').focus()");
    await page.key("ArrowRight");
    await settled(page);
    if (await page.run("document.querySelectorAll('.gridview')[0].querySelectorAll('.gline').length > 1"))
      await clickRow(page, 0, 1);
  },
  scatter: (page) =>
    page.run(
      "[...document.querySelectorAll('main .seg button')].find((button) => button.textContent === 'Occupancy').click()",
    ),
  "table&key=steps": (page) => page.run("document.querySelectorAll('.gsort')[2].click()"),
  async iterations(page) {
    await page.run("document.querySelector('.handle').focus()");
    await page.key("ArrowRight");
    await page.run("document.querySelector('.itchart').focus()");
    await page.key("ArrowRight");
  },
  async timeline(page) {
    await page.key("w", "KeyW");
    await page.key("g", "KeyG");
    await page.until(
      "/&t=\\d+-\\d+/.test(location.hash) || !document.querySelector('.lanes')",
      "the part in the address",
    );
  },
  async flame(page) {
    await page.run("document.querySelector('.flamebox')?.focus()");
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.key(key);
  },
  gpus: (page) => page.run("document.querySelector('.gsort[data-key=\"device_id\"]').click()"),
};

export const LINKS = {
  async "an aggregation that is not there is said, and the first one is shown"({ page, address }) {
    if (address.startsWith("file:")) return;
    await show(page, address, "ops&agg=0.3-6.deadbeef");
    await settled(page);
    const said = await page.run("document.querySelector('.notice')?.innerText ?? ''");
    check(said.includes("There is no aggregation"), `the page says "${said}"`);
    check(!(await page.run("location.hash")).includes("agg="), "the address still names it");
  },

  async "a link shows the same view"({ page, address }) {
    for (const [view, act] of Object.entries(ACTS)) {
      await show(page, address, view);
      await settled(page);
      await act(page);
      await resting(page);
      const hash = await page.run("location.hash.slice(1)");
      const before = await page.run(SCREEN);
      await show(page, address, hash);
      await settled(page);
      await page
        .until(`${SCREEN} === ${JSON.stringify(before)}`, `the same view from ${hash}`)
        .catch(async (error) => {
          const after = await page.run(SCREEN);
          const at = [...before].findIndex((letter, place) => letter !== after[place]);
          throw new Error(
            `${error.message}: ${after.slice(Math.max(0, at - 60), at + 80)} instead of ${before.slice(Math.max(0, at - 60), at + 80)}`,
          );
        });
    }
  },

  async "an op leads to its kernels, a launch, the timeline and back to the row"({ page, address, facts }) {
    const kernels = facts.tables.kernel_summaries;
    if (!kernels.length) return;
    const op = kernels[0].op_id;
    await show(page, address, `ops&op=${encodeURIComponent(op)}`);
    await rowsSaid(page, kernels.filter((row) => row.op_id === op).length, 1);
    await page.until("document.querySelector('.pane dl.kv')", "the pane of the longest launch");
    await page.run("document.querySelector('.pane a.r').click()");
    await page.until(
      "location.hash.startsWith('#timeline') && document.body.dataset.ready === 'timeline'",
      "the timeline",
    );
    if (!(await page.run("location.hash.includes('it=') && Boolean(document.querySelector('.lanes'))"))) return;
    const isHeld = await page.run(
      "(window.dlprofSource.timelines() ?? [Number(/it=(\\d+)/.exec(location.hash)[1])]).includes(Number(/it=(\\d+)/.exec(location.hash)[1]))",
    );
    if (!isHeld) return;
    await page.until(
      "[...document.querySelectorAll('.pane header h2')].some((head) => head.textContent === 'Kernel')",
      "the kernel in the pane",
    );
    await page.until("document.querySelector('.pane').innerText.includes('Launch')", "its launch");
    await page.run(
      "[...document.querySelectorAll('.pane a')].find((link) => link.textContent === 'In the table').click()",
    );
    await page.until(
      "location.hash.startsWith('#iterkernels') && document.body.dataset.ready === 'iterkernels'",
      "the table",
    );
    await settled(page);
    check(
      (await page.run("document.querySelectorAll('.gridview')[1].querySelectorAll('.gline').length")) > 0,
      "the table does not show the kernel",
    );
    await page.run("history.back()");
    await page.until(
      "location.hash.startsWith('#timeline') && document.body.dataset.ready === 'timeline'",
      "the way back",
    );
  },

  async "evidence of findings opens rows that are already filtered"({ page, address, facts }) {
    if (!facts.tables.findings.length) return;
    await show(page, address, "dashboard");
    const links = await page.run(
      "[...document.querySelectorAll('.find .links a')].map((link) => link.getAttribute('href')).filter((href) => href.startsWith('#'))",
    );
    check(links.length > 0, "no finding has evidence");
    for (const link of new Set(links)) {
      await goTo(page, link.slice(1));
      await settled(page);
      check(!(await page.run("Boolean(document.querySelector('.failed'))")), `${link} failed`);
      if (!/where=/.test(link)) continue;
      check((await page.run("document.querySelectorAll('.gridcard .chip').length")) > 0, `${link} has no filter`);
      check((await page.run("document.querySelectorAll('.gline').length")) > 0, `${link} has no rows`);
    }
  },

  async "keys, search and help lead to views"({ page, address }) {
    await show(page, address, "dashboard");
    await page.key("2", "Digit2");
    await page.until("location.hash.startsWith('#ops') && document.body.dataset.ready === 'ops'", "key 2");
    await page.key("/", "Slash");
    await page.until("document.activeElement.closest('.palette')", "the search");
    await page.send("Input.insertText", { text: "timeline" });
    await page.until("document.querySelectorAll('.hit').length > 0", "hits");
    await page.key("Enter", "Enter");
    await page.until(
      "location.hash.startsWith('#timeline') && document.body.dataset.ready === 'timeline'",
      "the timeline",
    );
    await page.run("history.back()");
    await page.until("location.hash.startsWith('#ops')", "the way back");
    await page.key("?", "Slash");
    await page.until("document.querySelector('dialog[open]')?.innerText.includes('next gap')", "help");
    await page.key("Escape");
    await page.until("!document.querySelector('dialog[open]')", "help to close");
    for (const digit of ["1", "3", "4", "5"]) {
      await page.key(digit, `Digit${digit}`);
      const view = { 1: "dashboard", 3: "iterations", 4: "timeline", 5: "flame" }[digit];
      await page.until(`document.body.dataset.ready === "${view}"`, `key ${digit}`);
    }
  },

  async "rows and groups answer keys"({ page, address, facts }) {
    await show(page, address, "optypes");
    await settled(page);
    if (facts.tables.op_types.length) {
      await page.run("document.querySelector('.gridview').focus()");
      await page.key("ArrowDown");
      await page.until(
        "document.querySelector('.gline.sel')?.getAttribute('aria-rowindex') === '2'",
        "the first row",
      );
      await page.key("Enter");
      await page.until(
        "location.hash.startsWith('#ops') && document.body.dataset.ready === 'ops'",
        "the ops of the type",
      );
      await settled(page);
      check((await page.run("document.querySelectorAll('.gridcard .chip').length")) === 1, "no filter by type");
    }
    await show(page, address, "groups");
    await settled(page);
    const lines = () => page.run("document.querySelectorAll('.treet tbody tr').length");
    if ((await lines()) < 2) return;
    await page.run(
      "[...document.querySelectorAll('.toolbar button')].find((button) => button.textContent === 'Collapse all').click()",
    );
    const closed = await lines();
    await page.run("document.querySelector('.treet tbody tr').click()");
    await page.key("*", "Digit8");
    const open = await lines();
    await page.key("ArrowLeft");
    same(await lines(), closed, "lines with the group closed");
    check(open > closed, "nothing opened");
    await page.key("ArrowRight");
    check((await lines()) > closed, "ArrowRight opens nothing");
  },

  async "a part of a timeline that makes no sense gives the nearest one, and says so"({ page, address, isServed }) {
    const said = "[...document.querySelectorAll('.tl-card .note')].map((note) => note.textContent).join(' ')";
    const odd = ["t=9-3", "t=abc", "t=1e3-2e3", "t=99999999999999-999999999999999"];
    const views = ["timeline", "timeline&it=x", "timeline&it=99999", ...(isServed ? ["timeline&it=all"] : [])];
    for (const view of views)
      for (const part of view === "timeline&it=x" ? [""] : odd) {
        await show(page, address, `${view}&${part}`);
        if (!(await page.run("Boolean(document.querySelector('.tl-card'))"))) return;
        await page.until("document.querySelectorAll('.ruler span').length > 0", `a ruler of ${view}&${part}`);
        const words = await page.run(said);
        check(words.includes(part || "iteration x"), `${view}&${part} says ${JSON.stringify(words)}`);
      }
    await show(page, address, "timeline&t=0-2000");
    same(await page.run(said), "", "what a part that is there says");
  },

  async "the timeline answers its keys and keeps its part in the address"({ page, address }) {
    await show(page, address, "timeline");
    if (!(await page.run("Boolean(document.querySelector('.lanes'))"))) return;
    const whole = await page.run("document.querySelector('.mini .vp').clientWidth");
    await page.key("w", "KeyW");
    await page.until(`document.querySelector('.mini .vp').clientWidth < ${whole}`, "a closer look");
    await page.until("/&t=\\d+-\\d+/.test(location.hash)", "the part in the address");
    await page.key("0", "Digit0");
    await page.until(`document.querySelector('.mini .vp').clientWidth >= ${whole} - 1`, "all of it");
  },
};
