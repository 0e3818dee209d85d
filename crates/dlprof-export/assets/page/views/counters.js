// Counters of kernels: the roofline, the kernels below it, and the command that measures them.

import { announce, el, svg } from "../dom.js";
import { phrases } from "../format.js";
import { withCode } from "../findings.js";
import { toClipboard } from "../export.js";
import { card, plainTable } from "../plain-table.js";
import { grid } from "../table.js";
import { setState } from "../state.js";

const OF = { kernels: "Kernels", ops: "Ops" };
const LEVELS = { dram: "DRAM", all: "L1, L2, DRAM" };

/** Room around the frame: for texts of the axes, and below for the strip. */
const ROOM = { left: 76, right: 26, top: 12, bottom: 40, strip: 44 };
/** Labels of points need so many pixels of width. */
const LABELS_FROM = 560;

export async function countersView({ source, state, divisor, perWords }, place) {
  const found = await source.ncu();
  const command = found?.command ? commandCard(found.command) : null;
  if (!found?.rooflines?.length) {
    place.append(el("div.stack", null, nothingCard(source, found?.no_command), command));
    return {};
  }
  const of = OF[state.of] ? state.of : "kernels";
  const levels = LEVELS[state.levels] ? state.levels : "dram";
  const isChosen = (one) => one.of === of && one.levels === levels;
  const { picture } = found.rooflines.find(isChosen) ?? found.rooflines[0];
  const box = el("div.roofline", { role: "img", "aria-label": `Roofline: ${picture.summary}` });
  const choice = el(
    "span.r.acts",
    null,
    choose("points", OF, of, (value) => ({ of: value })),
    choose("memories", LEVELS, levels, (value) => ({ levels: value })),
  );
  const key = picture.of === "ops" ? "ncu_ops" : "ncu_kernels";
  place.append(
    el(
      "div.stack",
      null,
      card("Roofline", picture.basis, choice, el("div.body", null, box, boundsKey(picture), leftOut(picture))),
      card("Points", "those with most time first", null, pointsTable(picture)),
      grid({
        source,
        key,
        title: picture.of === "ops" ? "Counters by op" : "Counters by kernel",
        sub: `times ${perWords}`,
        divisor,
        sort: [{ column: "gpu_time_ns", descending: true }],
        meterOf: "gpu_time_ns",
        height: 480,
      }).element,
      command,
    ),
  );
  let width = 0;
  const draw = () => {
    width = box.clientWidth || 800;
    box.replaceChildren(drawing(picture, width));
  };
  const resized = new ResizeObserver(() => box.clientWidth && box.clientWidth !== width && draw());
  return {
    shown: () => {
      draw();
      resized.observe(box);
    },
    repaint: draw,
    close: () => resized.disconnect(),
  };
}

function choose(label, names, chosen, change) {
  const option = ([key, name]) =>
    el(
      `button${key === chosen ? ".on" : ""}`,
      { type: "button", "aria-pressed": String(key === chosen), onclick: () => setState(change(key), true) },
      name,
    );
  return el("span.seg", { role: "group", "aria-label": label }, ...Object.entries(names).map(option));
}

/** What is said in the place of counters. */
function nothingCard(source, noCommand) {
  const unknown = `${phrases.no_counters} `;
  const measure = `${phrases.give_counters} `;
  const how = source.kind === "server" ? "" : "`dlprof-agg ncu --suggest FILE` prints the command for a capture.";
  const next = noCommand ? `The capture ${noCommand}.` : measure + how;
  return card("Counters", null, null, el("p.body", null, ...withCode(unknown + next)));
}

/** The command that measures the kernels with most time, to copy. */
function commandCard({ line, measures, remarks }) {
  const said = el("span.small.dim", { role: "status" });
  const copy = async () => {
    await toClipboard(line);
    said.textContent = "copied";
    announce("The command is copied.");
  };
  const button = el("button.btn", { type: "button", onclick: copy }, "Copy");
  return card(
    phrases.measure_kernels,
    null,
    el("span.r.acts", null, said, button),
    el(
      "div.body",
      null,
      el("p", null, measures),
      el("pre.cmd.ncu-command", { tabindex: "0" }, line),
      el("ul.hints", null, ...remarks.map((remark) => el("li", null, ...withCode(remark)))),
    ),
  );
}

function leftOut(picture) {
  return picture.left_out ? el("p.dim.small", null, picture.left_out) : null;
}

/** The colours of bounds that occur. */
function boundsKey({ points, strip }) {
  const bounds = new Map([...points, ...strip].map((point) => [point.bound, point.bound_words]));
  const entry = ([bound, words]) =>
    el("span", null, el(`i.bound.b-${bound || "unknown"}`, { "aria-hidden": "true" }), ` ${words}`);
  const means = [...points, ...strip].some((point) => !point.is_exact);
  return el(
    "p.legend.inl.small",
    null,
    el("span.dim", null, "bound:"),
    ...[...bounds].map(entry),
    means ? el("span.dim", null, "hollow: means over launches of the same name and size") : null,
  );
}

