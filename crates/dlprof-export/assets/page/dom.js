// Elements made from plain values. Texts are always text nodes, so that no name from a capture becomes markup.

/** An element: `el("td.num", { title: "1 ns" }, "1")`. Attributes with `null` or `false` are left out; `on…` adds a listener. */
export function el(selector, attributes, ...children) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  setAttributes(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of a drawing. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyle(element, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** Sets properties one by one: the content security policy refuses the attribute `style`. */
export function setStyle(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

/** Calls once after a burst of calls, `wait` milliseconds behind the last one. */
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
  if (place) place.textContent = text;
}
