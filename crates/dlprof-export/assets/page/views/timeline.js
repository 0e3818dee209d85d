// The timeline of an iteration and its gaps.

import { debounced, el, latestIn, plain } from "../dom.js";
import { count, decimals, rawTime, time, timeUnit } from "../format.js";
import { causeColor, causeWords } from "../classes.js";
import { swatch } from "../bars.js";
import { cutName } from "../cut.js";
import { withCode } from "../findings.js";
import { card, pairs, plainTable } from "../plain-table.js";
import { LEAST_VIEW_NS, longGaps, timelineChart } from "../timeline.js";
import { timelineLegend } from "../timeline-legend.js";
import { timelineModel } from "../timeline-model.js";
import { hashOf, setState } from "../state.js";
import { viewNamed } from "../time-address.js";
import { selectedCard } from "./timeline-item.js";
import { WHOLE, wholeRunView } from "./whole-run.js";

/** Rows of the list of gaps. */
const MOST_GAPS = 200;

export async function timelineView(context, place) {
  const { source, state, window } = context;
  if (state.it === WHOLE && source.lanes) return wholeRunView(context, place);
  const [median, slowest] = window.telling;
  const held = source.timelines();
  const { iteration: wanted, said: otherIteration } = iterationNamed(state.it, window, median);
  const iteration = held && !held.includes(wanted) ? median : wanted;
  const data = await source.timeline(iteration);
  if (!data) return void place.append(card("Timeline", "not in this file"));
  // The lanes of several processes would push those of the GPUs out of sight.
  const gpusFirst = window.gpus_used.length > 1;
  const model = timelineModel(data, source.words().lanes, { gpusFirst });
  if (!model.shown.length) return void place.append(card("Timeline", `nothing was recorded in iteration ${iteration}`));
  const pane = el("div.c3");
  const idle = await idleCard(source, model);
  const where = el("span.sp", { role: "status" });
  const showPane = latestIn(pane);
  // An address that leads elsewhere is not this view's to write.
  let isOpen = true;
  const remember = debounced(
    (view) =>
      isOpen &&
      setState({
        t: view.from <= 0 && view.to >= data.length_ns ? "" : `${Math.round(view.from)}-${Math.round(view.to)}`,
      }),
    250,
  );
  const asked = viewNamed(state.t, [0, Math.max(1, data.length_ns)], LEAST_VIEW_NS);
  const notes = [otherIteration, asked.said].filter(Boolean);
  const chart = timelineChart({
    model,
    view: { from: asked.view[0], to: asked.view[1] },
    onView(view) {
      where.textContent = plain(`${time(view.from)} to ${time(view.to)} of ${time(data.length_ns)}`);
      remember(view);
    },
    onSelect: (lane, item) => {
      setState({ sel: selectionText(data, lane, item) });
      return showPane(selectedCard(source, model, lane, item), idle);
    },
  });
  const gaps = longGaps(model);
  const foot = [
    el(
      "span",
      null,
      el("kbd", null, "W"),
      " ",
      el("kbd", null, "S"),
      " zoom ",
      el("kbd", null, "A"),
      " ",
      el("kbd", null, "D"),
      " pan ",
      el("kbd", null, "G"),
      " next gap ",
      el("kbd", null, "F"),
      " fit",
    ),
    el(
      "span.opt",
      null,
      data.left_out
        ? `${count(data.left_out)} of the shortest items, ${time(data.left_out_ns)} together, are left out`
        : "items under one pixel are merged",
    ),
  ];
  const lanes = el(
    "section.card.tl-card",
    { "aria-label": "Timeline" },
    toolbar({ held, window, iteration, median, slowest, wanted, gaps, chart, where }),
    ...notes.map((note) => el("p.note", { role: "status" }, note)),
    chart.element,
    el("footer.tl-legend", null, ...timelineLegend(source), ...foot),
  );
  pane.append(
    el("section.card.pane", null, el("div.body.dim", null, "Select an item: click it, or a row of the list of gaps.")),
    idle,
  );
  place.append(el("div.grid", null, el("div.c9.stack", null, lanes, gapsCard(model, gaps, chart)), pane));
  return {
    shown: () => {
      chart.repaint();
      selectFrom(state.sel, model, chart);
    },
    repaint: chart.repaint,
    key: chart.key,
    close: () => (isOpen = false),
  };
}

/** The iteration that comes nearest to what an address names, and what is said where that is another one. */
function iterationNamed(text, { last }, median) {
  if (text === undefined) return { iteration: median };
  const number = Number(text);
  const nearest = Number.isFinite(number) ? Math.max(0, Math.min(last, Math.round(number))) : median;
  if (nearest === number) return { iteration: nearest };
  return { iteration: nearest, said: `There is no iteration ${text}: iteration ${nearest} is shown.` };
}

/** GPU and start on the clock of the capture: the same words as in the tables. */
function selectionText(data, lane, item) {
  return lane.kind === "stream"
    ? `${lane.owner.device_id}:${data.start_ns + lane.start_ns[item]}`
    : `${lane.at}.${item}`;
}

