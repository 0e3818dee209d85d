// What is said of the selected item of an iteration's timeline.

import { el } from "../dom.js";
import { percent, rawTime, time } from "../format.js";
import { card, pairs } from "../plain-table.js";
import { launchFacts } from "../panes.js";
import { hashOf } from "../state.js";

/** Its times, its op, its launch or what it launched, and the shape of a kernel. */
export async function selectedCard(source, model, lane, item) {
  const { data } = model;
  const name = data.names[lane.name[item]];
  const isMemory = lane.kind === "stream" && lane.class[item] === "memory";
  const kind = source.words().items[isMemory ? "memory" : lane.kind];
  const op = lane.op?.[item] === undefined || lane.op[item] === null ? null : data.names[lane.op[item]];
  // What reaches over an edge of the iteration ends there.
  const end = lane.start_ns[item] + lane.length_ns[item];
  const isCut = lane.start_ns[item] <= 0 || end >= data.length_ns;
  const facts = [
    ["Start", time(lane.start_ns[item]), rawTime(data.start_ns + lane.start_ns[item])],
    [isCut ? "Duration in the iteration" : "Duration", time(lane.length_ns[item]), rawTime(lane.length_ns[item])],
    ["Share of iteration", percent((lane.length_ns[item] / data.length_ns) * 100, 2)],
  ];
  if (op) facts.push(["Op ID", el("a", { href: hashOf("ops", { op }) }, op)]);
  const parts = [el("p.mono.long", null, name), pairs(facts)];
  const call = model.callOf.get(`${lane.at}:${item}`);
  if (call) parts.push(el("hr"), el("h2", null, "Launch"), pairs(callFacts(model, call, lane, item)));
  const launched = model.worksOf.get(`${lane.at}:${item}`);
  if (launched)
    parts.push(
      el("hr"),
      el("h2", null, "Launched"),
      pairs(
        launched
          .slice(0, 6)
          .map(([at, work]) => [data.names[model.lanes[at].name[work]], time(model.lanes[at].length_ns[work])]),
      ),
    );
  if (kind === "Kernel") parts.push(...(await shape(source, data, lane, item)));
  const link =
    lane.kind === "stream" && kind === "Kernel"
      ? el(
          "a.r",
          {
            href: hashOf("iterkernels", {
              "kernels.where": JSON.stringify([["kernel_name", "=", name]]),
              it: data.iteration,
            }),
          },
          "In the table",
        )
      : null;
  const made = card(kind, null, link, el("div.body", null, ...parts));
  made.classList.add("pane");
  return made;
}

function callFacts(model, [callLane, call], lane, item) {
  const from = model.lanes[callLane];
  const ahead = lane.start_ns[item] - from.start_ns[call];
  return [
    ["Call", el("span.mono", null, model.data.names[from.name[call]])],
    ["Thread", String(from.owner.tid)],
    ["Ahead by", time(ahead), rawTime(ahead)],
    ["Call took", time(from.length_ns[call]), rawTime(from.length_ns[call])],
  ];
}

/** Grid, block and occupancy, from table `kernels`. */
async function shape(source, data, lane, item) {
  const known = source.tables().find((table) => table.key === "kernels");
  if (!known) return [];
  const { rows } = await source.rows("kernels", {
    where: [
      { column: "gpu_start_ns", op: "=", value: data.start_ns + lane.start_ns[item] },
      { column: "device_id", op: "=", value: lane.owner.device_id },
    ],
    count: 1,
  });
  if (!rows.length) return [];
  const row = Object.fromEntries(rows[0].map((cell, at) => [known.columns[at].key, cell]));
  return [el("hr"), el("h2", null, "Shape"), pairs(launchFacts(row, null).slice(3))];
}
