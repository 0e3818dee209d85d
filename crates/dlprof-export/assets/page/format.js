// Numbers as people read them. Nothing is computed here but the scale of a unit.

const MINUS = "\u2212";
const SPACE = "\u00a0";
export const UNKNOWN = "\u2013";
const TIME_UNITS = [
  ["ns", 1],
  ["µs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
];
const BYTE_UNITS = [
  ["B", 1],
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
];
const formats = new Map();

/** A number with so many decimals, commas between thousands, and a real minus sign. */
export function decimals(number, places) {
  if (!formats.has(places)) {
    formats.set(places, new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places }));
  }
  return formats.get(places).format(number).replace("-", MINUS);
}

/** A number with three significant digits. */
export function significant(number) {
  const size = Math.abs(number);
  if (size === 0) return "0";
  if (size >= 99.95) return decimals(number, 0);
  if (size >= 9.995) return decimals(number, 1);
  if (size >= 0.9995) return decimals(number, 2);
  return decimals(number, Math.min(6, 2 - Math.floor(Math.log10(size))));
}

/** Texts that name tools or parts of GPUs, by key, in the words of who recorded the capture: `main.js` sets them. */
export const phrases = {};

/** Nanoseconds of a unit as people type it; none of other words. */
export function unitSize(word) {
  const symbol = word === "us" ? "µs" : word;
  return TIME_UNITS.find(([known]) => known === symbol)?.[1];
}

/** The unit that fits a time: its symbol and its size in nanoseconds. */
export function timeUnit(ns) {
  const size = Math.abs(ns);
  const fits = TIME_UNITS.filter(([, one]) => size >= one * 0.9995);
  return fits.length ? fits[fits.length - 1] : TIME_UNITS[0];
}

/** A time in the unit that fits it: `509 ms`. */
export function time(ns) {
  if (ns === null || ns === undefined) return UNKNOWN;
  if (ns === 0) return `0${SPACE}ms`;
  const [symbol, one] = timeUnit(ns);
  return significant(ns / one) + SPACE + symbol;
}

/** A time as it was measured: `508,953,778 ns`. */
export function rawTime(ns) {
  if (ns === null || ns === undefined) return UNKNOWN;
  return decimals(ns, Number.isInteger(ns) ? 0 : 1) + SPACE + "ns";
}

export function percent(share, places = 1) {
  if (share === null || share === undefined) return UNKNOWN;
  return decimals(share, places) + SPACE + "%";
}

export function bytes(count) {
  if (count === null || count === undefined) return UNKNOWN;
  const fits = BYTE_UNITS.filter(([, one]) => Math.abs(count) >= one);
  const [symbol, one] = fits.length ? fits[fits.length - 1] : BYTE_UNITS[0];
  return significant(count / one) + SPACE + symbol;
}

export function count(number) {
  return number === null || number === undefined ? UNKNOWN : decimals(number, Number.isInteger(number) ? 0 : 1);
}

/** `1 row`, `2 rows`. */
export function counted(number, word) {
  return `${count(number)}${SPACE}${word}${number === 1 ? "" : "s"}`;
}

/**
 * How the cells of a column are shown: one unit and one number of decimals for all of them. A value shown is the raw one divided
 * by `scale`. `unitOf` is the value whose unit is taken, if that is not the largest one; `sizes` are some of the values.
 * @returns {{unit: string, scale: number, text: (value) => string, raw: (value) => string}}
 */
export function columnFormat(column, largest, divisor = 1, { unitOf = largest, sizes = [] } = {}) {
  const by = column.is_sum ? divisor : 1;
  const top = Math.abs(largest || 0) / by;
  const raw = (value) =>
    column.unit === "ns" ? rawTime(value) : `${decimals(value, Number.isInteger(value) ? 0 : 3)} ${column.unit}`.trim();
  const shown = (unit, scale, places) => ({ unit, scale, raw, text: (value) => decimals(value / scale, places) });
  // Points in time differ in their last digits.
  if (column.is_start || /start_ns$/.test(column.key)) return shown("ms", 1e6, 3);
  if (column.unit === "ns") {
    const [symbol, one] = top ? timeUnit(Math.max(1e3, Math.abs(unitOf) / by)) : ["ms", 1e6];
    return shown(symbol, one * by, top ? placesFor(top / one) : 0);
  }
  if (column.unit === "%") return shown("%", 1, 1);
  if (column.unit === "bytes" || column.unit === "bytes/s") {
    const fits = BYTE_UNITS.filter(([, one]) => top >= one);
    const [symbol, one] = fits.length ? fits[fits.length - 1] : BYTE_UNITS[0];
    return shown(column.unit === "bytes/s" ? `${symbol}/s` : symbol, one * by, one === 1 ? 0 : placesFor(top / one));
  }
  if (column.unit === "Hz") return shown("MHz", 1e6, 0);
  if (column.kind === "int") return shown(column.unit, by, by === 1 ? 0 : placesOfCounts(sizes, by));
  return shown(column.unit, by, placesFor(top));
}

/** Decimals of numbers of something per iteration: none if all are whole, and enough that one in a while is not shown as none. */
function placesOfCounts(sizes, by) {
  const parts = sizes.map((size) => size / by).filter((size) => !Number.isInteger(size));
  if (!parts.length) return 0;
  return Math.min(...parts) < 0.095 ? 2 : 1;
}

/** Numbers of an axis, with the decimals of their step; on a logarithmic axis, each with its own. */
export function tickTexts(ticks) {
  const known = ticks.filter((tick) => tick !== null);
  const steps = known.slice(1).map((tick, at) => tick - known[at]);
  const step = Math.min(...steps);
  const isEven = steps.every((one) => Math.abs(one - step) < step * 1e-6);
  const isWhole = (number) => Math.abs(number - Math.round(number)) < 1e-6;
  const places = [0, 1, 2, 3, 4, 5].find((place) => isWhole(step * 10 ** place)) ?? 6;
  const text = (tick) => (isEven && steps.length ? decimals(tick, places) : String(Number(tick.toPrecision(3))));
  return ticks.map((tick) => (tick === null ? "" : text(tick)));
}

function placesFor(largest) {
  if (largest >= 10000) return 0;
  return largest >= 10 ? 1 : 2;
}

/** What people see of an answer. */
export function answerWords(answer) {
  return { true: "yes", false: "no" }[answer] ?? answer ?? UNKNOWN;
}
