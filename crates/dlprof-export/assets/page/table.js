// A grid over a table of the source. Rows are asked for when they come into sight; the scroll bar is true to their number.

import { announce, debounced, el, plain } from "./dom.js";
import { exportWays } from "./export.js";
import { conditionsFromText, conditionsOf, conditionsToText, filterWords, searchConditions } from "./table-filters.js";
import { columnFormats, isHiddenColumn, orderedColumns } from "./grid-columns.js";
import { BLOCK, rowStore } from "./grid-store.js";
import { rowScroll } from "./grid-scroll.js";
import { gridBody, HEAD_HEIGHT, ROW_HEIGHT } from "./grid-body.js";
import { listenToKeys } from "./grid-keys.js";
import { printable } from "./grid-print.js";
import { showWholeRow } from "./grid-row.js";
import { gridChrome } from "./grid-chrome.js";
import { timelineLink } from "./in-timeline.js";
import { getState, setState } from "./state.js";

/** Height of a horizontal scroll bar. */
const BAR = 18;
/** Rows in sight, whatever an address says. */
const MOST_ROWS = 100;

/**
 * A grid.
 *
 * `options`: source, key, title, columns (keys in order, those shown first), sort ([{ column, descending }]), where (conditions
 * that always hold), waits (no rows before `setWhere`), name (its prefix in the address), divisor, meterOf (key), labelOf
 * ((name) => a shorter one), marks ((row) => note after the name), onSelect ((row object or null, whether the user did it)),
 * onOpen, onLoad, height, foot, empty.
 */
export function grid(options) {
  const definition = options.source.tables().find((table) => table.key === options.key);
  if (!definition) {
    const element = el("section.card", null, el("p.body.dim", null, `The table ${options.key} is not in this file.`));
    return { element, select() {}, selectFirst() {}, revealPlain() {}, setWhere() {}, where: [], filters: [], sort: [], matching: 0 };
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
    /** The row that the address names, until it was selected; without one that of the options, in their order. */
    this.startRow = this.kept("row") || ((this.isPlain() ? options.startRow : undefined) ?? "");
    this.usualRows = Math.max(3, Math.floor(((options.height ?? 460) - HEAD_HEIGHT - BAR) / ROW_HEIGHT));
    const wanted = Math.floor(Number(this.kept("rows")));
    this.pageRows = wanted > 0 ? Math.min(MOST_ROWS, wanted) : this.usualRows;
    Object.assign(this, {
      selected: null,
      formats: {},
      largest: {},
      matching: 0,
      total: 0,
      run: 0,
      first: 0,
      works: 0,
    });
    this.store = rowStore((from, count) => this.ask({ from, count }), {
      arrived: () => this.body.show(),
      failed: (error) => this.parts.fail(error),
    });
    this.title = options.title ?? definition.title;
    this.parts = gridChrome(options, definition);
    this.body = gridBody(this);
    this.scroll = rowScroll(this.body.element, ROW_HEIGHT, (first) => this.showFrom(first));
    this.parts.box.append(this.body.element, this.scroll.element);
    this.element = this.parts.element;
    this.inTimeline = timelineLink(options.source);
    this.element.querySelector(".toolbar .sp").before(this.inTimeline.element);
    printable(this);
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
    const { search, where } = searchConditions(this.search, this.columns, this.formats);
    return { where: [...this.where, ...this.filters, ...where], search, sort: this.sort };
  }

  /** Whether all rows are shown, in the order of the options. */
  isPlain() {
    return !["sort", "where", "find"].some((name) => this.kept(name));
  }

  ask(part) {
    return this.options.source.rows(this.options.key, { ...this.question(), ...part, columns: this.keys });
  }

  listen() {
    const { parts } = this;
    listenToKeys(this);
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
      this.body.layout();
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
      // A number to search for is one in the unit of each column.
      if (this.search) await this.learnFormats();
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
    this.fit();
    this.selectStart();
    this.options.onLoad?.(this);
  }

  /** Gives the grid the height of its page, and a row to each line of it. */
  fit() {
    const { box } = this.parts;
    const lines = Math.min(this.matching, this.pageRows);
    box.style.height = `${HEAD_HEIGHT + Math.max(1, lines) * ROW_HEIGHT + BAR}px`;
    box.style.setProperty("--head", `${HEAD_HEIGHT}px`);
    box.classList.toggle("scrolls", this.matching > lines);
    this.first = this.scroll.setRows(this.matching, lines, this.first);
    this.store.want(this.first, this.first + lines);
    this.body.layout();
  }

  showFrom(first) {
    this.first = first;
    this.store.want(first, first + this.pageRows);
    this.parts.sayPlace(this);
    this.body.show();
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
    field.title = plain(conditions === null ? `Not read. ${filterWords(column)}.` : "");
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
    this.body.mark();
    if (byUser || row === null) this.keep("row", row ?? "");
    this.inTimeline.show(null);
    if (row === null) return void this.options.onSelect?.(null);
    this.loaded(row).then((object) => {
      if (this.selected !== row || !object) return;
      this.inTimeline.show(object);
      this.options.onSelect?.(object, byUser);
    });
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

  /** The same for a row that is named by its place among all rows in the order of the options. */
  revealPlain(row) {
    if (this.isPlain() && row < this.matching) this.reveal(row);
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
    if (!this.options.onOpen) showWholeRow(this, row);
    else if (object) this.options.onOpen(object);
  }

  /** Shows the rows that hold these conditions. */
  setWhere(where, title, sub) {
    this.where = where;
    this.formats = {};
    this.parts.setTitle(title, sub);
    return this.reload();
  }
}
