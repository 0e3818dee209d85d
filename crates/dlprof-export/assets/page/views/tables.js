// Views that are one table, and the list of all tables.

import { el } from "../dom.js";
import { grid } from "../table.js";
import { count } from "../format.js";
import { card } from "../plain-table.js";
import { hashOf } from "../state.js";
import { launchPane } from "../panes.js";
import { shortKernelName } from "../cut.js";

const GPU_TIME = [{ column: "gpu_time_ns", descending: true }];

export async function opTypesView({ source, divisor, perWords }, place) {
  place.append(
    grid({
      source,
      key: "op_types",
      title: "Op types",
      sub: `sums ${perWords}, averages of one call`,
      columns: source.words().columns.op_types,
      sort: GPU_TIME,
      divisor,
      meterOf: "gpu_time_ns",
      height: 640,
      onOpen: (row) => {
        location.hash = hashOf("ops", { "ops.where": JSON.stringify([["op_type", "=", row.op_type]]) });
      },
      foot: [
        el("span", null, "Enter: the ops of the type"),
        el("span.opt", null, "Columns: all four times with average, minimum and maximum"),
      ],
    }).element,
  );
}

export async function kernelNamesView({ source, divisor, perWords }, place) {
  const pane = el("div.c4");
  const { kernels } = await source.overview();
  const labels = new Map((kernels?.rows ?? []).map((row) => [row.long_name, row.label]));
  const names = grid({
    source,
    key: "kernel_names",
    title: "Kernels by name",
    sub: perWords,
    columns: source.words().columns.kernel_names,
    sort: GPU_TIME,
    divisor,
    meterOf: "gpu_time_percent",
    height: 640,
    labelOf: (name) => labels.get(name) ?? shortKernelName(name),
    onSelect: async (row) =>
      pane.replaceChildren(
        ...(row
          ? [await launchPane(source, [{ column: "long_kernel_name", op: "=", value: row.long_kernel_name }], row)]
          : []),
      ),
    onLoad: (model) => {
      if (model.selected === null) names.selectFirst();
    },
    onOpen: (row) => {
      location.hash = hashOf("iterkernels", {
        "kernels.where": JSON.stringify([["long_kernel_name", "=", row.long_kernel_name]]),
      });
    },
  });
  place.append(el("div.grid", null, el("div.c8", null, names.element), pane));
}

/** Any table, with all its columns. */
export async function tableView({ source, state, divisor, perWords }, place) {
  const key = state.key ?? "summary";
  const known = source.tables().find((table) => table.key === key);
  if (!known) return void place.append(card("No such table", key));
  const sort = (known.order ?? []).map((part) => ({
    column: part.replace(/^-/, ""),
    descending: part.startsWith("-"),
  }));
  const hasSums = known.columns.some((column) => column.is_sum);
  const sub = hasSums ? `${known.doc} Sums are ${perWords}.` : known.doc;
  place.append(
    el(
      "nav.crumbs",
      { "aria-label": "where you are" },
      el("a", { href: hashOf("tables") }, "All tables"),
      "›",
      el("b", null, known.title),
    ),
    grid({ source, key, name: key, title: known.title, sub, sort, divisor, height: 700 }).element,
  );
}

export async function tablesView({ source }, place) {
  const rows = await Promise.all(
    source.tables().map(async (table) => ({ table, total: (await source.rows(table.key, { count: 1 })).total })),
  );
  const line = ({ table, total }) =>
    el(
      "li",
      null,
      el("a", { href: hashOf("table", { key: table.key }) }, table.title),
      el("span.dim", null, table.doc),
      el("span.num", null, count(total)),
    );
  place.append(
    card(
      "All tables",
      "every table of `show` and `export`, with its number of rows",
      null,
      el("ul.tablelist", null, ...rows.map(line)),
    ),
  );
}
