// What the file carries beside the page: blocks of gzip in base64. Nothing is fetched.

/** Returns the bytes of a block of the page, or `null` if the page does not have it. */
export async function block(id: string): Promise<Uint8Array | null> {
  const stream = unpacked(id);
  return stream && new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the bytes of a block as they are unpacked, or `null` if the page does not have it. */
function unpacked(id: string): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  const text = document.getElementById(id)?.textContent;
  if (!text) return null;
  const gzip = new DecompressionStream("gzip");
  const writer = gzip.writable.getWriter();
  // Whoever reads learns what is wrong with it.
  for (const written of [writer.write(decode(text.trim())), writer.close()]) written.catch(() => {});
  return gzip.readable as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** What browsers have since 2025. It is faster, and the first board waits for it. */
const { fromBase64 } = Uint8Array as { fromBase64?: (this: unknown, text: string) => Uint8Array<ArrayBuffer> };

function decode(text: string): Uint8Array<ArrayBuffer> {
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const bytes = atob(text);
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) out[i] = bytes.charCodeAt(i);
  return out;
}

export interface Payload {
  /** The module with the rules. `null` in a page that has only what one seat knew. */
  engine: Uint8Array | null;
  /** What one seat knew. */
  known: Uint8Array | null;
  /** The replay. `null` in a live page, which has its lines from its server. */
  replay: Uint8Array | null;
  /** The transcript, which may be too long for one text. */
  transcript: ReadableStream<Uint8Array> | null;
  /** The name of the file with the replay, without its folder. Empty if there is none. */
  file: string;
  /** Another replay, which is shown beside the first one. */
  beside: Uint8Array | null;
  /** Whether the server of the page begins consoles. */
  plays: boolean;
}

/**
 * Reads the blocks of the page. The one with the rules is being read already, so that it is compiled while the others are unpacked.
 *
 * @throws if there is neither what one seat knew, nor the rules with a replay or a server.
 */
export async function payload(module: Promise<Uint8Array | null>): Promise<Payload> {
  const names = ["agon-known", "agon-replay", "agon-file", "agon-beside", "agon-plays"];
  const [engine = null, known = null, replay = null, file, beside = null, plays = null] = await Promise.all([module, ...names.map(block)]);
  if (!known && (!engine || (!replay && !location.protocol.startsWith("http")))) {
    throw new Error("this page has no replay in it; make one with `agon replay html`");
  }
  const name = file ? new TextDecoder().decode(file) : "";
  return { engine, known, replay, transcript: unpacked("agon-transcript"), file: name, beside, plays: plays !== null };
}
