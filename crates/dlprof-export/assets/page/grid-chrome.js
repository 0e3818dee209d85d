// What is around a grid: title, search, chips, choice of columns, export, count.

import { el, plain } from "./dom.js";
import { count, counted } from "./format.js";
import { conditionWords } from "./table-filters.js";
import { menu } from "./menu.js";

/** The parts around a grid, and what changes them. */
export function gridChrome(options, definition) {
  const title = el("h2", null, options.title ?? definition.title);
  const sub = el("span.dim.small", null, options.sub ?? "");
  const name = options.title ?? definition.title;
  const field = el("input.field", {
    type: "search",
    placeholder: options.placeholder ?? "Search all columns",
    "aria-label": `search ${name}`,
    spellcheck: "false",
  });
  const chips = el("span.chips");
  const said = el("span.said", { role: "status" });
  const columnsMenu = menu("Columns");
  const exportMenu = menu("Export");
  const sizes = el("select.btn.sizes", { "aria-label": "rows in sight" });
  const place = el("span.place");
  const bar = el(
    "div.toolbar",
    null,
    title,
    sub,
    field,
    chips,
    columnsMenu.element,
    exportMenu.element,
    sizes,
    el("span.sp", null, said, place),
  );
  const box = el("div.grid-box");
  const failed = el("p.note.failed-rows", { role: "alert" });
  const nothing = el("div.nothing", { role: "gridcell" });
  const notes = options.source.notes(options.key).map((note) => el("p.note", null, note));
  const foot = options.foot ? el("footer", null, ...options.foot) : null;
  const element = el("section.card.gridcard", { "aria-label": name }, bar, ...notes, box, foot);
  return {
    element,
    box,
    field,
    nothing,
    setTitle(text, more = "") {
      if (text !== undefined) title.textContent = plain(text);
      sub.textContent = plain(more);
    },
    say(self, columns, drop, clear) {
      said.textContent =
        self.matching === self.total
          ? counted(self.total, "row")
          : `${count(self.matching)} of ${counted(self.total, "row")}`;
      failed.remove();
      this.sayPlace(self);
      chips.replaceChildren(
        ...self.filters.map((condition) => {
          const column = columns.find((known) => known.key === condition.column);
          const words = conditionWords(condition, self.formats[condition.column]);
          return el(
            "button.chip",
            { type: "button", title: "remove this filter", onclick: () => drop(condition) },
            `${column?.title ?? condition.column} `,
            el("i", null, words),
            " ×",
          );
        }),
      );
      const filtered = self.filters.length > 0 || self.search;
      const why = filtered ? "No row matches the filters." : (options.empty ?? "There are no rows.");
      const way = filtered && !self.matching;
      nothing.replaceChildren(
        el("span", null, why),
        way ? el("button.btn", { type: "button", onclick: clear }, "Clear filters") : "",
      );
    },
    /** Which rows are in sight, where not all are. */
    sayPlace({ first, matching, pageRows }) {
      const last = Math.min(matching, first + pageRows);
      place.textContent = plain(last - first < matching ? `, ${count(first + 1)}\u2013${count(last)} shown` : "");
    },
    /** Says that rows could not be had; those that are there stay. */
    fail(error) {
      failed.replaceChildren(el("b", null, error.message), ` ${error.hint ?? ""}`);
      box.before(failed);
    },
    setPageSizes(usual, now, changed) {
      const known = [...new Set([10, 25, 50, 100, usual, now])].sort((a, b) => a - b);
      sizes.append(...known.map((rows) => el("option", { value: rows, selected: rows === now }, `${rows} rows`)));
      sizes.addEventListener("change", () => changed(Number(sizes.value)));
    },
    setColumns(columns, shown, changed) {
      columnsMenu.setLabel(`Columns ${shown.size} of ${columns.length}`);
      columnsMenu.fill(() =>
        columns.slice(1).map((column) => {
          const box = el("input", { type: "checkbox" });
          box.checked = shown.has(column.key);
          box.addEventListener("change", () => {
            if (box.checked) shown.add(column.key);
            else shown.delete(column.key);
            columnsMenu.setLabel(`Columns ${shown.size} of ${columns.length}`);
            changed();
          });
          return el("label.mi", { title: column.doc }, box, column.title);
        }),
      );
    },
    setExports(ways) {
      exportMenu.fill((close) => exportItems(ways(), close));
    },
  };
}

/** The entries of a menu of exports. */
export function exportItems(ways, close) {
  const run = async (way) => {
    close();
    await way.run();
  };
  const note = el("p.menu-note", null, "Raw values of what is shown: times in ns, sums over all aggregated iterations");
  const entries = ways.map((way) =>
    el(
      "button.mi",
      { type: "button", disabled: !way.run, onclick: () => run(way) },
      way.name,
      way.hint ? el("span.dim", null, way.hint) : null,
    ),
  );
  return [...entries, note];
}
