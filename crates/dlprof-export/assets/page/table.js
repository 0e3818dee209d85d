// A grid over a table of the source. Only rows in sight are asked for; the scroll bar is true to the number of rows.

/* global Tabulator */
import { announce, debounced, el } from "./dom.js";
import { columnFormat, count, UNKNOWN } from "./format.js";
import { cutName } from "./cut.js";
import { meter } from "./bars.js";
import { exportWays } from "./export.js";
import { conditionsFromText, conditionsOf, conditionsToText, conditionWords } from "./table-filters.js";
import { getState, setState } from "./state.js";

/** Rows asked for at a time. */
const BLOCK = 200;
/** Rows in one scroll area; further ones are on further pages. */
const MOST = 100_000;
const ROW = 28;

/** Cells of a grid by row, asked for in blocks. */
function rowStore(source, key, columns, question, arrived) {
  const blocks = new Map();
  return {
    get(row) {
      const block = Math.floor(row / BLOCK);
      const known = blocks.get(block);
      if (!known) {
        blocks.set(block, "asked");
        source.rows(key, { ...question(), from: block * BLOCK, count: BLOCK, columns }).then((answer) => {
          blocks.set(block, answer.rows);
          arrived();
        });
      }
      return Array.isArray(known) ? known[row - block * BLOCK] : undefined;
    },
    put: (block, rows) => blocks.set(block, rows),
    clear: () => blocks.clear(),
  };
}

/**
 * A grid.
 *
 * `options`: source, key, title, columns (keys in order, those shown first), hidden (keys not shown at first), sort
 * ([{ column, descending }]), where (conditions that always hold), name (state prefix), divisor, meterOf (key), marks
 * ((row) => note behind the name), onSelect ((row object or null)), onOpen, height, crumbs.
 */
