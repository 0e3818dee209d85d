// A grid over a table of the source. Rows are asked for when they come into sight; the scroll bar is true to their number.

/* global Tabulator */
import { announce, debounced, el } from "./dom.js";
import { answerWords, columnFormat, UNKNOWN } from "./format.js";
import { cutName } from "./cut.js";
import { meter } from "./bars.js";
import { exportWays } from "./export.js";
import { conditionsFromText, conditionsOf, conditionsToText, conditionWords } from "./table-filters.js";
import { columnWidth, familyOf, isHiddenColumn, isNameColumn, isNumber, orderedColumns, shortTitle, usualLargest } from "./grid-columns.js";
import { BLOCK, rowStore } from "./grid-store.js";
import { gridChrome } from "./grid-chrome.js";
import { getState, setState } from "./state.js";

/** Rows in one grid; a filter or another order shows the others. */
const MOST = 100_000;
const ROW = 28;
const HEAD = 68;
const METER = 84;
const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };

/**
 * A grid.
 *
 * `options`: source, key, title, columns (keys in order, those shown first), sort ([{ column, descending }]), where (conditions
 * that always hold), name (its prefix in the address), divisor, meterOf (key), labelOf ((name) => a shorter one), marks ((row) => note behind the name), onSelect
 * ((row object or null, whether the user did it)), onOpen, onLoad, height, foot, empty.
 */
export function grid(options) {
  const definition = options.source.tables().find((table) => table.key === options.key);
  if (!definition) {
    const element = el("section.card", null, el("p.body.dim", null, `The table ${options.key} is not in this file.`));
    return { element, select() {}, selectFirst() {}, setWhere() {}, where: [], filters: [], sort: [], matching: 0 };
  }
  return new Grid(options, definition);
}

/** Waits until an element is in the page, which a grid needs to know its width; false if its view was left before. */
async function connected(element) {
  for (let tries = 0; tries < 600 && !element.isConnected; tries++) await new Promise((done) => setTimeout(done, 16));
  return element.isConnected;
}

function sortFromText(text) {
  return text.split(",").filter(Boolean).map((part) => ({ column: part.replace(/^-/, ""), descending: part.startsWith("-") }));
}

class Grid {
  constructor(options, definition) {
    this.options = options;
    this.prefix = options.name ?? options.key;
    this.columns = orderedColumns(definition, options);
    this.keys = this.columns.map((column) => column.key);
    this.where = options.where ?? [];
    this.filters = conditionsFromText(this.kept("where"));
    this.search = this.kept("find");
    this.sort = this.kept("sort") ? sortFromText(this.kept("sort")) : options.sort ?? [];
    this.shown = new Set(this.kept("cols") ? this.kept("cols").split(",") : this.columns.filter((column) => !isHiddenColumn(column, options)).map((column) => column.key));
    Object.assign(this, { selected: null, formats: {}, largest: {}, matching: 0, total: 0, run: 0, table: null, building: Promise.resolve() });
    const reformat = debounced(() => this.table?.getRows("visible").forEach((row) => row.reformat()), 0);
    this.store = rowStore(options.source, options.key, this.keys, () => this.question(), reformat);
    this.parts = gridChrome(options, definition);
    this.element = this.parts.element;
    this.title = options.title ?? definition.title;
    this.listen();
    this.ready = this.reload();
  }

  kept(name) {
    return getState()[`${this.prefix}.${name}`] ?? "";
  }

  keep(name, value) {
    setState({ [`${this.prefix}.${name}`]: value });
  }

  question() {
    return { where: [...this.where, ...this.filters], search: this.search, sort: this.sort };
  }

  listen() {
    const { parts } = this;
    parts.box.addEventListener("keydown", (event) => this.key(event));
    parts.field.value = this.search;
    parts.field.addEventListener("input", debounced(() => {
      this.search = parts.field.value;
      this.keep("find", this.search);
      this.reload({ keepHead: true });
    }, 150));
    parts.setColumns(this.columns, this.shown, () => {
      this.keep("cols", this.columns.filter((column) => this.shown.has(column.key)).map((column) => column.key).join(","));
      this.table?.setColumns(this.makeColumns());
    });
    const { source, key } = this.options;
    parts.setExports(() => exportWays(source, key, source.window().profile_name, this.columns.filter((column) => this.shown.has(column.key)), () => this.question()));
  }

