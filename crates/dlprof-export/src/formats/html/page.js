"use strict";
// Tables: a click on a title sorts, the field above filters rows.
for (const table of document.querySelectorAll(".scroll table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const tools = table.closest("section").querySelector(".tools");
  const count = tools.querySelector("span");
  const all = body.rows.length;

  const value = (row, at) => {
    const cell = row.cells[at];
    return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
  };
  const compare = (a, b) => {
    if (a === "" || b === "") return 0;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  };
  const sort = (at) => {
    const head = heads[at];
    const first = head.classList.contains("n") ? "descending" : "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? second : first;
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const keyed = [...body.rows].map((row) => [value(row, at), row]);
    // Empty cells come last in either direction.
    keyed.sort(([a], [b]) => (a === "") - (b === "") || sign * compare(a, b));
    body.append(...keyed.map(([, row]) => row));
  };
  const filter = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const content = [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase();
      row.hidden = !words.every((word) => content.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
  };
  heads.forEach((head, at) => head.querySelector("button").addEventListener("click", () => sort(at)));
  tools.querySelector("input").addEventListener("input", (event) => filter(event.target.value));
  filter("");
}