export function grid(options) {
  const { source, key, divisor = 1 } = options;
  const definition = source.tables().find((table) => table.key === key);
  if (!definition) return { element: el("section.card", null, el("p.body.dim", null, `The table ${key} is not in this file.`)), select() {}, setWhere() {} };
  const prefix = options.name ?? key;
  const inState = (name, otherwise = "") => getState()[`${prefix}.${name}`] ?? otherwise;
  const keep = (name, value) => setState({ [`${prefix}.${name}`]: value });
  const sortOf = (text) => text.split(",").filter(Boolean).map((part) => ({ column: part.replace(/^-/, ""), descending: part.startsWith("-") }));
  const self = {
    where: options.where ?? [],
    filters: conditionsFromText(inState("where")),
    search: inState("find"),
    sort: inState("sort") ? sortOf(inState("sort")) : options.sort ?? [],
    page: 0,
    selected: null,
    formats: {},
    matching: 0,
    total: 0,
  };
  const order = ordered(definition, options);
  const shownKeys = new Set(inState("cols") ? inState("cols").split(",") : order.filter((column) => !isHidden(column, options)).map((column) => column.key));
  const columns = order;
  const keys = columns.map((column) => column.key);
  const question = () => ({ where: [...self.where, ...self.filters], search: self.search, sort: self.sort });
  const store = rowStore(source, key, keys, () => question(), debounced(() => self.table?.getRows("visible").forEach((row) => row.reformat()), 0));

  const parts = chrome(options, definition);
  const cellValue = (row, column) => store.get(self.page * MOST + row.id)?.[keys.indexOf(column.key)];
  const rowObject = (id) => {
    const cells = store.get(self.page * MOST + id);
    return cells && Object.fromEntries(cells.map((cell, at) => [keys[at], cell]));
  };

  function makeColumns() {
    return columns.map((column, at) => ({
      field: column.key,
      title: column.title,
      visible: shownKeys.has(column.key),
      frozen: at === 0,
      headerSort: false,
      resizable: true,
      minWidth: widthOf(column, at) + (options.meterOf === column.key ? 84 : 0),
      widthGrow: at === 0 && column.kind === "text" ? 6 : 1,
      hozAlign: isNumber(column) ? "right" : "left",
      cssClass: at === 0 ? "gname" : isNumber(column) ? "gnum" : "gtext",
      titleFormatter: () => headerCell(column),
      formatter: (cell) => bodyCell(column, at, cell.getRow().getData()),
    }));
  }

  function headerCell(column) {
    const sorted = self.sort.find((part) => part.column === column.key);
    const format = self.formats[column.key];
    const unit = format?.unit ? el("span.u", null, ` ${format.unit}`) : null;
    const arrow = sorted ? el("span.arrow", { "aria-hidden": "true" }, sorted.descending ? " ↓" : " ↑") : null;
    const title = shortTitle(column, format);
    const button = el("button.gsort", { title: column.doc, type: "button", onclick: () => sortBy(column), "aria-label": `${column.title}${format?.unit ? `, ${format.unit}` : ""}${sorted ? (sorted.descending ? ", sorted, largest first" : ", sorted, smallest first") : ""}` }, el("span", null, title, unit, arrow));
    const field = el("input.gfilter", { "aria-label": `filter ${column.title}`, placeholder: column.kind === "flag" ? "yes no" : column === columns[0] && column.kind === "text" ? "contains, or /regex/" : "", spellcheck: "false" });
    field.value = typedOf(column);
    field.addEventListener("input", debounced(() => filterBy(column, field), 150));
    field.addEventListener("keydown", (event) => event.stopPropagation());
    field.addEventListener("click", (event) => event.stopPropagation());
    return el("div.ghead", null, button, el("div.gfield", null, field));
  }

  function typedOf(column) {
    const own = self.filters.filter((condition) => condition.column === column.key);
    if (own.length === 0) return "";
    if (own[0].typed !== undefined) return own[0].typed;
    const format = self.formats[column.key];
    return conditionWords(own[0], format && { ...format, unit: "" }).replace(/^contains /, "").replace(/^is (?!empty)/, "=").trim();
  }

  function bodyCell(column, at, data) {
    const value = cellValue(data, column);
    if (value === undefined) return el("span.wait", null, "\u00a0");
    if (value === null || value === "") return el("span.unk", null, UNKNOWN);
    if (column.kind === "flag") return el(value ? "span.yes" : "span.no", null, value ? "yes" : "no");
    if (column.kind === "text") {
      if (at === 0) return cutName(value, options.marks?.(rowObject(data.id)));
      return el(isName(column) ? "span.mono" : "span", { title: value.length > 20 ? value : null }, value);
    }
    const format = self.formats[column.key];
    const text = el("span", { title: format.raw(value) }, format.text(value));
    if (options.meterOf !== column.key) return text;
    return el("span", { title: format.raw(value) }, format.text(value), meter((value / (self.largest[column.key] || 1)) * 100, options.meterStyle));
  }

  function sortBy(column) {
    const now = self.sort[0];
    const descending = now?.column === column.key ? !now.descending : isNumber(column) || column.kind === "flag";
    self.sort = [{ column: column.key, descending }];
    keep("sort", (descending ? "-" : "") + column.key);
    announce(`Sorted by ${column.title}, ${descending ? "largest" : "smallest"} first.`);
    reload();
  }

  function filterBy(column, field) {
    const conditions = conditionsOf(column, field.value, self.formats[column.key]?.scale ?? 1);
    field.classList.toggle("wrong", conditions === null);
    field.setAttribute("aria-invalid", String(conditions === null));
    if (conditions === null) return;
    conditions.forEach((condition) => Object.defineProperty(condition, "typed", { value: field.value, enumerable: false }));
    self.filters = [...self.filters.filter((condition) => condition.column !== column.key), ...conditions];
    keep("where", conditionsToText(self.filters));
    reload({ keepHead: true });
  }

  async function reload({ keepHead = false } = {}) {
    store.clear();
    self.page = 0;
    if (self.selected !== null) choose(null);
    const run = (self.run = (self.run ?? 0) + 1);
    const [answer] = await Promise.all([source.rows(key, { ...question(), from: 0, count: BLOCK, columns: keys }), learnFormats()]);
    if (run !== self.run) return;
    store.put(0, answer.rows);
    Object.assign(self, { matching: answer.matching, total: answer.total });
    await show(keepHead);
  }

  async function learnFormats() {
    if (Object.keys(self.formats).length) return;
    const { rows } = await source.rows(key, { where: self.where, sort: self.sort, from: 0, count: BLOCK, columns: keys });
    self.largest = {};
    columns.forEach((column, at) => {
      if (!isNumber(column)) return;
      const numbers = rows.map((row) => row[at]).filter((cell) => typeof cell === "number");
      self.largest[column.key] = numbers.reduce((top, cell) => Math.max(top, Math.abs(cell)), 0);
      self.formats[column.key] = columnFormat(column, self.largest[column.key], divisor);
    });
  }

  async function show(keepHead) {
    const stubs = Array.from({ length: Math.min(MOST, self.matching - self.page * MOST) }, (_, id) => ({ id }));
    parts.say(self, columns, (condition) => {
      self.filters = self.filters.filter((other) => other !== condition);
      keep("where", conditionsToText(self.filters));
      reload();
    }, () => {
      self.filters = [];
      self.search = "";
      parts.field.value = "";
      setState({ [`${prefix}.where`]: "", [`${prefix}.find`]: "" });
      reload();
    });
    parts.box.style.height = `${Math.min(options.height ?? 460, HEAD + Math.max(1, stubs.length) * ROW + 18)}px`;
    self.building = (self.building ?? Promise.resolve()).then(async () => {
      if (!self.table) return build(stubs);
      if (!keepHead) self.table.setColumns(makeColumns());
      await self.table.setData(stubs);
      return options.onLoad?.(self);
    });
    await self.building;
  }

  function build(stubs) {
    return new Promise((done) => {
      const table = new Tabulator(parts.inner, {
        data: stubs,
        index: "id",
        columns: makeColumns(),
        layout: "fitColumns",
        rowHeight: ROW,
        height: "100%",
        columnDefaults: { vertAlign: "middle" },
        renderVerticalBuffer: 300,
        columnHeaderVertAlign: "bottom",
        placeholder: () => parts.nothing,
        keybindings: false,
        headerSortElement: () => el("span"),
      });
      table.on("rowClick", (_, row) => choose(row.getData().id, true));
      table.on("rowDblClick", (_, row) => open(row.getData().id));
      table.on("tableBuilt", () => {
        self.table = table;
        parts.inner.setAttribute("aria-label", options.title);
        done();
        options.onLoad?.(self);
      });
    });
  }

  function choose(id, byUser = false) {
    if (self.selected !== null) self.table?.getRow(self.selected)?.getElement()?.classList.remove("sel");
    self.selected = id;
    if (id === null) return void options.onSelect?.(null);
    const row = self.table.getRow(id);
    row?.getElement().classList.add("sel");
    const object = rowObject(id);
    if (object) options.onSelect?.(object, byUser);
  }

  function open(id) {
    const object = rowObject(id);
    if (object) (options.onOpen ?? (() => {}))(object);
  }

  parts.box.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement) return;
    const last = Math.min(MOST, self.matching) - 1;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
    if (event.key in moves && last >= 0) {
      event.preventDefault();
      const next = Math.max(0, Math.min(last, (self.selected ?? -1) + moves[event.key]));
      self.table.scrollToRow(next, "nearest", false).catch(() => {}).then(() => choose(next, true));
    } else if (event.key === "Enter" && self.selected !== null) open(self.selected);
    else if (event.key.toLowerCase() === "s" && !event.ctrlKey && !event.metaKey) sortBy(columns.find((column) => column.key === (self.sort[0]?.column ?? columns[1].key)));
    else return;
    event.stopPropagation();
  });
  parts.field.value = self.search;
  parts.field.addEventListener("input", debounced(() => {
    self.search = parts.field.value;
    keep("find", self.search);
    reload({ keepHead: true });
  }, 150));
  parts.setColumns(columns, shownKeys, () => {
    keep("cols", columns.filter((column) => shownKeys.has(column.key)).map((column) => column.key).join(","));
    self.table?.setColumns(makeColumns());
  });
  parts.setExports(() => exportWays(source, key, source.window().profile_name, columns.filter((column) => shownKeys.has(column.key)), question));
  const ready = reload();
  return {
    element: parts.element,
    ready,
    model: self,
    /** Shows the rows that hold these conditions. */
    setWhere(where, title, sub) {
      self.where = where;
      self.formats = {};
      parts.setTitle(title, sub);
      return reload();
    },
    selectFirst: () => self.matching > 0 && choose(0),
    select: choose,
  };
}

