// Pictures of all views of a report file or a server:
//
//   node tests/browser/pictures.mjs CHROMIUM ADDRESS FOLDER [WIDTH …]
//   node tests/browser/pictures.mjs CHROMIUM ADDRESS FOLDER docs
//
// Each view once per width and theme: FOLDER/VIEW-WIDTH-THEME.png. `docs`: each view at 1400 pixels, light, and the dashboard also
// dark and at 500 pixels, as small WebP files. A page that is wider than its window is an error.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./devtools.mjs";
import { VIEWS, VIEWS_OF_JOB } from "./views.mjs";

const SMALL = { format: "webp", quality: 55, scale: 0.75, least: 300 };

const [program, address, folder, ...rest] = process.argv.slice(2);
const isForDocs = rest[0] === "docs";
const widths = isForDocs || !rest.length ? [1400, 900, 500] : rest.map(Number);

/** Whether a picture belongs to those asked for. */
function isWanted(view, width, theme) {
  if (!isForDocs) return true;
  return (
    (width === 1400 && theme === "light") ||
    (view === "dashboard" && (width === 1400 || (width === 500 && theme === "light")))
  );
}

mkdirSync(folder, { recursive: true });
const page = await openBrowser(program);
await page.open(address);
await page.until("document.body?.dataset.ready", "the first view");
const views = (await page.run("Boolean(window.dlprofSource.job)")) ? VIEWS_OF_JOB : VIEWS;
const hasGpus = async () => page.run("window.dlprofSource.window().gpus > 1");
let isWide = false;
for (const width of widths) {
  await page.size(width);
  for (const theme of ["light", "dark"]) {
    await page.theme(theme);
    for (const view of views.filter((name) => isWanted(name, width, theme))) {
      await page.open(`${address}#${view}`);
      await page.until("document.body?.dataset.ready", view);
      await page.until(
        "[...document.querySelectorAll('.grid-box')].every((box) => box.querySelector('.gcell, .nothing')) && !document.querySelector('.wait')",
        `rows of ${view}`,
      );
      await new Promise((done) => setTimeout(done, 250));
      if (view === "gpus" && !(await hasGpus())) continue;
      const wide = await page.run("document.documentElement.scrollWidth");
      if (wide > width) {
        isWide = true;
        console.error(`${view} is ${wide} pixels wide in a window of ${width}`);
      }
      const name = join(folder, `${view}-${width}-${theme}`);
      writeFileSync(`${name}.${isForDocs ? "webp" : "png"}`, await page.picture(isForDocs ? SMALL : {}));
    }
  }
}
await page.close();
process.exitCode = isWide ? 1 : 0;
