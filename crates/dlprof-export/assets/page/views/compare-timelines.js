// Two iterations one above the other, from their starts on and in one scale: what is wider, and what only one of them has.

import { el } from "../dom.js";
import { count, rawTime, time } from "../format.js";
import { card } from "../plain-table.js";
import { timelineChart } from "../timeline.js";
import { timelineModel } from "../timeline-model.js";

/** Lanes of GPUs: with more, only the first ones are shown. */
const MOST_GPUS = 4;

/** `sides`: name and ask (of a timeline; nothing where there is none) of both. Nothing unless both are there. */
export async function comparedTimelines(source, sides) {
  const asked = await Promise.all(sides.map((side) => side.ask()));
  if (!asked.every(Boolean)) return null;
  const data = withSharedNames(asked);
  const threads = mainThreads(data);
  const models = data.map((one, at) => 
    timelineModel(one, source.words().lanes, { isWanted: isWanted(one, threads[at]), gpusFirst: true }),
  );
  if (!models.every((model) => model.shown.length)) return null;
  const extent = Math.max(...data.map((one) => one.length_ns));
  const said = el("p.body.small", { role: "status" }, "Select an item to see what it is on the other side.");
  const charts = models.map((model, at) =>
    timelineChart({
      model,
      extent,
      onView: ({ from, to }) => move(charts[1 - at], from, to),
      onSelect: (lane, item) => select(at, lane, item),
    }),
  );
  const items = models.map(itemsByName);

  /** Selects the same work on the other side, and says how both differ. */
  function select(at, lane, item) {
    const own = models[at];
    const name = own.data.names[lane.name[item]];
    const [mine, theirs] = [items[at], items[1 - at]].map((all) => all.get(keyOf(lane, name)) ?? []);
    const place = mine.findIndex((one) => one.lane === lane && one.item === item);
    const other = theirs[place];
    charts[1 - at].mark(other ?? null);
    const words = (one) => `${time(one.lane.length_ns[one.item])} at ${time(one.lane.start_ns[one.item])}`;
    const parts = [0, 1].map((side) => (side === at ? { lane, item } : other));
    said.replaceChildren(
      el("b.mono", null, name),
      ` ${parts.map((one, side) => `${side ? "second" : "first"}: ${one ? words(one) : "none"}`).join("; ")}`,
      other ? difference(...parts) : "",
      `. Number ${count(place + 1)} of its name: there are ${count(mine.length)} here and ${count(theirs.length)} there.`,
    );
  }

  return {
    repaint: () => charts.forEach((chart) => chart.repaint()),
    key: (event) => charts[0].key(event),
    card: card(
      "Timelines",
      "both from their starts on, in one scale; zooming and panning moves both",
      null,
      ...charts.flatMap((chart, at) => [
        el("h3.aligned-name", null, sides[at].name),
        el("div.aligned", null, chart.element),
      ]),
      said,
    ),
  };
}

/** Two timelines whose numbers of names are the same, so that a kernel has one shade in both. */
function withSharedNames([first, second]) {
  const names = [...first.names];
  const places = new Map(names.map((name, place) => [name, place]));
  const numbers = second.names.map((name) => {
    if (!places.has(name)) places.set(name, names.push(name) - 1);
    return places.get(name);
  });
  const place = (number) => (number === null || number === undefined ? number : numbers[number]);
  const lanes = second.lanes.map((lane) => ({ ...lane, name: lane.name.map(place), op: lane.op?.map(place) }));
  return [first, { ...second, names, lanes }];
}

/** Moves a chart to what the other one shows; nothing happens where it is there. */
function move(chart, from, to) {
  if (chart.view.from !== from || chart.view.to !== to) chart.setView(from, to);
}

/** Of each side the thread with most calls: the one of the first side, where the other has it too. */
function mainThreads([first, second]) {
  const busiest = ({ lanes }) =>
    lanes
      .filter((lane) => lane.kind === "api_calls")
      .reduce((most, lane) => (lane.start_ns.length > (most?.start_ns.length ?? 0) ? lane : most), null)?.owner;
  const main = busiest(first);
  const isShared = second.lanes.some((lane) => lane.kind === "api_calls" && isSameThread(lane.owner, main));
  return [main, isShared ? main : busiest(second)];
}

function isSameThread(owner, thread) {
  return owner.tid === thread?.tid && owner.pid === thread?.pid;
}

/** The lanes of the first GPUs, and the ranges and calls of a thread. */
function isWanted(data, thread) {
  const gpus = [...new Set(data.lanes.map(({ owner }) => owner.device_id).filter((id) => id !== undefined))];
  const isShown = new Set(gpus.sort((a, b) => a - b).slice(0, MOST_GPUS));
  return ({ kind, owner }) =>
    owner.of === "thread"
      ? ["ranges", "ops", "api_calls"].includes(kind) && isSameThread(owner, thread)
      : isShown.has(owner.device_id);
}

/** What is one piece of work on both sides: the kind of lane, the GPU and the name. Stream and process may differ. */
function keyOf({ kind, owner }, name) {
  return JSON.stringify([kind, owner.device_id ?? "", name]);
}

/** The items of each name in order of time. */
function itemsByName({ shown, data }) {
  const items = new Map();
  for (const lane of shown)
    lane.start_ns.forEach((_, item) => {
      const key = keyOf(lane, data.names[lane.name[item]]);
      if (!items.has(key)) items.set(key, []);
      items.get(key).push({ lane, item });
    });
  for (const of of items.values()) of.sort((a, b) => a.lane.start_ns[a.item] - b.lane.start_ns[b.item]);
  return items;
}

function difference(first, second) {
  const by = second.lane.length_ns[second.item] - first.lane.length_ns[first.item];
  if (by === 0) return "";
  return el("span", { title: rawTime(by) }, `, ${time(Math.abs(by))} ${by > 0 ? "longer" : "shorter"}`);
}
