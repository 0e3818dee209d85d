// Groups of ops: a tree that is opened row by row, and the ops of the selected group. Siblings stand by GPU time; a chain of
// single children is one row.

import { el, setStyle } from "../dom.js";
import { columnFormat, rawTime, UNKNOWN } from "../format.js";
import { cutName } from "../cut.js";
import { meter } from "../bars.js";
import { grid } from "../table.js";
import { hashOf, setState } from "../state.js";
import { exportWays } from "../export.js";
import { menu } from "../menu.js";
import { exportItems } from "../grid-chrome.js";
import { count } from "../format.js";

/** Rows shown at once; a group with more children says so. */
const MOST = 2000;

/** The tree from rows of table `groups`: groups end with a slash. */
function treeOf(rows, keys) {
  const at = (key) => keys.indexOf(key);
  const nodes = rows.map((cells) => ({
    cells,
    name: cells[at("name")],
    isGroup: !cells[at("op_id")],
    children: [],
    ns: cells[at("gpu_time_ns")] || cells[at("cpu_time_ns")] / 1e6,
  }));
  const groups = new Map(nodes.filter((node) => node.isGroup).map((node) => [trimmed(node.name), node]));
  const roots = [];
  for (const node of nodes) {
    const parent = parentOf(node, groups);
    if (parent && parent !== node) {
      node.parent = parent;
      parent.children.push(node);
    } else roots.push(node);
  }
  for (const node of nodes) node.children.sort((a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1));
  return { roots, nodes };
}

function trimmed(name) {
  return name.replace(/\/+$/, "");
}

function parentOf(node, groups) {
  let path = trimmed(node.name);
  while (path.includes("/")) {
    path = path.slice(0, path.lastIndexOf("/"));
    if (groups.has(path) && groups.get(path) !== node) return groups.get(path);
  }
  const root = groups.get("");
  return root === node || !node.name.startsWith("/") ? null : (root ?? null);
}

