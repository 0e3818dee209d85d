// Pictures of all views of a report file or a server:
//
//   node tests/browser/pictures.mjs CHROMIUM ADDRESS FOLDER [WIDTH …]
//
// Each view once per width and theme: FOLDER/VIEW-WIDTH-THEME.png.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./devtools.mjs";

const VIEWS = ["dashboard", "ops", "optypes", "groups", "kernels", "iterkernels", "opkernels", "scatter", "tables", "iterations", "timeline", "flame", "gpus", "compare"];

const [program, address, folder, ...widths] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const page = await openBrowser(program);
for (const width of widths.length ? widths.map(Number) : [1400, 900, 500]) {
  await page.size(width);
  for (const theme of ["light", "dark"]) {
    await page.theme(theme);
    for (const view of VIEWS) {
      await page.open(`${address}#${view}`);
      await page.until("document.body?.dataset.ready", view);
      await page.until("[...document.querySelectorAll('.grid-box')].every((box) => box.querySelector('.tabulator-cell, .nothing')) && !document.querySelector('.wait')", `rows of ${view}`);
      await new Promise((done) => setTimeout(done, 250));
      writeFileSync(join(folder, `${view}-${width}-${theme}.png`), await page.picture());
    }
  }
}
await page.close();