const HEAD = 68;

export function isNumber(column) {
  return column.kind === "int" || column.kind === "float";
}

function isName(column) {
  return /name|op_id|^ops$|grid|block|shapes|stack|function|call/.test(column.key);
}

/** Columns in order: those named, then the others. */
function ordered(definition, options) {
  const first = (options.columns ?? []).map((key) => definition.columns.find((column) => column.key === key)).filter(Boolean);
  return [...first, ...definition.columns.filter((column) => !first.includes(column))];
}

function isHidden(column, options) {
  const named = options.columns ?? [];
  if (!named.includes(column.key)) return named.length > 0;
  const width = document.documentElement.clientWidth;
  const at = named.indexOf(column.key);
  return (width < 560 && at > 3) || (width < 900 && at > 7);
}

function widthOf(column, at) {
  const narrow = document.documentElement.clientWidth < 560;
  if (at === 0) return column.kind === "text" ? (narrow ? 188 : 320) : 88;
  if (column.kind === "text") return /long|stack|shapes|trace|doc|problem|recommendation/.test(column.key) ? 260 : 132;
  return Math.max(84, 24 + column.title.length * 6.4);
}

/** A heading without the word that the unit says. */
function shortTitle(column, format) {
  return format?.unit ? column.title.replace(/ Time$/, "").replace(/^Avg\.? /, "Avg ") : column.title;
}

