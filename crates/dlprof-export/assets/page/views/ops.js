// Ops, and the kernels of the selected one.

import { el, latestIn } from "../dom.js";
import { grid } from "../table.js";
import { conditionsFromText } from "../table-filters.js";
import { hashOf, setState } from "../state.js";
import { launchPane } from "../panes.js";
import { baseName } from "../cut.js";

const GPU_TIME = [{ column: "gpu_time_ns", descending: true }];

export async function opsView({ source, state, divisor, perWords }, place) {
  const crumbs = el("nav.crumbs", { "aria-label": "where you are" });
  const launches = el("div");
  const hasFilter = !state.op && conditionsFromText(state["kernel_summaries.where"] ?? "").length > 0;
  const kernels = grid({
    source,
    key: "kernel_summaries",
    title: "Kernels",
    columns: source.words().columns.op_kernels,
    sort: GPU_TIME,
    divisor,
    meterOf: "gpu_time_ns",
    height: 520,
    empty: "No kernel belongs to this op. GPU time without kernels is copies and memsets: see the timeline.",
    // A filter in the address is about kernels of all ops.
    waits: !hasFilter,
    foot: [el("span", null, "↑↓ row; Enter: launches; T: timeline"), el("span.opt", null, "raw ns on hover")],
    onSelect: (row) => showLaunch(row),
    onLoad: (model) => {
      if (model.selected === null) kernels.selectFirst();
    },
    onOpen: (row) => {
      location.hash = hashOf("iterkernels", {
        "kernels.where": JSON.stringify([
          ["op_id", "=", row.op_id],
          ["kernel_name", "=", row.kernel_name],
        ]),
      });
    },
  });
  const ops = grid({
    source,
    key: "ops",
    title: "Ops",
    sub: perWords,
    columns: source.words().columns.ops,
    sort: GPU_TIME,
    divisor,
    meterOf: "gpu_time_ns",
    height: 420,
    placeholder: "Search ops, types, shapes",
    empty: "The capture has no ops in these iterations.",
    onSelect(row, byUser) {
      if (byUser && row) setState({ op: row.op_id });
      if (!row) return;
      kernels.setWhere([{ column: "op_id", op: "=", value: row.op_id }], `Kernels of ${row.op_name}`, perWords);
      say(row);
    },
    async onLoad(model) {
      if (model.selected !== null || hasFilter) return;
      const wanted = state.op;
      const { rows } = wanted
        ? await source.rows("ops", {
            columns: ["op_id"],
            where: [...model.where, ...model.filters],
            search: model.search,
            sort: model.sort,
            count: 100000,
          })
        : { rows: [] };
      const at = Math.max(
        0,
        rows.findIndex(([id]) => id === wanted),
      );
      if (model.matching > at) ops.reveal(at);
    },
  });

  function say(op, kernel) {
    const parts = [
      el("a", { href: hashOf("ops") }, "Ops"),
      "›",
      kernel ? el("a", { href: hashOf("ops", { op: op.op_id }) }, op.op_name) : el("b.mono", null, op.op_name),
    ];
    if (kernel)
      parts.push("›", el("b.mono", null, baseName(kernel.kernel_name)), "›", el("span", null, "longest launch"));
    crumbs.replaceChildren(...parts);
    crumbs.op = op;
  }

  const showPane = latestIn(launches);

  function showLaunch(kernel) {
    if (!kernel) return showPane();
    if (crumbs.op) say(crumbs.op, kernel);
    const where = [
      { column: "op_id", op: "=", value: kernel.op_id },
      { column: "kernel_name", op: "=", value: kernel.kernel_name },
    ];
    return showPane(launchPane(source, where, kernel));
  }

  place.append(
    crumbs,
    el(
      "div.stack",
      null,
      ops.element,
      el("div.grid", null, el("div.c8.lower", null, kernels.element), el("div.c4", null, launches)),
    ),
  );
  return { key: (event) => event.key.toLowerCase() === "t" && Boolean((location.hash = hashOf("timeline"))) };
}
