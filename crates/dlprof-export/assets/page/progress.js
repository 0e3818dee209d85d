// What is being read or computed, where it takes over a second.

import { el, plain, setStyle } from "./dom.js";
import { count, percent, significant } from "./format.js";

const PATIENCE = 1000;
const PERIOD = 300;

const seconds = (ms) => `${significant(ms / 1000)}\u00a0s`;

/** Waits until the server has read its captures, and says meanwhile how far it is: `ask` gives that, or nothing. */
export async function untilRead(ask) {
  const fill = el("i");
  const bar = el("div.prog", { role: "progressbar", "aria-label": "reading" }, fill);
  const said = el("p", { role: "status" });
  const body = el("div.body", null, el("h1", null, "The capture is being read"), said, bar);
  const place = el("main", null, el("section.card", null, body));
  for (let reading = await ask(); reading; reading = await ask()) {
    if (!place.isConnected) document.body.append(place);
    sayReading(reading, said, bar, fill);
    await new Promise((done) => setTimeout(done, PERIOD));
  }
  place.remove();
}

function sayReading({ what, done, total, running_ms: running }, said, bar, fill) {
  const share = total > 0 ? Math.min(1, done / total) : null;
  const rows = share === null ? "" : `: ${percent(share * 100, 0)} of about ${count(total)} rows`;
  said.textContent = plain(`${what || "Opening"}${rows}, ${seconds(running)} so far. The page opens by itself.`);
  showShare(bar, fill, share);
}

function showShare(bar, fill, share) {
  bar.classList.toggle("unknown", share === null);
  setStyle(fill, { width: share === null ? "30%" : `${share * 100}%` });
  if (share === null) bar.removeAttribute("aria-valuenow");
  else bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
}

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
    const usual = task?.usual_ms ? ` of about ${seconds(task.usual_ms)}` : "";
    said.textContent = plain(task ? `Computing ${task.what}: ${seconds(task.running_ms)}${usual}.` : "Computing.");
    showShare(bar, fill, share);
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
