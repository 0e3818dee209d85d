// A button that opens a list.

import { el } from "./dom.js";

/** A button that opens a list. */
export function menu(label) {
  const list = el("div.menu", { hidden: true });
  const button = el("button.btn", { type: "button", "aria-expanded": "false" }, label);
  const element = el("span.menubox", null, button, list);
  let fill = () => [];
  const close = () => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  button.addEventListener("click", () => {
    if (!list.hidden) return close();
    list.replaceChildren(...fill(close));
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    list.querySelector("input, button:not([disabled])")?.focus();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      button.focus();
      event.stopPropagation();
    }
  });
  document.addEventListener("pointerdown", (event) => element.contains(event.target) || close());
  return {
    element,
    button,
    fill: (make) => {
      fill = make;
    },
    setLabel: (text) => {
      button.textContent = text;
    },
  };
}
