// The heat map: a cell per rank and iteration, or of very many ranks one per node and GPU. What is under the mouse is said, and a
// click chooses it.

import { penOf, hatch } from "../../chart-canvas.js";
import { color } from "../../classes.js";
import { drawText, el, setStyle } from "../../dom.js";
import { decimals, rawTime, time, UNKNOWN } from "../../format.js";
import { card, declared, more } from "../../plain-table.js";
import { hashOf } from "../../state.js";
import { nodeCells, rankCells } from "./cells.js";
import { shadesOf } from "./shades.js";

/** Ranks beyond which cells are nodes and GPUs. */
const MOST_RANKS = 500;

/** Pixels of all rows together, on the screen and on a sheet of paper. */
const TALL = 520;
const ON_PAPER = 300;

const ORDERS = {
  rank: (a, b) => a.rank - b.rank,
  node: (a, b) => (a.node < b.node ? -1 : a.node > b.node ? 1 : a.device_id - b.device_id || a.rank - b.rank),
  group: (a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.rank - b.rank),
  lag: (a, b) => b.lag_ns - a.lag_ns || a.rank - b.rank,
};

function nodesOf(ranks) {
  const nodes = new Map();
  for (const { node, device_id: gpu, rank } of ranks) {
    if (!nodes.has(node)) nodes.set(node, { name: node, gpus: new Map() });
    nodes.get(node).gpus.set(gpu, rank);
  }
  return [...nodes.values()];
}

const select = (label, options, value, onChange) =>
  el(
    "label.small",
    null,
    `${label} `,
    el(
      "select",
      { onchange: (event) => onChange(event.target.value) },
      ...options.map(([key, name]) => el("option", { value: key, selected: key === value }, name)),
    ),
  );

/**
 * `ranks` are rows of table ranks, `cells` gives a value of a measure: (rank, iteration, measure); `state` is { measure, sort, rank,
 * it }; `onChange` is called with what the user changed of it.
 */
