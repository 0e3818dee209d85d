// What the viewer takes, as whole processes. No part of the tests, because times differ between machines.
//
//   node benches/viewer/main.mjs PROGRAM CHROMIUM FILE [answers] [browser] [load] [file]
//
// `answers` asks the server, `browser` opens it in Chromium, `load` sends 200 clients for a minute, `file` exports a page and opens
// it; without a word all four are done. Captures of any size come from `cargo run --release -p dlprof-generate`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureAnswers } from "./answers.mjs";
import { measureBrowser } from "./browser.mjs";
import { measureLoad } from "./load.mjs";
import { memoryOf, startServer } from "./server.mjs";

const [program, chromium, file, ...words] = process.argv.slice(2);
const isWanted = (word) => words.length === 0 || words.includes(word);
const megabytes = (path) => (statSync(path).size / 1e6).toFixed(1);

if (["answers", "browser", "load"].some(isWanted)) {
  const server = await startServer(program, file);
  console.log(
    `${file}: the capture is read after ${(server.analysis / 1000).toFixed(2)} s, ${memoryOf(server.id).toFixed(0)} MB`,
  );
  if (isWanted("browser")) await measureBrowser(chromium, server.address, true);
  if (isWanted("answers")) await measureAnswers(server.address);
  if (isWanted("load")) await measureLoad(server, 200, 60);
  console.log(
    `memory of the server: ${memoryOf(server.id).toFixed(0)} MB, at most ${memoryOf(server.id, "VmHWM").toFixed(0)} MB`,
  );
  await server.end();
}
if (isWanted("file")) {
  const folder = mkdtempSync(join(tmpdir(), "dlprof-viewer-"));
  const page = join(folder, "report.html");
  execFileSync(program, ["export", "-q", "--no-progress", "-o", page, file], { stdio: "inherit" });
  console.log(`${page}: ${megabytes(page)} MB`);
  await measureBrowser(chromium, `file://${page}`, true);
  rmSync(folder, { recursive: true });
}
