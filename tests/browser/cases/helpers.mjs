// What cases have in common.

export { VIEWS, VIEWS_OF_JOB } from "../views.mjs";

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

export function same(found, wanted, what) {
  if (found === wanted) return;
  if (typeof found === "number" && typeof wanted === "number" && Math.abs(found - wanted) <= Math.abs(wanted) * 1e-12)
    return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** A text as a page has to show it: what would change how other characters are shown is a space; ends of lines stay. */
export const asShown = (text) => text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFFFE\uFFFF]/gu, (one) => (one === "\n" ? one : " "));

/** Opens a view in a fresh page. */
export async function show(page, address, hash) {
  await page.open(`${address}#${hash}`);
  await page.until("document.body?.dataset.ready", `view ${hash}`);
}

/** Goes to a view in the same page. */
export async function goTo(page, hash) {
  const isThere = await page.run(`location.hash === ${JSON.stringify(`#${hash}`)}`);
  if (!isThere) await page.run(`document.body.dataset.ready = ""; location.hash = ${JSON.stringify(`#${hash}`)}`);
  await page.until("document.body.dataset.ready", `view ${hash}`);
}

/** Waits until all grids have the rows that were asked for last. */
export const settled = (page) =>
  page.until(
    "[...document.querySelectorAll('.grid-box')].every((box) => !box.matches('[aria-busy=true]') && box.querySelector('.gcell, .gempty:not([hidden])')) && !document.querySelector('.wait')",
    "grids with rows",
  );

/** Types into a field. */
export const type = (page, selector, text) =>
  page.run(`(() => {
  const field = document.querySelector(${JSON.stringify(selector)});
  field.focus();
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event("input", { bubbles: true }));
})()`);

/** Waits until a grid says so many rows; `which` counts the grids of the view. */
export const rowsSaid = (page, rows, which = 0) =>
  page.until(
    `[...document.querySelectorAll('.toolbar .said')][${which}]?.textContent.startsWith("${rows.toLocaleString("en")}\\u00a0row") || [...document.querySelectorAll('.toolbar .said')][${which}]?.textContent.startsWith("${rows.toLocaleString("en")} of")`,
    `${rows} rows`,
  );

const UNITS = {
  ns: 1,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  "%": 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  MHz: 1e6,
  "B/s": 1,
  "KiB/s": 1024,
  "MiB/s": 1024 ** 2,
  "GiB/s": 1024 ** 3,
};

/** Whether a text with so many digits is a number: within half a unit of its last digit. */
export function says(text, number, unit = "") {
  const [, digits, own] = /^(?:≤ |±)?\+?(−?[\d,]+(?:\.\d+)?)\s*(.*)$/.exec(text.replaceAll("\u00a0", " ").trim()) ?? [];
  if (digits === undefined) return false;
  const value = Number(digits.replaceAll(",", "").replace("−", "-"));
  const one = UNITS[(own || unit).trim()] ?? 1;
  const places = digits.split(".")[1]?.length ?? 0;
  return Math.abs(value - number / one) <= 0.5001 * 10 ** -places;
}

/** Fails unless the text says the number. */
export function saying(text, number, what, unit = "") {
  const isUnknown = number === null || number === undefined;
  check(
    isUnknown ? text.trim().startsWith("–") : says(text, number, unit),
    `${what}: the screen says ${JSON.stringify(text)} ${unit}, the command line ${number}`,
  );
}
