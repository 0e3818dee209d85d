// The frame: brand, views, search, theme, and the line that says what the figures are about.

import { el, plain, svg } from "./dom.js";
import { time } from "./format.js";
import { getState, hashOf, setState } from "./state.js";
import { cutName } from "./cut.js";
import { severitySign } from "./findings.js";
import { menu } from "./menu.js";

/** Views with a tab; those of one group share a tab and a second row of names. */
const VIEWS_OF_CAPTURES = [
  { tab: "Dashboard", views: [["dashboard", "Dashboard"]] },
  {
    tab: "Ops & kernels",
    views: [
      ["ops", "Ops and kernels"],
      ["optypes", "Op types"],
      ["groups", "Groups"],
      ["kernels", "Kernels by name"],
      ["iterkernels", "Kernels by iteration"],
      ["opkernels", "Kernels by op"],
      ["scatter", "Scatter"],
      ["counters", "Counters"],
      ["tables", "All tables"],
    ],
  },
  { tab: "Iterations", views: [["iterations", "Iterations"]] },
  { tab: "Timeline", views: [["timeline", "Timeline"]] },
  { tab: "Flame graph", views: [["flame", "Flame graph"]] },
  { tab: "GPUs", views: [["gpus", "GPUs"]] },
  { tab: "Compare", views: [["compare", "Compare"]] },
];

/** The same of a job of many ranks. */
const VIEWS_OF_JOBS = [
  { tab: "Ranks", views: [["ranks", "Ranks"]] },
  { tab: "Tables", views: [["tables", "All tables"]] },
];

/** The views of a source that its data is enough for. */
export function viewsOf(source) {
  if (source.job) return VIEWS_OF_JOBS;
  return VIEWS_OF_CAPTURES.filter((group) => group.tab !== "GPUs" || source.window().gpus > 1);
}

/** The tab of a view. */
export function groupOf(view, source) {
  const all = source.job ? VIEWS_OF_JOBS : VIEWS_OF_CAPTURES;
  return all.find((group) => group.views.some(([key]) => key === view)) ?? (view === "table" ? all[1] : all[0]);
}

/** What a view is called. */
export function nameOf(view, source) {
  return groupOf(view, source).views.find(([key]) => key === view)?.[1] ?? "Table";
}

function brand() {
  const bars = [
    [16, 2, "tc"],
    [10, 7, "kernel"],
    [5, 12, "cpu"],
  ].map(([width, y, name]) => svg("rect", { x: 1, y, width, height: 4, rx: 1, fill: `var(--${name})` }));
  return el(
    "a.brand",
    { href: hashOf("dashboard"), "aria-label": "dlprof-agg, first view" },
    svg("svg", { width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" }, ...bars),
    el("span", null, "dlprof-agg"),
  );
}

/** Light or dark: the system's unless chosen; the choice is remembered. */
export function applyTheme() {
  let theme = getState().theme;
  try {
    theme ??= localStorage.getItem("dlprof-theme");
  } catch {
    // Pages opened from a file may have no storage.
  }
  if (theme) document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = isDark ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("dlprof-theme", theme);
  } catch {
    // As above.
  }
  if (getState().theme) setState({ theme: "" });
  dispatchEvent(new Event("themechange"));
}

/** Paper is light and narrow: charts are painted again in its colours and for its width while the page prints. */
function printLight() {
  let before;
  const use = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    dispatchEvent(new Event("themechange"));
  };
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    document.body.classList.add("paper");
    use("light");
  });
  addEventListener("afterprint", () => {
    document.body.classList.remove("paper");
    use(before);
  });
}

