// Starts the viewer: one front end, two sources.

import { el } from "./dom.js";
import { phrases } from "./format.js";
import { basisOf } from "./basis.js";
import { getState, goTo, onState, setState, startAt } from "./state.js";
import { embeddedSource } from "./source-embedded.js";
import { hasAggregation, httpSource, readingOfCaptures } from "./source-http.js";
import { useTerms } from "./classes.js";
import { applyTheme, makeFrame, nameOf, subnav, viewsOf } from "./frame.js";
import { makeSearch } from "./search.js";
import { makeHelp } from "./help.js";
import { untilRead, withProgress } from "./progress.js";
import { dashboardView } from "./views/dashboard.js";
import { opsView } from "./views/ops.js";
import { groupsView } from "./views/groups.js";
import { iterationKernelsView, opKernelsView } from "./views/iteration-kernels.js";
import { kernelNamesView, opTypesView, tablesView, tableView } from "./views/tables.js";
import { iterationsView } from "./views/iterations.js";
import { gpusView } from "./views/gpus.js";
import { timelineView } from "./views/timeline.js";
import { flameView } from "./views/flame.js";
import { scatterView } from "./views/scatter.js";
import { countersView } from "./views/counters.js";
import { compareView } from "./views/compare.js";
import { ranksView } from "./views/ranks.js";

/** Views of jobs of many ranks. */
const MAKE_OF_JOB = { ranks: ranksView, tables: tablesView, table: tableView };

const MAKE = {
  dashboard: dashboardView,
  ops: opsView,
  optypes: opTypesView,
  groups: groupsView,
  kernels: kernelNamesView,
  iterkernels: iterationKernelsView,
  opkernels: opKernelsView,
  scatter: scatterView,
  counters: countersView,
  tables: tablesView,
  table: tableView,
  iterations: iterationsView,
  timeline: timelineView,
  flame: flameView,
  gpus: gpusView,
  compare: compareView,
};

/** What a view is given: the source, the state, and what sums are divided by. */
function contextOf(source, state) {
  const window = source.window();
  return { source, state, window, ...basisOf(window, state) };
}

function failure(error) {
  return el(
    "section.card.failed",
    { role: "alert" },
    el(
      "div.body",
      null,
      el("h2", null, "This view could not be shown."),
      el("p", null, String(error?.message ?? error)),
      error?.hint ? el("p.dim", null, error.hint) : null,
      el("p.dim", null, "Nothing was changed. Reload the page to try again."),
    ),
  );
}

async function start() {
  applyTheme();
  const isFile = document.getElementById("manifest") !== null;
  let notice = null;
  const open = async () => {
    if (isFile) return embeddedSource();
    const { agg } = getState();
    if (!agg || (await hasAggregation(agg))) return httpSource(agg);
    notice = `There is no aggregation ${agg}. These are the figures that the server was started with.`;
    setState({ agg: "" });
    return httpSource(null);
  };
  if (!isFile) await untilRead(readingOfCaptures);
  let source = await open();
  useTerms(source.terms());
  Object.assign(phrases, source.words?.()?.phrases);
  startAt(source.opens);
  // For people at the console, and for the tests.
  window.dlprofSource = source;
  let current = null;
  const search = makeSearch(() => source);
  const help = makeHelp(() => source);
  const frame = makeFrame(() => source, { openSearch: search.open, openHelp: help.open });

  async function show(state) {
    document.querySelector(".card.notice")?.remove();
    const make = source.job ? MAKE_OF_JOB : MAKE;
    const view = make[state.view] ? state.view : source.job ? "ranks" : "dashboard";
    current?.close?.();
    const run = (current = { view });
    const place = el("div", { id: `view-${view}`, role: "region", "aria-label": nameOf(view, source) });
    frame.update(state);
    place.className = "coming";
    const waiting = el("div.waiting");
    frame.main.append(place);
    frame.main.prepend(waiting);
    try {
      const made = await withProgress(source, waiting, make[view](contextOf(source, state), place));
      if (current !== run) {
        place.remove();
        waiting.remove();
        return made?.close?.();
      }
      Object.assign(run, made);
    } catch (error) {
      console.error(error);
      place.replaceChildren(failure(error));
    }
    waiting.remove();
    place.className = "";
    const kept = [subnav(view, source), place].filter(Boolean);
    [...frame.main.children]
      .filter((child) => !kept.includes(child) && !child.classList.contains("coming"))
      .forEach((child) => child.remove());
    if (kept.length > 1) place.before(kept[0]);
    if (notice) place.before(el("section.card.notice", { role: "alert" }, el("p.body", null, notice)));
    notice = null;
    made(run, view);
  }

  function made(run, view) {
    run.shown?.();
    document.body.dataset.ready = view;
    if (!document.querySelector("h1")) document.querySelector("main").prepend(el("h1.sr", null, nameOf(view, source)));
  }

  onState(async (state, before, isNavigation) => {
    // A view shows what it wrote into the address itself.
    if (!isNavigation && state.per === before.per) return;
    document.body.dataset.ready = "";
    if (state.agg !== before.agg && !isFile) {
      source = await open();
      window.dlprofSource = source;
    }
    await show(state);
    if (state.view !== before.view) scrollTo(0, 0);
  });
  addEventListener("themechange", () => current?.repaint?.());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => current?.repaint?.());
  addEventListener("keydown", (event) => shortcuts(event, { search, help, current, source }));
  await show(getState());
}

function shortcuts(event, { search, help, current, source }) {
  const typing =
    event.target instanceof HTMLInputElement ||
    event.target instanceof HTMLTextAreaElement ||
    event.target instanceof HTMLSelectElement;
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") search.open();
  else if (event.key === "?") help.open();
  else if (event.key >= "1" && event.key <= "9") {
    const group = viewsOf(source)[Number(event.key) - 1];
    if (group) goTo(group.views[0][0]);
  } else if (event.key === "Backspace") history.back();
  else if (!current?.key?.(event)) return;
  event.preventDefault();
}

start().catch((error) => {
  console.error(error);
  document.body.append(el("main", null, el("h1.sr", null, "dlprof-agg"), failure(error)));
});