/** What is around a grid: title, search, chips, column choice, export, count. */
function chrome(options, definition) {
  const title = el("h2", null, options.title ?? definition.title);
  const sub = el("span.dim.small", null, options.sub ?? "");
  const field = el("input.field", { type: "search", placeholder: options.placeholder ?? "Search all columns", "aria-label": `search ${options.title ?? definition.title}`, spellcheck: "false" });
  const chips = el("span.chips");
  const said = el("span.sp", { role: "status" });
  const columnsMenu = menu("Columns");
  const exportMenu = menu("Export");
  const bar = el("div.toolbar", null, title, sub, field, chips, columnsMenu.element, exportMenu.element, said);
  const inner = el("div");
  const box = el("div.grid-box", { tabindex: "0", role: "group", "aria-label": `${options.title ?? definition.title}, rows with the arrow keys` }, inner);
  const nothing = el("div.nothing");
  const notes = options.source.notes(options.key).map((note) => el("p.note", null, note));
  const element = el("section.card.gridcard", { "aria-label": options.title ?? definition.title }, bar, ...notes, box, options.foot ? el("footer", null, ...options.foot) : null);
  return {
    element, box, inner, field, nothing,
    setTitle(text, more = "") {
      if (text !== undefined) title.textContent = text;
      sub.textContent = more;
    },
    say(self, columns, drop, clear) {
      said.textContent = self.matching === self.total ? `${count(self.total)} rows` : `${count(self.matching)} of ${count(self.total)} rows`;
      chips.replaceChildren(...self.filters.map((condition) => {
        const column = columns.find((known) => known.key === condition.column);
        const words = conditionWords(condition, self.formats[condition.column]);
        return el("button.chip", { type: "button", title: "remove this filter", onclick: () => drop(condition) }, `${column?.title ?? condition.column} `, el("i", null, words), " ×");
      }));
      const filtered = self.filters.length > 0 || self.search;
      nothing.replaceChildren(el("span", null, filtered ? "No row matches the filters." : options.empty ?? "There are no rows."), filtered ? el("button.btn", { type: "button", onclick: clear }, "Clear filters") : "");
    },
    setColumns(columns, shown, changed) {
      columnsMenu.setLabel(`Columns ${shown.size} of ${columns.length}`);
      columnsMenu.fill(() => columns.slice(1).map((column) => {
        const box = el("input", { type: "checkbox" });
        box.checked = shown.has(column.key);
        box.addEventListener("change", () => {
          if (box.checked) shown.add(column.key);
          else shown.delete(column.key);
          columnsMenu.setLabel(`Columns ${shown.size} of ${columns.length}`);
          changed();
        });
        return el("label.mi", { title: column.doc }, box, column.title);
      }));
    },
    setExports(ways) {
      exportMenu.fill((close) => ways().map((way) => el("button.mi", { type: "button", disabled: !way.run, onclick: async () => { close(); await way.run(); } }, way.name, way.hint ? el("span.dim", null, way.hint) : null)));
    },
  };
}

/** A button that opens a list. */
export function menu(label) {
  const list = el("div.menu", { hidden: true });
  const button = el("button.btn", { type: "button", "aria-expanded": "false" }, label);
  const element = el("span.menubox", null, button, list);
  let fill = () => [];
  const close = () => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  button.addEventListener("click", () => {
    if (!list.hidden) return close();
    list.replaceChildren(...fill(close));
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    list.querySelector("input, button:not([disabled])")?.focus();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      button.focus();
      event.stopPropagation();
    }
  });
  document.addEventListener("pointerdown", (event) => element.contains(event.target) || close());
  return { element, button, fill: (make) => { fill = make; }, setLabel: (text) => { button.textContent = text; } };
}
