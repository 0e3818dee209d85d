// The data of a report file: compressed blocks in the page, unpacked when a view needs them.

import { blockSource } from "./source-blocks.js";

async function unpack(id) {
  const element = document.getElementById(id);
  if (!element) return null;
  const binary = atob(element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

export async function embeddedSource() {
  return blockSource(await unpack("manifest"), unpack, "file");
}
