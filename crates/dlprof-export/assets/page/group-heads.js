// The headings of the tree of groups: each sorts its column, and has a field that filters it.

import { debounced, el } from "./dom.js";
import { shortTitle } from "./grid-columns.js";
import { conditionsOf, filterWords, typedText } from "./table-filters.js";

/**
 * Two rows: titles, and fields. `view`: columns, nameColumn, formats, sort ({ column, descending }), filters; `act`: sortBy(column),
 * setFilters(conditions).
 */
export function groupHeads(view, act) {
  const titles = [head(view, view.nameColumn, "Group or op", act), ...view.columns.map((column) => head(view, column, null, act))];
  const fields = [view.nameColumn, ...view.columns].map((column, at) => fieldOf(view, column, at === 0, act));
  return [el("tr", null, ...titles), el("tr.gfields", null, ...fields)];
}

function head({ sort, formats }, column, words, { sortBy }) {
  const format = formats.get(column.key);
  const isSorted = sort.column === column.key;
  const unit = format?.unit ? el("span.u", null, ` ${format.unit}`) : null;
  const button = el(
    "button.tsort",
    { type: "button", title: column.doc, onclick: () => sortBy(column) },
    words ?? shortTitle(column, format),
    unit,
  );
  const order = isSorted ? (sort.descending ? "descending" : "ascending") : null;
  return el(`th${words ? ".sticky" : column.kind === "text" ? "" : ".num"}`, { scope: "col", "aria-sort": order }, button);
}

function fieldOf(view, column, isName, { setFilters }) {
  const format = view.formats.get(column.key) ?? { scale: 1, unit: "ns" };
  const field = el("input.gfilter", {
    type: "text",
    spellcheck: "false",
    "aria-label": `filter ${isName ? "group or op" : column.title}`,
    title: column.kind === "text" ? "" : filterWords(column),
    placeholder: isName ? "contains, or /regex/" : null,
  });
  const own = view.filters.filter((condition) => condition.column === column.key);
  field.value = own.map((condition) => condition.typed ?? typedText(condition, format)).join(" ");
  field.addEventListener(
    "input",
    debounced(() => {
      const conditions = conditionsOf(column, field.value, format);
      field.classList.toggle("wrong", conditions === null);
      field.setAttribute("aria-invalid", String(conditions === null));
      setFilters(column, conditions ?? []);
    }, 150),
  );
  return el(isName ? "th.sticky" : "th", null, field);
}
