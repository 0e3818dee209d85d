// The bars at the top with two captures: the menu can be reached, and what they say is of the capture in sight.

import { check, goTo, same, show } from "./helpers.mjs";

const OPEN =
  "[...document.querySelectorAll('.ctx button')].find((button) => button.textContent.endsWith('aggregations')).click()";

/** Entries of the open menu whose middle is not theirs on the screen. */
const HIDDEN = `[...document.querySelectorAll(".ctx .menu .mi")].filter((entry) => {
  const { left, right, top, bottom } = entry.getBoundingClientRect();
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return right > innerWidth || bottom > innerHeight || !entry.contains(at);
}).map((entry) => entry.innerText)`;

export const FRAME = {
  async "every aggregation of the menu can be reached at every width, and says its capture"({ page, address }) {
    for (const width of [1440, 1024, 500]) {
      await page.size(width);
      await show(page, address, "dashboard");
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

  async "title and tabs are those of the capture in sight"({ page, address }) {
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
};