export async function groupsView({ source, state, divisor, perWords }, place) {
  const definition = source.tables().find((table) => table.key === "groups");
  const keys = definition.columns.map((column) => column.key);
  const { rows } = await source.rows("groups");
  const { roots, nodes } = treeOf(rows, keys);
  const shown = source.words().columns.groups;
  const columns = shown.map((key) => definition.columns.find((column) => column.key === key)).filter(Boolean);
  const largest = (key) => rows.reduce((top, cells) => Math.max(top, cells[keys.indexOf(key)] ?? 0), 0);
  const sizesOf = (key) => rows.map((cells) => cells[keys.indexOf(key)]).filter((cell) => typeof cell === "number");
  const formats = new Map(
    columns.map((column) => {
      const sizes = sizesOf(column.key);
      return [column.key, columnFormat(column, largest(column.key), divisor, { sizes })];
    }),
  );
  const top = largest("gpu_time_ns") || 1;
  const open = new Set();
  let selected = null;
  let words = (state.find ?? "").toLowerCase();
  const body = el("tbody");
  const said = el("span.sp", { role: "status" });
  const ops = grid({
    source,
    key: "ops",
    name: "groupops",
    title: "Ops",
    columns: source.words().columns.group_ops,
    sort: [{ column: "gpu_time_ns", descending: true }],
    divisor,
    meterOf: "gpu_time_ns",
    height: 420,
    onOpen: (row) => {
      location.hash = hashOf("ops", { op: row.op_id });
    },
  });

  /** A chain of groups with one child each is one row. */
  function chainOf(node) {
    const chain = [node];
    for (
      let last = node;
      last.isGroup && last.children.length === 1 && last.children[0].isGroup;
      last = last.children[0]
    )
      chain.push(last.children[0]);
    return chain;
  }

  function visible() {
    const found = [];
    const matching = words ? withWords() : null;
    const left = roots.map((node) => ({ node, depth: 0 })).reverse();
    while (left.length && found.length < MOST) {
      const { node, depth } = left.pop();
      if (matching && !matching.has(node)) continue;
      const chain = chainOf(node);
      const last = chain[chain.length - 1];
      found.push({ chain, node: last, depth });
      if (open.has(last) || words)
        for (const child of last.children.toReversed()) left.push({ node: child, depth: depth + 1 });
    }
    return found;
  }

  /** The nodes with the words in their names, and the groups around them. */
  function withWords() {
    const found = new Set();
    for (const node of nodes.filter(({ name }) => name.toLowerCase().includes(words)))
      for (let around = node; around && !found.has(around); around = around.parent) found.add(around);
    return found;
  }

  function paint() {
    const found = visible();
    body.replaceChildren(...found.map(line));
    said.textContent = `${count(found.length)} of ${count(nodes.length)} rows${found.length >= MOST ? ", the first ones" : ""}`;
  }

  function line({ chain, node, depth }) {
    const isOpen = open.has(node) || Boolean(words);
    const canOpen = node.children.length > 0;
    const name =
      depth === 0 && trimmed(chain[0].name) === ""
        ? "/" +
          chain
            .slice(1)
            .map((one) => leaf(one))
            .join("/")
        : chain.map((one) => leaf(one)).join("/");
    const indent = el("span.ind");
    setStyle(indent, { "--l": depth });
    const id = node.cells[keys.indexOf("op_id")];
    const toggle = el(
      "span.tg",
      {
        "aria-hidden": "true",
        onclick: (event) => {
          event.stopPropagation();
          flip(node);
        },
      },
      canOpen ? (isOpen ? "▾" : "▸") : "",
    );
    const row = el(
      `tr${node === selected ? ".sel" : ""}`,
      {
        role: "row",
        "aria-level": depth + 1,
        "aria-expanded": canOpen ? String(isOpen) : null,
        tabindex: node === selected || (!selected && depth === 0) ? "0" : "-1",
        onclick: () => choose(node, true),
        ondblclick: () => flip(node),
      },
      el(
        "td.sticky.mono",
        { role: "rowheader", title: node.name },
        el("span.cut", null, indent, toggle, cutName(name || "/", id)),
      ),
    );
    row.node = node;
    for (const column of columns) row.append(cellOf(column, chain, node));
    return row;
  }

  const leaf = (node) => (node.isGroup ? trimmed(node.name).split("/").pop() + "/" : node.name.split("/").pop());

  function cellOf(column, chain, node) {
    const value = node.cells[keys.indexOf(column.key)];
    if (column.key === "level" && chain.length > 1)
      return el("td.num", null, `${chain[0].cells[keys.indexOf("level")]}\u2013${value}`);
    if (value === null || value === "")
      return el(column.kind === "text" ? "td" : "td.num", null, el("span.unk", null, UNKNOWN));
    if (column.kind === "text") return el("td.mono.dim", null, value);
    const format = formats.get(column.key);
    const cell = el("td.num", { title: format.raw(value) }, format.text(value));
    if (column.key === "gpu_time_ns") cell.append(meter((value / top) * 100));
    return cell;
  }

  function flip(node) {
    if (open.has(node)) open.delete(node);
    else open.add(node);
    changed();
  }

  /** Which groups are open is in the address by their rows. */
  function changed() {
    paint();
    const all = nodes.filter((node) => node.children.length);
    const rows = all.every((node) => open.has(node))
      ? "all"
      : nodes
          .map((node, at) => (open.has(node) ? at : -1))
          .filter((at) => at >= 0)
          .join(",");
    setState({ open: rows || "none" });
  }

  function openFrom(text) {
    if (text === "all") return nodes.forEach((node) => node.children.length && open.add(node));
    if (text) return text.split(",").forEach((at) => nodes[Number(at)] && open.add(nodes[Number(at)]));
    for (const root of roots) {
      open.add(root);
      open.add(chainOf(root).pop());
    }
  }

  function choose(node, focus) {
    selected = node;
    paint();
    if (focus) setState({ row: nodes.indexOf(node) });
    if (focus) body.querySelector("tr.sel")?.focus();
    const id = node.cells[keys.indexOf("op_id")];
    const where = id
      ? [{ column: "op_id", op: "=", value: id }]
      : [{ column: "op_name", op: "re", value: `^${trimmed(node.name).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(/|$)` }];
    ops.setWhere(where, id ? `Op ${node.name}` : `Ops of ${node.name}`, id ? `op ID ${id}` : perWords);
  }

  const all = (top, act) => {
    const left = [top];
    while (left.length) {
      const node = left.pop();
      act(node);
      for (const child of node.children) left.push(child);
    }
  };

  body.addEventListener("keydown", (event) => {
    const lines = [...body.rows];
    const at = lines.findIndex((row) => row.node === selected);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) choose(lines[Math.max(0, Math.min(lines.length - 1, at + move))].node, true);
    else if (event.key === "ArrowRight" && selected) {
      open.add(selected);
      changed();
    } else if (event.key === "ArrowLeft" && selected) {
      open.delete(selected);
      changed();
    } else if (event.key === "*" && selected) {
      all(selected, (node) => open.add(node));
      changed();
    } else if (event.key === "Enter" && selected) ops.element.querySelector(".gridview")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
    body.querySelector("tr.sel")?.focus();
  });

  const field = el("input.field", {
    type: "search",
    placeholder: "Search groups and ops",
    "aria-label": "search groups",
  });
  field.value = state.find ?? "";
  field.addEventListener("input", () => {
    words = field.value.toLowerCase();
    setState({ find: field.value });
    paint();
  });
  const button = (text, act) =>
    el(
      "button.btn",
      {
        type: "button",
        onclick: () => {
          act();
          changed();
        },
      },
      text,
    );
  const exports = menu("Export");
  exports.fill((close) =>
    exportItems(
      exportWays(source, "groups", source.window().profile_name, definition.columns, () => ({})),
      close,
    ),
  );
  const head = el(
    "tr",
    null,
    el("th.sticky", { scope: "col" }, "Group or op"),
    ...columns.map((column) =>
      el(
        column.kind === "text" ? "th" : "th.num",
        { scope: "col", title: column.doc, "aria-sort": column.key === "gpu_time_ns" ? "descending" : null },
        column.title.replace(/ Time$/, ""),
        el("span.u", null, ` ${formats.get(column.key).unit}`),
      ),
    ),
  );
  const table = el(
    "table.wide.dense.treet",
    { role: "treegrid", "aria-label": "Groups" },
    el("thead", null, head),
    body,
  );
  const tree = el(
    "section.card",
    { "aria-label": "Groups" },
    el(
      "div.toolbar",
      null,
      el("h2", null, "Groups"),
      el("span.dim.small", null, perWords),
      field,
      button("Expand all", () => nodes.forEach((node) => node.children.length && open.add(node))),
      button("Collapse all", () => open.clear()),
      exports.element,
      said,
    ),
    el("div.tw.treebox", null, table),
    el(
      "footer",
      null,
      el(
        "span.keys",
        null,
        "→ ← open and close",
        el("span", null, "* all below"),
        el("span", null, "Enter: to the ops"),
      ),
      el("span.opt", { title: rawTime(top) }, "raw ns on hover"),
    ),
  );
  place.append(el("div.stack", null, tree, ops.element));
  openFrom(state.open);
  if (roots.length) choose(nodes[Number(state.row ?? NaN)] ?? roots[0], false);
  else paint();
}
