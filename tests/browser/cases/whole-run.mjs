// The timeline of the whole capture, which only the server has.

import { asShown, check, settled, show, type } from "./helpers.mjs";

const WHOLE = "timeline&it=all";
const CHART = "document.querySelector('.run')";
const drawn = (page) => page.until(`${CHART}?.dataset.drawn === 'true'`, "drawn tiles");

/** Number of pixels of the lanes that are not of one colour with their left neighbours. */
const EDGES = `(() => {
  const canvas = document.querySelector(".runlanes canvas");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let edges = 0;
  for (let at = 4; at < width * height * 4; at += 4) edges += data[at] !== data[at - 4] || data[at + 3] !== data[at - 1];
  return edges;
})()`;

const box = async (page, selector) =>
  JSON.parse(
    await page.run(`JSON.stringify(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`),
  );

const times = async (page) =>
  (await page.run("/[#&]t=(-?\\d+)-(-?\\d+)/.exec(location.hash)?.slice(1).join(' ') ?? ''")).split(" ").map(Number);

const wheel = (page, x, y, deltaY, modifiers = 0) =>
  page.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY, modifiers });

const CTRL = 2;

export const WHOLE_RUN = {
  async "the longest gaps stand below the lanes, and lead to their places"({ page, address, facts, isServed }) {
    if (!isServed) return;
    const gaps = [...facts.tables.longest_gaps].sort((a, b) => b.duration_ns - a.duration_ns);
    if (!gaps.length) return;
    await show(page, address, WHOLE);
    await settled(page);
    const grid = "[...document.querySelectorAll('.card')].find((card) => card.getAttribute('aria-label') === 'Longest gaps')";
    await page.until(`${grid}.querySelector('.said').textContent.startsWith('${gaps.length}')`, "rows of gaps");
    await page.until(`${grid}.querySelector('.gline').textContent.includes(${JSON.stringify(gaps[0].in_words)})`, "its cause");
    await page.run(`${grid}.querySelector('.gridview').focus()`);
    await page.key("Home");
    await page.until(`${grid}.querySelector('.gline.sel')`, "a selected row");
    await page.key("Enter");
    const { start_ns: start, duration_ns: length } = gaps[0];
    await page.until(`location.hash.includes('r=${start}-${start + length}')`, "the gap as a range");
    await page.until("/[#&]t=/.test(location.hash)", "its part in the address");
    check(await page.run(`${grid}.contains(document.activeElement)`), "the table has lost the focus");
    const [from, to] = await times(page);
    check(from <= start && to >= start + length, `the gap is not in sight: ${from} to ${to}`);
  },

  async "the whole capture is drawn, and zooms to nanoseconds"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, WHOLE);
    await drawn(page);
    check((await page.run(EDGES)) > 200, "nothing is drawn");
    const lanes = await box(page, ".runlanes canvas");
    const [x, y] = [lanes.left + lanes.width / 2, lanes.top + 60];
    const before = await page.run("document.querySelector('.runlanes').scrollTop + ':' + scrollY");
    for (let step = 0; step < 90; step++) await wheel(page, x, y, -100, CTRL);
    await page.until("/[#&]t=/.test(location.hash)", "the part in the address");
    await page.until(
      "(() => { const [, from, to] = /[#&]t=(-?\\d+)-(-?\\d+)/.exec(location.hash); return to - from <= 21; })()",
      "20 ns",
    );
    check(
      (await page.run("document.querySelector('.runlanes').scrollTop + ':' + scrollY")) === before,
      "zooming scrolled",
    );
    await drawn(page);
    const marks = JSON.parse(
      await page.run(
        "JSON.stringify([...document.querySelectorAll('.run .ruler span')].map((mark) => mark.textContent))",
      ),
    );
    check(marks.length > 2 && new Set(marks).size === marks.length, `the ruler says ${marks.join(", ")}`);
    await page.key("0");
    await page.until("!/[#&]t=/.test(location.hash)", "the whole capture again");
  },

  async "the wheel scrolls the lanes, and the ruler stays in sight"({ page, address, isServed }) {
    if (!isServed) return;
    await page.size(1400, 520);
    await show(page, address, WHOLE);
    await drawn(page);
    // Everything unfolded, so that there is something to scroll.
    for (;;)
      if (
        !(await page.run(
          "(() => { const button = document.querySelector('.lanebtn[aria-label^=unfold]'); button?.click(); return Boolean(button); })()",
        ))
      )
        break;
    await page.run("document.querySelector('.runlanes').scrollIntoView({ block: 'end' })");
    const ruler = await box(page, ".run .ruler");
    const lanes = await box(page, ".runlanes canvas");
    const can = await page.run(
      "(() => { const box = document.querySelector('.runlanes'); return box.scrollHeight > box.clientHeight + 50; })()",
    );
    if (!can) return;
    await wheel(page, lanes.left + 200, lanes.top + 40, 120);
    await page.until("document.querySelector('.runlanes').scrollTop > 0", "scrolled lanes");
    check((await box(page, ".run .ruler")).top === ruler.top, "the ruler moved");
    check(!(await page.run("/[#&]t=/.test(location.hash)")), "scrolling zoomed");
    await drawn(page);
    check((await page.run(EDGES)) > 100, "the lanes further down are not drawn");
  },

  async "lanes fold, hide, are pinned and move, and the address keeps it"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, WHOLE);
    await drawn(page);
    const count = (selector) => page.run(`document.querySelectorAll('.runlabels > ${selector}').length`);
    const click = (words) => page.run(`document.querySelector('.lanebtn[aria-label^="${words}"]').click()`);
    for (;;)
      if (
        !(await page.run(
          "(() => { const button = document.querySelector('.lanebtn[aria-label^=unfold]'); button?.click(); return Boolean(button); })()",
        ))
      )
        break;
    const [headings, all] = [await count(".grp"), await count(".lab")];
    const isGpuFirst = await page.run(
      "document.querySelector('.runlabels > .grp b').textContent.startsWith('GPU') || !document.body.textContent.includes('Stream')",
    );
    check(isGpuFirst, "the first lanes are not of a GPU");
    await click("hide");
    check((await count(".lab")) === all - 1, "no lane is hidden");
    await click("pin");
    check((await count(".grp")) === headings + 1 && (await count(".lab")) === all - 1, "no lane is pinned");
    // The first groups may have lost their only lanes to the two steps before.
    await page.run("[...document.querySelectorAll('.lanebtn[aria-label^=fold]')].at(-1).click()");
    const folded = await count(".lab");
    check(folded < all - 1, "nothing is folded");
    await drawn(page);
    const link = await page.run("location.href");
    await page.open(link);
    await page.until("document.body?.dataset.ready", "the same view");
    check((await count(".lab")) === folded && (await count(".grp")) === headings + 1, "the link shows other lanes");
    await page.run("document.querySelector('.toolbar .chip').click()");
    check((await count(".lab")) >= folded, "hidden lanes do not come back");
  },

  async "a click on an item says what it is and what launched it"({ page, address, facts, isServed }) {
    if (!isServed || !facts.tables.kernels?.length) return;
    const kernel = facts.tables.kernels.find((row) => row.gpu_start_ns !== null);
    if (!kernel) return;
    await show(
      page,
      address,
      `${WHOLE}&t=${kernel.gpu_start_ns - 10}-${kernel.gpu_start_ns + kernel.gpu_time_ns + 10}`,
    );
    await drawn(page);
    const lanes = await box(page, ".runlanes canvas");
    let found = false;
    for (let y = 8; y < 400 && !found; y += 6) {
      const at = { x: lanes.left + lanes.width / 2, y: lanes.top + y, button: "left", clickCount: 1 };
      await page.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
      await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
      await new Promise((done) => setTimeout(done, 60));
      found = await page.run("document.querySelector('.pane')?.textContent.includes('Launched by') ?? false");
    }
    check(found, "no item under the mouse names its launch");
    check(await page.run("/[#&]sel=\\d+\\.\\d+\\.\\d+/.test(location.hash)"), "the address does not name the item");
    const text = await page.run("document.querySelector('.pane').textContent");
    await page.open(await page.run("location.href"));
    await page.until(
      `document.querySelector('.pane')?.textContent === ${JSON.stringify(text)}`,
      "the same item from the link",
    );
  },

  async "a dragged range says what it holds, as the server sums it, and the link shows it again"({
    page,
    address,
    isServed,
  }) {
    if (!isServed) return;
    await show(page, address, WHOLE);
    await drawn(page);
    const ruler = await box(page, ".run .ruler");
    const y = ruler.top + 10;
    const mouse = (type, x) =>
      page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
    await mouse("mousePressed", ruler.left + ruler.width * 0.3);
    await mouse("mouseMoved", ruler.left + ruler.width * 0.5);
    await mouse("mouseMoved", ruler.left + ruler.width * 0.6);
    await mouse("mouseReleased", ruler.left + ruler.width * 0.6);
    await page.until("document.querySelector('.range-card .sumlist')", "what the range holds");
    const [from, to] = (await page.run("/[#&]r=(-?\\d+)-(-?\\d+)/.exec(location.hash).slice(1).join(' ')"))
      .split(" ")
      .map(Number);
    check(to > from, `the range is ${from} to ${to}`);
    const sums = JSON.parse(await page.run(`window.dlprofSource.timeRange(${from}, ${to}).then(JSON.stringify)`));
    for (const { key, rows } of sums.lists) {
      const shown = await page.run(`document.querySelectorAll('[data-list=${key}] tbody tr').length`);
      check(shown === rows.length, `${key} has ${shown} rows instead of ${rows.length}`);
      const title = await page.run(`document.querySelector('[data-list=${key}] tbody td:nth-last-child(2)').title`);
      check(
        title.replaceAll(",", "").startsWith(String(rows[0].time_ns)),
        `${key}: ${title} instead of ${rows[0].time_ns}`,
      );
    }
    await page.open(await page.run("location.href"));
    await page.until("document.querySelector('.range-card .sumlist')", "the range of the link");
    await page.run(
      "[...document.querySelectorAll('.range-card button')].find((button) => button.textContent === 'Clear').click()",
    );
    await page.until("!document.querySelector('.range-card') && !/[#&]r=/.test(location.hash)", "no range");
  },

  async "search goes from match to match, and to a time"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, WHOLE);
    await drawn(page);
    const head = JSON.parse(await page.run("window.dlprofSource.lanes().then(JSON.stringify)"));
    const lane = head.lanes.findIndex(({ kind }) => kind === "stream" || kind === "api_calls");
    const { name } = JSON.parse(
      await page.run(`window.dlprofSource.laneItem({ lane: ${lane}, row: 0, item: 0 }).then(JSON.stringify)`),
    );
    const { count } = JSON.parse(
      await page.run(`window.dlprofSource.findItems(${JSON.stringify(name)}, 0).then(JSON.stringify)`),
    );
    const said = (text) =>
      page.until(`document.querySelector('.runsearch [role=status]').textContent === ${JSON.stringify(text)}`, text);
    await type(page, ".runsearch input", name);
    await said(`${count.toLocaleString("en")} found`);
    await page.key("Enter");
    await said(`1 of ${count.toLocaleString("en")}`);
    await page.until("/[#&]sel=/.test(location.hash)", "the selected match");
    if (count > 1) {
      await page.key("Enter");
      await said(`2 of ${count.toLocaleString("en")}`);
      await page.run("document.querySelector('.runsearch [aria-label=\"match before\"]').click()");
      await said(`1 of ${count.toLocaleString("en")}`);
    }
    const middle = Math.round((head.start_ns + head.end_ns) / 2);
    await type(page, ".runsearch input", `at:${(middle / 1e6).toFixed(3)}ms`);
    await page.until(
      `(() => { const t = /[#&]t=(-?\\d+)-(-?\\d+)/.exec(location.hash); return t && Math.abs((Number(t[1]) + Number(t[2])) / 2 - ${middle}) < 2000; })()`,
      "the time in the middle",
    );
    await type(page, ".runsearch input", "no such name at all");
    await said("nothing found");
  },

  async "counters are lanes of their GPU, and say their values"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, `${WHOLE}&fold=-`);
    await drawn(page);
    const { counters } = JSON.parse(await page.run("window.dlprofSource.lanes().then(JSON.stringify)"));
    for (const name of counters.map((counter) => asShown(counter.name))) {
      const label = `[...document.querySelectorAll('.runlabels .two')].find((label) => label.title === ${JSON.stringify(name)})`;
      check(await page.run(`Boolean(${label})`), `no lane is called ${name}`);
      const place = JSON.parse(await page.run(`JSON.stringify(${label}.getBoundingClientRect())`));
      const lanes = await box(page, ".runlanes canvas");
      for (let share = 0.95; share > 0; share -= 0.1) {
        await page.send("Input.dispatchMouseEvent", {
          type: "mouseMoved",
          x: lanes.left + lanes.width * share,
          y: place.top + place.height / 2,
        });
        await new Promise((done) => setTimeout(done, 40));
        if (
          await page.run(
            `document.querySelector('.run .tip:not([hidden])')?.textContent.startsWith(${JSON.stringify(`${name}: `)}) ?? false`,
          )
        )
          return;
      }
      check(false, `no value of ${name} is said`);
    }
  },

  async "a selected row of a table leads to its place in the timeline"({ page, address, facts, isServed }) {
    if (!isServed || !facts.tables.kernels?.length) return;
    await show(page, address, "table&key=kernels");
    await page.until("document.querySelector('.in-timeline')", "the link");
    for (let tries = 0; tries < 3 && (await page.run("document.querySelector('.in-timeline').hidden")); tries++) {
      await page.run("document.querySelector('.grid-box [tabindex=\"0\"]').focus()");
      await page.key("ArrowDown");
      await new Promise((done) => setTimeout(done, 200));
    }
    await page.until("!document.querySelector('.in-timeline').hidden", "the link of the selected row");
    await page.run("document.querySelector('.in-timeline').click()");
    await page.until(
      "document.body.dataset.ready === 'timeline' && document.querySelector('.range-card')",
      "the timeline with the kernel as range",
    );
    const [start, end] = (await page.run("/[#&]r=(-?\\d+)-(-?\\d+)/.exec(location.hash).slice(1).join(' ')"))
      .split(" ")
      .map(Number);
    check(
      facts.tables.kernels.some((row) => row.gpu_start_ns === start && row.gpu_start_ns + row.gpu_time_ns === end),
      "the range is not that of a kernel",
    );
  },
};