function pointsTable(picture) {
  const columns = [
    { title: "" },
    { title: picture.of === "ops" ? "Op" : "Kernel", name: true },
    { title: "Time, share", number: true },
    { title: "Rate", number: true },
    { title: "Intensity", number: true, priority: 2 },
    { title: "DRAM use", number: true, priority: 3 },
    { title: "Bound", priority: 2 },
  ];
  const row = (point) => ({
    cells: [
      point.letter,
      { text: point.short, title: point.name },
      point.time,
      point.rate || "–",
      point.intensity,
      point.dram,
      point.bound_words,
    ],
  });
  return plainTable("Points of the roofline", columns, [...picture.points, ...picture.strip].map(row), true);
}

/** The picture: the program placed everything as shares of the frame, here they become pixels. */
function drawing(picture, width) {
  const hasStrip = picture.strip.length > 0;
  const right = ROOM.right;
  const frame = { x: ROOM.left, y: ROOM.top, width: width - ROOM.left - right };
  frame.height = Math.round(Math.max(240, Math.min(frame.width / 1.6, 480)));
  const below = ROOM.bottom + (hasStrip ? ROOM.strip : 0);
  const at = ([x, y]) => [frame.x + x * frame.width, frame.y + (1 - y) * frame.height];
  const parts = [
    ...axes(picture, frame, at),
    ...picture.roofs.flatMap((roof) => roofParts(roof, frame, at)),
    ...[...picture.points].reverse().map((point) => pointParts(point, at(point.at), point.radius * frame.width)),
    ...(width >= LABELS_FROM ? picture.points.map((point) => labelOf(point, at)) : []),
    ...(hasStrip ? stripParts(picture.strip, frame) : []),
  ];
  const height = frame.y + frame.height + below;
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" };
  return svg("svg", attributes, ...parts.filter(Boolean));
}

function axes(picture, frame, at) {
  const bottom = frame.y + frame.height;
  const xs = picture.x_ticks.flatMap(({ at: share, text }) => {
    const [x] = at([share, 0]);
    return [
      svg("line", { x1: x, x2: x, y1: frame.y, y2: bottom, class: "axis" }),
      svg("text", { x, y: bottom + 15, "text-anchor": "middle", class: "tick" }, text),
    ];
  });
  const ys = picture.y_ticks.flatMap(({ at: share, text }) => {
    const [, y] = at([0, share]);
    return [
      svg("line", { x1: frame.x, x2: frame.x + frame.width, y1: y, y2: y, class: "axis" }),
      svg("text", { x: frame.x - 6, y: y + 4, "text-anchor": "end", class: "tick" }, text),
    ];
  });
  const name = svg(
    "text",
    { x: frame.x + frame.width / 2, y: bottom + 31, "text-anchor": "middle", class: "tick" },
    "FLOP per byte",
  );
  return [...xs, ...ys, name];
}

function roofParts(roof, frame, at) {
  const [x1, y1] = at(roof.from);
  const [x2, y2] = at(roof.to);
  const isFlat = y1 === y2;
  const line = svg("line", { x1, y1, x2, y2, class: "roof" });
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const middle = [x1 + (x2 - x1) * 0.4, y1 + (y2 - y1) * 0.4];
  const place = isFlat
    ? { x: frame.x + frame.width - 4, y: y1 - 5, "text-anchor": "end" }
    : {
        x: middle[0],
        y: middle[1] - 5,
        "text-anchor": "middle",
        transform: `rotate(${angle} ${middle[0]} ${middle[1]})`,
      };
  const text = svg("text", { ...place, class: "roofname" }, roof.text);
  const ridge = roof.ridge_at ? at(roof.ridge_at) : null;
  const mark = ridge
    ? svg("circle", { cx: ridge[0], cy: ridge[1], r: 3, class: "ridge" }, svg("title", null, roof.ridge))
    : null;
  return [line, text, mark];
}

function pointParts(point, [cx, cy], radius) {
  const style = `point b-${point.bound || "unknown"}${point.is_exact ? "" : " hollow"}`;
  const title = [
    `${point.letter} ${point.name}`,
    point.rate,
    point.intensity,
    point.time,
    `bound: ${point.bound_words}`,
    point.dram,
  ];
  const whole = title.filter(Boolean).join("\n");
  const parts = [svg("circle", { cx, cy, r: Math.max(radius, 4), class: style }, svg("title", null, whole))];
  if (radius >= 7)
    parts.push(svg("text", { x: cx, y: cy + 4, "text-anchor": "middle", class: "letter" }, point.letter));
  return svg("g", null, ...parts);
}

function labelOf(point, at) {
  if (!point.label_at) return null;
  const [x, y] = at(point.label_at);
  return svg("text", { x, y: y + 4, class: "label" }, point.short);
}

/** Kernels that have no place: those without FLOP or without bytes. */
function stripParts(strip, frame) {
  const y = frame.y + frame.height + ROOM.bottom + 14;
  const name = svg("text", { x: frame.x - 6, y: y + 4, "text-anchor": "end", class: "tick" }, "no FLOP");
  const line = { x: frame.x, y: y - 14, width: frame.width, height: 28, class: "strip" };
  const points = strip.map((point) => {
    const cx = frame.x + point.at[0] * frame.width;
    const group = pointParts({ ...point, radius: 0 }, [cx, y], 5);
    if (frame.width / strip.length > 70)
      group.append(svg("text", { x: cx + 9, y: y + 4, class: "label" }, `${point.letter} ${point.dram}`));
    return group;
  });
  return [svg("rect", line), name, ...points];
}
