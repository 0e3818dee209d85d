// Chromium by the DevTools protocol over two pipes: no package is needed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--hide-scrollbars",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--remote-debugging-pipe",
];

/** Milliseconds until something that never comes is given up. A busy machine takes its time, and nobody waits for what is there. */
const PATIENCE = 300_000;

/** Keys that the browser acts on itself. */
const KEY_CODES = { Escape: 27 };

/** A browser with one page. */
export async function openBrowser(program) {
  const folder = mkdtempSync(join(tmpdir(), "dlprof-browser-"));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${folder}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const [input, output] = [child.stdio[3], child.stdio[4]];
  const answers = new Map();
  const listeners = [];
  let rest = "";
  let next = 0;
  output.on("data", (data) => {
    const parts = (rest + data).split("\0");
    rest = parts.pop();
    for (const message of parts.map((part) => JSON.parse(part))) {
      if (message.id) answers.get(message.id)?.(message);
      else listeners.forEach((listener) => listener(message));
    }
  });
  const send = (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      next += 1;
      const id = next;
      answers.set(id, (message) => {
        answers.delete(id);
        if (message.error) reject(new Error(`${method}: ${message.error.message}`));
        else resolve(message.result);
      });
      input.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const close = async () => {
    await send("Browser.close").catch(() => {});
    await new Promise((done) => (child.exitCode === null ? child.once("exit", done) : done()));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const page = await pageOf((method, params) => send(method, params, sessionId), listeners, close);
  return { ...page, process: child.pid, listen: (listener) => listeners.push(listener) };
}

async function pageOf(send, listeners, close) {
  const errors = [];
  const requests = [];
  listeners.push(({ method, params }) => {
    if (method === "Network.requestWillBeSent") requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown")
      errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type))
      errors.push(params.args.map((value) => value.value ?? value.description).join(" "));
    if (method === "Log.entryAdded" && params.entry.level === "error" && !/favicon/.test(params.entry.url ?? ""))
      errors.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") errors.push(`a dialog opened: ${params.message}`);
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  const run = async (expression) => {
    const answer = await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (answer.exceptionDetails)
      throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    return answer.result.value;
  };
  const until = async (expression, what = expression) => {
    const start = Date.now();
    for (;;) {
      if (await run(expression).catch(() => false)) return;
      if (errors.length) throw new Error(`the console says: ${errors[0]}`);
      if (Date.now() - start > PATIENCE) throw new Error(`waited in vain for: ${what}`);
      await new Promise((done) => setTimeout(done, 40));
    }
  };
  return {
    send,
    run,
    until,
    close,
    errors,
    requests,
    /** Opens an address. */
    async open(address) {
      await send("Page.navigate", { url: "about:blank" });
      await send("Page.navigate", { url: address });
    },
    size: (width, height = 900) =>
      send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false }),
    theme: (name) => send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: name }] }),
    key: async (key, code = key) => {
      const text = key.length === 1 ? key : undefined;
      const windowsVirtualKeyCode = KEY_CODES[key];
      await send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text, windowsVirtualKeyCode });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key, code, windowsVirtualKeyCode });
    },
    /** The whole page as a PNG, or as what `how` says: format, quality, scale. */
    async picture(how = {}) {
      const height = await run("Math.min(4000, document.documentElement.scrollHeight)");
      const width = await run("innerWidth");
      const { data } = await send("Page.captureScreenshot", {
        format: how.format ?? "png",
        quality: how.quality,
        captureBeyondViewport: true,
        clip: { x: 0, y: 0, width, height: Math.max(how.least ?? 900, height), scale: how.scale ?? 1 },
      });
      return Buffer.from(data, "base64");
    },
  };
}
