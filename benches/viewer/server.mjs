// `dlprof-agg view` as a program: its address, what its answers take, its memory.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** The address of a path, with the token. */
export function addressOf(address, path) {
  const url = new URL(path, address);
  url.searchParams.set("token", new URL(address).searchParams.get("token"));
  return url;
}

/** Starts the server; `analysis` is the time until the capture was read, in milliseconds. */
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
  while ((await ask(address, "/api/progress")).value.reading) await new Promise((done) => setTimeout(done, 20));
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
  const answer = await fetch(addressOf(address, path), options);
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
