// GPU time as a flame graph, and kernels as areas.

import { el, setStyle } from "../dom.js";
import { count, percent, phrases, rawTime, time } from "../format.js";
import { bars, swatch } from "../bars.js";
import { baseName } from "../cut.js";
import { card } from "../plain-table.js";
import { fillOf, flameGraph } from "../flame.js";
import { leavesOf, treemap } from "../flame-layout.js";
import { hashOf, setState } from "../state.js";

const KINDS = [
  ["modules", "Path"],
  ["types", "Op type"],
  ["kernels", "Kernel class"],
];

export async function flameView({ source, state, divisor, perWords }, place) {
  const by = KINDS.some(([key]) => key === state.by) ? state.by : "modules";
  const root = await source.flame(by);
  if (!root?.time_ns)
    return void place.append(
      card(
        "Flame graph",
        "no GPU work in these iterations",
        null,
        el(
          "p.body.dim",
          null,
          "The capture has no kernel records: record them with ",
          el("code", null, phrases.record_kernels),
          ".",
        ),
      ),
    );
  const said = el("span", null, "click zooms, Backspace out");
  const say = (node) =>
    said.replaceChildren(
      `selected: ${node.name}, ${time(node.time_ns / divisor)}, ${percent((node.time_ns / root.time_ns) * 100)} `,
      linkOf(node),
    );
  const graph = flameGraph({
    root,
    divisor,
    zoom: state.zoom,
    selected: state.sel,
    onZoom: (zoom) => setState({ zoom }),
    onSelect(node, sel) {
      say(node);
      setState({ sel });
    },
  });
  if (graph.selected()) say(graph.selected());
  const choice = el(
    "span.seg",
    { role: "group", "aria-label": "ordered by" },
    ...KINDS.map(([key, name]) =>
      el(
        `button${key === by ? ".on" : ""}`,
        {
          type: "button",
          "aria-pressed": String(key === by),
          onclick: () => setState({ by: key, zoom: "", sel: "" }, true),
        },
        name,
      ),
    ),
  );
  const field = el("input.field", {
    type: "search",
    placeholder: "Highlight by name",
    "aria-label": "highlight by name",
  });
  field.value = state.find ?? "";
  graph.setWords(field.value);
  field.addEventListener("input", () => {
    graph.setWords(field.value);
    setState({ find: field.value });
  });
  const out = el("button.btn", { type: "button", onclick: () => graph.out() }, "Zoom out");
  const shown = keyOf(root, source.words().flame_classes);
  const keys = el("span.keyrow", null, ...shown.map(([style, name]) => el("span", null, swatch(style), name)));
  const flame = el(
    "section.card",
    { "aria-label": "Flame graph" },
    el(
      "div.toolbar",
      null,
      el("h2", null, "Flame graph"),
      choice,
      field,
      out,
      el("span.sp", null, `width = GPU time ${perWords}`),
    ),
    el("div.pad", null, graph.element),
    el("footer", null, keys, said),
  );
  const areas = areasCard(root, divisor, perWords);
  place.append(el("div.stack", null, flame, areas.card));
  const repaint = () => {
    graph.paint();
    areas.draw();
  };
  return { shown: repaint, repaint, key: (event) => event.key === "Backspace" && graph.out() };
}

const STYLES = { tc: "c-tc", matrix: "c-soft", kernel: "c-kernel", comm: "c-comm", copy: "c-memory" };

/** The colours in use: classes without time need no legend. */
function keyOf(root, classes) {
  const used = new Set(leavesOf(root).map((leaf) => leaf.class));
  const shown = classes.filter(([name]) => used.has(name));
  return [...shown.map(([name, title]) => [STYLES[name], title]), ["c-range", "ranges"]];
}

function linkOf(node) {
  return node.children.length
    ? ""
    : el(
        "a",
        { href: hashOf("ops", { "kernel_summaries.where": JSON.stringify([["kernel_name", "=", node.name]]) }) },
        "in the table",
      );
}

/** Kernels as areas; bars where the window is narrow. */
function areasCard(root, divisor, perWords) {
  const leaves = leavesOf(root);
  const shown = leaves.filter((leaf) => leaf.time_ns > root.time_ns * 0.002);
  const place = el("div.tree", {
    role: "img",
    "aria-label": `Kernels as areas: ${shown
      .slice(0, 3)
      .map((leaf) => `${leaf.name} ${percent((leaf.time_ns / root.time_ns) * 100)}`)
      .join(", ")}`,
  });
  const draw = () => {
    const [width, height] = [place.clientWidth, 300];
    if (width < 420) {
      place.classList.add("asbars");
      const top = shown[0]?.time_ns || 1;
      return place.replaceChildren(
        bars(
          shown.slice(0, 16).map((leaf) => ({
            name: baseName(leaf.name),
            title: leaf.name,
            width: (leaf.time_ns / top) * 100,
            value: time(leaf.time_ns / divisor),
            percent: percent((leaf.time_ns / root.time_ns) * 100),
            raw: rawTime(leaf.time_ns),
          })),
        ),
      );
    }
    place.classList.remove("asbars");
    place.replaceChildren(
      ...treemap(shown, width, height).map(({ item, x, y, width: wide, height: high }) => {
        const figures = `${time(item.time_ns / divisor)} · ${percent((item.time_ns / root.time_ns) * 100)}`;
        const area = el(
          "div.area",
          { title: `${item.name}\n${figures}\n${rawTime(item.time_ns)}` },
          ...(wide > 78 && high > 34 ? [el("span", null, baseName(item.name)), el("span", null, figures)] : []),
        );
        area.dataset.fill = fillOf(item);
        setStyle(area, {
          left: `${x}px`,
          top: `${y}px`,
          width: `${wide}px`,
          height: `${high}px`,
          background: `var(--${fillOf(item)})`,
        });
        return area;
      }),
    );
  };
  return {
    draw,
    card: card(
      "Kernels as areas",
      `${count(leaves.length)} names, ${time(root.time_ns / divisor)} ${perWords}; those under 0.2 % are left out`,
      null,
      place,
    ),
  };
}
