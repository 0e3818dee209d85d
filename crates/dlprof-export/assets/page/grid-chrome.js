// What is around a grid: title, search, chips, choice of columns, export, count.

import { el } from "./dom.js";
import { count, counted } from "./format.js";
import { conditionWords } from "./table-filters.js";
import { menu } from "./menu.js";

/** The parts around a grid, and what changes them. */
export function gridChrome(options, definition) {
  const title = el("h2", null, options.title ?? definition.title);
  const sub = el("span.dim.small", null, options.sub ?? "");
  const field = el("input.field", { type: "search", placeholder: options.placeholder ?? "Search all columns", "aria-label": `search ${options.title ?? definition.title}`, spellcheck: "false" });
  const chips = el("span.chips");
  const said = el("span.sp", { role: "status" });
  const columnsMenu = menu("Columns");
  const exportMenu = menu("Export");
  const bar = el("div.toolbar", null, title, sub, field, chips, columnsMenu.element, exportMenu.element, said);
  const inner = el("div");
  const box = el("div.grid-box", null, inner);
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
      said.textContent = self.matching === self.total ? counted(self.total, "row") : `${count(self.matching)} of ${counted(self.total, "row")}`;
      if (self.shownRows < self.matching) said.textContent += `, the first ${count(self.shownRows)} shown`;
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