/** The two bars at the top and the place of the view. */
export function makeFrame(sourceOf, { openSearch, openHelp }) {
  printLight();
  const all = sourceOf().job ? VIEWS_OF_JOBS : VIEWS_OF_CAPTURES;
  const tabs = all.map((group) => el("a", { "data-tab": group.tab, href: hashOf(group.views[0][0]) }, group.tab));
  const glass = svg(
    "svg",
    {
      width: 14,
      height: 14,
      viewBox: "0 0 14 14",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 1.6,
      "aria-hidden": "true",
    },
    svg("circle", { cx: 6, cy: 6, r: 4.2 }),
    svg("path", { d: "M9.2 9.2 13 13" }),
  );
  const moon = svg(
    "svg",
    { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" },
    svg("circle", { cx: 7, cy: 7, r: 5.4, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }),
    svg("path", { d: "M7 1.6a5.4 5.4 0 0 1 0 10.8z", fill: "currentColor" }),
  );
  const top = el(
    "header.top",
    null,
    brand(),
    el("nav.tabs", { "aria-label": "views" }, ...tabs),
    el(
      "button.btn.search",
      { type: "button", onclick: openSearch, "aria-label": "search everything" },
      el("span", null, "Search everything"),
      el("kbd", null, "/"),
      glass,
    ),
    el("button.btn.icon", { type: "button", id: "theme", "aria-label": "light or dark", onclick: toggleTheme }, moon),
    el("button.btn.icon.help", { type: "button", "aria-label": "help", onclick: openHelp }, "?"),
  );
  const context = el("div.ctx", { role: "region", "aria-label": "what the figures are about", tabindex: "0" });
  const main = el("main", { id: "main", tabindex: "-1" });
  document.body.append(
    el(
      "a.skip",
      {
        href: "#main",
        onclick: (event) => {
          event.preventDefault();
          main.focus();
        },
      },
      "Skip to the figures",
    ),
    top,
    context,
    main,
    el("div.sr", { id: "announcer", role: "status", "aria-live": "polite" }),
  );
  return {
    main,
    /** Marks the tab of the view and says what the figures are about. */
    async update(state) {
      const [source, shown] = [sourceOf(), viewsOf(sourceOf())];
      const group = groupOf(state.view, source);
      document.title = plain(`${source.window().profile_name}: dlprof-agg`);
      document.querySelector(".brand").setAttribute("href", hashOf(all[0].views[0][0]));
      tabs.forEach((tab) => {
        const own = all.find((known) => known.tab === tab.dataset.tab);
        tab.hidden = !shown.includes(own);
        tab.setAttribute("href", hashOf(own.views[0][0]));
        if (own === group) {
          tab.setAttribute("aria-current", "page");
          tab.scrollIntoView?.({ block: "nearest", inline: "nearest" });
        } else tab.removeAttribute("aria-current");
      });
      context.replaceChildren(...(await (source.job ? jobParts(source) : contextParts(source, state))));
    },
  };
}

/** The second row of names below a tab. */
export function subnav(view, source) {
  const group = groupOf(view, source);
  if (group.views.length < 2) return null;
  const link = ([key, name]) =>
    el(
      "a",
      { href: hashOf(key), "aria-current": key === view ? "page" : null, class: key === view ? "on" : null },
      name,
    );
  return el("nav.seg.subnav", { "aria-label": group.tab }, ...group.views.map(link));
}

/** What the figures of a job are about. */
function jobParts(source) {
  const { rests_on: facts } = source.job;
  return [
    el("span.capture", null, el("b", null, cutName(source.window().profile_name))),
    ...facts.map((fact) => el("span", null, fact)),
  ];
}

async function contextParts(source, state) {
  const window = source.window();
  const hasIterations = window.key_node !== null;
  const bold = (text) => el("b", null, text);
  const range = window.start === window.stop ? String(window.start) : `${window.start}\u2013${window.stop}`;
  const iterations = hasIterations
    ? el(
        "a.pick",
        { href: hashOf("iterations") },
        "Iterations ",
        bold(range),
        ` of 0\u2013${window.last}, ${window.inside}`,
      )
    : el("span", null, `no repeating step, ${time(window.length_ns)} of ${time(window.captured_ns)} captured`);
  const [used, all] = [window.gpus_used, window.gpus];
  const unused = all - used.length;
  const gpus = used.length
    ? `GPU${used.length > 1 ? "s" : ""} ${used.join(", ")}${unused > 0 ? `; ${unused} of ${all} not used` : ""}`
    : "no GPU work recorded";
  const known = await source.aggregations();
  const name = el("span.capture", { title: window.file }, el("b", null, cutName(window.profile_name)));
  const parts = [name, aggregationMenu(known), iterations];
  if (hasIterations)
    parts.push(
      el("span.keynode", { title: window.key_node }, "key\u00a0node ", el("b.mono", null, cutName(window.key_node))),
    );
  parts.push(
    el("span", null, window.clock === "gpu" ? "GPU clock" : "CPU clock"),
    el("span", { title: window.mode }, gpus),
  );
  if (window.cut) parts.push(el("span", { title: "--from and --to" }, window.cut));
  if (window.database)
    parts.push(
      el(
        "span",
        { title: "It has no streams, no registers of kernels, and no calls outside ops." },
        `DLProf database ${window.database}`,
      ),
    );
  if (known.some((one) => one.is_current && one.file_has_changed)) parts.push(changedFile(window));
  parts.push(...(await warnings(source)));
  if (hasIterations && window.aggregated > 1) parts.push(perToggle(state));
  return parts.filter(Boolean);
}

async function warnings(source) {
  const { rows } = await source.rows("diagnostics", { columns: ["severity", "code"] });
  const worst = rows.find(([severity]) => severity === "error") ?? rows.find(([severity]) => severity === "warning");
  if (!worst) return [];
  const number = rows.filter(([severity]) => severity === worst[0]).length;
  return [
    el(
      "a.warnp",
      { href: hashOf("table", { key: "diagnostics" }) },
      severitySign(worst[0]),
      `${number} ${worst[0]}${number > 1 ? "s" : ""} about the capture`,
    ),
  ];
}

/** These figures are of the file as it was. */
function changedFile(window) {
  const title = `${window.file} has changed since it was read. Start the server again to see the new one.`;
  return el("span.warnp", { role: "status", title }, severitySign("warning"), "the file has changed since it was read");
}

function aggregationMenu(known) {
  if (known.length < 2) return null;
  const hasSeveral = new Set(known.map((one) => one.profile_name)).size > 1;
  const list = menu(`${known.length} aggregations`);
  list.fill(() =>
    known.map((one) =>
      el(
        "a.mi",
        {
          href: hashOf(getState().view, { agg: one.id }),
          title: `${one.profile_name}, key node ${one.key_node ?? "none"}, ${one.clock} clock`,
          "aria-current": one.is_current ? "true" : null,
        },
        hasSeveral ? el("b", null, cutName(one.profile_name)) : null,
        el("span", null, `${one.start}\u2013${one.stop}`),
        el("span.dim", null, `${one.key_node ?? "no key node"}, mean ${time(one.mean_ns)}`),
      ),
    ),
  );
  return list.element;
}

function perToggle(state) {
  const isTotal = state.per === "total";
  const option = (name, value, on) =>
    el(
      `button${on ? ".on" : ""}`,
      { type: "button", "aria-pressed": String(on), onclick: () => setState({ per: value }) },
      name,
    );
  return el(
    "span.sp",
    null,
    el(
      "span.seg",
      { role: "group", "aria-label": "figures" },
      option("per iteration", "", !isTotal),
      option("total", "total", isTotal),
    ),
  );
}
