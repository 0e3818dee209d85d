// `dlprof-agg view` as a program: its address, what its answers take, its memory.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Starts the server; `analysis` is the time until the address was printed, in milliseconds. */
export async function startServer(program, file, more = []) {
  const begun = performance.now();
  const child = spawn(program, ["view", "-q", "--no-progress", "-p", "0", ...more, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const address = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const end = () =>
    new Promise((done) => {
      child.once("exit", done);
      child.kill("SIGTERM");
    });
  return { address, analysis: performance.now() - begun, id: child.pid, end };
}

/** Megabytes of memory of a process: now, or at most so far. */
export function memoryOf(id, line = "VmRSS") {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${id}/status`, "utf8"));
  return Number(found?.[1] ?? 0) / 1024;
}

/** Asks once; answers with the time in milliseconds, the bytes and the value. */
export async function ask(address, path, options) {
  const begun = performance.now();
  const answer = await fetch(new URL(path, address), options);
  const text = await answer.text();
  const took = performance.now() - begun;
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
  return { took, bytes: text.length, value: JSON.parse(text) };
}

/** Aggregates another range. */
export function aggregate(address, request) {
  const origin = new URL(address).origin;
  return ask(address, "/api/aggregations", {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify(request),
  });
}
