// Browser tests of the viewer. `cargo test -p dlprof-cli --test browser` makes the captures and calls this:
//
//   node run.mjs CHROMIUM NAME=ADDRESS,DOCUMENT.json …
//
// ONLY=TEXT runs the cases whose title has the text. ADDRESS is a report file or a running server, DOCUMENT what `dlprof-agg export -o x.json` says about the same capture.

import { readFileSync } from "node:fs";
import { openBrowser } from "./devtools.mjs";
import { CASES } from "./cases.mjs";

/** A document of the command line, with its long names in the rows: their cells are positions in a list. */
function factsOf(path) {
  const facts = JSON.parse(readFileSync(path, "utf8"));
  for (const row of Object.values(facts.tables).flat()) {
    if (Number.isInteger(row.long_kernel_name)) row.long_kernel_name = facts.names[row.long_kernel_name];
  }
  return facts;
}

const [program, ...captures] = process.argv.slice(2);
let [passed, failed] = [0, 0];
const browser = await openBrowser(program);
for (const capture of captures) {
  const [name, rest] = capture.split(/=(.*)/s);
  const [address, document] = rest.split(",");
  const facts = factsOf(document);
  for (const [title, test] of Object.entries(CASES).filter(([title]) => title.includes(process.env.ONLY ?? ""))) {
    const label = `${name}: ${title}`;
    browser.errors.length = 0;
    try {
      await browser.size(1400);
      await test({ page: browser, address, facts, name });
      const said = browser.errors.filter((error) => error);
      if (said.length) throw new Error(`the console says: ${said.slice(0, 3).join(" | ")}`);
      passed += 1;
      console.log(`ok ${label}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${label}: ${error.message}`);
    }
  }
}
await browser.close();
console.log(`browser tests: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
