// The flame graph: width is GPU time, ranges are grey, kernels coloured.

import { color, workColor } from "./classes.js";
import { penOf } from "./chart-canvas.js";
import { drawText, el, setStyle } from "./dom.js";
import { count, percent, rawTime, time } from "./format.js";
import { flameBoxes } from "./flame-layout.js";

const ROW = 25;

/** The colour of a node: that of its class everywhere, and lighter for matrix math without matrix units. */
export function fillOf(node) {
  if (node.class === "path") return "sunken";
  return node.class === "matrix" ? "kernel-soft" : workColor(node.class);
}

/**
 * A flame graph. `options`: root, divisor, zoom and selected (places of children from the root on, with dots), onSelect (node,
 * its places), onZoom (places). A click zooms, Backspace goes out.
 */
export function flameGraph(options) {
  const { root, divisor } = options;
  const canvas = el("canvas", { "aria-hidden": "true" });
  const tip = el("div.tip.float", { hidden: true });
  const box = el(
    "div.flamebox",
    {
      tabindex: "0",
      role: "img",
      "aria-label": `Flame graph of ${time(root.time_ns / divisor)} of GPU time: ${root.children
        .slice(0, 3)
        .map((node) => `${node.name} ${percent((node.time_ns / root.time_ns) * 100)}`)
        .join(", ")}. The table Groups has the same figures.`,
    },
    canvas,
    tip,
  );
  let zoomed = pathFrom(root, options.zoom ?? "").filter((node) => node.children.length);
  let boxes = [];
  let words = "";
  let hovered = null;
  let selected = options.selected === undefined ? null : pathFrom(root, options.selected).pop();

  const width = () => box.clientWidth || 600;
  function layout() {
    const inner = flameBoxes(zoomed[zoomed.length - 1], 0.4 / width());
    const above = zoomed.slice(0, -1).map((node, depth) => ({ node, x: 0, width: 1, depth, parent: null }));
    boxes = [...above, ...inner.map((one) => ({ ...one, depth: one.depth + above.length }))];
  }

  function paint() {
    layout();
    const rows = boxes.reduce((most, one) => Math.max(most, one.depth), 0) + 1;
    setStyle(box, { height: `${rows * ROW}px` });
    const pen = penOf(canvas, width(), rows * ROW);
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    for (const one of boxes) paintBox(pen, one);
  }

  function paintBox(pen, one) {
    const [x, wide] = [one.x * width(), Math.max(0.5, one.width * width() - 1)];
    const y = one.depth * ROW;
    const isDim = words && !one.node.name.toLowerCase().includes(words);
    pen.globalAlpha = isDim ? 0.3 : 1;
    pen.fillStyle = color(fillOf(one.node));
    pen.fillRect(x, y, wide, ROW - 1);
    if (one.node.class === "path" && wide > 2) {
      pen.strokeStyle = color("line-2");
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y + 0.5, wide - 1, ROW - 2);
    }
    if (one.node === selected || one.node === hovered) {
      pen.strokeStyle = color("boundary");
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(2, wide - 2), ROW - 3);
    }
    if (wide > 40) paintText(pen, one, x, y, wide);
    pen.globalAlpha = 1;
  }

  function paintText(pen, one, x, y, wide) {
    pen.fillStyle = color(
      one.node.class === "path"
        ? "text"
        : one.node.class === "tc" || one.node.class === "comm"
          ? "on-dark"
          : "on-light",
    );
    const isPath = one.node.class === "path";
    const full = isPath
      ? `${one.node.name} ${time(one.node.time_ns / divisor)} · ${percent((one.node.time_ns / root.time_ns) * 100)}`
      : one.node.name;
    const text = fitted(pen, full, wide - 10) ?? fitted(pen, one.node.name, wide - 10, true);
    if (text) drawText(pen, text, x + 6, y + 17);
  }

  const at = (event) => {
    const x = event.offsetX / width();
    const depth = Math.floor(event.offsetY / ROW);
    return boxes.find((one) => one.depth === depth && x >= one.x && x < one.x + one.width) ?? null;
  };
  const pathOf = (one) => {
    const path = [];
    for (let now = one; now; now = now.parent) path.unshift(now.node);
    return path;
  };

  canvas.addEventListener("pointermove", (event) => {
    const one = at(event);
    hovered = one?.node ?? null;
    tip.hidden = !one;
    if (one) {
      tip.replaceChildren(
        el("b.mono", null, one.node.name),
        el(
          "span.dim",
          null,
          `${time(one.node.time_ns / divisor)}, ${percent((one.node.time_ns / root.time_ns) * 100)} of all`,
        ),
        el("span.dim", null, `${count(one.node.launches / divisor)} launches`),
        el("span.dim", null, rawTime(one.node.time_ns)),
      );
      setStyle(tip, {
        top: `${event.offsetY + 18}px`,
        ...(event.offsetX > width() / 2
          ? { left: "auto", right: `${width() - event.offsetX}px` }
          : { left: `${event.offsetX + 12}px`, right: "auto" }),
      });
    }
    paint();
  });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    tip.hidden = true;
    paint();
  });
  canvas.addEventListener("click", (event) => {
    const one = at(event);
    if (one) choose(one);
  });
  function choose(one) {
    selected = one.node;
    if (one.node.children.length) zoomTo(one);
    paint();
    tell(one);
  }
  const tell = (one) =>
    options.onSelect?.(one.node, placesOf([...zoomed.slice(0, zoomed.indexOf(pathOf(one)[0])), ...pathOf(one)]));
  function zoomTo(one) {
    const isAbove = zoomed.includes(one.node);
    zoomed = isAbove
      ? zoomed.slice(0, zoomed.indexOf(one.node) + 1)
      : [...zoomed, ...pathOf(one).filter((node) => !zoomed.includes(node))];
    options.onZoom?.(placesOf(zoomed));
  }
  const out = () => {
    if (zoomed.length < 2) return false;
    zoomed = zoomed.slice(0, -1);
    selected = null;
    options.onZoom?.(placesOf(zoomed));
    paint();
    return true;
  };
  box.addEventListener("keydown", (event) => {
    const inside = boxes.filter((one) => one.depth >= zoomed.length - 1);
    const now = inside.findIndex((one) => one.node === selected);
    if (event.key === "Backspace" && out()) event.stopPropagation();
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const next = inside[Math.max(0, Math.min(inside.length - 1, now + (event.key === "ArrowRight" ? 1 : -1)))];
      selected = next.node;
      paint();
      tell(next);
    } else if (event.key === "Enter" && now >= 0) choose(inside[now]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  new ResizeObserver(paint).observe(box);
  return {
    element: box,
    paint,
    out,
    selected: () => selected,
    setWords: (text) => {
      words = text.toLowerCase();
      paint();
    },
  };
}

/** The nodes that places of children lead to. */
function pathFrom(root, places) {
  const path = [root];
  for (const place of places.split(".").filter(Boolean)) {
    const child = path[path.length - 1].children[Number(place)];
    if (!child) break;
    path.push(child);
  }
  return path;
}

function placesOf(path) {
  return path
    .slice(1)
    .map((node, at) => path[at].children.indexOf(node))
    .join(".");
}

/** A text that fits, or one cut in the middle; `null` if only a stump would be left. */
export function fitted(pen, text, wide, cut = false) {
  // No letter is narrower than 2 pixels.
  if (text.length * 2 > wide && !cut) return null;
  if (widthOf(pen, text) <= wide) return text;
  if (!cut || wide < 50) return null;
  for (let keep = text.length - 1; keep >= 8; keep -= Math.max(1, Math.floor(keep / 12))) {
    const short = `${text.slice(0, Math.ceil(keep / 2) - 1)}…${text.slice(text.length - Math.floor(keep / 2))}`;
    if (widthOf(pen, short) <= wide) return short;
  }
  return null;
}

const widths = new Map();

/** Widths of texts are asked for in every frame. */
function widthOf(pen, text) {
  const key = `${pen.font} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size > 20_000) widths.clear();
  const width = pen.measureText(text).width;
  widths.set(key, width);
  return width;
}
