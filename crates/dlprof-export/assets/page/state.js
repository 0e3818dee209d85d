// Everything that changes the picture is in the hash: `#ops&per=total&sel=…`. Back undoes navigation.

const listeners = new Set();
/** The address that the state was read from. */
let seen = "";
let current = read();

function read() {
  seen = location.hash;
  const [view, ...pairs] = location.hash.replace(/^#/, "").split("&");
  const state = { view: decode(view) || "dashboard" };
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at > 0) state[decode(pair.slice(0, at))] = decode(pair.slice(at + 1));
  }
  return state;
}

function decode(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return text;
  }
}

function encode(text) {
  return encodeURIComponent(text).replace(/%20/g, "+").replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
}

/** What the address says now. */
export function getState() {
  return current;
}

/** The view that is shown where the address names none. */
export function startAt(view) {
  if (location.hash.replace(/^#/, "")) return;
  history.replaceState(null, "", `#${view}`);
  current = read();
}

/** What stays in the address from view to view. */
const KEPT = ["per", "agg"];

/** The address of a view: `hashOf("ops", { op: "X" })`. Empty values are left out. */
export function hashOf(view, values = {}) {
  const kept = Object.fromEntries(KEPT.filter((key) => current[key]).map((key) => [key, current[key]]));
  const pairs = Object.entries({ ...kept, ...values }).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined,
  );
  return "#" + [encode(view), ...pairs.map(([key, value]) => `${encode(key)}=${encode(String(value))}`)].join("&");
}

/** Changes some values of this view. With `isStep` the way back leads over the old ones. */
export function setState(changes, isStep = false) {
  // The user is on the way to another view; what the old one says comes too late.
  if (location.hash !== seen) return;
  const { view, ...values } = { ...current, ...changes };
  const hash = hashOf(view, values);
  if (hash === location.hash) return;
  if (isStep) location.hash = hash;
  else {
    history.replaceState(null, "", hash);
    changed(false);
  }
}

export function goTo(view, values) {
  location.hash = hashOf(view, values);
}

/** Calls with the new and the old state after each change, and whether the user went there: by a link, the address or back. */
export function onState(listener) {
  listeners.add(listener);
}

function changed(isNavigation) {
  const before = current;
  current = read();
  for (const listener of listeners) listener(current, before, isNavigation);
}

addEventListener("hashchange", () => changed(true));
