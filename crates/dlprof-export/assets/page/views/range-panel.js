// The range and the key node of another aggregation.

import { el } from "../dom.js";
import { count, counted, decimals, percent, rawTime, significant, time, timeUnit, UNKNOWN } from "../format.js";
import { card, declared, plainTable } from "../plain-table.js";
import { hashOf, setState } from "../state.js";
import { cutName } from "../cut.js";
import { withProgress } from "../progress.js";

/** Start and stop, what they would give, and the button. */
export function rangePanel(source, window, sums, wanted, state) {
  const last = window.last;
  const field = (name, value) =>
    el("input.field.num", { type: "number", min: 0, max: last, value, "aria-label": name });
  const start = field("Select Iter Start", wanted.start);
  const stop = field("Select Iter Stop", wanted.stop);
  const said = el("p.small", { role: "status" });
  const state_ = el("div.small", { role: "status" });
  const run = el("button.btn.primary", { type: "button" }, "Re-aggregate");
  const self = {
    range: { ...wanted },
    keyNode: state.key ?? null,
    onChange: () => {},
    element: null,
    show,
    run: commit,
  };
  function show(range) {
    self.range = { ...range };
    start.value = range.start;
    stop.value = range.stop;
    const { number, mean, deviation } = rangeFigures(sums, range);
    const isNew =
      range.start !== window.start ||
      range.stop !== window.stop ||
      (self.keyNode !== null && self.keyNode !== window.key_node);
    const spread = number > 1 ? ` mean, σ ${percent(mean ? (deviation / mean) * 100 : 0)}` : "";
    const figures = `${counted(number, "iteration")}, ${time(mean)}${spread}. `;
    said.replaceChildren(
      el("b", null, figures),
      isNew ? `The figures are still those of ${window.start} to ${window.stop}.` : "These are the figures shown.",
    );
    run.disabled = !isNew || !source.reaggregate;
    state_.replaceChildren(...(isNew && !source.reaggregate ? offline(window, self) : []));
  }
  const typed = () => {
    const range = { start: Number(start.value), stop: Number(stop.value) };
    const wrong =
      !Number.isInteger(range.start) ||
      !Number.isInteger(range.stop) ||
      range.start > range.stop ||
      range.start < 0 ||
      range.stop > last;
    start.setAttribute("aria-invalid", String(wrong));
    stop.setAttribute("aria-invalid", String(wrong));
    if (wrong)
      return said.replaceChildren(el("b.err-t", null, `Iterations are 0 to ${last}. `), "Nothing was changed.");
    show(range);
    self.onChange(range);
  };
  start.addEventListener("change", typed);
  stop.addEventListener("change", typed);
  for (const input of [start, stop])
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      typed();
      commit();
    });
  const set = (range) => {
    show(range);
    self.onChange(range);
  };
  async function commit() {
    if (run.disabled) return;
    state_.replaceChildren(
      el("p", null, `Aggregating ${self.range.start} to ${self.range.stop}. The old figures stay until it is done.`),
    );
    run.disabled = true;
    try {
      // Other iterations have other numbers: without a new range, the program chooses one.
      const isKept = self.range.start === window.start && self.range.stop === window.stop;
      const isOther = self.keyNode !== null && self.keyNode !== window.key_node;
      const range = isKept && isOther ? { start: null, stop: null } : self.range;
      const request = { start: range.start, stop: range.stop, key_node: self.keyNode, clock: "auto" };
      const made = await withProgress(source, state_, source.reaggregate(request));
      state_.replaceChildren(el("p", null, `Done: ${made.start} to ${made.stop}. `));
      location.hash = hashOf("iterations", { agg: made.id });
    } catch (error) {
      state_.replaceChildren(
        el("p", null, el("b.err-t", null, error.message), " ", error.hint ?? "", " Nothing was changed."),
      );
      run.disabled = false;
    }
  }
  run.addEventListener("click", commit);
  const button = (name, range) =>
    el("button.btn", { type: "button", disabled: !range, onclick: () => set(range) }, name);
  self.element = card(
    "Range and key node",
    null,
    null,
    el(
      "div.body",
      null,
      el("div.rangefields", null, el("label", null, "Start", start), el("label", null, "Stop, inclusive", stop)),
      said,
      el(
        "div.buttons",
        null,
        run,
        button("Steady", window.steady && { start: window.steady[0], stop: window.steady[1] }),
        button("All", { start: 0, stop: last }),
      ),
      state_,
    ),
  );
  show(wanted);
  return self;
}

