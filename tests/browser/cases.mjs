// What must hold for every capture, whatever its source. Each case opens the page anew.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const VIEWS = ["dashboard", "ops", "optypes", "groups", "kernels", "iterkernels", "opkernels", "scatter", "tables", "iterations", "timeline", "flame", "gpus", "compare"];
const AXE = readFileSync(fileURLToPath(new URL("vendor/axe.min.js", import.meta.url)), "utf8");

async function show(page, address, hash) {
  await page.open(`${address}#${hash}`);
  await page.until("document.body?.dataset.ready", `view ${hash}`);
}

async function goTo(page, hash) {
  const isThere = await page.run(`location.hash === ${JSON.stringify(`#${hash}`)}`);
  if (!isThere) await page.run(`document.body.dataset.ready = ""; location.hash = ${JSON.stringify(`#${hash}`)}`);
  await page.until("document.body.dataset.ready", `view ${hash}`);
}

function same(found, wanted, what) {
  if (found === wanted) return;
  if (typeof found === "number" && typeof wanted === "number" && Math.abs(found - wanted) <= Math.abs(wanted) * 1e-12) return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

function check(holds, what) {
  if (!holds) throw new Error(what);
}

const settled = (page) => page.until("[...document.querySelectorAll('.grid-box')].every((box) => box.querySelector('.tabulator-cell, .nothing')) && !document.querySelector('.wait')", "grids with rows");

/** The cells of a grid in sight, by column key. */
const CELLS = `(() => [...document.querySelectorAll(".tabulator")].map((grid) => [...grid.querySelectorAll(".tabulator-row")].map((row) => Object.fromEntries([...row.querySelectorAll(".tabulator-cell")].map((cell) => [cell.getAttribute("tabulator-field"), cell.textContent])))))()`;

export const CASES = {
  async "every view opens without an error"({ page, address }) {
    await show(page, address, "dashboard");
    for (const view of VIEWS) {
      await goTo(page, view);
      await settled(page);
      check(!(await page.run("Boolean(document.querySelector('.failed'))")), `${view} says that it failed`);
      check((await page.run("document.querySelector('main').innerText.trim().length")) > 10, `${view} is empty`);
      check((await page.run("document.querySelectorAll('h1').length")) === 1, `${view} has not exactly one main heading`);
      check((await page.run("document.querySelector('.skip') !== null")), "no way to skip");
    }
  },

  async "every cell is that of the command line"({ page, address, facts }) {
    await show(page, address, "tables");
    const keys = await page.run("window.dlprofSource.tables().map((table) => table.key)");
    check(keys.length === Object.keys(facts.tables).length, `${keys.length} tables instead of ${Object.keys(facts.tables).length}`);
    let cells = 0;
    for (const key of keys) {
      const wanted = facts.tables[key];
      const columns = await page.run(`window.dlprofSource.tables().find((table) => table.key === "${key}").columns.map((column) => column.key)`);
      for (let from = 0; from < Math.max(1, wanted.length); from += 2000) {
        const { total, rows } = await page.run(`window.dlprofSource.rows("${key}", { from: ${from}, count: 2000 })`);
        same(total, wanted.length, `rows of ${key}`);
        rows.forEach((row, at) => row.forEach((cell, column) => {
          cells += 1;
          same(cell, wanted[from + at][columns[column]], `${key}[${from + at}].${columns[column]}`);
        }));
      }
    }
    check(cells > 100, "hardly any cell was compared");
  },

  async "a grid shows the rows of the command line in its order"({ page, address, facts }) {
    await show(page, address, "ops&per=total");
    await settled(page);
    const [ops] = await page.run(CELLS);
    const wanted = [...facts.tables.ops].sort((a, b) => b.gpu_time_ns - a.gpu_time_ns);
    const times = await page.run(`[...document.querySelectorAll(".tabulator")[0].querySelectorAll('.tabulator-cell[tabulator-field="gpu_time_ns"] [title]')].map((cell) => Number(cell.title.replace(/[^0-9.]/g, "")))`);
    times.forEach((ns, at) => same(ns, wanted[at].gpu_time_ns, `GPU time of row ${at}`));
    check(ops.length === Math.min(ops.length, wanted.length) && times.length > 0, "no rows");
    await page.run(`document.querySelector('.gsort[data-key="calls"]').click()`);
    await page.until("location.hash.includes('ops.sort=-calls')", "the order in the address");
    const falling = `(() => { const numbers = [...document.querySelectorAll(".tabulator")[0].querySelectorAll('.tabulator-cell[tabulator-field="calls"] [title]')].map((cell) => Number(cell.title.replace(/[^0-9.]/g, ""))); return numbers.length > 0 && numbers.every((number, at) => at === 0 || number <= numbers[at - 1]); })()`;
    await page.until(falling, "calls in falling order");
  },

  async "filters hold, are in the address, and can be cleared"({ page, address, facts }) {
    await show(page, address, "ops");
    await settled(page);
    const name = facts.tables.ops[0].op_name;
    const matching = facts.tables.ops.filter((row) => row.op_name.toLowerCase().includes(name.toLowerCase())).length;
    await page.run(`(() => { const field = document.querySelector('.gname .gfilter'); field.value = ${JSON.stringify(name)}; field.dispatchEvent(new Event("input", { bubbles: true })); })()`);
    await page.until("location.hash.includes('ops.where=')", "the filter in the address");
    await page.until(`document.querySelector('.toolbar .sp').textContent.replaceAll('\\u00a0', ' ').startsWith("${matching.toLocaleString("en")} ")`, `${matching} rows`);
    const hash = await page.run("location.hash");
    await show(page, address, hash.slice(1));
    await page.until(`document.querySelector('.toolbar .sp')?.textContent.replaceAll('\\u00a0', ' ').startsWith("${matching.toLocaleString("en")} ")`, "the same rows from the address");
    await page.run(`(() => { const field = document.querySelector('.gname .gfilter'); field.value = "no such op at all"; field.dispatchEvent(new Event("input", { bubbles: true })); })()`);
    await page.until("document.querySelector('.nothing button')", "the way to clear the filters");
    await page.run("document.querySelector('.nothing button').click()");
    await page.until(`document.querySelector('.toolbar .sp').textContent.replaceAll('\\u00a0', ' ').startsWith("${facts.tables.ops.length.toLocaleString("en")} ")`, "all rows");
  },

  async "numbers are filtered in the unit that the heading says"({ page, address, facts }) {
    await show(page, address, "ops&per=total");
    await settled(page);
    const unit = await page.run(`document.querySelector('.gsort[data-key="gpu_time_ns"] .u').textContent.trim()`);
    const scale = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[unit];
    const bound = Math.floor((Math.max(...facts.tables.ops.map((row) => row.gpu_time_ns)) / scale) * 0.5 * 100) / 100;
    const matching = facts.tables.ops.filter((row) => row.gpu_time_ns > bound * scale).length;
    await page.run(`(() => { const field = document.querySelector('input[aria-label="filter GPU Time"]'); field.value = "> ${bound}"; field.dispatchEvent(new Event("input", { bubbles: true })); })()`);
    await page.until(`document.querySelector('.toolbar .sp').textContent.replaceAll('\\u00a0', ' ').startsWith("${matching} ")`, `${matching} rows above ${bound} ${unit}`);
  },

  async "an op leads to its kernels and to its launches"({ page, address, facts }) {
    const kernels = facts.tables.kernel_summaries;
    if (!kernels.length) return;
    const op = kernels[0].op_id;
    await show(page, address, `ops&op=${encodeURIComponent(op)}`);
    const wanted = kernels.filter((row) => row.op_id === op).length;
    await page.until(`[...document.querySelectorAll('.toolbar .sp')][1]?.textContent.replaceAll('\\u00a0', ' ').startsWith("${wanted} of") || [...document.querySelectorAll('.toolbar .sp')][1]?.textContent.replaceAll('\\u00a0', ' ').startsWith("${wanted} row")`, `${wanted} kernels of ${op}`);
    await page.until("document.querySelector('.pane dl.kv')", "the pane of the longest launch");
    await page.run("document.querySelector('.pane a.r').click()");
    await page.until("location.hash.startsWith('#timeline') && document.body.dataset.ready === 'timeline'", "the timeline");
  },

  async "evidence of findings opens rows that are already filtered"({ page, address, facts }) {
    if (!facts.tables.findings.length) return;
    await show(page, address, "dashboard");
    const links = await page.run("[...document.querySelectorAll('.find .links a')].map((link) => link.getAttribute('href')).filter((href) => href.startsWith('#'))");
    check(links.length > 0, "no finding has evidence");
    for (const link of links) {
      await goTo(page, link.slice(1));
      await settled(page);
      check(!(await page.run("Boolean(document.querySelector('.failed'))")), `${link} failed`);
      if (/where=/.test(link)) check((await page.run("document.querySelectorAll('.gridcard .chip').length")) > 0, `${link} has no filter`);
      if (/where=/.test(link)) check((await page.run("document.querySelectorAll('.tabulator-row').length")) > 0, `${link} has no rows`);
    }
  },

  async "what is exported is what is shown"({ page, address, facts }) {
    await show(page, address, "kernels");
    await settled(page);
    await page.run("window.saved = null; URL.createObjectURL = (blob) => { window.saved = blob; return 'about:blank#saved'; }; HTMLAnchorElement.prototype.click = () => {}");
    const press = async (name) => {
      await page.run("window.saved = null; [...document.querySelectorAll('.toolbar button')].find((button) => button.textContent === 'Export').click()");
      await page.run(`[...document.querySelectorAll('.menu:not([hidden]) .mi')].find((item) => item.textContent.startsWith("${name}")).click()`);
      await page.until("window.saved", `${name} to be written`);
      return page.run("window.saved.text()");
    };
    const rows = JSON.parse(await press("JSON"));
    const wanted = [...facts.tables.kernel_names].sort((a, b) => b.gpu_time_ns - a.gpu_time_ns);
    same(rows.length, wanted.length, "exported rows");
    rows.forEach((row, at) => same(row.gpu_time_ns, wanted[at].gpu_time_ns, `GPU time of exported row ${at}`));
    const lines = (await press("CSV")).trimEnd().split("\n");
    check(lines[0].startsWith("long_kernel_name,gpu_time_ns"), `heading ${lines[0].slice(0, 60)}`);
  },

  async "names stay text"({ page, address, facts }) {
    await show(page, address, "dashboard");
    for (const view of VIEWS) {
      await goTo(page, view);
      await settled(page);
      check((await page.run("document.querySelectorAll('img, iframe, object, embed, body script[src^=\"http\"]:not([src^=\"' + location.origin + '\"])').length")) === 0, `${view} has an element that a name made`);
      check(!(await page.run("Boolean(window.broken)")), `${view} ran a name as a script`);
    }
    const hostile = facts.tables.kernel_names.find((row) => row.long_kernel_name.includes("<img"));
    if (!hostile) return;
    await goTo(page, "kernels");
    await settled(page);
    check(await page.run(`document.querySelector('main').textContent.includes(${JSON.stringify(hostile.long_kernel_name.slice(0, 20))})`), "the name is not shown");
    await page.run("document.querySelector('.search').click()");
    await page.run("(() => { const field = document.querySelector('.palette input'); field.value = '<img'; field.dispatchEvent(new Event('input')); })()");
    await page.until("document.querySelector('.hit mark')", "the hit of the search");
    check(!(await page.run("Boolean(window.broken)")), "the search ran a name as a script");
  },

  async "keys and search lead to views"({ page, address }) {
    await show(page, address, "dashboard");
    await page.key("2", "Digit2");
    await page.until("location.hash.startsWith('#ops') && document.body.dataset.ready === 'ops'", "key 2");
    await page.key("/", "Slash");
    await page.until("document.activeElement.closest('.palette')", "the search");
    await page.send("Input.insertText", { text: "timeline" });
    await page.until("document.querySelectorAll('.hit').length > 0", "hits");
    await page.key("Enter", "Enter");
    await page.until("location.hash.startsWith('#timeline') && document.body.dataset.ready === 'timeline'", "the timeline");
    await page.run("history.back()");
    await page.until("location.hash.startsWith('#ops')", "the way back");
    await page.key("?", "Slash");
    await page.until("document.querySelector('dialog[open]')", "help");
  },

  async "handles of the range move by keys"({ page, address, facts }) {
    if (facts.tables.iterations.length < 4) return;
    await show(page, address, "iterations");
    const before = await page.run("Number(document.querySelector('.handle').getAttribute('aria-valuenow'))");
    await page.run("document.querySelector('.handle').focus()");
    await page.key("ArrowRight");
    await page.until(`Number(document.querySelector('.handle').getAttribute('aria-valuenow')) === ${before + 1}`, "the handle one further");
    await page.until("location.hash.includes('start=')", "the range in the address");
    check((await page.run("document.querySelector('main').innerText")).includes("still those of"), "nothing says that the figures are the old ones");
  },

  async "another range is aggregated at once, and the first one stays selectable"({ page, address, facts }) {
    await show(page, address, "iterations");
    if (!(await page.run("Boolean(window.dlprofSource.reaggregate)"))) {
      check(await page.run("document.querySelector('.btn.primary').disabled"), "a file offers what it cannot do");
      return;
    }
    const inside = facts.tables.iterations.filter((row) => row.aggregated);
    if (inside.length < 3) return;
    const [first, last] = [inside[1].iteration, inside[inside.length - 2].iteration];
    await page.run(`(() => { const [start, stop] = document.querySelectorAll('.rangefields input'); start.value = ${first}; stop.value = ${last}; start.dispatchEvent(new Event("change")); })()`);
    await page.until("!document.querySelector('.btn.primary').disabled", "the button");
    await page.run("document.querySelector('.btn.primary').click()");
    await page.until(`window.dlprofSource.window().start === ${first} && window.dlprofSource.window().stop === ${last}`, "the new range");
    await page.until("document.body.dataset.ready === 'iterations'", "the view");
    const { rows } = await page.run("window.dlprofSource.rows('summary', { columns: ['aggregated_iterations', 'wall_clock_ns'] })");
    same(rows[0][1], facts.tables.iterations.filter((row) => row.iteration >= first && row.iteration <= last).reduce((sum, row) => sum + row.duration_ns, 0), "wall clock of the new range");
    const known = await page.run("window.dlprofSource.aggregations()");
    check(known.some((one) => one.start === inside[0].iteration), "the first aggregation is not listed");
    await page.run("(() => { const [start] = document.querySelectorAll('.rangefields input'); start.value = 999999; start.dispatchEvent(new Event('change')); })()");
    check((await page.run("document.querySelector('main').innerText")).includes("Nothing was changed"), "a wrong range is not refused");
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

  async "narrow windows scroll nothing but tables sideways"({ page, address }) {
    for (const width of [900, 500]) {
      await page.size(width);
      await show(page, address, "dashboard");
      for (const view of VIEWS) {
        await goTo(page, view);
        await settled(page);
        const wide = await page.run("document.documentElement.scrollWidth");
        check(wide <= width, `${view} is ${wide} pixels wide in a window of ${width}`);
      }
    }
  },

  async "axe finds no serious fault"({ page, address }) {
    await show(page, address, "dashboard");
    await page.run(`${AXE};0`);
    const faults = [];
    for (const theme of ["light", "dark"]) {
      await page.theme(theme);
      await new Promise((done) => setTimeout(done, 250));
      for (const view of VIEWS) {
        await goTo(page, view);
        await settled(page);
        const { violations } = JSON.parse(await page.run("axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify({ violations: found.violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 2).map((node) => node.html.slice(0, 140)) })) }))"));
        for (const fault of violations.filter(({ impact }) => impact === "serious" || impact === "critical")) faults.push(`${view} (${theme}): ${fault.id} at ${fault.where.join(" and ")}`);
      }
    }
    await page.theme("light");
    check(faults.length === 0, faults.slice(0, 8).join("\n    "));
  },
};
