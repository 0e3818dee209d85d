// Groups of ops: a tree that is opened row by row, and the ops of the selected group.

import { debounced, el, plain, setStyle } from "../dom.js";
import { columnFormat, count, rawTime, UNKNOWN } from "../format.js";
import { cutName } from "../cut.js";
import { meter } from "../bars.js";
import { chooseRows } from "../rows.js";
import { conditionsFromText, conditionsToText } from "../table-filters.js";
import { grid } from "../table.js";
import { hashOf, setState } from "../state.js";
import { exportWays } from "../export.js";
import { menu } from "../menu.js";
import { exportItems } from "../grid-chrome.js";
import { allBelow, chainName, chainOf, sortTree, treeOf, trimmed, visibleRows, withGroupsAround } from "../group-tree.js";
import { groupHeads } from "../group-heads.js";

/** Rows shown at once; a group with more children says so. */
const MOST = 2000;

export async function groupsView({ source, state, divisor, perWords }, place) {
  const definition = source.tables().find((table) => table.key === "groups");
  const keys = definition.columns.map((column) => column.key);
  const at = Object.fromEntries(keys.map((key, place) => [key, place]));
  const { rows } = await source.rows("groups");
  const tree = treeOf(rows, keys);
  const { roots, nodes } = tree;
  const columnOf = (key) => definition.columns.find((column) => column.key === key);
  // The first column says the name, and the ID of an op.
  const choice = definition.columns.filter(({ key }) => key !== "name");
  const usual = source.words().columns.groups.filter((key) => key !== "op_id" && columnOf(key));
  const shown = new Set(state.cols ? state.cols.split(",").filter(columnOf) : usual);
  const cellsOf = (key) => rows.map((cells) => cells[at[key]]).filter((cell) => typeof cell === "number");
  const largest = (key) => cellsOf(key).reduce((top, cell) => Math.max(top, cell), 0);
  const formatOf = (column) => columnFormat(column, largest(column.key), divisor, { sizes: cellsOf(column.key) });
  const formats = new Map(choice.filter(({ kind }) => kind !== "text").map((column) => [column.key, formatOf(column)]));
  const top = largest("gpu_time_ns") || 1;
  const open = new Set();
  const view = {
    nameColumn: columnOf("name"),
    columns: [],
    formats,
    sort: sortOf(state.sort, columnOf) ?? { column: top > 1 ? "gpu_time_ns" : "cpu_time_ns", descending: true },
    filters: conditionsFromText(state.where).filter(({ column }) => columnOf(column)),
  };
  let selected = null;
  let words = state.find ?? "";
  const body = el("tbody");
  const thead = el("thead");
  const said = el("span.sp", { role: "status" });
  const keyNode = el("a.btn", { hidden: true }, "Use as key node");
  const ops = opsGrid(source, divisor);

  /** The rows that hold the filters and the words, and the groups around them; nothing where all are shown. */
  function matching() {
    if (!words && !view.filters.length) return null;
    const columns = keys.map((_, column) => rows.map((cells) => cells[column]));
    const where = [...view.filters, ...(words ? [{ column: "name", op: "~", value: words }] : [])];
    return withGroupsAround(chooseRows({ rows: rows.length, columns }, definition, { where }).map((row) => nodes[row]));
  }

  function paint() {
    const wanted = matching();
    const found = visibleRows(roots, { open, matching: wanted, most: MOST });
    body.replaceChildren(...found.map((row) => line(row, wanted !== null)));
    said.textContent = plain(`${count(found.length)} of ${count(nodes.length)} rows${found.length >= MOST ? ", the first ones" : ""}`);
  }

  function paintHeads() {
    view.columns = choice.filter(({ key }) => shown.has(key)).sort((a, b) => placeOf(a.key) - placeOf(b.key));
    thead.replaceChildren(...groupHeads(view, { sortBy, setFilters }));
  }
  const placeOf = (key) => (usual.includes(key) ? usual.indexOf(key) : usual.length + at[key]);

  function sortBy(column) {
    const { sort } = view;
    const descending = sort.column === column.key ? !sort.descending : column.kind !== "text";
    view.sort = { column: column.key, descending };
    setState({ sort: `${descending ? "-" : ""}${column.key}` });
    sortTree(tree, at[column.key], descending);
    paintHeads();
    thead.querySelector("[aria-sort] button")?.focus();
    paint();
  }

  function setFilters(column, conditions) {
    view.filters = [...view.filters.filter((condition) => condition.column !== column.key), ...conditions];
    setState({ where: conditionsToText(view.filters) });
    paint();
  }

  function line({ chain, node, depth }, isFiltered) {
    const isOpen = open.has(node) || isFiltered;
    const canOpen = node.children.length > 0;
    const indent = el("span.ind");
    setStyle(indent, { "--l": depth });
    const toggled = (event) => (event.stopPropagation(), flip(node));
    const toggle = el("span.tg", { "aria-hidden": "true", onclick: toggled }, canOpen ? (isOpen ? "\u25be" : "\u25b8") : "");
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
      el("td.sticky.mono", { role: "rowheader" }, el("span.cut", null, indent, toggle, nameOf(chain, node, depth))),
    );
    row.node = node;
    for (const column of view.columns) row.append(cellOf(column, chain, node));
    return row;
  }

  /** The name, with the ID of an op where the name does not say it. */
  function nameOf(chain, node, depth) {
    const shownName = cutName(chainName(chain, depth) || "/");
    const id = node.cells[at.op_id];
    shownName.title = plain(id ? `${node.name}, op ID ${id}` : node.name);
    return shownName;
  }

  function cellOf(column, chain, node) {
    const value = node.cells[at[column.key]];
    if (column.key === "level" && chain.length > 1) return el("td.num", null, `${chain[0].cells[at.level]}\u2013${value}`);
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
    const opened = all.filter((node) => open.has(node)).map((node) => node.at);
    setState({ open: opened.length === all.length ? "all" : opened.join(",") || "none" });
  }

  function openFrom(text) {
    if (text === "all") return nodes.forEach((node) => node.children.length && open.add(node));
    if (text) return text.split(",").forEach((row) => nodes[Number(row)] && open.add(nodes[Number(row)]));
    for (const root of roots) chainOf(root).forEach((node) => open.add(node));
  }

  function choose(node, focus) {
    selected = node;
    paint();
    if (focus) setState({ row: node.at });
    if (focus) body.querySelector("tr.sel")?.focus();
    const id = node.cells[at.op_id];
    keyNode.hidden = !id;
    keyNode.href = hashOf("iterations", { key: id });
    keyNode.title = plain(`Splits the capture into iterations at each call of ${node.name}`);
    // What groups all, without a path, has no ops below it: they are all its.
    const isAll = !id && !node.children.length;
    const where = id
      ? [{ column: "op_id", op: "=", value: id }]
      : isAll
        ? []
        : [{ column: "op_name", op: "re", value: `^${trimmed(node.name).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(/|$)` }];
    ops.setWhere(where, id ? `Op ${node.name}` : `Ops of ${node.name}`, id ? `op ID ${id}` : perWords);
  }

  body.addEventListener("keydown", (event) => {
    const lines = [...body.rows];
    const now = lines.findIndex((row) => row.node === selected);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) choose(lines[Math.max(0, Math.min(lines.length - 1, now + move))].node, true);
    else if (event.key === "ArrowRight" && selected) {
      open.add(selected);
      changed();
    } else if (event.key === "ArrowLeft" && selected) {
      open.delete(selected);
      changed();
    } else if (event.key === "*" && selected) {
      allBelow(selected).forEach((node) => open.add(node));
      changed();
    } else if (event.key === "Enter" && selected) ops.element.querySelector(".gridview")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
    body.querySelector("tr.sel")?.focus();
  });

  const field = el("input.field", { type: "search", placeholder: "Search groups and ops", "aria-label": "search groups" });
  field.value = words;
  field.addEventListener(
    "input",
    debounced(() => {
      words = field.value;
      setState({ find: words });
      paint();
    }, 150),
  );
  const button = (text, act) =>
    el("button.btn", { type: "button", onclick: () => (act(), changed()) }, text);
  const columnsMenu = columnChoice(choice, shown, () => {
    setState({ cols: [...shown].join(",") });
    paintHeads();
    paint();
  });
  const exports = menu("Export");
  exports.fill((close) =>
    exportItems(exportWays(source, "groups", source.window().profile_name, definition.columns, () => ({})), close),
  );
  const foot = el(
    "footer",
    null,
    el("span.keys", null, "\u2192 \u2190 open and close", el("span", null, "* all below"), el("span", null, "Enter: to the ops")),
    el("span.opt", { title: rawTime(top) }, "raw ns on hover"),
  );
  const card = el(
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
      columnsMenu,
      exports.element,
      keyNode,
      said,
    ),
    el("div.tw.treebox", null, el("table.wide.dense.treet", { role: "treegrid", "aria-label": "Groups" }, thead, body)),
    foot,
  );
  place.append(el("div.stack", null, card, ops.element));
  openFrom(state.open);
  sortTree(tree, at[view.sort.column], view.sort.descending);
  paintHeads();
  const first = roots.find((root) => root.children.length) ?? roots[0];
  if (first) choose(nodes[Number(state.row ?? NaN)] ?? first, false);
  else paint();
}

/** The ops below the tree. */
function opsGrid(source, divisor) {
  return grid({
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
}

/** The order that an address names. */
function sortOf(text, columnOf) {
  const column = (text ?? "").replace(/^-/, "");
  return column && columnOf(column) ? { column, descending: text.startsWith("-") } : null;
}

/** The menu of columns. */
function columnChoice(columns, shown, changed) {
  const list = menu("");
  const say = () => list.setLabel(`Columns ${shown.size} of ${columns.length}`);
  list.fill(() =>
    columns.map((column) => {
      const box = el("input", { type: "checkbox" });
      box.checked = shown.has(column.key);
      box.addEventListener("change", () => {
        if (box.checked) shown.add(column.key);
        else shown.delete(column.key);
        say();
        changed();
      });
      return el("label.mi", { title: column.doc }, box, column.title);
    }),
  );
  say();
  return list.element;
}
