// The data of the local server.

import { blockSource } from "./source-blocks.js";

const inQuotes = (text) => `"${text.replaceAll('"', '""')}"`;

/** A regular expression that ignores case, in quotes. */
const patternText = (text) => inQuotes(`(?i)${text}`);

/** A regular expression for this text and nothing else. */
const literally = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A condition as `--where` takes it; `kindOf` gives the kind of a column. */
export function conditionText({ column, op, value }, kindOf) {
  if (op === "any") return `(${value.map((one) => conditionText(one, kindOf)).join(" or ")})`;
  const kind = kindOf(column);
  const text = String(value ?? "");
  switch (op) {
    case "in":
      return `(${value.map((one) => `${column} = ${kind === "text" ? inQuotes(String(one)) : one}`).join(" or ")})`;
    case "is":
      return `${column} = ${value ? "yes" : "no"}`;
    case "within":
      return `(${column} >= ${value[0]} and ${column} < ${value[1]})`;
    case "!within":
      return `(${column} < ${value[0]} or ${column} >= ${value[1]})`;
    case "empty":
      return kind === "text" ? `not ${column} ~ "(?s)."` : `${column} is null`;
    case "re":
      return `${column} ~ ${patternText(text)}`;
    case "~":
      return `${column} ~ ${patternText(literally(text))}`;
    case "!~":
      return `not ${column} ~ ${patternText(literally(text))}`;
    case "=":
    case "!=":
      return `${column} ${op} ${inQuotes(text)}`;
    default:
      return `${column} ${op} ${kind === "text" ? inQuotes(text) : text}`;
  }
}

async function ask(path, parameters, options) {
  const address = new URL(path, location.href.split("#")[0]);
  for (const [name, value] of parameters) address.searchParams.append(name, value);
  const answer = await fetch(address, { headers: { accept: "application/json" }, ...options }).catch(() => {
    throw Object.assign(new Error("the server does not answer"), {
      hint: "It may have ended: start `dlprof-agg view` again, then reload this page.",
    });
  });
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({}));
    throw Object.assign(new Error(said.error ?? `the server answered ${answer.status}`), { hint: said.hint ?? "" });
  }
  return answer;
}

const tokenPairs = () => {
  const token = new URLSearchParams(location.search).get("token");
  return token ? [["token", token]] : [];
};

/** How far the server is with reading its captures; nothing once it has read them. */
export async function readingOfCaptures() {
  return (await (await ask("api/progress", tokenPairs())).json()).reading ?? null;
}

/** Whether the server knows an aggregation; addresses live longer than aggregations. */
export async function hasAggregation(id) {
  const known = await (await ask("api/aggregations", tokenPairs())).json();
  return known.some((one) => one.id === id);
}

export async function httpSource(aggregation) {
  const common = () => [...tokenPairs(), ...(aggregation ? [["aggregation", aggregation]] : [])];
  const get = async (path, parameters = []) => (await ask(path, [...common(), ...parameters])).json();
  const manifest = await get("api/manifest");
  // A job of many ranks comes in blocks, as in a file.
  if (manifest.job) return blockSource(manifest, (id) => get(`api/blocks/${id}`), "server");
  const kindOf = (key, name) =>
    manifest.tables.find((table) => table.key === key)?.columns.find((column) => column.key === name)?.kind;
  const questionPairs = (key, { where = [], sort = [], search = "", from = 0, count, columns }) => [
    ...where.map((condition) => ["where", conditionText(condition, (column) => kindOf(key, column))]),
    ...sort.map(({ column, descending }) => ["sort", (descending ? "-" : "") + column]),
    ...(search ? [["search", search]] : []),
    ...(from ? [["from", from]] : []),
    ...(count === undefined ? [] : [["count", count]]),
    ...(columns ? [["columns", columns.join(",")]] : []),
  ];
  return {
    kind: "server",
    isCsvSafe: manifest.csv_safe,
    window: () => manifest.window,
    words: () => manifest.words,
    tables: () => manifest.tables,
    terms: () => manifest.terms,
    notes: () => [],
    timelines: () => null,
    overview: () => get("api/overview"),
    ranges: () => get("api/ranges"),
    opens: "dashboard",
    pair: "slowest",
    comparedTimeline: (side) => get(`api/compared-timeline/${side}`),
    comparison: () => (manifest.has_comparison ? get("api/comparison") : Promise.resolve(null)),
    rangesCompared: (pair) => get(`api/iterations-compared/${encodeURIComponent(pair)}`),
    rows: (key, question = {}) => get(`api/tables/${key}`, questionPairs(key, question)),
    exportTable: async (key, format, question) =>
      (await ask(`api/export/${key}.${format}`, [...common(), ...questionPairs(key, question)])).blob(),
    timeline: (iteration) => get(`api/timeline/${iteration}`),
    lanes: () => get("api/lanes"),
    tile: (level, number, lanes) => get(`api/tile/${level}/${number}/${lanes.join(",")}`),
    timeRange: (from, to) => get(`api/time-range/${from}/${to}`),
    findItems: (text, time) => get(`api/find/${time}`, [["search", text]]),
    laneItem: ({ lane, row, item }) => get(`api/item/${lane}/${row}/${item}`),
    flame: (key) => get(`api/flame/${key}`),
    ncu: () => get("api/ncu"),
    aggregations: () => get("api/aggregations"),
    progress: () => get("api/progress"),
    reaggregate: async (request) =>
      (
        await ask("api/aggregations", common(), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(request),
        })
      ).json(),
  };
}
