// Elements made from plain values. Texts are always text nodes, so that no name from a capture becomes markup.

// Characters that change how others are shown, as `changes_others` of the program has them; ends of lines stay.
const OBEYED = /[\0-\x09\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]/g;

/** A text without what changes how the rest is shown. Everything that is shown passes through here; data and addresses do not. */
export function plain(text) {
  return typeof text === "string" ? text.replace(OBEYED, " ") : text;
}

/** Writes a text into a drawing. */
export function drawText(pen, text, x, y) {
  pen.fillText(plain(text), x, y);
}

/** An element: `el("td.num", { title: "1 ns" }, "1")`. Attributes with `null` or `false` are left out; `on…` adds a listener. */
export function el(selector, attributes, ...children) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  setAttributes(element, attributes);
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map(plain));
  return element;
}

/** An element of a drawing. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...children.map(plain));
  return element;
}

/** Attributes that browsers show or read out. */
const SHOWN = /^(title|placeholder|alt|aria-.*)$/;

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyle(element, value);
    else element.setAttribute(name, value === true ? "" : SHOWN.test(name) ? plain(value) : value);
  }
}

/** Sets properties one by one: the content security policy refuses the attribute `style`. */
export function setStyle(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

/** Shows in a place what the latest question gives: an answer to an earlier one may come later, and is about something else. */
export function latestIn(place) {
  let asked = 0;
  return async (...answers) => {
    const own = ++asked;
    const shown = await Promise.all(answers);
    if (own === asked) place.replaceChildren(...shown);
  };
}

/** Calls once after a burst of calls, `wait` milliseconds after the last one. */
export function debounced(call, wait) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), wait);
  };
}

/** Says a sentence to screen readers. */
export function announce(text) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = plain(text);
}
