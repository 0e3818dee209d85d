// The data of the local server.

const OPS = { "~": "~", "!~": "!~", re: "~" };

/** A condition as `--where` takes it. */
export function conditionText({ column, op, value }) {
  if (op === "is") return `${column} = ${value ? "yes" : "no"}`;
  if (op === "empty") return `${column} = `;
  if (op === "re") return `${column} ~ /${value}/`;
  return `${column} ${OPS[op] ?? op} ${value}`;
}

async function ask(path, parameters, options) {
  const address = new URL(path, location.href.split("#")[0]);
  for (const [name, value] of parameters) address.searchParams.append(name, value);
  const answer = await fetch(address, { headers: { accept: "application/json" }, ...options });
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({}));
    throw Object.assign(new Error(said.error ?? `the server answered ${answer.status}`), { hint: said.hint ?? "" });
  }
  return answer;
}

export async function httpSource(aggregation) {
  const token = new URLSearchParams(location.search).get("token");
  const common = () => [...(token ? [["token", token]] : []), ...(aggregation ? [["aggregation", aggregation]] : [])];
  const get = async (path, parameters = []) => (await ask(path, [...common(), ...parameters])).json();
  const manifest = await get("api/manifest");
  const questionPairs = ({ where = [], sort = [], search = "", from = 0, count, columns }) => [
    ...where.map((condition) => ["where", conditionText(condition)]),
    ...sort.map(({ column, descending }) => ["sort", (descending ? "-" : "") + column]),
    ...(search ? [["search", search]] : []),
    ...(from ? [["from", from]] : []),
    ...(count === undefined ? [] : [["count", count]]),
    ...(columns ? [["columns", columns.join(",")]] : []),
  ];
  return {
    kind: "server",
    window: () => manifest.window,
    tables: () => manifest.tables,
    notes: () => [],
    timelines: () => null,
    overview: () => get("api/overview"),
    comparison: () => (manifest.has_comparison ? get("api/comparison") : Promise.resolve(null)),
    rows: (key, question = {}) => get(`api/tables/${key}`, questionPairs(question)),
    exportTable: async (key, format, question) => (await ask(`api/export/${key}.${format}`, [...common(), ...questionPairs(question)])).blob(),
    timeline: (iteration) => get(`api/timeline/${iteration}`),
    flame: (key) => get(`api/flame/${key}`),
    aggregations: () => get("api/aggregations"),
    reaggregate: async (request) => (await ask("api/aggregations", common(), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) })).json(),
  };
}
