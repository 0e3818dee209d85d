// What is said of an inference server.

import { el } from "../../dom.js";
import { card, more } from "../../plain-table.js";
import { hashOf } from "../../state.js";

/** Its steps by phase, the time between tokens, and what GPUs wait for; nothing of other captures. */
export function servingCard({ overview }) {
  const said = overview.serving ?? [];
  if (!said.length) return null;
  const lines = said.map((sentence) => el("p", null, sentence));
  return card(
    "Server: steps and tokens",
    "over the whole capture",
    more("Steps", hashOf("table", { key: "engine_steps" })),
    el("div.body", null, ...lines),
  );
}
