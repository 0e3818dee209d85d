// Data in blocks: tables are whole, and their rows are chosen here. `read` gives a block by its name, `manifest` is the first one.

import { chooseRows, decodeTable } from "./rows.js";

export function blockSource(manifest, read, kind) {
  const kept = new Map();
  const block = (id) => {
    if (!kept.has(id)) kept.set(id, read(id));
    return kept.get(id);
  };
  const table = (key) => {
    const id = `decoded-${key}`;
    if (!kept.has(id))
      kept.set(
        id,
        read(`table-${key}`).then((data) => (data ? decodeTable(data) : { rows: 0, columns: [] })),
      );
    return kept.get(id);
  };
  const definition = (key) => manifest.tables.find((known) => known.key === key);
  let latest = { key: "", rows: [] };
  return {
    kind,
    /** What the page of a job of many ranks shows; pages of one capture have none. */
    job: manifest.job,
    isCsvSafe: manifest.csv_safe,
    window: () => manifest.window,
    words: () => manifest.words,
    tables: () => manifest.tables,
    terms: () => manifest.terms,
    notes: (key) => manifest.contents[key]?.notes ?? [],
    timelines: () => manifest.timelines,
    overview: () => block("overview"),
    ranges: () => block("ranges"),
    opens: manifest.opens ?? "dashboard",
    /** The two ranges that are compared if the address says nothing else. */
    pair: manifest.pair ?? "slowest",
    comparison: () => block("comparison"),
    comparedTimeline: (side) => block(`compared-timeline-${side}`),
    rangesCompared: (pair) =>
      pair === (manifest.pair ?? "slowest") ? block("iterations-compared") : Promise.resolve(null),
    async rows(key, question = {}) {
      const data = await table(key);
      const known = definition(key);
      if (!known) return { total: 0, matching: 0, rows: [] };
      const name = JSON.stringify([key, question.where, question.sort, question.search]);
      if (latest.key !== name) latest = { key: name, rows: chooseRows(data, known, question) };
      const from = question.from ?? 0;
      const chosen = latest.rows.slice(from, from + (question.count ?? Infinity));
      const places = (question.columns ?? known.columns.map((column) => column.key)).map((wanted) =>
        known.columns.findIndex((column) => column.key === wanted),
      );
      const matching = latest.rows.length;
      return {
        total: data.rows,
        matching,
        rows: chosen.map((row) => places.map((at) => (at < 0 ? null : data.columns[at][row]))),
      };
    },
    timeline: (iteration) => block(`timeline-${iteration}`),
    flame: (key) => block(`flame-${key}`),
    /** What counters of kernels say; nothing without them. */
    ncu: () => block("ncu"),
    aggregations: async () => [],
    reaggregate: null,
  };
}
