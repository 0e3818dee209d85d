// A job of many ranks: the page is of what the command line says, is accessible, fits every width, and names stay text.

import { check, goTo, same, saying, settled, show, VIEWS_OF_JOB } from "./helpers.mjs";
import { AXE, faultsOf, MADE } from "./views.mjs";

/** Texts that are cut, or that end outside of their card. */
const CUT = `[...document.querySelectorAll(".kpi b, .kpi span, .card > header h2, .legend .n, .save b, .ranknr, .onebar span")].filter((one) => {
  const card = one.closest(".card").getBoundingClientRect();
  const box = one.getBoundingClientRect();
  return box.width > 0 && (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline" || box.right > card.right + 1);
}).map((one) => one.textContent)`;

/** Parts of the top that lie on each other. */
const MEET = `(() => {
  const boxes = [...document.querySelectorAll(".kpi > b, .kpi > span, .verdict h1, .outlook > *, .heatscale > *, .heatbar > label")]
    .map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
  return boxes.flatMap(({ text, box }, at) => boxes.slice(at + 1).filter(({ box: other }) =>
    box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 1 && other.top < box.bottom - 1,
  ).map((other) => text + " and " + other.text));
})()`;

/** The colour of the middle of a cell of the heat map, given as a share of its width and height. */
const pixel = (x, y) => `(() => {
  const canvas = document.querySelector(".heat canvas");
  return [...canvas.getContext("2d").getImageData(${x} * devicePixelRatio, ${y} * devicePixelRatio, 1, 1).data].join();
})()`;

const click = (x, y) => `(() => {
  const canvas = document.querySelector(".heat canvas");
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new MouseEvent("click", { clientX: box.left + ${x}, clientY: box.top + ${y}, bubbles: true }));
})()`;

