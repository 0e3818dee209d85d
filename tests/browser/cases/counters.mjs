// Counters of Nsight Compute: the roofline, and the command to copy.

import { check, same, show } from "./helpers.mjs";

export const COUNTERS = {
  async "counters are drawn where they were given, and else it is said how to get them"({ page, address, facts, isServed }) {
    await show(page, address, "counters");
    const hasCounters = Boolean(facts.tables.ncu_kernels?.length);
    const found = await page.run("window.dlprofSource.ncu()");
    same(Boolean(found?.rooflines?.length), hasCounters, "whether there are rooflines");
    const said = await page.run("document.querySelector('main').innerText");
    if (!hasCounters) {
      check(said.includes("no log of Nsight Compute was given"), `it says ${said.slice(0, 200)}`);
      return;
    }
    const { picture } = found.rooflines.find((one) => one.of === "kernels" && one.levels === "dram");
    const points = picture.points.length + picture.strip.length;
    check(picture.points.length > 0 && picture.strip.length > 0, "there are points and a strip");
    same(await page.run("document.querySelectorAll('.roofline .point').length"), points, "points of the picture");
    same(
      await page.run("document.querySelectorAll('table[aria-label=\"Points of the roofline\"] tbody tr').length"),
      points,
      "rows of the list",
    );
    // Every point is inside the frame that the axes span.
    const outside = await page.run(`(() => {
      const box = document.querySelector(".roofline svg").getBoundingClientRect();
      return [...document.querySelectorAll(".roofline .point")].filter((point) => {
        const { left, right, top, bottom } = point.getBoundingClientRect();
        return left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1;
      }).length;
    })()`);
    same(outside, 0, "points outside of the picture");
    check(!(await page.run("window.broken")), "a name became markup");
  },

  async "the command for ncu is shown by the server, and can be copied"({ page, address, facts, isServed }) {
    await show(page, address, "counters");
    const line = await page.run("document.querySelector('.ncu-command')?.textContent ?? null");
    if (!isServed || !facts.tables.kernels?.length) {
      same(line, null, "the command");
      return;
    }
    const { no_command: why } = await page.run("window.dlprofSource.ncu()");
    same(line === null, Boolean(why), "the command is shown, or there is a reason");
    if (why) {
      // Counters of all kernels are there.
      check(facts.tables.ncu_kernels?.length > 0 && why.includes("lack counters"), why);
      return;
    }
    check(line.startsWith("ncu --target-processes all --nvtx --kernel-name"), line);
    await page.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Copy').click()");
    await page.until("document.querySelector('main').innerText.includes('copied')", "that it was copied");
  },

  async "ops and all memories are a choice that the address keeps"({ page, address, facts }) {
    if (!facts.tables.ncu_kernels?.length) return;
    await show(page, address, "counters&of=ops&levels=all");
    const pressed = await page.run("[...document.querySelectorAll('.seg [aria-pressed=true]')].map((one) => one.textContent)");
    check(pressed.includes("Ops") && pressed.includes("L1, L2, DRAM"), `pressed: ${pressed}`);
  },
};
