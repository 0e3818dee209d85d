// A grid over a table of the source. Rows are asked for when they come into sight; the scroll bar is true to their number.

import { announce, debounced, el } from "./dom.js";
import { exportWays } from "./export.js";
import { conditionsFromText, conditionsOf, conditionsToText, filterWords } from "./table-filters.js";
import { columnFormats, isHiddenColumn, orderedColumns } from "./grid-columns.js";
import { BLOCK, rowStore } from "./grid-store.js";
import { rowScroll } from "./grid-scroll.js";
import { tabulatorColumns } from "./grid-cells.js";
import { buildBody, markRow, ROW_HEIGHT, sayOrder } from "./grid-body.js";
import { gridChrome } from "./grid-chrome.js";
import { getState, setState } from "./state.js";

/** Height of the headings before they are measured, and of a horizontal scroll bar. */
const HEAD = 68;
const BAR = 18;

/**
 * A grid.
 *
 * `options`: source, key, title, columns (keys in order, those shown first), sort ([{ column, descending }]), where (conditions
 * that always hold), waits (no rows before `setWhere`), name (its prefix in the address), divisor, meterOf (key), labelOf
 * ((name) => a shorter one), marks ((row) => note behind the name), onSelect ((row object or null, whether the user did it)),
 * onOpen, onLoad, height, foot, empty.
 */
export function grid(options) {
  const definition = options.source.tables().find((table) => table.key === options.key);
  if (!definition) {
    const element = el("section.card", null, el("p.body.dim", null, `The table ${options.key} is not in this file.`));
    return { element, select() {}, selectFirst() {}, setWhere() {}, where: [], filters: [], sort: [], matching: 0 };
  }
  return new Grid(options, definition);
}

