// What the keys do.

import { el } from "./dom.js";
import { viewsOf } from "./frame.js";
import { hashOf } from "./state.js";

const KEYS = [
  ["1, 2 …", "the tabs, in their order"],
  ["/", "search everything"],
  ["?", "this list"],
  ["Esc", "closes"],
  ["Backspace", "back"],
  ["↑ ↓", "row of a table"],
  ["Enter", "opens the row"],
  ["V", "the whole row, with full texts to copy"],
  ["S", "sorts the other way"],
  ["T", "shows the row in the timeline"],
  ["→ ←", "open and close a group"],
  ["*", "opens all groups below"],
  ["W S", "zoom the timeline"],
  ["A D", "pan the timeline"],
  ["G", "next gap"],
  ["F 0", "fits the selection, or everything"],
  ["← →", "moves a handle of the range; with Shift by 10"],
];

const FILTERS = [
  ["abc", "text: contains; !abc: does not; =abc: is; /abc/: regular expression"],
  ["> 1", "numbers, in the unit of the heading or with their own (> 20us); also >=, <, <=, 1..5; 8.76: what rounds to it"],
  ["yes, no", "flags; also 1 and 0"],
  ["–", "empty cells"],
];

/** Links to the views of a source. */
function links(source) {
  return viewsOf(source).flatMap((group) => group.views).map(([key, name]) => el("a", { href: hashOf(key) }, name));
}

/** The dialog of help. */
export function makeHelp(sourceOf) {
  const list = (rows) =>
    el("dl.kv", null, ...rows.flatMap(([key, what]) => [el("dt", null, el("kbd", null, key)), el("dd", null, what)]));
  const dialog = el(
    "dialog.dialog",
    { "aria-label": "help" },
    el("h2", null, "Keys"),
    list(KEYS),
    el("h2", null, "Filters of columns"),
    list(FILTERS),
    el("h2", null, "Views"),
    el("p.viewlinks"),
    el(
      "p.dim",
      null,
      "Times are per iteration unless the switch at the top says total. Hover a figure for its raw value. Solid: the GPU works; hatched: it waits.",
    ),
    el("form", { method: "dialog" }, el("button.btn", null, "Close")),
  );
  addEventListener("hashchange", () => dialog.close());
  return {
    open() {
      if (!dialog.isConnected) document.body.append(dialog);
      dialog.querySelector(".viewlinks").replaceChildren(...links(sourceOf()));
      dialog.showModal();
    },
  };
}
