// Filters of a grid: what people type, conditions on raw values, and their text in the address.
//
//   text columns     abc   contains;  !abc  does not;  /abc/  regular expression;  =abc  equals
//   numbers          > 1   >= 1   < 5   1..5   3          in the unit that the column shows, or > 20ms; 3 is what rounds to 3
//   yes or no        yes, no, 1, 0

import { unitSize } from "./format.js";

const NUMBER = /^(>=|<=|>|<|=|!=)?\s*(-?[\d.,]+(?:e[+-]?\d+)?)\s*(ns|us|µs|ms|s|%)?$/i;
const RANGE = /^(-?[\d.,]+)\s*\.\.\s*(-?[\d.,]+)$/;

function asNumber(text, scale) {
  return Number(text.replaceAll(",", "")) * scale;
}

/** Conditions that a text in the field of a column means, which shows numbers in a unit, of that scale; `null` if it means nothing. */
export function conditionsOf(column, typed, { scale, unit: shown }) {
  const text = typed.trim();
  if (!text) return [];
  const of = (op, value) => ({ column: column.key, op, value });
  if (text === UNKNOWN_CELL || text === "-") return [of("empty")];
  if (column.kind === "flag") {
    if (/^(1|y|yes|true)$/i.test(text)) return [of("is", true)];
    return /^(0|n|no|false)$/i.test(text) ? [of("is", false)] : null;
  }
  if (column.kind === "answer") {
    const answer = /^(1|y|yes|true)$/i.test(text)
      ? "true"
      : /^(0|n|no|false)$/i.test(text)
        ? "false"
        : "unknown".startsWith(text.toLowerCase())
          ? "unknown"
          : null;
    return answer && [of("=", answer)];
  }
  if (column.kind === "text") {
    const pattern = /^\/(.+)\/$/.exec(text);
    if (pattern) return isPattern(pattern[1]) ? [of("re", pattern[1])] : null;
    if (text.startsWith("!") && text.length > 1) return [of("!~", text.slice(1))];
    return text.startsWith("=") && text.length > 1 ? [of("=", text.slice(1))] : [of("~", text)];
  }
  const range = RANGE.exec(text);
  if (range) return [of(">=", asNumber(range[1], scale)), of("<=", asNumber(range[2], scale))];
  const number = NUMBER.exec(text);
  if (!number) return null;
  const unit = number[3]?.toLowerCase();
  const size = unit && unitSize(unit);
  const isFitting = !unit || (column.unit === "ns" ? size !== undefined : column.unit === unit);
  if (!isFitting) return null;
  const one = size ? (scale / unitSize(shown)) * size : scale;
  const op = number[1] ?? "=";
  if (op !== "=" && op !== "!=") return [of(op, asNumber(number[2], one))];
  // A whole number is what it is; one that is shown rounded means all that are shown like it.
  if (column.kind === "int" && one === 1) return [of(op, asNumber(number[2], 1))];
  return [of(op === "=" ? "within" : "!within", roundingTo(number[2], one))];
}

/** The numbers from the first to below the second are shown as this text, in a unit of `one`. */
function roundingTo(text, one) {
  const half = 0.5 * 10 ** -(/\.(\d*)/.exec(text)?.[1].length ?? 0);
  const number = asNumber(text, 1);
  // To a millionth, so that no digits of the machine stand in addresses.
  return [number - half, number + half].map((edge) => Number((edge * one).toPrecision(12)));
}

/**
 * The rows that have a number as a cell is shown, in any column, and words that no number means. `formats` says how columns are
 * shown.
 */
export function searchConditions(text, columns, formats) {
  const words = text.split(/\s+/).filter(Boolean);
  const isNumber = (word) => /^-?\d[\d,]*(\.\d+)?$/.test(word);
  const where = words.filter(isNumber).map((word) => ({
    op: "any",
    value: [
      ...columns
        .filter((column) => column.kind === "int" || column.kind === "float")
        .flatMap((column) => conditionsOf(column, word, formats[column.key] ?? { scale: 1, unit: "ns" }) ?? []),
      ...columns
        .filter((column) => column.kind === "text")
        .map((column) => ({ column: column.key, op: "~", value: word })),
    ],
  }));
  return { search: words.filter((word) => !isNumber(word)).join(" "), where };
}

function isPattern(text) {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

const UNKNOWN_CELL = "\u2013";

/** What may be typed into the field of a column. */
export function filterWords(column) {
  if (column.kind === "flag") return "Type yes or no";
  if (column.kind === "answer") return "Type yes, no or unknown";
  return column.unit === "ns" ? "Type > 1, 1..5, 3 (what rounds to it) or > 20ms" : "Type > 1, 1..5 or 3 (what rounds to it)";
}

/** What a condition says, in the unit of its column. */
export function conditionWords(condition, format) {
  const { op, value } = condition;
  if (op === "empty") return "is empty";
  if (op === "is") return value ? "yes" : "no";
  if (op === "in") return value.length === 1 ? `is ${value[0]}` : `is one of ${value.length}`;
  if (op === "re") return `/${value}/`;
  if (op.endsWith("within")) {
    const middle = (value[0] + value[1]) / 2;
    return `${op === "within" ? "is" : "is not"} ${format ? `${format.text(middle)} ${format.unit}`.trim() : middle}`;
  }
  if (typeof value === "number" && format) return `${op} ${format.text(value)} ${format.unit}`.trim();
  return `${{ "~": "contains", "!~": "without", "=": "is" }[op] ?? op} ${value}`;
}

/** What a field says of a condition that was not typed into it, in the unit that its column shows. */
export function typedText({ op, value }, format) {
  const scale = format?.scale ?? 1;
  const number = (raw) => String(Number((raw / scale).toPrecision(12)));
  if (op === "empty") return UNKNOWN_CELL;
  if (op === "is") return value ? "yes" : "no";
  if (op === "in") return "";
  if (op === "re") return `/${value}/`;
  if (op.endsWith("within")) {
    const places = Math.max(0, Math.round(-Math.log10((value[1] - value[0]) / scale)));
    return `${op === "within" ? "" : "!= "}${((value[0] + value[1]) / 2 / scale).toFixed(places)}`;
  }
  if (typeof value === "number") return `${op} ${number(value)}`;
  return `${{ "~": "", "!~": "!", "=": "=" }[op] ?? `${op} `}${value}`;
}

/** Conditions as a text for the address. */
export function conditionsToText(conditions) {
  return conditions.length
    ? JSON.stringify(
        conditions.map(({ column, op, value }) => (value === undefined ? [column, op] : [column, op, value])),
      )
    : "";
}

export function conditionsFromText(text) {
  try {
    return JSON.parse(text || "[]").map(([column, op, value]) => ({ column, op, value }));
  } catch {
    return [];
  }
}