function sortFromText(text) {
  return text
    .split(",")
    .filter(Boolean)
    .map((part) => ({ column: part.replace(/^-/, ""), descending: part.startsWith("-") }));
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
    this.sort = this.kept("sort") ? sortFromText(this.kept("sort")) : (options.sort ?? []);
    const usual = this.columns.filter((column) => !isHiddenColumn(column, options)).map((column) => column.key);
    this.shown = new Set(this.kept("cols") ? this.kept("cols").split(",") : usual);
    /** The row that the address names, until it was selected. */
    this.startRow = this.kept("row");
    this.usualRows = Math.max(3, Math.floor(((options.height ?? 460) - HEAD - BAR) / ROW_HEIGHT));
    this.pageRows = Number(this.kept("rows")) || this.usualRows;
    Object.assign(this, {
      selected: null,
      formats: {},
      largest: {},
      matching: 0,
      total: 0,
      run: 0,
      first: 0,
      table: null,
      works: 0,
    });
    this.building = Promise.resolve();
    this.repaint = debounced(() => this.table?.getRows().forEach((row) => row.reformat()), 0);
    this.store = rowStore((from, count) => this.ask({ from, count }), {
      arrived: this.repaint,
      failed: (error) => this.parts.fail(error),
    });
    this.parts = gridChrome(options, definition);
    this.scroll = rowScroll(this.parts.inner, ROW_HEIGHT, (first) => this.showFrom(first));
    this.parts.box.append(this.scroll.element);
    this.element = this.parts.element;
    this.title = options.title ?? definition.title;
    this.listen();
    this.ready = options.waits ? Promise.resolve() : this.reload();
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

  ask(part) {
    return this.options.source.rows(this.options.key, { ...this.question(), ...part, columns: this.keys });
  }

  listen() {
    const { parts } = this;
    parts.box.addEventListener("keydown", (event) => this.key(event));
    parts.field.value = this.search;
    parts.field.addEventListener(
      "input",
      debounced(() => {
        this.search = parts.field.value;
        this.keep("find", this.search);
        this.reload();
      }, 150),
    );
    parts.setColumns(this.columns, this.shown, () => {
      this.keep(
        "cols",
        this.columns
          .filter((column) => this.shown.has(column.key))
          .map((column) => column.key)
          .join(","),
      );
      this.table?.setColumns(tabulatorColumns(this));
    });
    parts.setPageSizes(this.usualRows, this.pageRows, (rows) => {
      this.pageRows = rows;
      this.keep("rows", rows);
      this.during(this.show());
    });
    const { source, key } = this.options;
    const shown = () => this.columns.filter((column) => this.shown.has(column.key));
    parts.setExports(() => exportWays(source, key, source.window().profile_name, shown(), () => this.question()));
  }

  key(event) {
    if (event.target instanceof HTMLInputElement) return;
    const page = this.pageRows;
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (by && this.matching > 0) {
      event.preventDefault();
      const next = Math.max(0, Math.min(this.matching - 1, (this.selected ?? -1) + by));
      this.scroll.bring(next);
      this.select(next, true);
    } else if (event.key === "Enter" && this.selected !== null) this.open(this.selected);
    else if (event.key.toLowerCase() === "s" && !event.ctrlKey && !event.metaKey) {
      this.sortBy(this.columns.find((column) => column.key === this.sort[0]?.column) ?? this.columns[1]);
    } else return;
    event.stopPropagation();
  }

  // Asking for rows and showing them.

  /** Says that rows are on their way: to screen readers, and to whoever waits for what the address says. */
  async during(work) {
    const { box } = this.parts;
    this.works += 1;
    box.setAttribute("aria-busy", "true");
    try {
      await work;
    } finally {
      this.works -= 1;
      if (this.works === 0) box.removeAttribute("aria-busy");
    }
  }

  reload() {
    return this.during(this.load());
  }

  async load() {
    this.store.clear();
    if (this.selected !== null) this.select(null);
    const run = ++this.run;
    let answer;
    try {
      [answer] = await Promise.all([this.ask({ from: 0, count: BLOCK }), this.learnFormats()]);
    } catch (error) {
      if (run === this.run) this.parts.fail(error);
      return;
    }
    if (run !== this.run) return;
    this.store.put(0, answer.rows);
    this.matching = answer.matching;
    this.total = answer.total;
    this.first = 0;
    await this.show();
  }

  /** One unit for each column, from the first rows in the usual order without filters: a link shows the same one. */
  async learnFormats() {
    if (Object.keys(this.formats).length) return;
    const { source, key, divisor = 1, sort = [] } = this.options;
    const { rows } = await source.rows(key, {
      where: this.where,
      sort,
      from: 0,
      count: BLOCK,
      columns: this.keys,
    });
    Object.assign(this, columnFormats(this.columns, rows, divisor));
  }

  async show() {
    this.parts.say(
      this,
      this.columns,
      (condition) => this.drop(condition),
      () => this.clear(),
    );
    this.building = this.building.then(async () => {
      this.table ??= await buildBody(this);
      if (!this.table) return;
      await this.fit();
      sayOrder(this);
      this.selectStart();
      this.options.onLoad?.(this);
    });
    await this.building;
  }

  /** Gives the grid the height of its page, and a row to each line of it. */
  async fit() {
    const { box, inner } = this.parts;
    const lines = Math.min(this.matching, this.pageRows);
    const head = inner.querySelector(".tabulator-header").offsetHeight || HEAD;
    box.style.height = `${head + Math.max(1, lines) * ROW_HEIGHT + BAR}px`;
    box.style.setProperty("--head", `${head}px`);
    box.classList.toggle("scrolls", this.matching > lines);
    this.first = this.scroll.setRows(this.matching, lines, this.first);
    this.store.want(this.first, this.first + lines);
    if (this.table.getDataCount() === lines && lines > 0) return this.table.getRows().forEach((row) => row.reformat());
    await this.table.setData(Array.from({ length: lines }, (_, id) => ({ id })));
    this.table.redraw(true);
  }

  showFrom(first) {
    this.first = first;
    this.store.want(first, first + this.pageRows);
    this.parts.sayPlace(this);
    this.repaint();
  }

  rowObject(row) {
    const cells = this.store.get(row);
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
    const conditions = conditionsOf(column, field.value, this.formats[column.key] ?? { scale: 1, unit: "ns" });
    field.classList.toggle("wrong", conditions === null);
    field.setAttribute("aria-invalid", String(conditions === null));
    // A text that means nothing filters nothing: the rows are what the readable fields say.
    if (conditions === null) announce(`The filter of ${column.title} cannot be read. ${filterWords(column)}.`);
    field.title = conditions === null ? `Not read. ${filterWords(column)}.` : "";
    const readable = conditions ?? [];
    readable.forEach((condition) =>
      Object.defineProperty(condition, "typed", { value: field.value, enumerable: false }),
    );
    this.setFilters([...this.filters.filter((condition) => condition.column !== column.key), ...readable]);
  }

  drop(condition) {
    this.setFilters(this.filters.filter((other) => other !== condition));
  }

  setFilters(filters) {
    this.filters = filters;
    this.keep("where", conditionsToText(filters));
    this.reload();
  }

  clear() {
    this.search = "";
    this.parts.field.value = "";
    this.keep("find", "");
    this.setFilters([]);
  }

  select(row, byUser = false) {
    this.selected = row;
    if (this.table) this.table.getRows().forEach((line) => markRow(this, line));
    if (byUser || row === null) this.keep("row", row ?? "");
    if (row === null) return void this.options.onSelect?.(null);
    this.loaded(row).then((object) => this.selected === row && object && this.options.onSelect?.(object, byUser));
  }

  /** A row as an object, asked for if it was not in sight yet. */
  async loaded(row) {
    const known = this.rowObject(row);
    if (known) return known;
    const { rows } = await this.ask({ from: row, count: 1 });
    return rows.length ? Object.fromEntries(rows[0].map((cell, at) => [this.keys[at], cell])) : null;
  }

  /** Selects a row and brings it into sight. */
  reveal(row) {
    this.scroll.bring(row);
    this.select(row);
  }

  /** The row that the address names. */
  selectStart() {
    const row = this.startRow === "" ? NaN : Number(this.startRow);
    this.startRow = "";
    if (row >= 0 && row < this.matching) this.reveal(row);
  }

  selectFirst() {
    if (this.matching > 0) this.select(0);
  }

  open(row) {
    const object = this.rowObject(row);
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
