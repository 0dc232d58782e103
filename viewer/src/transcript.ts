// What bots read and wrote, from a transcript of `agon match --transcript`: one JSON object a line, in whose `bytes` one
// character stands for one byte.

export type Stream = "in" | "out" | "err";

export interface Piece {
  ply: number;
  seat: number;
  stream: Stream;
  text: string;
}

/** What had no room: how many bytes, and the turns of which they are. */
export interface LeftOut {
  bytes: number;
  first: number;
  last: number;
}

/** How many bytes of all bots are kept. `agon replay html` puts no more into a page. */
export const ROOM = 64 * 1024 * 1024;

export class Transcript {
  readonly pieces: Piece[] = [];
  leftOut: LeftOut | null = null;
  /** How many bytes the match itself left out. */
  cut = 0;
  readonly room: number;
  #free: number;

  /** Reads lines as they come, so that no text of the whole has to exist: a browser makes none above 512 MB. */
  static async read(stream: ReadableStream<Uint8Array>, room = ROOM): Promise<Transcript> {
    const transcript = new Transcript(room);
    const lines = new Lines();
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (const line of lines.add(next.value)) transcript.#take(line);
    }
    transcript.#take(lines.end());
    transcript.pieces.sort((a, b) => a.ply - b.ply);
    return transcript;
  }

  private constructor(room: number) {
    this.room = this.#free = room;
  }

  #take(line: Uint8Array): void {
    const { ply = 0, last, seat, stream, bytes, left_out } = parse(line);
    if (typeof ply !== "number") return;
    if (typeof left_out === "number") {
      // Without turns, it is what the match left out of a stream.
      if (typeof last === "number") this.#leave({ bytes: left_out, first: ply, last });
      else this.cut += left_out;
      return;
    }
    if (typeof bytes !== "string" || typeof seat !== "number" || (stream !== "in" && stream !== "out" && stream !== "err")) return;
    if (bytes.length > this.#free) {
      this.#leave({ bytes: bytes.length, first: ply, last: ply });
      return;
    }
    this.#free -= bytes.length;
    this.pieces.push({ ply, seat, stream, text: utf8(bytes) });
  }

  #leave({ bytes, first, last }: LeftOut): void {
    const before = this.leftOut ?? { bytes: 0, first, last };
    this.leftOut = { bytes: before.bytes + bytes, first: Math.min(before.first, first), last: Math.max(before.last, last) };
  }

  /** Pieces of these streams in the turns from `first` to `last`. */
  between(streams: readonly Stream[], first: number, last: number): Piece[] {
    return this.pieces.slice(this.#from(first), this.#from(last + 1)).filter((piece) => streams.includes(piece.stream));
  }

  /** The index of the first piece of turn `ply` or of a later one. */
  #from(ply: number): number {
    let [low, high] = [0, this.pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pieces[middle]!.ply < ply) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first `most` pieces of these streams that hold a word and are `told`. */
  search(streams: readonly Stream[], word: string, told: (piece: Piece) => boolean, most: number): Piece[] {
    const wanted = word.toLowerCase();
    const found: Piece[] = [];
    for (const piece of this.pieces) {
      if (!streams.includes(piece.stream) || !told(piece) || !piece.text.toLowerCase().includes(wanted)) continue;
      found.push(piece);
      if (found.length === most) break;
    }
    return found;
  }
}

/** Takes bytes apart into lines. */
class Lines {
  #parts: Uint8Array[] = [];

  /** Returns the lines that end in these bytes. */
  *add(bytes: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let end = bytes.indexOf(FEED); end >= 0; end = bytes.indexOf(FEED, from)) {
      this.#parts.push(bytes.subarray(from, end));
      yield this.end();
      from = end + 1;
    }
    if (from < bytes.length) this.#parts.push(bytes.subarray(from));
  }

  /** Returns what there is of a line, and begins the next one. */
  end(): Uint8Array {
    const parts = this.#parts;
    this.#parts = [];
    if (parts.length === 1) return parts[0]!;
    const line = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      line.set(part, at);
      at += part.length;
    }
    return line;
  }
}

const FEED = 10;
const UTF8 = new TextDecoder();

/** Returns what a line says. What is no line of a transcript says nothing. */
function parse(line: Uint8Array): Record<string, unknown> {
  if (line.length === 0) return {};
  try {
    return (JSON.parse(UTF8.decode(line)) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Returns the text of bytes that are written as one character each. What is no UTF-8 becomes U+FFFD. */
function utf8(bytes: string): string {
  const raw = new Uint8Array(bytes.length);
  for (let i = 0; i < raw.length; i += 1) raw[i] = bytes.charCodeAt(i);
  return visible(UTF8.decode(raw));
}

/** What prints nothing, moves its neighbours or turns them around: the list of `is_hidden` in `agon-core`, but for tabs and line
 *  feeds. */
const HIDDEN = new RegExp(
  "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f-\\u1160\\u17b4-\\u17b5\\u180e" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb" +
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]",
  "gu",
);

/** Shows what is hidden, and what turns text around, as signs. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (c) => (c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\u2426"));
