// What bots read and wrote, from a transcript of `agon match --transcript`: one JSON object a line, in whose `bytes` one
// character stands for one byte.

export type Stream = "in" | "out" | "err";

export interface Piece {
  ply: number;
  seat: number;
  stream: Stream;
  text: string;
}

/** What is kept of a transcript; the page says when more was there. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

export class Transcript {
  readonly pieces: Piece[] = [];
  leftOut = false;

  constructor(text: string) {
    let room = MOST_CHARACTERS;
    for (const line of text.split("\n")) {
      const piece = parse(line);
      if (!piece) continue;
      if (typeof piece === "string" || piece.text.length > room) {
        this.leftOut = true;
        continue;
      }
      room -= piece.text.length;
      this.pieces.push(piece);
    }
    this.pieces.sort((a, b) => a.ply - b.ply);
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

function parse(line: string): Piece | "left out" | null {
  if (line === "") return null;
  try {
    const { ply, seat, stream, bytes, left_out } = JSON.parse(line) as Record<string, unknown>;
    if (left_out !== undefined) return "left out";
    if (typeof bytes !== "string" || typeof seat !== "number") return null;
    if (stream !== "in" && stream !== "out" && stream !== "err") return null;
    return { ply: typeof ply === "number" ? ply : 0, seat, stream, text: utf8(bytes) };
  } catch {
    return null;
  }
}

/** Returns the text of bytes that are written as one character each. What is no UTF-8 becomes U+FFFD. */
function utf8(bytes: string): string {
  const raw = Uint8Array.from(bytes, (c) => c.charCodeAt(0));
  return visible(new TextDecoder().decode(raw));
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
