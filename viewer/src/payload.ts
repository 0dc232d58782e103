// What the file carries beside the page: blocks of gzip in base64. Nothing is fetched.

async function block(id: string): Promise<Uint8Array | null> {
  const text = document.getElementById(id)?.textContent;
  if (!text) return null;
  const packed = decode(text.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text);
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) out[i] = bytes.charCodeAt(i);
  return out;
}

export interface Payload {
  engine: Uint8Array;
  /** The replay. `null` in a live page, which has its lines from its server. */
  replay: Uint8Array | null;
  transcript: string | null;
}

/**
 * Reads the blocks of the page.
 *
 * @throws if the engine is not there, or neither a replay nor a server.
 */
export async function payload(): Promise<Payload> {
  const [engine, replay, transcript] = await Promise.all(["agon-engine", "agon-replay", "agon-transcript"].map(block));
  if (!engine || (!replay && !location.protocol.startsWith("http"))) {
    throw new Error("this page has no replay in it; make one with `agon replay html`");
  }
  return { engine, replay: replay ?? null, transcript: transcript ? new TextDecoder().decode(transcript) : null };
}
