// The scroll bar of a grid, true to the number of rows. Only rows in sight are elements. Browsers bound the height of an element,
// so that in long tables a pixel of the bar is several rows; wheel and keys go row by row all the same.

import { el, setStyle } from "./dom.js";

const MOST_PIXELS = 8_000_000;

/** A bar beside `area`, whose rows are `rowHeight` pixels high. `onFirst` is called with the first row in sight. */
export function rowScroll(area, rowHeight, onFirst) {
  const spacer = el("div");
  const element = el("div.rowbar", { "aria-hidden": "true", hidden: true }, spacer);
  let [rows, seen, first, own, rest] = [0, 0, 0, 0, 0];
  const last = () => Math.max(0, rows - seen);
  const range = () => Math.max(1, spacer.offsetHeight - element.clientHeight);

  function show(to) {
    const next = Math.max(0, Math.min(last(), Math.round(to)));
    const isNew = next !== first;
    first = next;
    if (isNew) onFirst(first);
    return isNew;
  }

  /** Moves the bar to where the first row is. */
  function follow() {
    element.scrollTop = last() ? (first / last()) * range() : 0;
    own = element.scrollTop;
  }

  /** Moves by pixels; false at either end. */
  function pan(pixels) {
    rest += pixels / rowHeight;
    const by = Math.trunc(rest);
    rest -= by;
    if (by === 0) return pixels < 0 ? first > 0 : first < last();
    const isNew = show(first + by);
    follow();
    return isNew;
  }

  element.addEventListener("scroll", () => {
    if (Math.abs(element.scrollTop - own) < 1) return;
    own = element.scrollTop;
    show((own / range()) * last());
  });
  area.addEventListener(
    "wheel",
    (event) => {
      if (event.shiftKey || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      if (pan(event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * rowHeight : event.deltaY))
        event.preventDefault();
    },
    { passive: false },
  );
  let touched = null;
  area.addEventListener(
    "touchstart",
    (event) => {
      touched = event.touches[0].clientY;
    },
    { passive: true },
  );
  area.addEventListener(
    "touchmove",
    (event) => {
      const now = event.touches[0].clientY;
      if (pan(touched - now)) event.preventDefault();
      touched = now;
    },
    { passive: false },
  );

  return {
    element,
    /** So many rows, of which so many are in sight. */
    setRows(all, inSight, start = 0) {
      [rows, seen, rest] = [all, inSight, 0];
      first = Math.max(0, Math.min(last(), start));
      element.hidden = last() === 0;
      setStyle(spacer, { height: `${Math.min(MOST_PIXELS, rows * rowHeight)}px` });
      follow();
      return first;
    },
    /** Brings a row into sight. */
    bring(row) {
      if (row < first) show(row);
      else if (row >= first + seen) show(row - seen + 1);
      else return;
      follow();
    },
  };
}
