// Tables: every cell, order, filters, export, and that all rows can be reached.

import { asShown, check, rowsSaid, same, saying, settled, show, type } from "./helpers.mjs";

/** Numbers of a column of the first grid, from what stands on hover. */
const numbersOf = (key) =>
  `[...document.querySelectorAll(".gridview")[0].querySelectorAll('.gcell[data-field="${key}"] [title]')].map((cell) => Number(cell.title.replace(/[^0-9.]/g, "")))`;

/** The cells of the first four lines: key, text and unit. Columns are elements while they are in sight. */
const FIRST_LINES = `(async () => {
  const view = document.querySelector(".gridview");
  const lines = [];
  for (let place = 0; ; place += view.clientWidth / 2) {
    view.scrollLeft = place;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const units = Object.fromEntries([...view.querySelectorAll(".gsort")].map((head) => [head.dataset.key, head.querySelector(".u")?.textContent.trim() ?? ""]));
    [...view.querySelectorAll(".gline")].slice(0, 4).forEach((line, at) => {
      lines[at] ??= new Map();
      for (const { dataset, textContent } of line.querySelectorAll(".gcell")) lines[at].set(dataset.field, [dataset.field, textContent, units[dataset.field]]);
    });
    if (place >= view.scrollWidth - view.clientWidth) return lines.map((cells) => [...cells.values()]);
  }
})()`;

/** Presses an entry of the export menu, and gives what was saved: { name, text, start }. */
async function exported(page, name) {
  await page.run(`window.saved = null; window.savedAs = null;
    URL.createObjectURL = (blob) => { window.saved = blob; return "about:blank#saved"; };
    HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };
    [...document.querySelectorAll('.toolbar button')].find((button) => button.textContent === 'Export').click()`);
  await page.run(
    `[...document.querySelectorAll('.menu:popover-open .mi')].find((item) => item.textContent.startsWith("${name}")).click()`,
  );
  await page.until("window.saved && window.savedAs", `${name} to be written`);
  return page.run(
    "(async () => ({ name: window.savedAs, text: await window.saved.text(), start: [...new Uint8Array(await window.saved.slice(0, 4).arrayBuffer())] }))()",
  );
}