  key(event) {
    if (event.target instanceof HTMLInputElement) return;
    const last = this.shownRows - 1;
    if (event.key in MOVES && last >= 0) {
      event.preventDefault();
      const next = Math.max(0, Math.min(last, (this.selected ?? -1) + MOVES[event.key]));
      this.table.scrollToRow(next, "nearest", false).catch(() => {}).then(() => this.select(next, true));
    } else if (event.key === "Enter" && this.selected !== null) this.open(this.selected);
    else if (event.key.toLowerCase() === "s" && !event.ctrlKey && !event.metaKey) this.sortBy(this.columns.find((column) => column.key === this.sort[0]?.column) ?? this.columns[1]);
    else return;
    event.stopPropagation();
  }

  // Asking for rows and showing them.

  async reload({ keepHead = false } = {}) {
    this.store.clear();
    if (this.selected !== null) this.select(null);
    const run = ++this.run;
    const { source, key } = this.options;
    const [answer] = await Promise.all([source.rows(key, { ...this.question(), from: 0, count: BLOCK, columns: this.keys }), this.learnFormats()]);
    if (run !== this.run) return;
    this.store.put(0, answer.rows);
    this.matching = answer.matching;
    this.total = answer.total;
    await this.show(keepHead);
  }

  /** One unit for each column, from the first rows without filters, so that a filter does not change it. */
  async learnFormats() {
    if (Object.keys(this.formats).length) return;
    const { source, key, divisor = 1 } = this.options;
    const { rows } = await source.rows(key, { where: this.where, sort: this.sort, from: 0, count: BLOCK, columns: this.keys });
    const usual = {};
    this.columns.forEach((column, at) => {
      if (!isNumber(column)) return;
      const sizes = rows.map((row) => row[at]).filter((cell) => typeof cell === "number").map(Math.abs).sort((a, b) => b - a);
      this.largest[column.key] = sizes[0] ?? 0;
      usual[column.key] = usualLargest(sizes);
    });
    for (const column of this.columns.filter(isNumber)) {
      // Smallest, mean and largest of one time are compared with each other: they have one unit.
      const family = this.columns.filter((other) => familyOf(other) !== null && familyOf(other) === familyOf(column)).map((other) => usual[other.key]).filter((top) => top > 0);
      const unitOf = family.length ? Math.min(...family) : usual[column.key];
      this.formats[column.key] = columnFormat(column, usual[column.key], divisor, unitOf);
    }
  }

  async show(keepHead) {
    this.shownRows = Math.min(MOST, this.matching);
    const stubs = Array.from({ length: this.shownRows }, (_, id) => ({ id }));
    this.parts.say(this, this.columns, (condition) => this.drop(condition), () => this.clear());
    this.parts.box.style.height = `${Math.min(this.options.height ?? 460, HEAD + Math.max(1, stubs.length) * ROW + 18)}px`;
    this.building = this.building.then(async () => {
      if (!this.table) return (await connected(this.parts.inner)) && this.build(stubs);
      if (!keepHead) this.table.setColumns(this.makeColumns());
      await this.table.setData(stubs);
      if (!keepHead) this.table.redraw(true);
      this.sayOrder();
      return this.options.onLoad?.(this);
    });
    await this.building;
  }

