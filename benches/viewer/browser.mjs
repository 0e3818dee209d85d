// What a browser needs: time to the first view, bytes, memory after every view.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { openBrowser } from "../../tests/browser/devtools.mjs";
import { VIEWS } from "../../tests/browser/views.mjs";

/** Megabytes of a process; what several processes share counts in equal parts. */
function memoryOf(id) {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Megabytes of a browser: of the process that has the page, and of all processes. */
function memoryOfBrowser(root) {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/));
  const found = new Set([String(root)]);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const [id, parent] of rows) if (found.has(parent)) found.add(id);
  }
  const mine = rows.filter(([id]) => found.has(id));
  const pages = mine.filter((row) => row.includes("--type=renderer")).map(([id]) => memoryOf(id));
  return { all: mine.reduce((sum, [id]) => sum + memoryOf(id), 0), page: Math.max(0, ...pages) };
}

/** Opens an address; with `everything`, goes through all views. */
export async function measureBrowser(program, address, everything) {
  const browser = await openBrowser(program);
  try {
    await browser.size(1400);
    await browser.send("Network.enable").catch(() => {});
    let bytes = 0;
    browser.listen(({ method, params }) => {
      if (method === "Network.loadingFinished") bytes += params.encodedDataLength;
    });
    const begun = performance.now();
    await browser.send("Page.navigate", { url: address });
    await browser.until("document.body?.dataset.ready", "the first view", 120_000);
    console.log(
      `first view in the browser: ${(performance.now() - begun).toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB loaded`,
    );
    for (const view of everything ? VIEWS : []) {
      const start = performance.now();
      await browser.run(`document.body.dataset.ready = ""; location.hash = "#${view}"`);
      if (view !== "dashboard") await browser.until("document.body.dataset.ready", view, 120_000);
      await browser.until(
        "[...document.querySelectorAll('.grid-box')].every((box) => box.querySelector('.gcell, .nothing')) && !document.querySelector('.wait')",
        `rows of ${view}`,
        120_000,
      );
      const memory = memoryOfBrowser(browser.process);
      console.log(
        `view ${view.padEnd(12)} ${(performance.now() - start).toFixed(0).padStart(7)} ms  page ${memory.page.toFixed(0)} MB, browser ${memory.all.toFixed(0)} MB`,
      );
    }
    const { usedSize } = await browser.send("Runtime.getHeapUsage");
    console.log(
      `script memory: ${(usedSize / 1e6).toFixed(0)} MB; errors: ${browser.errors.length ? browser.errors.join(" | ") : "none"}`,
    );
  } finally {
    await browser.close();
  }
}
