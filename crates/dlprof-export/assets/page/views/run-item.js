// The selected item of the timeline of the whole capture.

import { el } from "../dom.js";
import { rawTime, time } from "../format.js";
import { card, pairs } from "../plain-table.js";
import { exactTime, iterationAt } from "../run-hover.js";
import { hashOf } from "../state.js";

/** `go` shows another item, which is named in the card. */
export function runItemCard(source, lanes, iterations, item, go) {
  const lane = lanes[item.lane];
  const kind = source.words().items[item.class === "memory" ? "memory" : lane.kind];
  const inside = iterationAt(iterations, item.start_ns);
  const facts = [
    ["Start", exactTime(item.start_ns), rawTime(item.start_ns)],
    ["Duration", time(item.length_ns), rawTime(item.length_ns)],
  ];
  if (inside) {
    const link = el("a", { href: hashOf("timeline", { it: inside.number }) }, String(inside.number));
    facts.push(["Iteration", link], ["In the iteration", time(item.start_ns - inside.start)]);
  }
  if (item.op) facts.push(["Op", el("a", { href: hashOf("ops", { op: item.op[0] }) }, item.op[1])]);
  const parts = [item.name ? el("p.mono.long", null, item.name) : null, pairs(facts)];
  const others = (title, list) => {
    if (!list.length) return;
    parts.push(el("hr"), el("h2", null, title));
    for (const other of list) {
      const ahead = other.start_ns - item.start_ns;
      const when = `${time(other.length_ns)}, ${time(Math.abs(ahead))} ${ahead < 0 ? "earlier" : "later"}`;
      const button = el("button.link", { type: "button", onclick: () => go(other) }, other.name || kind);
      parts.push(el("p.small", null, button, el("span.dim", null, ` ${when}${place(lanes[other.lane])}`)));
    }
  };
  others("Launched by", item.launch ? [item.launch] : []);
  others("Launched", item.launched);
  others("Ended by", item.ended_by ? [item.ended_by] : []);
  others("Exchanges data with", item.partners);
  if (item.stack.length)
    parts.push(
      el("hr"),
      el("h2", null, "Stack"),
      el("ol.stack-list", null, ...item.stack.map((name) => el("li.mono", null, name))),
    );
  const made = card(kind, null, null, el("div.body", null, ...parts.filter(Boolean)));
  made.classList.add("pane");
  return made;
}

function place({ owner }) {
  return owner.of === "thread" ? `, thread ${owner.tid}` : `, GPU ${owner.device_id}`;
}