  build(stubs) {
    return new Promise((done) => {
      const table = new Tabulator(this.parts.inner, {
        data: stubs, index: "id", columns: this.makeColumns(), layout: "fitColumns", rowHeight: ROW, height: "100%", renderVerticalBuffer: 300,
        columnHeaderVertAlign: "bottom", columnDefaults: { vertAlign: "middle" }, placeholder: () => this.parts.nothing, keybindings: false, headerSortElement: () => el("span"),
      });
      table.on("renderComplete", () => this.sayOrder());
      table.on("rowClick", (_, row) => this.select(row.getData().id, true));
      table.on("rowDblClick", (_, row) => this.open(row.getData().id));
      table.on("tableBuilt", () => {
        this.table = table;
        setTimeout(() => this.parts.inner.isConnected && table.redraw(true), 50);
        this.nameParts();
        done();
        this.options.onLoad?.(this);
      });
    });
  }

  /** What screen readers need besides what Tabulator says. */
  nameParts() {
    const { inner } = this.parts;
    inner.setAttribute("aria-label", `${this.title}: rows with the arrow keys`);
    inner.removeAttribute("aria-owns");
    inner.querySelector(".tabulator-table").setAttribute("role", "presentation");
    this.sayOrder();
  }

  sayOrder() {
    this.parts.inner.setAttribute("aria-rowcount", String(this.matching + 1));
    this.parts.inner.querySelector(".tabulator-tableholder").setAttribute("role", "rowgroup");
    this.parts.inner.querySelector(".tabulator-placeholder")?.setAttribute("role", "row");
    for (const head of this.parts.inner.querySelectorAll(".tabulator-col[tabulator-field]")) {
      const sorted = this.sort.find((part) => part.column === head.getAttribute("tabulator-field"));
      if (sorted) head.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  // Headings and cells.

  makeColumns() {
    return this.columns.map((column, at) => ({
      field: column.key,
      title: column.title,
      visible: this.shown.has(column.key),
      frozen: at === 0,
      headerSort: false,
      resizable: true,
      minWidth: columnWidth(column, at) + (this.options.meterOf === column.key ? METER : 0),
      widthGrow: at === 0 && column.kind === "text" ? 6 : 1,
      hozAlign: isNumber(column) ? "right" : "left",
      cssClass: [at === 0 && "gname", isNumber(column) ? "gnum" : at > 0 && "gtext"].filter(Boolean).join(" "),
      titleFormatter: () => this.headCell(column),
      formatter: (cell) => this.bodyCell(column, at, cell.getRow().getData().id),
    }));
  }

  headCell(column) {
    const sorted = this.sort.find((part) => part.column === column.key);
    const format = this.formats[column.key];
    const unit = format?.unit ? el("span.u", null, ` ${format.unit}`) : null;
    const arrow = sorted ? el("span.arrow", { "aria-hidden": "true" }, sorted.descending ? " ↓" : " ↑") : null;
    const button = el("button.gsort", { title: column.doc, type: "button", onclick: () => this.sortBy(column), "data-key": column.key }, el("span", null, shortTitle(column, format), unit, arrow));
    const example = column.kind === "flag" || column.kind === "answer" ? "yes no" : column === this.columns[0] && column.kind === "text" ? "contains, or /regex/" : "";
    const field = el("input.gfilter", { "aria-label": `filter ${column.title}`, placeholder: example, spellcheck: "false" });
    field.value = this.typedOf(column);
    field.addEventListener("input", debounced(() => this.filterBy(column, field), 150));
    field.addEventListener("keydown", (event) => event.stopPropagation());
    field.addEventListener("click", (event) => event.stopPropagation());
    return el("div.ghead", null, button, el("div.gfield", null, field));
  }

  /** The text of the filter of a column. */
  typedOf(column) {
    const own = this.filters.filter((condition) => condition.column === column.key);
    if (!own.length) return "";
    if (own[0].typed !== undefined) return own[0].typed;
    if (own[0].op === "in") return "";
    const format = this.formats[column.key];
    return conditionWords(own[0], format && { ...format, unit: "" }).replace(/^contains /, "").replace(/^is (?!empty)/, "=").trim();
  }

  bodyCell(column, at, id) {
    const value = this.store.get(id)?.[at];
    if (value === undefined) return el("span.wait", null, "\u00a0");
    if (value === null || value === "") return el("span.unk", null, UNKNOWN);
    if (column.kind === "flag") return el(value ? "span.yes" : "span.no", null, value ? "yes" : "no");
    if (column.kind === "answer") return el(value === "true" ? "span.yes" : "span.no", null, answerWords(value));
    if (column.kind === "text") {
      if (at === 0) return this.nameCell(value, id);
      if (/_name$/.test(column.key)) return el("span.mono", null, cutName(value));
      return el(isNameColumn(column) ? "span.mono" : "span", { title: value.length > 20 ? value : null }, value);
    }
    const format = this.formats[column.key];
    const bar = this.options.meterOf === column.key ? meter((value / (this.largest[column.key] || 1)) * 100, this.options.meterStyle) : null;
    return el("span", { title: format.raw(value) }, format.text(value), bar);
  }

  /** The name of a row; a shorter label where the view knows one. */
  nameCell(value, id) {
    const label = this.options.labelOf?.(value) ?? value;
    const cell = cutName(label, this.options.marks?.(this.rowObject(id)));
    cell.title = value;
    return cell;
  }

  rowObject(id) {
    const cells = this.store.get(id);
    return cells && Object.fromEntries(cells.map((cell, at) => [this.keys[at], cell]));
  }

  // What users do.

  sortBy(column) {
    const now = this.sort[0];
    const descending = now?.column === column.key ? !now.descending : column.kind !== "text";
    this.sort = [{ column: column.key, descending }];
    this.keep("sort", (descending ? "-" : "") + column.key);
    announce(`Sorted by ${column.title}, ${descending ? "largest" : "smallest"} first.`);
    this.reload();
  }

  filterBy(column, field) {
    const conditions = conditionsOf(column, field.value, this.formats[column.key]?.scale ?? 1);
    field.classList.toggle("wrong", conditions === null);
    field.setAttribute("aria-invalid", String(conditions === null));
    if (conditions === null) return;
    conditions.forEach((condition) => Object.defineProperty(condition, "typed", { value: field.value, enumerable: false }));
    this.filters = [...this.filters.filter((condition) => condition.column !== column.key), ...conditions];
    this.keep("where", conditionsToText(this.filters));
    this.reload({ keepHead: true });
  }

  drop(condition) {
    this.filters = this.filters.filter((other) => other !== condition);
    this.keep("where", conditionsToText(this.filters));
    this.reload();
  }

  clear() {
    this.filters = [];
    this.search = "";
    this.parts.field.value = "";
    setState({ [`${this.prefix}.where`]: "", [`${this.prefix}.find`]: "" });
    this.reload();
  }

  select(id, byUser = false) {
    const before = this.selected === null ? null : this.table?.getRow(this.selected)?.getElement?.();
    before?.classList.remove("sel");
    before?.removeAttribute("aria-selected");
    this.selected = id;
    if (id === null) return void this.options.onSelect?.(null);
    const row = this.table?.getRow(id)?.getElement?.();
    row?.classList.add("sel");
    row?.setAttribute("aria-selected", "true");
    this.loaded(id).then((object) => this.selected === id && object && this.options.onSelect?.(object, byUser));
  }

  /** A row as an object, asked for if it was not in sight yet. */
  async loaded(id) {
    const known = this.rowObject(id);
    if (known) return known;
    const { source, key } = this.options;
    const { rows } = await source.rows(key, { ...this.question(), from: id, count: 1, columns: this.keys });
    return rows.length ? Object.fromEntries(rows[0].map((cell, at) => [this.keys[at], cell])) : null;
  }

  /** Selects a row and brings it into sight. */
  async reveal(id) {
    await this.table?.scrollToRow(id, "nearest", false).catch(() => {});
    this.select(id);
  }

  selectFirst() {
    if (this.matching > 0) this.select(0);
  }

  open(id) {
    const object = this.rowObject(id);
    if (object) this.options.onOpen?.(object);
  }

  /** Shows the rows that hold these conditions. */
  setWhere(where, title, sub) {
    this.where = where;
    this.formats = {};
    this.parts.setTitle(title, sub);
    return this.reload();
  }
}
