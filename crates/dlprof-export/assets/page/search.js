// Search over everything: ops, kernels, groups, iterations, findings, tables, views.
//
//   it:8   an iteration        > 1ms   at least so much GPU time        /regex/   a regular expression

import { debounced, el } from "./dom.js";
import { count, time, unitSize } from "./format.js";
import { baseName } from "./cut.js";
import { basisOf } from "./basis.js";
import { getState, hashOf } from "./state.js";
import { viewsOf } from "./frame.js";

/** Hits of a kind. */
const MOST = 6;

const KINDS = [
  {
    kind: "op",
    table: "ops",
    name: "op_name",
    columns: ["op_name", "gpu_time_ns", "op_id", "op_type"],
    href: (row) => hashOf("ops", { op: row[2] }),
    dim: (row) => row[2],
  },
  {
    kind: "kernel",
    table: "kernel_names",
    name: "long_kernel_name",
    columns: ["long_kernel_name", "gpu_time_ns", "calls"],
    href: (row) => hashOf("kernels", { "kernel_names.where": JSON.stringify([["long_kernel_name", "=", row[0]]]) }),
    dim: (row) => `${count(row[2])} calls in all`,
    short: baseName,
  },
  {
    kind: "op type",
    table: "op_types",
    name: "op_type",
    columns: ["op_type", "gpu_time_ns", "ops"],
    href: (row) => hashOf("ops", { "ops.where": JSON.stringify([["op_type", "=", row[0]]]) }),
    dim: (row) => `${count(row[2])} ops`,
  },
  {
    kind: "API call",
    table: "api_calls",
    name: "api_function",
    columns: ["api_function", "time_ns", "calls"],
    href: (row) =>
      hashOf("table", { key: "api_calls", "api_calls.where": JSON.stringify([["api_function", "=", row[0]]]) }),
    dim: (row) => `${count(row[2])} calls in all`,
  },
  {
    kind: "finding",
    table: "findings",
    name: "problem",
    columns: ["problem", "saving_ns", "finding_id"],
    href: () => hashOf("dashboard"),
    dim: (row) => row[2],
  },
];

/** What was typed: words, and what narrows. */
function parse(text) {
  const asked = { words: [], pattern: null, iteration: null, least: null };
  for (const word of text
    .trim()
    .split(/\s+(?![^/]*\/$)/)
    .filter(Boolean)) {
    const iteration = /^it:(\d+)$/i.exec(word);
    const least = /^>=?([\d.]+)(ns|us|µs|ms|s)$/i.exec(word);
    const pattern = /^\/(.+)\/$/.exec(word);
    if (iteration) asked.iteration = Number(iteration[1]);
    else if (least) asked.least = Number(least[1]) * unitSize(least[2].toLowerCase());
    else if (pattern) asked.pattern = pattern[1];
    else asked.words.push(word);
  }
  return asked;
}

/** What the times of a column are divided by. */
function divisorOf(source, table, key) {
  const isSum = table.columns.find((column) => column.key === key)?.is_sum;
  return isSum ? basisOf(source.window(), getState()).divisor : 1;
}

async function hitsOf(source, kind, asked) {
  const known = source.tables().find((table) => table.key === kind.table);
  if (!known) return [];
  const divisor = divisorOf(source, known, kind.columns[1]);
  const where = [];
  if (asked.pattern) where.push({ column: kind.name, op: "re", value: asked.pattern });
  asked.words.forEach((word) => where.push({ column: kind.name, op: "~", value: word }));
  if (asked.least !== null) where.push({ column: kind.columns[1], op: ">=", value: asked.least * divisor });
  const { rows, matching } = await source.rows(kind.table, {
    where,
    sort: [{ column: kind.columns[1], descending: true }],
    count: MOST,
    columns: kind.columns,
  });
  return rows.map((row, at) => ({
    kind: kind.kind,
    name: (kind.short ?? ((name) => name))(row[0] ?? ""),
    title: row[0],
    href: kind.href(row),
    dim: kind.dim(row),
    value: row[1] ? time(row[1] / divisor) : "",
    more: at === 0 ? matching : 0,
  }));
}

function placesOf(source, asked) {
  const words = asked.words.join(" ").toLowerCase();
  const found = [];
  if (asked.iteration !== null && asked.iteration <= source.window().last) {
    found.push(
      {
        kind: "iteration",
        name: `Iteration ${asked.iteration}: timeline`,
        href: hashOf("timeline", { it: asked.iteration }),
        dim: "",
        value: "",
      },
      {
        kind: "iteration",
        name: `Iteration ${asked.iteration}: kernels`,
        href: hashOf("iterkernels", { it: asked.iteration }),
        dim: "",
        value: "",
      },
    );
  }
  if (!words) return found;
  const views = viewsOf(source).flatMap((group) => group.views)
    .filter(([, name]) => name.toLowerCase().includes(words))
    .map(([key, name]) => ({ kind: "view", name, href: hashOf(key), dim: "", value: "" }));
  const tables = source
    .tables()
    .filter((table) => table.title.toLowerCase().includes(words) || table.key.includes(words))
    .slice(0, 4)
    .map((table) => ({
      kind: "table",
      name: table.title,
      href: hashOf("table", { key: table.key }),
      dim: table.doc,
      value: "",
    }));
  const columns = source.tables().flatMap((table) =>
    table.columns
      .filter((column) => column.title.toLowerCase().includes(words))
      .map((column) => ({
        kind: "column",
        name: `${column.title}, ${table.title}`,
        href: hashOf("table", { key: table.key }),
        dim: column.doc,
        value: "",
      })),
  );
  return [...found, ...views.slice(0, 4), ...tables, ...columns.slice(0, 4)];
}