export const JOBS = {
  async "the page says what the command line says"({ page, address, facts, overview }) {
    await show(page, address, "ranks");
    same(await page.run("document.querySelector('h1').textContent"), overview.verdict, "the verdict");
    const tiles = await page.run("[...document.querySelectorAll('.kpi b')].map((one) => one.textContent)");
    const [job] = facts.tables.job;
    saying(tiles[0], job.length_ns, "length of a step");
    saying(tiles[1], (job.wait_ns / job.length_ns) * 100, "waiting");
    saying(tiles[3], (job.compute_ns / job.length_ns) * 100, "computing");
    const shown = await page.run("document.querySelectorAll('table tbody tr').length");
    same(shown, job.ranks <= 16 ? job.ranks : 12, "ranks with a bar");
    const findings = await page.run("[...document.querySelectorAll('.find h3')].map((one) => one.textContent.toLowerCase())");
    same(findings.length, facts.tables.job_findings.length, "findings");
    const [late] = facts.tables.ranks.filter((row) => row.lagging);
    if (!late) return;
    same(await page.run("document.querySelector('tr.sel .ranknr').textContent"), String(late.rank), "the chosen rank");
    const pane = await page.run("[...document.querySelectorAll('.onerank dt')].map((name) => [name.textContent, name.nextElementSibling.textContent])");
    saying(Object.fromEntries(pane).Lag, late.lag_ns, "its lag");
  },

  async "every view opens, and names stay text"({ page, address, facts }) {
    await show(page, address, "ranks");
    for (const view of VIEWS_OF_JOB) {
      await goTo(page, view);
      await settled(page);
      check(!(await page.run("Boolean(document.querySelector('.failed'))")), `${view} says that it failed`);
      same(await page.run("document.querySelectorAll('h1').length"), 1, `main headings of ${view}`);
      same(await page.run(`document.querySelectorAll('${MADE}').length`), 0, `elements that a name made in ${view}`);
      check(!(await page.run("Boolean(window.broken)")), `${view} ran a name as a script`);
    }
    const listed = await page.run("[...document.querySelectorAll('.tablelist .num')].map((one) => Number(one.textContent.replaceAll(',', '')))");
    const wanted = Object.entries(facts.tables).map(([key, rows]) => (key === "collectives" ? Math.min(rows.length, 10000) : rows.length));
    same(listed.join(), wanted.join(), "rows of the tables");
  },

  async "nothing overlaps, is cut or scrolls sideways at any width"({ page, address, isServed }) {
    if (isServed) return;
    for (const width of [1440, 1024, 500]) {
      await page.size(width);
      await show(page, address, "ranks");
      await settled(page);
      const wide = await page.run("document.documentElement.scrollWidth");
      check(wide <= width, `the page is ${wide} pixels wide in a window of ${width}`);
      same((await page.run(MEET)).join("; "), "", `texts that meet at ${width} pixels`);
      same((await page.run(CUT)).join("; "), "", `texts that are cut at ${width} pixels`);
    }
  },

  async "axe finds no serious fault"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "ranks");
    await page.run(`${AXE};0`);
    const faults = [];
    for (const [theme, rules] of [
      ["light", null],
      ["dark", ["color-contrast"]],
    ]) {
      await page.theme(theme);
      await new Promise((done) => setTimeout(done, 250));
      for (const view of VIEWS_OF_JOB) {
        await goTo(page, view);
        await settled(page);
        for (const fault of await faultsOf(page, rules))
          faults.push(`${view} (${theme}): ${fault.id} at ${fault.where.join(" and ")}`);
      }
    }
    await page.theme("light");
    check(faults.length === 0, faults.slice(0, 8).join("\n    "));
  },

  async "a click on the heat map chooses a rank, and the address says it"({ page, address, facts, isServed }) {
    await show(page, address, "ranks");
    await settled(page);
    await page.run(click(60, 20));
    await page.until("location.hash.includes('rank=')", "the rank in the address");
    const rank = Number(/rank=(\d+)/.exec(await page.run("location.hash"))[1]);
    check(facts.tables.ranks.some((row) => row.rank === rank), `there is no rank ${rank}`);
    check((await page.run("document.querySelector('.onerank').closest('.card').querySelector('h2').textContent")).endsWith(` ${rank}`), "another rank is shown");
    if (isServed) return;
    await page.run("document.querySelector('.heat canvas').focus()");
    const before = await page.run("location.hash");
    await page.key("ArrowRight");
    await page.until(`location.hash !== ${JSON.stringify(before)}`, "the next cell");
    const link = await page.run("location.hash.slice(1)");
    await show(page, address, link);
    const pane = await page.run("document.querySelector('.onerank').closest('.card').querySelector('h2').textContent");
    check(pane.endsWith(` ${/rank=(\d+)/.exec(link)[1]}`), `the link ${link} shows ${pane}`);
  },

  async "who lags has another colour, and other measures another picture"({ page, address, facts, isServed }) {
    const late = facts.tables.ranks.find((row) => row.lagging);
    if (isServed || !late || facts.tables.ranks.length > 16) return;
    await show(page, address, "ranks&sort=lag");
    await settled(page);
    const [first, second] = [await page.run(pixel(80, 10)), await page.run(pixel(80, 30))];
    check(first !== second, "the slowest rank looks like the others");
    const picture = "document.querySelector('.heat canvas').toDataURL()";
    const before = await page.run(picture);
    await page.run("(() => { const one = document.querySelector('.heatbar select'); one.value = 'wait_ns'; one.dispatchEvent(new Event('change')); })()");
    check((await page.run(picture)) !== before, "waiting has the picture of lag");
  },

  async "on paper the heat map fits, and nothing is dark"({ page, address, isServed }) {
    if (isServed) return;
    await page.theme("dark");
    await show(page, address, "ranks");
    await settled(page);
    await page.run("dispatchEvent(new Event('beforeprint'))");
    const [canvas, card] = await page.run(
      "[document.querySelector('.heat canvas'), document.querySelector('.heat').closest('.card')].map((one) => one.getBoundingClientRect().width)",
    );
    check(canvas <= card && card <= 1264, `a heat map of ${canvas} pixels in a card of ${card}`);
    await page.send("Emulation.setEmulatedMedia", { media: "print" });
    same(await page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)", "the paper");
    await page.send("Emulation.setEmulatedMedia", { media: "" });
    await page.run("dispatchEvent(new Event('afterprint'))");
    await page.theme("light");
  },
};
