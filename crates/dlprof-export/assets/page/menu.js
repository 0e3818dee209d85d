// A button that opens a list. The list lies above all else (a popover), so that no box that scrolls can hide it.

import { el, plain, setStyle } from "./dom.js";

/** Pixels between a list and its button, and the least between it and the edge of the window. */
const GAP = 4;
const EDGE = 8;

/** Where a list opens: below its button or, in the lower half of the window, above it; towards the middle. */
function besides(button) {
  const at = button.getBoundingClientRect();
  const isLow = at.bottom > innerHeight / 2;
  const isRight = (at.left + at.right) / 2 > innerWidth / 2;
  const room = isLow ? at.top : innerHeight - at.bottom;
  const width = isRight ? at.right : document.documentElement.clientWidth - at.left;
  return {
    top: isLow ? "auto" : `${at.bottom + GAP}px`,
    bottom: isLow ? `${innerHeight - at.top + GAP}px` : "auto",
    left: isRight ? "auto" : `${Math.max(EDGE, at.left)}px`,
    right: isRight ? `${Math.max(EDGE, document.documentElement.clientWidth - at.right)}px` : "auto",
    "max-height": `${room - GAP - EDGE}px`,
    "max-width": `${width - EDGE}px`,
  };
}

/** A button that opens a list. */
export function menu(label) {
  const list = el("div.menu", { popover: "auto" });
  const button = el("button.btn", { type: "button", "aria-expanded": "false" }, label);
  button.popoverTargetElement = list;
  const element = el("span.menubox", null, button, list);
  let fill = () => [];
  const close = () => list.matches(":popover-open") && list.hidePopover();
  list.addEventListener("beforetoggle", (event) => {
    const opens = event.newState === "open";
    button.setAttribute("aria-expanded", String(opens));
    if (!opens) return;
    list.replaceChildren(...fill(close));
    setStyle(list, besides(button));
    addEventListener("scroll", close, { once: true });
  });
  list.addEventListener("toggle", (event) => {
    if (event.newState === "open") list.querySelector("a, input, button:not([disabled])")?.focus();
  });
  return {
    element,
    button,
    fill: (make) => {
      fill = make;
    },
    setLabel: (text) => {
      button.textContent = plain(text);
    },
  };
}
