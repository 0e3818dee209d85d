// Browser tests of the viewer. `cargo test -p dlprof-cli --test browser` makes the captures and calls this:
//
//   node run.mjs CHROMIUM NAME=ADDRESS,DOCUMENT.json,OVERVIEW.json[,COMPARISON.json] …
//
// ADDRESS is a report file or a running server; the documents are what `dlprof-agg export -o x.json`, `dlprof-agg --format json`
// and `dlprof-agg compare --format json` say about the same captures; of a job, OVERVIEW.json is that of `ranks --format json`. ONLY=TEXT runs the cases whose title has the text, ONLY="ONE|OTHER"
// those that have one of several.
//
// A case that fails is tried again at the end, when nothing else runs: a machine that is busy may be too slow for what a person
// does, and a fault of the viewer stays. What failed once is said in either case.

import { readFileSync } from "node:fs";
import { openBrowser } from "./devtools.mjs";
import { CASES, CASES_OF_COUNTERS, CASES_OF_JOB, CASES_OF_TWO } from "./cases.mjs";

/** Browsers at once. */
const BROWSERS = 2;

const [program, ...captures] = process.argv.slice(2);
const waiting = [...captures];
const again = [];
const failures = [];
let passed = 0;

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** What a page asked for that is not its own. */
function strangers(page, address) {
  const own = new URL(address);
  const isOwn = (text) =>
    /^(data|blob|about):/.test(text) ||
    (own.protocol === "file:" ? text.split("#")[0] === own.href : text.startsWith(own.origin));
  return page.requests.filter((text) => !isOwn(text));
}

/** What a case found wrong, if anything. */
async function faultOf(page, test, given) {
  // What the page of the case before still asks for is not of this one.
  await page.open("about:blank");
  page.errors.length = 0;
  page.requests.length = 0;
  try {
    await page.size(1400);
    await test({ page, ...given });
    if (page.errors.length) throw new Error(`the console says: ${page.errors.slice(0, 3).join(" | ")}`);
    const asked = strangers(page, given.address);
    if (asked.length) throw new Error(`the page asked for ${asked.slice(0, 3).join(", ")}`);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

async function runCase(page, { name, title, test, given }, failsFor) {
  const start = Date.now();
  const fault = await faultOf(page, test, given);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  if (fault) return failsFor(fault);
  passed += 1;
  console.log(`ok ${name}: ${title} (${seconds} s)`);
}

/** What must hold for a capture. */
function casesOf({ comparison, facts }) {
  if (comparison) return CASES_OF_TWO;
  if (facts.tables.job) return CASES_OF_JOB;
  return facts.tables.ncu_kernels?.length ? CASES_OF_COUNTERS : CASES;
}

/** Waits until a server has read its captures. */
async function untilRead(address) {
  const url = new URL("api/progress", address);
  url.search = new URL(address).search;
  while ((await (await fetch(url)).json()).reading) await new Promise((done) => setTimeout(done, 50));
}

async function work() {
  const page = await openBrowser(program);
  for (let capture = waiting.shift(); capture; capture = waiting.shift()) {
    const [name, rest] = capture.split(/=(.*)/s);
    const [address, document, overview, comparison] = rest.split(",");
    const given = {
      address,
      facts: read(document),
      overview: read(overview),
      comparison: comparison && read(comparison),
      isServed: address.startsWith("http"),
    };
    if (given.isServed) await untilRead(address);
    const cases = Object.entries(casesOf(given)).filter(([title]) =>
      (process.env.ONLY ?? "").split("|").some((words) => title.includes(words)),
    );
    for (const [title, test] of cases) {
      const one = { name, title, test, given };
      await runCase(page, one, (fault) => {
        console.log(`failed once: ${name}: ${title}: ${fault}`);
        again.push(one);
      });
    }
  }
  await page.close();
}

/** The second try of what failed. */
async function tryAgain() {
  const page = await openBrowser(program);
  for (const one of again) await runCase(page, one, (fault) => failures.push(`${one.name}: ${one.title}: ${fault}`));
  await page.close();
}

await Promise.all(Array.from({ length: BROWSERS }, work));
if (again.length) await tryAgain();
console.log(`browser tests: ${passed} passed, of which ${again.length - failures.length} on the second try; ${failures.length} failed`);
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exit(failures.length ? 1 : 0);
