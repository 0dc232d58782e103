// The beginning of a long replay, which is enough for the first board.

/** A replay that is at least this long is read in pieces, in bytes. */
const LONG = 1 << 18;
/** The length of the first piece, and of each further one. A line is never divided. The first one has little more than the start. */
const FIRST = 1 << 10;
const PIECE = 1 << 18;
const LINE_FEED = 10;
/** How a footer begins, as Agon writes it. */
const FOOTER = new TextEncoder().encode('{"end":');

/** Returns what to read of a replay before the first board, and the rest in pieces of whole lines. A replay that is short or has
 *  no end is not divided: where it ends can only be told if it is read at once. */
export function beginning(text: Uint8Array): [Uint8Array, Iterable<Uint8Array> | null] {
  if (text.length < LONG || !hasFooter(text)) return [text, null];
  const first = lineEnd(text, FIRST);
  return [text.subarray(0, first), pieces(text, first)];
}

function* pieces(text: Uint8Array, from: number): Iterable<Uint8Array> {
  for (let end = from; from < text.length; from = end) {
    end = lineEnd(text, from + PIECE);
    yield text.subarray(from, end);
  }
}

/** Returns where the line at `at` ends, with its line feed. */
function lineEnd(text: Uint8Array, at: number): number {
  const feed = text.indexOf(LINE_FEED, at);
  return feed < 0 ? text.length : feed + 1;
}

function hasFooter(text: Uint8Array): boolean {
  if (text.at(-1) !== LINE_FEED) return false;
  const start = text.lastIndexOf(LINE_FEED, text.length - 2) + 1;
  return FOOTER.every((byte, i) => text[start + i] === byte);
}