/** Mean and deviation of a range, from sums that the program made: between two of them lie those of a range. */
function rangeFigures(sums, { start, stop }) {
  const between = (list) => list[Math.min(list.length - 1, stop + 1)] - list[Math.min(list.length - 1, start)];
  const [number, above, squares] = [between(sums.counted), between(sums.sum_ns), between(sums.squares)];
  if (number === 0) return { number, mean: 0, deviation: 0 };
  const variance = number > 1 ? (squares - above ** 2 / number) / (number - 1) : 0;
  return { number, mean: sums.center_ns + above / number, deviation: Math.sqrt(Math.max(0, variance)) };
}

/** A file cannot aggregate: the command that can. */
function offline(window, panel) {
  const named =
    panel.keyNode && panel.keyNode !== window.key_node ? ` --key-node '${panel.keyNode.replaceAll("'", "'\\''")}'` : "";
  const command = `dlprof-agg view ${/^[\w.@%+=:,/-]+$/.test(window.file) ? window.file : `'${window.file.replaceAll("'", "'\\''")}'`} --iter-start ${panel.range.start} --iter-stop ${panel.range.stop}${named}`;
  return [
    el("p.dim", null, "This file holds one aggregation. Another one, at once:"),
    el("pre.cmd", { tabindex: "0" }, command),
  ];
}

/** What may begin an iteration. */
export async function keyNodeCard(source, window, panel) {
  const columns = ["key_node", "executions", "interval_ns", "confidence", "name", "score"];
  const { rows } = await source.rows("key_nodes", { columns });
  const heads = declared(source, "key_nodes", columns);
  const place = el("div");
  const field = el("input.field", {
    type: "search",
    placeholder: "Filter; Enter takes a name, an op ID or re:\u2026",
    "aria-label": "filter key nodes, or type one",
  });
  const [symbol, one] = timeUnit(Math.max(0, ...rows.map(([, , interval]) => interval ?? 0)));
  let chosen = panel.keyNode ?? window.key_node;
  const paint = () => {
    const words = field.value.toLowerCase();
    const shown = rows.filter(([name]) => name.toLowerCase().includes(words));
    place.replaceChildren(
      plainTable(
        "Key nodes",
        [
          { ...heads[0], name: true, mono: true },
          { ...heads[1], number: true },
          { ...heads[2], unit: symbol, number: true },
          heads[3],
        ],
        shown.map(([name, runs, interval, confidence, plain]) => ({
          selected: name === chosen || plain === chosen,
          onOpen: () => pick(name),
          cells: [
            cutName(name),
            count(runs),
            interval === null ? UNKNOWN : { text: decimals(interval / one, 2), title: rawTime(interval) },
            confidence,
          ],
        })),
        true,
      ),
    );
    if (!shown.length)
      place.append(
        el(
          "p.body.dim",
          null,
          rows.length
            ? "No key node matches."
            : "No repeating step was found. Pick a key node with --key-node, or add a range around a step.",
        ),
      );
  };
  function pick(name) {
    chosen = name;
    panel.keyNode = name;
    setState({ key: name === window.key_node ? "" : name });
    foot.replaceChildren(...footOf());
    panel.show(panel.range);
    paint();
  }
  field.addEventListener("input", paint);
  field.addEventListener("keydown", (event) => {
    const name = field.value.trim();
    if (event.key === "Enter" && name) pick(name);
  });
  paint();
  const best = rows.find(([name]) => name === window.key_node);
  const marked = best ? `in force: the marked one, score ${significant(best[columns.indexOf("score")])}` : `in force: ${window.key_node}`;
  const footOf = () => [
    el("span", null, window.key_node === null ? "none in force" : marked),
    chosen !== null && chosen !== window.key_node ? el("span", null, "chosen: ", el("b.mono", null, chosen)) : "",
  ];
  const foot = el("footer", null, ...footOf());
  return card("Key node", "what begins an iteration", null, el("div.pad", null, field), place, foot);
}
