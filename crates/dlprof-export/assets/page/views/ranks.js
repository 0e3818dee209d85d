// A job of many ranks: answer, where a step goes, what to change, which ranks and when, what they wait in.

import { el } from "../dom.js";
import { grid } from "../table.js";
import { getState, setState } from "../state.js";
import { jobAlerts, jobFindings, jobStep, jobVerdict } from "./ranks/head.js";
import { rankRows } from "./ranks/rows.js";
import { heatMap } from "./ranks/heat.js";
import { rankCard } from "./ranks/one.js";

/** The steps of all ranks: a value, and a row. */
async function stepsOf(source) {
  const table = source.tables().find((known) => known.key === "rank_iterations");
  const keys = table.columns.map((column) => column.key);
  const { rows } = await source.rows("rank_iterations");
  const [it, rank] = [keys.indexOf("iteration"), keys.indexOf("rank")];
  const byCell = new Map(rows.map((row) => [`${row[rank]} ${row[it]}`, row]));
  const row = (number, iteration) => {
    const found = byCell.get(`${number} ${iteration}`);
    return found ? Object.fromEntries(found.map((cell, at) => [keys[at], cell])) : null;
  };
  const value = (number, iteration, measure) => byCell.get(`${number} ${iteration}`)?.[keys.indexOf(measure)] ?? null;
  return { row, value };
}

const numberOf = (text) => (text === undefined || text === "" || !Number.isFinite(Number(text)) ? null : Number(text));

export async function ranksView({ source }, place) {
  const { job } = source;
  const context = { source, job };
  const [rows, steps] = await Promise.all([rankRows(context), stepsOf(source)]);
  const ranks = [...rows.byRank.values()];
  const asked = getState();
  const known = rows.byRank.has(numberOf(asked.rank)) ? numberOf(asked.rank) : null;
  const state = {
    measure: asked.show ?? "lag_ns",
    sort: asked.sort ?? "rank",
    rank: known ?? job.slowest,
    it: job.steady.includes(numberOf(asked.it)) ? numberOf(asked.it) : null,
  };
  const pane = el("div.c4");
  const showOne = () => {
    const row = rows.byRank.get(state.rank);
    pane.replaceChildren(row ? rankCard(context, row, steps.row(state.rank, state.it), (rank) => change({ rank })) : el("div"));
  };
  const change = (changes) => {
    if (changes.rank !== undefined && !rows.byRank.has(changes.rank)) return;
    Object.assign(state, changes);
    setState({
      show: state.measure === "lag_ns" ? "" : state.measure,
      sort: state.sort === "rank" ? "" : state.sort,
      rank: state.rank ?? "",
      it: state.it ?? "",
    });
    heat.paint();
    rows.mark(state.rank);
    if (changes.measure === undefined && changes.sort === undefined) showOne();
  };
  const valueOf = (rank, iteration, measure) =>
    iteration === null ? (rows.byRank.get(rank)?.[measure] ?? null) : steps.value(rank, iteration, measure);
  const heat = heatMap({ job, source, ranks, valueOf, state, onChange: change });
  rows.onPick((rank) => change({ rank }));
  const kinds = grid({
    source,
    key: "collective_kinds",
    sub: "by kind, bytes and size of the communicator; means and medians over steady iterations",
    meterOf: "wait_mean_ns",
    height: 240,
  });
  const single = grid({
    source,
    key: "collectives",
    sub: "each with all its members",
    sort: [{ column: "wait_sum_ns", descending: true }],
    meterOf: "wait_sum_ns",
    height: 360,
  });
  place.append(
    el(
      "div.stack",
      null,
      jobAlerts(context),
      jobVerdict(context),
      jobStep(context),
      jobFindings(context),
      rows.element,
      el("div.grid.stretch", null, el("div.c8.stack", null, heat.element), pane),
      kinds.element,
      single.element,
    ),
  );
  showOne();
  rows.mark(state.rank);
  return { shown: () => heat.paint(), repaint: () => heat.paint() };
}
