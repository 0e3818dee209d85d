// Search in the timeline of the whole capture: items by name, one after the other, or a time.

import { debounced, el, plain } from "../dom.js";
import { count, unitSize } from "../format.js";
import { setState } from "../state.js";

/** The time that a text names, in nanoseconds: `at:45.3s`, `45.3 s`, `12ms`; none if it names something else. */
export function timeNamed(text) {
  const parts = /^(?:at:)?\s*(-?\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|min)$/.exec(text.trim());
  if (!parts) return null;
  return Math.round(Number(parts[1]) * (parts[2] === "min" ? 60e9 : unitSize(parts[2])));
}

/** The field with its buttons; `select` shows an item. */
export function runSearch(source, chart, { state, select, span }) {
  const field = el("input.field", {
    type: "search",
    placeholder: "Name, or a time: 45.3s",
    "aria-label": "search in the timeline",
  });
  const said = el("span.small.dim", { role: "status" });
  const step = (sign, words, by) =>
    el("button.btn.icon", { type: "button", "aria-label": words, onclick: () => go(by) }, sign);
  const element = el("span.runsearch", null, field, step("‹", "match before", -1), step("›", "next match", 1), said);
  field.value = state.find ?? "";
  const nothing = { text: "", count: 0, first: 0, items: [], before: -1, next: 0 };
  /** What was found last, and which of it comes before and next. */
  let found = nothing;

  function mark() {
    const text = field.value.trim().toLowerCase();
    const isName = text !== "" && timeNamed(text) === null;
    chart.setMatches(isName ? (name) => name.toLowerCase().includes(text) : null);
    return isName ? text : "";
  }
  /** Asks which items have the name, near the middle of the view, or near a time. */
  async function ask(text, time) {
    const answer = await source.findItems(text, Math.round(time));
    if (text !== field.value.trim().toLowerCase()) return false;
    const items = [...answer.previous, ...answer.next];
    const next = answer.previous.length;
    found = { text, count: answer.count, first: answer.before - next, items, before: next - 1, next };
    said.textContent = plain(answer.count ? `${count(answer.count)} found` : "nothing found");
    return true;
  }
  /** Where to go on when the list ends: after it, or at the other end of the capture. */
  function timeBeyond(by) {
    if (by < 0) return found.first > 0 ? found.items[0].start_ns : span.end_ns + 1;
    const isLast = found.first + found.items.length >= found.count;
    return isLast ? span.start_ns : found.items.at(-1).start_ns + 1;
  }
  async function go(by) {
    const text = mark();
    if (!text) return goToTime();
    if (found.text !== text && !(await ask(text, chart.view.from))) return;
    if (!found.count) return;
    const wanted = () => (by < 0 ? found.before : found.next);
    if (!found.items[wanted()] && !(await ask(text, timeBeyond(by)))) return;
    const at = wanted();
    Object.assign(found, { before: at - 1, next: at + 1 });
    said.textContent = plain(`${count(found.first + at + 1)} of ${count(found.count)}`);
    await select(found.items[at], false);
  }
  function goToTime() {
    const time = timeNamed(field.value);
    if (time === null) return;
    // With the whole capture in sight no part of it could be in the middle.
    const half = Math.min(chart.view.to - chart.view.from, (span.end_ns - span.start_ns) / 20) / 2;
    chart.setView(time - half, time + half);
    said.textContent = plain(time < span.start_ns || time > span.end_ns ? "beyond the capture" : "");
  }
  function search() {
    const text = mark();
    found = nothing;
    said.textContent = "";
    if (text) ask(text, chart.view.from).catch((error) => (said.textContent = plain(error.message)));
    return text;
  }
  const typed = debounced(() => {
    setState({ find: field.value });
    if (!search()) goToTime();
  }, 300);
  field.addEventListener("input", typed);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1).catch((error) => (said.textContent = plain(error.message)));
  });
  return { element, start: () => field.value && search() };
}
