// Names that are cut in the middle: the end tells them apart.

import { el } from "./dom.js";

const TAIL = 11;

/** Where the part begins that stays whole: the leaf of a path, or the last characters. */
function tailStart(name) {
  const slash = name.lastIndexOf("/");
  if (slash > 0 && name.length - slash <= 34 && slash < name.length - 1) return slash;
  return name.length <= TAIL + 4 ? 0 : name.length - TAIL;
}

/** A name from the capture; `note` stands dim after it. */
export function cutName(name, note = "") {
  const text = name || "(no name)";
  const at = tailStart(text);
  const parts =
    at > 0 ? [el("span.h", null, text.slice(0, at)), el("span.t", null, text.slice(at))] : [el("span.t", null, text)];
  return el("span.cut", { title: text }, ...parts, note ? el("span.x12", null, note) : null);
}

/** A name without template arguments and parameters of C++: what people call the kernel. */
export function baseName(name) {
  let depth = 0;
  let base = "";
  for (const c of name
    .replace(/^void /, "")
    .replaceAll("(anonymous namespace)", "")
    .replaceAll("<unnamed>", "")) {
    if (c === "<" || c === "(") depth++;
    else if (c === ">" || c === ")") depth--;
    else if (depth === 0) base += c;
    if (c === "(" && depth === 1 && base) break;
  }
  const parts = base.split("::");
  return parts[parts.length - 1].trim() || name;
}

/** A base name with the last words of its template arguments, which tell kernels of one base apart. */
export function shortKernelName(name) {
  const base = baseName(name);
  const words = (/<(.*)>/s.exec(name)?.[1] ?? "")
    .split(/[^A-Za-z0-9_]+/)
    .filter((word) => /[A-Z]/.test(word) && word.length > 2);
  return words.length ? `${base} <${words.slice(0, 2).join(" ")}>` : base;
}

/** Names that are cut are two elements; copied they are one text. */
addEventListener("copy", (event) => {
  const selection = getSelection();
  const range = selection.rangeCount ? selection.getRangeAt(0) : null;
  const place = range && (range.commonAncestorContainer.closest?.("*") ?? range.commonAncestorContainer.parentElement);
  // What is copied out of a field has no such names.
  if (!place || document.activeElement?.matches("input, textarea")) return;
  const cuts = [...place.querySelectorAll(".cut")].filter((cut) => range.intersectsNode(cut));
  if (place.closest(".cut")) return void put(event, range.toString());
  if (!cuts.length) return;
  const text = cuts.reduce((all, cut) => {
    const parts = [...cut.querySelectorAll(".h, .t")].map((part) => part.textContent);
    return all.replaceAll(parts.join("\n"), parts.join(""));
  }, selection.toString());
  put(event, text);
});

function put(event, text) {
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
}