function selectFrom(text, model, chart) {
  const work = /^(-?\d+):(-?\d+)$/.exec(text ?? "");
  const place = /^(\d+)\.(\d+)$/.exec(text ?? "");
  if (place && model.lanes[place[1]]?.start_ns[place[2]] !== undefined)
    return chart.select(model.lanes[place[1]], Number(place[2]), true);
  if (!work) return;
  const start = Number(work[2]) - model.data.start_ns;
  for (const lane of model.shown.filter((one) => one.kind === "stream" && one.owner.device_id === Number(work[1]))) {
    const item = lane.start_ns.indexOf(start);
    if (item >= 0) return chart.select(lane, item, true);
  }
}

function toolbar({ held, window, iteration, median, slowest, wanted, gaps, chart, where }) {
  const option = (name, number) =>
    el(
      `a${number === iteration ? ".on" : ""}`,
      { href: hashOf("timeline", { it: number }), "aria-current": number === iteration ? "true" : null },
      name,
    );
  const options = [option("Median", median), option("Slowest", slowest)];
  if (!held) options.unshift(option("Whole capture", WHOLE));
  if (iteration !== median && iteration !== slowest) options.push(option(`Iteration ${iteration}`, iteration));
  const step = (name, number, words) =>
    el(
      "a.btn.icon",
      { href: hashOf("timeline", { it: Math.max(0, Math.min(window.last, number)) }), "aria-label": words },
      name,
    );
  const steps = held ? [] : [step("‹", iteration - 1, "iteration before"), step("›", iteration + 1, "next iteration")];
  const absent =
    held && wanted !== iteration
      ? el(
          "span.small.dim",
          null,
          `Iteration ${wanted} is not in this file: `,
          el("code", null, `dlprof-agg view ${window.file}`),
        )
      : null;
  const chip = gaps.length
    ? el(
        "button.chip",
        { type: "button", onclick: () => chart.nextGap() },
        "idle ",
        el("i", null, `${gaps[0].length >= 1e6 ? "" : "longest "}${count(gaps.length)}`),
        " next",
      )
    : null;
  return el(
    "div.toolbar",
    null,
    el("h2", null, "Timeline"),
    el("span.seg", { role: "group", "aria-label": "iteration" }, ...options),
    ...steps,
    chip,
    absent,
    where,
  );
}

function gapsCard(model, gaps, chart) {
  const isLong = gaps.length && gaps[0].length >= 1e6;
  const [symbol, one] = timeUnit(Math.max(0, ...gaps.map((gap) => gap.length)));
  const [atSymbol, atOne] = timeUnit(model.data.length_ns);
  const rows = gaps.slice(0, MOST_GAPS).map((gap) => {
    const next = gap.next;
    const call = next && model.callOf.get(`${next.lane.at}:${next.item}`);
    const ahead = call ? next.start - model.lanes[call[0]].start_ns[call[1]] : null;
    const go = () => {
      chart.select(gap.lane, gap.item);
      chart.setView(gap.start - gap.length * 2, gap.start + gap.length * 3);
    };
    const cause = el("span.gap-cause", { title: gap.words }, swatch(`c-${causeColor(gap.cause)}`, true), ...withCode(gap.words));
    return {
      onOpen: go,
      cells: [
        decimals(gap.start / atOne, 1),
        { text: decimals(gap.length / one, 2), title: rawTime(gap.length) },
        cause,
        `GPU ${gap.lane.owner.device_id}`,
        next ? cutName(model.data.names[next.lane.name[next.item]]) : el("span.unk", null, "–"),
        ahead === null ? el("span.unk", null, "–") : { text: decimals(ahead / atOne, 2), title: rawTime(ahead) },
      ],
    };
  });
  const columns = [
    { title: "At", unit: atSymbol, number: true },
    { title: "Length", unit: symbol, number: true },
    { title: "Cause" },
    { title: "In", priority: 3 },
    { title: "Next on the GPU", name: true, mono: true },
    {
      title: "Launched ahead",
      unit: atSymbol,
      number: true,
      priority: 2,
      doc: "from the start of the call to the start of its work, where both are in the iteration",
    },
  ];
  const more = gaps.length > MOST_GAPS ? `; the first ${MOST_GAPS}` : "";
  const note = gaps.length ? `${count(gaps.length)} in iteration ${model.data.iteration}${more}` : "none";
  return card(isLong ? "Gaps over 1 ms" : "Longest gaps", note, null, plainTable("Gaps", columns, rows, true));
}

/** Why the GPUs idled in the iteration: rows of table `idle_causes`. */
async function idleCard(source, { data: { iteration } }) {
  const where = [{ column: "iteration", op: "=", value: iteration }];
  const { rows } = await source.rows("idle_causes", {
    where,
    sort: [{ column: "time_ns", descending: true }],
    columns: ["device_id", "cause", "time_ns", "range"],
    count: 40,
  });
  const several = new Set(rows.map(([device]) => device)).size > 1;
  const name = (device, cause, range) =>
    el(
      "span",
      null,
      swatch(`c-${causeColor(cause)}`, true),
      range ? `${causeWords(cause)} ${range}` : causeWords(cause),
      several ? `, GPU ${device}` : "",
    );
  const lines = rows.map(([device, cause, ns, range]) => [name(device, cause, range), time(ns), rawTime(ns)]);
  const none = el("p.dim", null, "No cause is known: the iteration is not aggregated, or no GPU idled in it.");
  return card(
    `Idle in iteration ${iteration}`,
    "by cause",
    null,
    el("div.body", null, lines.length ? pairs(lines, "kv.rt") : none),
  );
}