/** A name with the matches marked. */
function marked(name, asked) {
  const words = asked.words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  let pattern = null;
  try {
    pattern = new RegExp(`(${[...words, ...(asked.pattern ? [asked.pattern] : [])].join("|")})`, "ig");
  } catch {
    return [name];
  }
  if (!words.length && !asked.pattern) return [name];
  return name
    .split(pattern)
    .filter(Boolean)
    .map((part) => (new RegExp(pattern.source, "i").test(part) ? el("mark", null, part) : part));
}

/** The palette of search. */
export function makeSearch(sourceOf) {
  const field = el("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "hits",
    "aria-label": "search everything",
    placeholder: "ops, kernels, types, tables; it:8  >1ms  /regex/",
    spellcheck: "false",
    autocomplete: "off",
  });
  const list = el("ul.res", { id: "hits", role: "listbox", "aria-label": "hits" });
  const said = el("div.pfoot", { role: "status" });
  const palette = el(
    "div.palette",
    { role: "dialog", "aria-modal": "true", "aria-label": "search" },
    el("div.pin", null, field, el("kbd", null, "Esc")),
    list,
    said,
  );
  const scrim = el("div.scrim", { onclick: () => close() });
  let hits = [];
  let at = 0;
  let before = null;
  let run = 0;

  async function search() {
    const mine = ++run;
    const source = sourceOf();
    const asked = parse(field.value);
    const isEmpty = !field.value.trim();
    const groups = isEmpty
      ? []
      : await Promise.all(
          KINDS.map((kind) =>
            asked.iteration !== null && !asked.words.length && !asked.pattern ? [] : hitsOf(source, kind, asked),
          ),
        );
    if (mine !== run) return;
    hits = [...placesOf(source, asked).slice(0, 8), ...groups.flat()];
    at = 0;
    list.replaceChildren();
    let kind = "";
    hits.forEach((hit, index) => {
      if (hit.kind !== kind)
        list.append(
          el(
            "li.h",
            { role: "presentation" },
            hit.more > MOST ? `${hit.kind}, ${MOST} of ${count(hit.more)}` : hit.kind,
          ),
        );
      kind = hit.kind;
      list.append(
        el(
          "li.hit",
          { role: "option", id: `hit-${index}`, "aria-selected": "false", onclick: () => go(index) },
          el("span.k", null, hit.kind),
          el("span.nm", { title: hit.title ?? hit.name }, ...marked(hit.name, asked)),
          el("span.d", null, hit.dim),
          el("span.v", null, hit.value),
        ),
      );
    });
    said.textContent = isEmpty
      ? "Type a name. Tab goes to the next kind, Enter opens."
      : hits.length
        ? `${hits.length} hits, times ${basisOf(source.window(), getState()).perWords}. Tab goes to the next kind, Enter opens.`
        : "Nothing has this name.";
    mark();
  }

  function mark() {
    list.querySelectorAll(".hit").forEach((line, index) => {
      line.classList.toggle("on", index === at);
      line.setAttribute("aria-selected", String(index === at));
      if (index === at) line.scrollIntoView({ block: "nearest" });
    });
    if (hits.length) field.setAttribute("aria-activedescendant", `hit-${at}`);
    else field.removeAttribute("aria-activedescendant");
  }

  function go(index) {
    const hit = hits[index];
    if (!hit) return;
    close();
    location.hash = hit.href;
  }

  function close() {
    palette.remove();
    scrim.remove();
    before?.focus();
  }

  field.addEventListener("input", debounced(search, 80));
  palette.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at = Math.max(0, Math.min(hits.length - 1, at + step));
    else if (event.key === "Tab") {
      const next = hits.findIndex((hit, index) => index > at && hit.kind !== hits[at]?.kind);
      at = next < 0 ? 0 : next;
    } else if (event.key === "Enter") go(at);
    else if (event.key === "Escape") close();
    else return;
    mark();
    event.preventDefault();
    event.stopPropagation();
  });

  addEventListener("hashchange", () => palette.isConnected && close());
  return {
    open() {
      if (palette.isConnected) return;
      before = document.activeElement;
      document.body.append(scrim, palette);
      field.focus();
      field.select();
      search();
    },
  };
}
