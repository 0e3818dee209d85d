// Another range, the first one again, and what is said meanwhile.

import { asShown, check, same, saying, settled, show } from "./helpers.mjs";

const setRange = (page, first, last) =>
  page.run(`(() => {
  const [start, stop] = document.querySelectorAll('.rangefields input');
  start.value = ${first};
  stop.value = ${last};
  start.dispatchEvent(new Event("change"));
})()`);

export const AGGREGATION = {
  async "the card of key nodes opens, and says the score of the one in force"({ page, address, facts }) {
    await show(page, address, "iterations");
    const card = "document.querySelector('.card[aria-label=\"Key node\"]')";
    await page.until(`${card}?.querySelector('footer')`, "the card of key nodes");
    const inForce = await page.run("window.dlprofSource.window().key_node");
    const said = await page.run(`${card}.querySelector('footer').textContent`);
    const best = facts.tables.key_nodes.find((row) => row.key_node === inForce);
    if (inForce === null) check(said.includes("none in force"), `the card says ${said}`);
    else if (best) saying(/score (\S+)/.exec(said)?.[1] ?? "", best.score, "score of the key node");
    else check(said.includes(asShown(inForce)), `the card says ${said}`);
  },

  async "handles of the range move by keys"({ page, address, facts }) {
    if (facts.tables.iterations.length < 4) return;
    await show(page, address, "iterations");
    const before = await page.run("Number(document.querySelector('.handle').getAttribute('aria-valuenow'))");
    await page.run("document.querySelector('.handle').focus()");
    await page.key("ArrowRight");
    await page.until(
      `Number(document.querySelector('.handle').getAttribute('aria-valuenow')) === ${before + 1}`,
      "the handle one further",
    );
    await page.until("location.hash.includes('start=')", "the range in the address");
    check(
      (await page.run("document.querySelector('main').innerText")).includes("still those of"),
      "nothing says that the figures are the old ones",
    );
  },

  async "another range is aggregated at once, and the first one stays selectable"({ page, address, facts, isServed }) {
    await show(page, address, "iterations");
    if (!isServed) {
      check(await page.run("document.querySelector('.btn.primary').disabled"), "a file offers what it cannot do");
      return;
    }
    const inside = facts.tables.iterations.filter((row) => row.aggregated);
    if (inside.length < 3) return;
    const [first, last] = [inside[1].iteration, inside[inside.length - 2].iteration];
    await setRange(page, first, last);
    await page.until("!document.querySelector('.btn.primary').disabled", "the button");
    await page.run("document.querySelector('.btn.primary').click()");
    await page.until(
      `window.dlprofSource.window().start === ${first} && window.dlprofSource.window().stop === ${last}`,
      "the new range",
    );
    await page.until("document.body.dataset.ready === 'iterations'", "the view");
    const { rows } = await page.run("window.dlprofSource.rows('summary', { columns: ['wall_clock_ns'] })");
    const wall = facts.tables.iterations
      .filter((row) => row.iteration >= first && row.iteration <= last)
      .reduce((sum, row) => sum + row.duration_ns, 0);
    same(rows[0][0], wall, "wall clock of the new range");
    await setRange(page, 999999, last);
    check(
      (await page.run("document.querySelector('main').innerText")).includes("Nothing was changed"),
      "a wrong range is not refused",
    );
    await page.run(
      "[...document.querySelectorAll('.ctx button')].find((button) => button.textContent.endsWith('aggregations')).click()",
    );
    const entry = `[...document.querySelectorAll('.ctx .mi')].find((item) => item.textContent.startsWith('${inside[0].iteration}–${inside[inside.length - 1].iteration}'))`;
    check(await page.run(`Boolean(${entry})`), "the first aggregation is not in the menu");
    await page.run(`${entry}.click()`);
    await page.until(`window.dlprofSource.window().start === ${inside[0].iteration}`, "the first range");
    const back = await page.run("window.dlprofSource.rows('summary', { columns: ['wall_clock_ns'] })");
    same(back.rows[0][0], facts.tables.summary[0].wall_clock_ns, "wall clock of the first range");
  },

  async "another key node is aggregated"({ page, address, facts, isServed }) {
    const other = facts.tables.key_nodes.find(
      (row) => row.name !== facts.tables.summary[0].key_node && row.executions > 2,
    );
    if (!isServed || !other) return;
    await show(page, address, "iterations");
    const before = await page.run("window.dlprofSource.window().key_node");
    await page.run(
      `[...document.querySelectorAll('table[aria-label="Key nodes"] tbody tr')].find((row) => !row.classList.contains("sel")).click()`,
    );
    await page.until("!document.querySelector('.btn.primary').disabled", "the button");
    await page.run("document.querySelector('.btn.primary').click()");
    await page.until(
      `window.dlprofSource.window().key_node !== ${JSON.stringify(before)} || document.querySelector('main .err-t')`,
      "the other key node",
    );
    await settled(page);
    const error = await page.run("document.querySelector('main .err-t')?.parentElement.textContent ?? ''");
    check(!error || error.includes("Nothing was changed"), error);
    const listed = (await page.run("window.dlprofSource.rows('key_nodes', { columns: ['name'] })")).rows;
    check(
      listed.length === facts.tables.key_nodes.length,
      `${listed.length} key nodes are listed once another one is in force`,
    );
  },

  async "what takes over a second says how far it is"({ page, address, facts, isServed }) {
    if (!isServed || facts.tables.iterations.filter((row) => row.aggregated).length < 3) return;
    await show(page, address, "iterations");
    await page.run(`(() => {
      const original = window.fetch;
      const answer = (value) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
      window.fetch = (target, options) => {
        if (String(target).includes("api/progress")) return Promise.resolve(answer({ running: [{ what: "iterations 4 to 6", running_ms: 1500, usual_ms: 3000 }] }));
        if (options?.method === "POST") return new Promise((done) => setTimeout(() => done(original(target, options)), 2200));
        return original(target, options);
      };
    })()`);
    const inside = facts.tables.iterations.filter((row) => row.aggregated);
    await setRange(page, inside[0].iteration, inside[inside.length - 2].iteration);
    await page.run("document.querySelector('.btn.primary').click()");
    check(!(await page.run("Boolean(document.querySelector('[role=progressbar]'))")), "the bar is there at once");
    await page.until(
      "document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow') === '50'",
      "the bar at half",
    );
    check(
      (await page.run("document.querySelector('main').innerText")).includes("Computing iterations 4 to 6"),
      "nothing says what is computed",
    );
    await page.until(
      "location.hash.includes('agg=') && !document.querySelector('[role=progressbar]')",
      "the new range",
    );
  },

  async "a key node can be typed, and Enter in a field of the range aggregates"({ page, address, facts, isServed }) {
    const inside = facts.tables.iterations.filter((row) => row.aggregated);
    if (!isServed || inside.length < 4) return;
    await show(page, address, "iterations");
    await page.run("document.querySelector('input[aria-label^=\"filter key nodes\"]').focus()");
    await page.run("document.querySelector('input[aria-label^=\"filter key nodes\"]').value = 're:no such range'");
    await page.key("Enter");
    await page.until("location.hash.includes('key=')", "the typed key node in the address");
    check(
      (await page.run("document.querySelector('main').innerText")).includes("chosen: re:no such range"),
      "the view does not say the chosen key node",
    );
    await show(page, address, "iterations");
    const last = inside[inside.length - 2].iteration;
    await page.run(`(() => { const stop = document.querySelectorAll(".rangefields input")[1]; stop.focus(); stop.value = ${last}; })()`);
    await page.key("Enter");
    await page.until(`window.dlprofSource.window().stop === ${last}`, "the range that Enter asked for");
  },
};
