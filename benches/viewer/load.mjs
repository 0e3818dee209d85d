// Many clients at a time on loopback: errors, answers, and the memory of the server from beginning to end.

import { Agent, get } from "node:http";
import { addressOf, memoryOf } from "./server.mjs";

const PATHS = [
  "/",
  "/api/manifest",
  "/api/overview",
  "/api/tables/ops?count=200&sort=-gpu_time_ns",
  "/api/tables/kernels?count=200",
  "/api/tables/iterations?count=200",
  "/api/timeline/1",
  "/api/flame/modules",
  "/api/progress",
];

export async function measureLoad(server, clients, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const end = performance.now() + seconds * 1000;
  const [errors, taken, memory] = [[], [], []];
  const one = (path) =>
    new Promise((done) => {
      const begun = performance.now();
      const failed = (why) => {
        errors.push(why);
        done();
      };
      get(addressOf(server.address, path), { agent }, (answer) => {
        answer.on("data", () => {});
        answer.on("error", (error) => failed(error.message));
        answer.on("end", () => {
          if (answer.statusCode !== 200) return failed(`${path}: ${answer.statusCode}`);
          taken.push(performance.now() - begun);
          done();
        });
      }).on("error", (error) => failed(error.message));
    });
  const client = async (number) => {
    for (let turn = number; performance.now() < end; turn++) await one(PATHS[turn % PATHS.length]);
  };
  const watch = setInterval(() => memory.push(memoryOf(server.id)), 1000);
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  clearInterval(watch);
  agent.destroy();
  taken.sort((a, b) => a - b);
  const at = (share) => taken[Math.floor(share * (taken.length - 1))]?.toFixed(0);
  const part = (from, to) =>
    Math.max(...memory.slice(Math.floor(from * memory.length), Math.ceil(to * memory.length))).toFixed(0);
  console.log(
    `${clients} clients for ${seconds} s: ${taken.length} answers, ${errors.length} errors${errors.length ? ` (${errors.slice(0, 3).join("; ")})` : ""}`,
  );
  console.log(
    `an answer takes: half ${at(0.5)} ms, 99 % ${at(0.99)} ms; memory of the server: ${part(0, 0.2)} MB in the first fifth, ${part(0.8, 1)} MB in the last`,
  );
}
