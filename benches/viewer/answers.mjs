// What the answers of the server take: first view, other ranges, time lines, first rows of every table.

import { aggregate, ask } from "./server.mjs";

const line = (name, took, note = "") => console.log(`${name.padEnd(46)} ${took.toFixed(0).padStart(7)} ms  ${note}`);

export async function measureAnswers(address) {
  const manifest = await ask(address, "/api/manifest");
  line("manifest", manifest.took);
  const { window, tables } = manifest.value;
  const overview = await ask(address, "/api/overview");
  line("overview", overview.took, `${(overview.bytes / 1e6).toFixed(2)} MB`);
  for (const kind of ["modules", "types", "kernels"])
    line(`flame graph by ${kind}`, (await ask(address, `/api/flame/${kind}`)).took);
  await measureRanges(address, window);
  await measureTimelines(address, window);
  await measureTiles(address);
  await measureTables(address, tables);
}

/** The worst of several ranges, with the first view of each. */
async function measureRanges(address, window) {
  const last = window.last;
  const cuts = [
    [1, last],
    [Math.floor(last / 2), last],
    [1, Math.floor(last / 3)],
    [Math.floor(last / 4), Math.floor((last * 3) / 4)],
    [last, last],
  ];
  for (const [start, stop] of cuts.filter(([start, stop]) => start <= stop)) {
    const made = await aggregate(address, { start, stop });
    const overview = await ask(address, `/api/overview?aggregation=${made.value.id}`);
    line(`range ${start} to ${stop}`, made.took, `its overview ${overview.took.toFixed(0)} ms`);
  }
  const other = (await ask(address, "/api/tables/key_nodes?count=5&columns=name")).value.rows
    .map(([name]) => name)
    .find((name) => name !== window.key_node);
  if (other) line(`key node ${other}`, (await aggregate(address, { start: 1, stop: 1, key_node: other })).took);
}

async function measureTimelines(address, window) {
  const wanted = new Set([0, 1, Math.floor(window.last / 2), window.last, ...window.telling]);
  for (const iteration of wanted) {
    const { took, bytes } = await ask(address, `/api/timeline/${iteration}`);
    line(`time line of iteration ${iteration}`, took, `${(bytes / 1e6).toFixed(2)} MB`);
  }
}

/** Tiles of the timeline of the whole capture, from the whole run to nanoseconds: all lanes in sight of a view. */
async function measureTiles(address) {
  const head = await ask(address, "/api/lanes");
  const { start_ns: start, end_ns: end, lanes, counters } = head.value;
  line("lanes of the whole capture", head.took, `${lanes.length} lanes, ${counters.length} counters`);
  const wanted = [...lanes.keys()].slice(0, 40).join(",");
  const whole = Math.ceil(Math.log2((end - start) / 1024));
  for (let level = whole; level >= 0; level -= 4) {
    const length = 512 * 2 ** level;
    const number = Math.floor((start + end) / 2 / length);
    const { took, bytes } = await ask(address, `/api/tile/${level}/${number}/${wanted}`);
    line(`tile of ${(length / 1e6).toPrecision(3)} ms`, took, `${(bytes / 1e3).toFixed(0)} kB`);
  }
  const found = await ask(address, `/api/find/${start}?search=a`);
  line("search in the timeline", found.took, `${found.value.count} found`);
  for (const part of [1, 0.1, 0.001]) {
    const to = Math.round(start + (end - start) * part);
    line(`what ${part * 100} % of the time holds`, (await ask(address, `/api/time-range/${start}/${to}`)).took);
  }
}

/** First rows as they are, in the order of the table's layout, and in the order of its first number; then a page further on. */
async function measureTables(address, tables) {
  for (const { key, columns, order } of tables) {
    const first = await ask(address, `/api/tables/${key}?count=200`);
    const number = columns.find((column) => column.kind === "int" && column.unit !== "")?.key;
    const sorts = [
      ...new Set([order.map((column) => `sort=${column}`).join("&"), number ? `sort=-${number}` : ""]),
    ].filter(Boolean);
    const others = [];
    for (const sort of sorts)
      others.push(
        `${sort.replaceAll("sort=", "")}: ${(await ask(address, `/api/tables/${key}?count=200&${sort}`)).took.toFixed(0)} ms`,
      );
    const next = await ask(address, `/api/tables/${key}?count=200&from=200`);
    line(
      `table ${key}, ${first.value.total} rows`,
      first.took,
      `${others.join(", ")}; next page ${next.took.toFixed(0)} ms`,
    );
  }
}