export const TABLES = {
  async "groups are sorted, filtered, have chosen columns, and an op becomes the key node"({ page, address, facts }) {
    await show(page, address, "groups&open=all");
    await settled(page);
    const lines = "[...document.querySelectorAll('.treet tbody tr')]";
    const depths = `${lines}.map((row) => Number(row.getAttribute('aria-level')))`;
    if ((await page.run(`${lines}.length`)) < 3) return;
    // Siblings are in the order of the column, whatever is between them.
    const heading = "document.querySelectorAll('.treet thead tr:first-child th')";
    const place = await page.run(`[...${heading}].findIndex((one) => one.textContent.startsWith('Num Calls'))`);
    await page.run(`${heading}[${place}].querySelector('button').click()`);
    await page.until("/[#&]sort=-/.test(location.hash)", "the order in the address");
    const calls = await page.run(
      `${lines}.map((row) => Number(row.cells[${place}].textContent.replaceAll(',', '')))`,
    );
    const levels = await page.run(depths);
    const last = [];
    calls.forEach((number, at) => {
      last.length = levels[at];
      // At the top, what has something below it comes first.
      const isFewer = levels[at] > 1 && last[levels[at] - 1] < number;
      check(!isFewer, `${number} calls behind fewer`);
      last[levels[at] - 1] = number;
    });
    const op = facts.tables.groups.find((row) => row.op_id);
    if (!op) return;
    await type(page, ".treet .gfields input", `=${op.name}`);
    await page.until(`${lines}.at(-1).querySelector('.cut .cut').title.startsWith(${JSON.stringify(op.name)})`, "the op");
    const titles = await page.run(`${lines}.map((row) => row.querySelector('.cut .cut').title)`);
    const isNear = (title) => title.startsWith(op.name) || op.name.startsWith(title.replace(/\/+$/, ""));
    check(titles.every(isNear), `rows that are not around ${op.name}: ${titles.join(", ")}`);
    await page.run(`${lines}.at(-1).click()`);
    await page.run("[...document.querySelectorAll('.toolbar .btn')].find((one) => one.textContent === 'Use as key node').click()");
    await page.until("location.hash.startsWith('#iterations') && document.body.dataset.ready === 'iterations'", "the iterations");
    check((await page.run("location.hash")).includes("key="), "no key node in the address");
  },

  async "every cell is that of the command line"({ page, address, facts }) {
    await show(page, address, "tables");
    const keys = await page.run("window.dlprofSource.tables().map((table) => table.key)");
    same(keys.length, Object.keys(facts.tables).length, "number of tables");
    let cells = 0;
    for (const key of keys) {
      const wanted = facts.tables[key];
      const columns = await page.run(
        `window.dlprofSource.tables().find((table) => table.key === "${key}").columns.map((column) => column.key)`,
      );
      for (let from = 0; from < Math.max(1, wanted.length); from += 2000) {
        const { total, rows } = await page.run(`window.dlprofSource.rows("${key}", { from: ${from}, count: 2000 })`);
        same(total, wanted.length, `rows of ${key}`);
        rows.forEach((row, at) =>
          row.forEach((cell, column) => {
            cells += 1;
            const told = wanted[from + at][columns[column]];
            const name = `${key}[${from + at}].${columns[column]}`;
            // The page has objects and lists as text.
            if (told !== null && typeof told === "object") same(JSON.stringify(JSON.parse(cell)), JSON.stringify(told), name);
            else same(cell, told, name);
          }),
        );
      }
    }
    check(cells > 100, "hardly any cell was compared");
  },

  async "the screen shows of each table what the command line says"({ page, address, facts, isServed }) {
    if (isServed) return;
    await show(page, address, "tables");
    const tables = await page.run("window.dlprofSource.tables()");
    for (const { key, columns, order } of tables.filter((table) => facts.tables[table.key].length)) {
      await show(
        page,
        address,
        `table&per=total&key=${key}&${key}.cols=${columns.map((column) => column.key).join(",")}`,
      );
      await settled(page);
      const lines = await page.run(FIRST_LINES);
      check(lines.length > 0, `${key} shows no row`);
      const rows = await page.run(
        `window.dlprofSource.rows("${key}", { count: 4, sort: ${JSON.stringify((order ?? []).map((part) => ({ column: part.replace(/^-/, ""), descending: part.startsWith("-") })))} }).then((answer) => answer.rows)`,
      );
      lines.forEach((cells, at) => {
        same(cells.length, columns.length, `columns of ${key}`);
        cells.forEach(([column, text, unit]) =>
          shownCell(
            columns.find((one) => one.key === column),
            text,
            unit,
            rows[at][columns.findIndex((one) => one.key === column)],
            `${key}.${column}`,
          ),
        );
      });
    }
  },

  async "a grid shows the rows of the command line in its order"({ page, address, facts }) {
    await show(page, address, "ops&per=total");
    await settled(page);
    const wanted = [...facts.tables.ops].sort((a, b) => b.gpu_time_ns - a.gpu_time_ns);
    const times = await page.run(numbersOf("gpu_time_ns"));
    check(times.length > 0 || !wanted.length, "no rows");
    times.forEach((ns, at) => same(ns, wanted[at].gpu_time_ns, `GPU time of row ${at}`));
    await page.run(`document.querySelector('.gsort[data-key="calls"]').click()`);
    await page.until("location.hash.includes('ops.sort=-calls')", "the order in the address");
    await page.until(
      `((numbers) => numbers.length > 0 && numbers.every((number, at) => at === 0 || number <= numbers[at - 1]))(${numbersOf("calls")})`,
      "calls in falling order",
    );
    await page.until(
      `document.querySelector('.gcol[data-field="calls"]').getAttribute("aria-sort") === "descending"`,
      "the order for screen readers",
    );
  },

  async "filters hold, are in the address, and can be cleared"({ page, address, facts }) {
    await show(page, address, "ops");
    await settled(page);
    const name = facts.tables.ops[0].op_name;
    const matching = facts.tables.ops.filter((row) => row.op_name.toLowerCase().includes(name.toLowerCase())).length;
    await type(page, ".gname .gfilter", name);
    await page.until("location.hash.includes('ops.where=')", "the filter in the address");
    await rowsSaid(page, matching);
    const hash = await page.run("location.hash");
    await show(page, address, hash.slice(1));
    await rowsSaid(page, matching);
    await type(page, ".gname .gfilter", "no such op at all");
    await page.until("document.querySelector('.nothing button')", "the way to clear the filters");
    await page.run("document.querySelector('.nothing button').click()");
    await rowsSaid(page, facts.tables.ops.length);
  },

  async "each kind of filter chooses the rows that it says"({ page, address, facts }) {
    const { ops } = facts.tables;
    const median = [...ops].sort((a, b) => a.calls - b.calls)[Math.floor(ops.length / 2)].calls;
    const type_ = ops.find((row) => row.op_type)?.op_type ?? "x";
    const questions = [
      ["calls", `>= ${median}`, (row) => row.calls >= median],
      ["calls", `${median}..${median + 3}`, (row) => row.calls >= median && row.calls <= median + 3],
      ["calls", `!= ${median}`, (row) => row.calls !== median],
      ["using_tc", "yes", (row) => row.using_tc === true],
      ["using_tc", "0", (row) => row.using_tc === false],
      ["op_type", `=${type_}`, (row) => row.op_type === type_],
      ["op_type", `!${type_}`, (row) => !row.op_type?.toLowerCase().includes(type_.toLowerCase())],
      ["op_name", "/^[a-m_]/", (row) => /^[a-m_]/i.test(row.op_name)],
      ["data_type", "–", (row) => row.data_type === null || row.data_type === ""],
    ];
    await show(page, address, `ops&per=total&ops.cols=op_name,calls,using_tc,op_type,data_type`);
    await settled(page);
    const titles = await page.run(
      "Object.fromEntries(window.dlprofSource.tables().find((table) => table.key === 'ops').columns.map((column) => [column.key, column.title]))",
    );
    for (const [column, text, holds] of questions) {
      const field = `.gridcard input[aria-label="filter ${titles[column]}"]`;
      await type(page, field, text);
      await rowsSaid(page, ops.filter(holds).length);
      await type(page, field, "");
      await rowsSaid(page, ops.length);
    }
    const word = ops[0].op_name.slice(1, 6);
    await type(page, ".gridcard .toolbar input", word);
    const texts = (row) => Object.values(row).filter((cell) => typeof cell === "string");
    await page.until("location.hash.includes('ops.find=')", "the search in the address");
    const some = ops.filter((row) =>
      word
        .toLowerCase()
        .split(/\s+/)
        .every((part) => texts(row).some((cell) => cell.toLowerCase().includes(part))),
    ).length;
    await rowsSaid(page, some);
  },

  async "numbers are filtered in the unit of the heading, or in the one that is typed"({ page, address, facts }) {
    await show(page, address, "ops&per=total");
    await settled(page);
    const unit = await page.run(`document.querySelector('.gsort[data-key="gpu_time_ns"] .u').textContent.trim()`);
    const scale = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
    const bound = Math.floor((Math.max(...facts.tables.ops.map((row) => row.gpu_time_ns)) / scale) * 0.5 * 100) / 100;
    await type(page, `input[aria-label="filter GPU Time"]`, `> ${bound}`);
    await rowsSaid(page, facts.tables.ops.filter((row) => row.gpu_time_ns > bound * scale).length);
    const least = Math.round(Math.min(...facts.tables.ops.map((row) => row.gpu_time_ns).filter((ns) => ns > 0)));
    await type(page, `input[aria-label="filter GPU Time"]`, `>${least}ns`);
    await rowsSaid(page, facts.tables.ops.filter((row) => row.gpu_time_ns > least).length);
    await type(page, `input[aria-label="filter GPU Time"]`, "> many");
    await rowsSaid(page, facts.tables.ops.length);
    check(
      await page.run(
        `document.querySelector('input[aria-label="filter GPU Time"]').matches('[aria-invalid="true"][title]')`,
      ),
      "a filter that cannot be read says nothing",
    );
  },

  async "a number is found as it is shown, by its filter and by the search"({ page, address, facts }) {
    const { ops } = facts.tables;
    if (!ops.some((row) => row.gpu_time_ns > 0)) return;
    await show(page, address, "ops&per=total&ops.cols=op_name,gpu_time_ns");
    await settled(page);
    const shown = await page.run(
      `[document.querySelector('.gline [data-field="gpu_time_ns"]').textContent, document.querySelector('.gsort[data-key="gpu_time_ns"] .u').textContent.trim()]`,
    );
    const [scale, half] = [{ ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[shown[1]], 0.5 * 10 ** -(shown[0].split(".")[1]?.length ?? 0)];
    const value = Number(shown[0].replaceAll(",", ""));
    const wanted = ops.filter(({ gpu_time_ns: ns }) => ns >= (value - half) * scale && ns < (value + half) * scale).length;
    check(wanted > 0, `no op takes ${shown.join(" ")}`);
    await type(page, `input[aria-label="filter GPU Time"]`, shown[0]);
    await rowsSaid(page, wanted);
    await type(page, `input[aria-label="filter GPU Time"]`, "");
    await rowsSaid(page, ops.length);
    await type(page, ".gridcard .toolbar input", shown[0]);
    await page.until("location.hash.includes('ops.find=')", "the search in the address");
    await page.until(
      `document.querySelector('.toolbar .said').textContent.includes(" of ") || ${wanted} === ${ops.length}`,
      "the rows found",
    );
    await settled(page);
    check(await page.run(`[...document.querySelectorAll('.gline')].some((line) => line.textContent.includes(${JSON.stringify(shown[0])}))`), `the search does not find ${shown[0]}`);
  },

  async "all rows of a long table can be reached"({ page, address, facts }) {
    const rows = facts.tables.kernels;
    if (rows.length < 60) return;
    await show(
      page,
      address,
      "table&key=kernels&kernels.rows=10&kernels.sort=gpu_start_ns&kernels.cols=kernel_name,gpu_start_ns",
    );
    await settled(page);
    const starts = rows.map((row) => row.gpu_start_ns).sort((a, b) => a - b);
    const inSight = async (from) => {
      await page.until(
        `((numbers) => numbers.length === 10 && numbers[0] === ${starts[from]})(${numbersOf("gpu_start_ns")})`,
        `row ${from} in sight`,
      );
      const found = await page.run(numbersOf("gpu_start_ns"));
      found.forEach((ns, at) => same(ns, starts[from + at], `start of row ${from + at}`));
      check(
        (await page.run("document.querySelector('.place').textContent")).includes(
          `${(from + 1).toLocaleString("en")}–`,
        ),
        "the place is not said",
      );
    };
    await inSight(0);
    check(
      (await page.run("document.querySelectorAll('.gline').length")) === 10,
      "more lines than are in sight",
    );
    await page.run("(() => { const bar = document.querySelector('.rowbar'); bar.scrollTop = bar.scrollHeight; })()");
    await inSight(rows.length - 10);
    await page.run(
      "document.querySelector('.gridview').dispatchEvent(new WheelEvent('wheel', { deltaY: -28 * 7, bubbles: true, cancelable: true }))",
    );
    await inSight(rows.length - 17);
    await page.run("document.querySelector('.gridview').focus()");
    await page.key("Home");
    await inSight(0);
    await page.key("PageDown");
    await page.until(
      "document.querySelector('.gline.sel')?.getAttribute('aria-rowindex') === '12'",
      "the row a page further",
    );
    await page.key("End");
    await inSight(rows.length - 10);
    same(
      await page.run("document.querySelector('.gline.sel').getAttribute('aria-rowindex')"),
      String(rows.length + 1),
      "the last row",
    );
  },

  async "what is exported is what is shown"({ page, address, facts, isServed }) {
    await show(page, address, "kernels");
    await settled(page);
    const file = await exported(page, "JSON");
    const rows = JSON.parse(file.text);
    const wanted = [...facts.tables.kernel_names].sort((a, b) => b.gpu_time_ns - a.gpu_time_ns);
    same(rows.length, wanted.length, "exported rows");
    rows.forEach((row, at) =>
      Object.keys(row).forEach(
        (key) => key === "gpu_time_ns" && same(row[key], wanted[at][key], `${key} of exported row ${at}`),
      ),
    );
    check(
      file.name.endsWith("kernel_names.json") && file.name.length > "-kernel_names.json".length,
      `the name of the file is ${file.name}`,
    );
    const lines = (await exported(page, "CSV")).text.trimEnd().split("\n");
    check(lines[0].startsWith("long_kernel_name,gpu_time_ns"), `heading ${lines[0].slice(0, 60)}`);
    await page.run(`window.copied = null; document.execCommand = () => { window.copied = document.activeElement.value; return true; };
      if (navigator.clipboard) navigator.clipboard.writeText = async (text) => { window.copied = text; };
      [...document.querySelectorAll('.toolbar button')].find((button) => button.textContent === 'Export').click()`);
    await page.run(
      "[...document.querySelectorAll('.menu:popover-open .mi')].find((item) => item.textContent.startsWith('Copy')).click()",
    );
    await page.until("window.copied !== null", "the copy");
    check((await page.run("window.copied")).startsWith("long_kernel_name\tgpu_time_ns\t"), "the copy has no heading");
    if (!isServed) {
      const off = await page.run(
        "[...document.querySelectorAll('.toolbar .mi')].filter((item) => item.disabled).map((item) => item.textContent)",
      );
      check(off.length >= 2, "a file offers formats that it cannot write");
      return;
    }
    const workbook = await exported(page, "Excel");
    same(JSON.stringify(workbook.start), JSON.stringify([0x50, 0x4b, 3, 4]), "start of the workbook");
    check((await exported(page, "PDF")).text.startsWith("%PDF"), "no PDF");
  },
};

/** A cell on the screen against the cell of the source. */
function shownCell(column, text, unit, value, what) {
  if (value === null || value === "") return same(text, "–", what);
  if (column.kind === "flag") return same(text, value ? "yes" : "no", what);
  if (column.kind === "answer") return same(text, { true: "yes", false: "no" }[value] ?? value, what);
  if (column.kind === "text") return same(text, asShown(value), what);
  return saying(text, value, what, unit);
}
