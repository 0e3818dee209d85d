// What the keys do.

import { el } from "./dom.js";

const KEYS = [
  ["1 to 9", "views"],
  ["/", "search everything"],
  ["?", "this list"],
  ["Esc", "closes"],
  ["Backspace", "back"],
  ["↑ ↓", "row of a table"],
  ["Enter", "opens the row"],
  ["S", "sorts the other way"],
  ["T", "shows the row in the timeline"],
  ["→ ←", "open and close a group"],
  ["*", "opens all groups below"],
  ["W S", "zoom the timeline"],
  ["A D", "pan the timeline"],
  ["G", "next gap"],
  ["F", "fits the selection"],
  ["← →", "moves a handle of the range; with Shift by 10"],
];

const FILTERS = [
  ["abc", "text: contains; !abc: does not; =abc: is; /abc/: regular expression"],
  ["> 1", "numbers, in the unit of the heading; also >=, <, <=, =, 1..5"],
  ["yes, no", "flags; also 1 and 0"],
  ["–", "empty cells"],
];

/** The dialog of help. */
export function makeHelp() {
  const list = (rows) =>
    el("dl.kv", null, ...rows.flatMap(([key, what]) => [el("dt", null, el("kbd", null, key)), el("dd", null, what)]));
  const dialog = el(
    "dialog.dialog",
    { "aria-label": "help" },
    el("h2", null, "Keys"),
    list(KEYS),
    el("h2", null, "Filters of columns"),
    list(FILTERS),
    el(
      "p.dim",
      null,
      "Times are per iteration unless the switch at the top says total. Hover a figure for its raw value. Solid: the GPU works; hatched: it waits.",
    ),
    el("form", { method: "dialog" }, el("button.btn", null, "Close")),
  );
  return {
    open() {
      if (!dialog.isConnected) document.body.append(dialog);
      dialog.showModal();
    },
  };
}