export function heatMap({ job, source, ranks, valueOf, state, onChange }) {
  const measures = source
    .tables()
    .find((table) => table.key === "rank_iterations")
    .columns.filter((column) => column.unit === "ns");
  const isNodes = ranks.length > MOST_RANKS;
  const canvas = el("canvas", { tabindex: "0", role: "img" });
  const tip = el("div.tip.float.wide-tip", { hidden: true });
  const box = el("div.heat", null, canvas, tip);
  const scale = el("div.heatscale");
  let layout = null;
  let shades = null;
  const titleOf = (key) => measures.find((column) => column.key === key)?.title ?? key;
  const at = (cell) => valueOf(cell.rank, isNodes ? state.it : cell.iteration, state.measure);

  function paint() {
    const width = box.clientWidth;
    if (!width) return;
    const order = [...ranks].sort(ORDERS[state.sort] ?? ORDERS.rank);
    layout = isNodes
      ? nodeCells(nodesOf([...ranks].sort(ORDERS.rank)), width)
      : rankCells(order.map((row) => row.rank), job.steady, width, document.body.classList.contains("paper") ? ON_PAPER : TALL);
    const pen = penOf(canvas, layout.width, layout.height);
    const values = [];
    layout.each((cell) => values.push(cell.rank === undefined ? null : at(cell)));
    shades = shadesOf(state.measure, values, job.step_ns);
    let place = 0;
    layout.each((cell) => {
      const value = values[place++];
      const gap = cell.high > 6 && cell.wide > 6 ? 1 : 0;
      pen.fillStyle = Number.isFinite(value) ? shades.of(value) : hatch(pen, "outside");
      pen.fillRect(cell.x, cell.y, cell.wide - gap, cell.high - gap);
    });
    const lagging = new Set(job.lagging);
    pen.textBaseline = "middle";
    for (const label of layout.labels) {
      const isLate = lagging.has(label.rank);
      pen.fillStyle = color(isLate ? "text" : "text-3");
      pen.textAlign = label.align;
      drawText(pen, isLate ? `▲ ${label.text}` : label.text, label.x, label.y);
    }
    const chosen = state.rank === null ? null : layout.boxOf(state.rank, isNodes ? null : state.it);
    if (chosen) {
      pen.strokeStyle = color("boundary");
      pen.lineWidth = 2;
      pen.strokeRect(chosen.x - 1, chosen.y - 1, chosen.wide + 1, chosen.high + 1);
    }
    sayScale();
    canvas.setAttribute("aria-label", words());
  }

  function words() {
    const late = job.lagging.length ? `${job.many} that lag: ${job.lagging.slice(0, 8).join(", ")}` : `no ${job.one} lags`;
    return `${titleOf(state.measure)} of ${ranks.length} ${job.many}, ${job.steady.length} iterations; ${late}. Arrows move.`;
  }

  function sayScale() {
    const [from, to] = shades.ends;
    const side = (ns, word) => `${ns > 0 && shades.isLag ? "+" : ""}${time(ns)}${word}`;
    const strip = el("span.strip", { "aria-hidden": "true" });
    for (const tone of shades.tones) strip.append(el("i", { style: { background: tone } }));
    scale.replaceChildren(
      el("span", null, side(from, shades.isLag ? " (earlier than the others)" : "")),
      strip,
      el("span", null, side(to, shades.isLag ? " (later)" : "")),
      el("span.dim", null, "hatched: no capture"),
    );
  }

  function say(found, x, y) {
    tip.hidden = !found;
    if (!found) return;
    const row = ranks.find((one) => one.rank === found.rank);
    const value = valueOf(found.rank, isNodes ? state.it : found.iteration, state.measure);
    const when = isNodes ? (state.it === null ? "all steady iterations" : `iteration ${state.it}`) : `iteration ${found.iteration}`;
    const share = Number.isFinite(value) ? `, ${decimals((value / job.step_ns) * 100, 1)}\u00a0% of a step` : "";
    tip.replaceChildren(
      el("b", null, `${job.one} ${found.rank}, ${when}`),
      el("span", null, `${titleOf(state.measure)} ${Number.isFinite(value) ? time(value) : UNKNOWN}${share}`),
      el("span.dim", null, `${Number.isFinite(value) ? `${rawTime(value)}; ` : ""}${row.node}, GPU ${row.device_id}`),
    );
    const left = x > box.clientWidth / 2 ? { left: "auto", right: `${box.clientWidth - x + 12}px` } : { left: `${x + 14}px`, right: "auto" };
    setStyle(tip, { ...left, top: `${y + 14}px` });
  }

  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { found: layout?.at(x, y), x, y };
  };
  canvas.addEventListener("mousemove", (event) => {
    const { found, x, y } = under(event);
    say(found, x, y);
  });
  canvas.addEventListener("mouseleave", () => say(null));
  const choose = ({ rank, iteration }) => onChange({ rank, ...(isNodes ? {} : { it: iteration }) });
  canvas.addEventListener("click", (event) => {
    const { found } = under(event);
    if (found) choose(found);
  });
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!move || !layout) return;
    event.preventDefault();
    choose(layout.next(state.rank ?? ranks[0].rank, state.it ?? job.steady[0], ...move));
  });
  const measureSelect = select(
    "Shown",
    measures.map((column) => [column.key, column.title]),
    state.measure,
    (measure) => onChange({ measure }),
  );
  const hasGroups = new Set(ranks.map((row) => row.group)).size > 1;
  const orders = ["rank", "node", ...(hasGroups ? ["group"] : []), "lag"];
  const orderTitles = declared(source, "ranks", ["rank", "node", "group", "lag_ns"]);
  const titles = { rank: orderTitles[0].title, node: orderTitles[1].title, group: orderTitles[2].title, lag: orderTitles[3].title };
  const second = isNodes
    ? select("Iteration", [["", "all steady"], ...job.steady.map((number) => [String(number), String(number)])], String(state.it ?? ""), (it) =>
        onChange({ it: it === "" ? null : Number(it) }),
      )
    : select("Rows by", orders.map((key) => [key, titles[key]]), state.sort, (sort) => onChange({ sort }));
  const element = card(
    isNodes ? "Nodes and GPUs" : `${titles.rank} and iteration`,
    isNodes ? "a column per node, a row per GPU" : `a row per ${job.one}, a column per iteration`,
    more("As a table", hashOf("table", { key: "rank_iterations" })),
    el("div.toolbar.heatbar", null, measureSelect, second, scale),
    el("div.body.heatbody", null, box),
  );
  return { element, paint };
}
