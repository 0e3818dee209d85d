// Every view opens, is accessible, fits narrow windows, and shows names as text.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { check, goTo, settled, show, type, VIEWS } from "./helpers.mjs";

// Whether a title, a tooltip or a text of the page holds what turns the direction of writing or what terminals obey.
const SHOWS_OBEYED = `[document.title, document.querySelector('main').textContent,
  ...[...document.querySelectorAll('main [title], main [aria-label]')].map(
    (element) => element.title + element.getAttribute('aria-label'))]
  .some((text) => /[\\x1B\\x9B\\u202A-\\u202E]/.test(text))`;

export const AXE = readFileSync(fileURLToPath(new URL("../vendor/axe.min.js", import.meta.url)), "utf8");
export const MADE = 'img, iframe, object, embed, body script[src^="http"]:not([src^="\' + location.origin + \'"])';

/** What axe finds wrong. */
export async function faultsOf(page, rules) {
  const options = JSON.stringify({ resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) });
  const found = await page.run(
    `axe.run(document, ${options}).then(({ violations }) => JSON.stringify(violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 2).map((node) => node.html.slice(0, 140)) }))))`,
  );
  return JSON.parse(found).filter(({ impact }) => impact === "serious" || impact === "critical");
}

export const OPENED = {
  async "every view opens without an error, and names stay text"({ page, address, facts }) {
    await show(page, address, "dashboard");
    for (const view of VIEWS) {
      await goTo(page, view);
      await settled(page);
      check(!(await page.run("Boolean(document.querySelector('.failed'))")), `${view} says that it failed`);
      check((await page.run("document.querySelector('main').innerText.trim().length")) > 10, `${view} is empty`);
      check(
        (await page.run("document.querySelectorAll('h1').length")) === 1,
        `${view} has not exactly one main heading`,
      );
      check(await page.run("document.querySelector('.skip') !== null"), "no way to skip");
      check(
        (await page.run(`document.querySelectorAll('${MADE}').length`)) === 0,
        `${view} has an element that a name made`,
      );
      check(!(await page.run("Boolean(window.broken)")), `${view} ran a name as a script`);
      check(!(await page.run(SHOWS_OBEYED)), `${view} shows characters that change how others are shown`);
    }
    const hostile = facts.tables.kernel_names.find((row) => row.long_kernel_name.includes("<img"));
    if (!hostile) return;
    await goTo(page, "kernels");
    await settled(page);
    check(
      await page.run(
        `document.querySelector('main').textContent.includes(${JSON.stringify(hostile.long_kernel_name.slice(0, 20))})`,
      ),
      "the name is not shown",
    );
    await page.run("document.querySelector('.search').click()");
    await type(page, ".palette input", "<img");
    await page.until("document.querySelector('.hit mark')", "the hit of the search");
    check(!(await page.run("Boolean(window.broken)")), "the search ran a name as a script");
  },

  // The pages of both sources are the same, so that one of them is enough for what follows.

  async "narrow windows scroll nothing but tables sideways"({ page, address, isServed }) {
    if (isServed) return;
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

  async "axe finds no serious fault"({ page, address, isServed }) {
    if (isServed) return;
    await show(page, address, "dashboard");
    await page.run(`${AXE};0`);
    const faults = [];
    // All that differs in the dark is colour.
    for (const [theme, rules] of [
      ["light", null],
      ["dark", ["color-contrast"]],
    ]) {
      await page.theme(theme);
      await new Promise((done) => setTimeout(done, 250));
      for (const view of VIEWS) {
        await goTo(page, view);
        await settled(page);
        for (const fault of await faultsOf(page, rules))
          faults.push(`${view} (${theme}): ${fault.id} at ${fault.where.join(" and ")}`);
      }
    }
    await page.theme("light");
    check(faults.length === 0, faults.slice(0, 8).join("\n    "));
  },
};
