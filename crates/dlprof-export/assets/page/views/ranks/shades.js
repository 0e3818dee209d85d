// Colours of a heat map: lag from early to late, other times from nothing to the largest.

import { color } from "../../classes.js";

/** Lags are drawn to this share of a step. */
export const MOST_LAG = 0.1;

/** Colour variables of measures; others are grey. */
const HUES = {
  compute_ns: "kernel-3",
  transfer_ns: "comm",
  wait_ns: "comm",
  copy_ns: "memory",
  input_ns: "io",
  cpu_ns: "cpu",
  sync_ns: "sync",
  other_ns: "other",
};

const numbers = (name) => color(name).match(/[\d.]+/g).slice(0, 3).map(Number);

function mixed(from, to, share) {
  const [a, b] = [numbers(from), numbers(to)];
  return `rgb(${a.map((one, at) => Math.round(one + (b[at] - one) * share)).join(",")})`;
}

const STEPS = 24;

/** Shades of a measure: `of` gives the colour of a value, `ends` are the values at both ends. */
export function shadesOf(measure, values, stepNs) {
  const isLag = measure === "lag_ns";
  const known = values.filter(Number.isFinite);
  const high = known.reduce((most, value) => Math.max(most, value), 0);
  const low = known.reduce((least, value) => Math.min(least, value), high);
  const [from, to] = isLag ? [-MOST_LAG * stepNs, MOST_LAG * stepNs] : [/^(own|length)/.test(measure) ? low : 0, high];
  const hue = HUES[measure] ?? "text-2";
  const tone = (share) => {
    if (!isLag) return mixed("sunken", hue, share);
    return share < 0.5 ? mixed("sunken", "note", 1 - 2 * share) : mixed("sunken", "bad", 2 * share - 1);
  };
  const tones = Array.from({ length: STEPS + 1 }, (_, at) => tone(at / STEPS));
  const of = (value) => {
    const share = to > from ? (value - from) / (to - from) : 0;
    return tones[Math.round(Math.max(0, Math.min(1, share)) * STEPS)];
  };
  return { of, tones, ends: [from, to], isLag };
}
