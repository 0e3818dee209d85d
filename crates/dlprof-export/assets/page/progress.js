// What is being computed, where it takes over a second.

import { el, setStyle } from "./dom.js";
import { significant } from "./format.js";

const PATIENCE = 1000;
const PERIOD = 300;

/** Shows in `place` how far the server is, until `work` is done; what takes less than a second is not shown. */
export async function withProgress(source, place, work) {
  const fill = el("i");
  const bar = el("div.prog", { role: "progressbar", "aria-label": "computing" }, fill);
  const said = el("p.small", { role: "status" });
  let timer = setTimeout(show, PATIENCE);

  async function show() {
    const { running } = source.progress ? await source.progress().catch(() => ({ running: [] })) : { running: [] };
    if (timer === null) return;
    if (!bar.isConnected) place.append(said, bar);
    say(running[0]);
    timer = setTimeout(show, PERIOD);
  }

  function say(task) {
    const share = task?.usual_ms ? Math.min(0.98, task.running_ms / task.usual_ms) : null;
    const seconds = (ms) => `${significant(ms / 1000)}\u00a0s`;
    const usual = task?.usual_ms ? ` of about ${seconds(task.usual_ms)}` : "";
    said.textContent = task ? `Computing ${task.what}: ${seconds(task.running_ms)}${usual}.` : "Computing.";
    bar.classList.toggle("unknown", share === null);
    setStyle(fill, { width: share === null ? "30%" : `${share * 100}%` });
    if (share === null) bar.removeAttribute("aria-valuenow");
    else bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  }

  try {
    return await work;
  } finally {
    clearTimeout(timer);
    timer = null;
    bar.remove();
    said.remove();
  }
}
