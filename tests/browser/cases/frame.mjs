// The bars at the top with two captures: the menu can be reached, and what they say is of the capture in sight.

import { check, goTo, same, show } from "./helpers.mjs";

const OPEN =
  "[...document.querySelectorAll('.ctx button')].find((button) => button.textContent.endsWith('aggregations')).click()";

/** Whether the middle of the button is its own on the screen. */
const CAN_BE_CLICKED = `(() => {
  const button = [...document.querySelectorAll(".ctx button")].find((one) => one.textContent.endsWith("aggregations"));
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return right <= innerWidth && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === button;
})()`;

/** Entries of the open menu whose middle is not theirs on the screen. */
const HIDDEN = `[...document.querySelectorAll(".ctx .menu .mi")].filter((entry) => {
  const { left, right, top, bottom } = entry.getBoundingClientRect();
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return right > innerWidth || bottom > innerHeight || !entry.contains(at);
}).map((entry) => entry.innerText)`;

export const FRAME = {
  async "every aggregation of the menu can be reached at every width, and says its capture"({ page, address, isServed }) {
    if (!isServed) return;
    for (const width of [1440, 1024, 500]) {
      await page.size(width);
      await show(page, address, "dashboard");
      check(await page.run(CAN_BE_CLICKED), `the button of the menu cannot be clicked at ${width} pixels`);
      await page.run(OPEN);
      await page.until("document.querySelector('.ctx .menu:popover-open .mi')", "the menu");
      same((await page.run(HIDDEN)).join(), "", `entries that cannot be reached at ${width} pixels`);
      const names = (await page.run("window.dlprofSource.aggregations()")).map((one) => one.profile_name);
      const said = await page.run("[...document.querySelectorAll('.ctx .menu .mi')].map((entry) => entry.textContent)");
      names.forEach((name, at) => check(said[at].includes(name), `entry ${at} says ${said[at]}, not ${name}`));
      await page.key("Escape");
      await page.until("!document.querySelector('.ctx .menu:popover-open')", "the closed menu");
    }
  },

  async "title and tabs are those of the capture in sight"({ page, address, isServed }) {
    if (!isServed) return;
    await show(page, address, "dashboard");
    const known = await page.run("window.dlprofSource.aggregations()");
    for (const one of known) {
      await goTo(page, `dashboard&agg=${one.id}`);
      await page.until(`document.title.startsWith(${JSON.stringify(one.profile_name)})`, `the title ${one.profile_name}`);
      const [hasTab, gpus] = await page.run(
        "[document.querySelector('.tabs a[data-tab=GPUs]').offsetWidth > 0, window.dlprofSource.window().gpus]",
      );
      same(hasTab, gpus > 1, `the tab of GPUs with ${gpus}`);
    }
  },

  async "the page says how far reading is, and opens by itself"({ page, address, isServed }) {
    if (!isServed) return;
    const { identifier } = await page.send("Page.addScriptToEvaluateOnNewDocument", {
      source: `window.asked = 0;
        const original = window.fetch;
        window.fetch = (target, options) => {
          if (!String(target).includes("api/progress") || window.isRead) return original(target, options);
          window.asked += 1;
          const reading = { what: "reading run.sqlite", done: 250, total: 1000, running_ms: 4200 };
          return Promise.resolve(new Response(JSON.stringify({ running: [], reading })));
        };`,
    });
    await page.open(`${address}#dashboard`);
    await page.until("document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow') === '25'", "the bar");
    const said = await page.run("document.querySelector('main').innerText");
    check(said.includes("reading run.sqlite: 25") && said.includes("1,000 rows"), `the page says ${said}`);
    await page.run("window.isRead = true");
    await page.until("document.body.dataset.ready === 'dashboard'", "the dashboard");
    same(await page.run("document.querySelectorAll('main').length"), 1, "places of views");
    await page.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  },
};
