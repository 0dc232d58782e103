// Everything that was said between the console and programs, line by line. The oldest lines give way to new ones.
import { visible } from "../transcript.ts";
import { setTimer, type Later } from "./later.ts";

/** To the bot, from its stdout, from its stderr, or a note about its process. */
export type Way = "to" | "from" | "stderr" | "note";

/** A piece of the dialogue as it came, not necessarily whole lines. */
export interface Said {
  seat: number;
  /** Which start of the seat's program it belongs to. */
  run: number;
  /** The time since the start of the session, in microseconds. */
  at_us: number;
  way: Way;
  text: string;
}

/** A line, or what has come of it. One that grows becomes another row with the same `id`, so that it is drawn anew. */
export interface Row {
  /** Counts all lines of the dialogue. */
  readonly id: number;
  readonly seat: number;
  readonly way: Way;
  readonly at_us: number;
  /** The line, with signs for what cannot be seen. */
  readonly text: string;
}

/** What is kept, in characters. */
const MOST = 5_000_000;
/** What a line costs beside its characters, so that a flood of empty lines has an end, too. */
const ROW = 40;
/** A longer line goes on in another row. */
const LONGEST = 20_000;
/** How often the page shows what has come, in milliseconds. */
const PAUSE = 40;

const isSame = (one: Said, other: Said): boolean =>
  one.at_us === other.at_us && one.seat === other.seat && one.run === other.run && one.way === other.way && one.text === other.text;

/** The end of a part of a text that was to end at `end`: behind a character of two units that would be cut there. */
const whole = (text: string, end: number): number => ((text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end);

export class Dialogue {
  rows: Row[] = [];
  /** How many of the oldest lines were dropped. */
  dropped = 0;
  /** How many bytes were said before the first line, and were no longer kept when the page came. */
  forgotten = 0;
  /** The times between which the page was not connected, and the session has forgotten what was said. */
  missing: readonly { from: number; to: number }[] = [];
  /** Changes whenever there is something new to show. */
  version = $state(0);
  #size = 0;
  #count = 0;
  readonly #most: number;
  readonly #later: Later;
  #isDue = false;
  /** The last piece that came. */
  #heard: Said | null = null;
  /** The last line of each stream, while its end has not come. */
  readonly #open = new Map<string, Row>();

  constructor(most = MOST, later: Later = setTimer) {
    this.#most = most;
    this.#later = later;
  }

  /** Takes what the session remembers: the end of what was said, after so many bytes that it has forgotten. After a lost connection
   *  only that is new which follows what has come. */
  begin(said: readonly Said[], forgotten: number): void {
    const heard = this.#heard;
    if (!heard) this.forgotten = forgotten;
    const at = heard ? said.findLastIndex((piece) => isSame(piece, heard)) : -1;
    if (heard && at < 0) {
      this.missing = [...this.missing, { from: heard.at_us, to: said[0]?.at_us ?? heard.at_us }];
      this.#open.clear();
    }
    this.add(said.slice(at + 1));
  }

  add(said: readonly Said[]): void {
    for (const piece of said) this.#piece(piece);
    this.#heard = said.at(-1) ?? this.#heard;
    this.#shorten();
    if (this.#isDue) return;
    this.#isDue = true;
    this.#later(() => {
      this.#isDue = false;
      this.version += 1;
    }, PAUSE);
  }

  #piece({ seat, run, at_us, way, text }: Said): void {
    const stream = `${seat} ${run} ${way}`;
    const lines = text.split("\n");
    const last = lines.pop()!;
    for (const line of lines) {
      this.#write(stream, { seat, way, at_us }, line);
      this.#open.delete(stream);
    }
    if (last !== "") this.#write(stream, { seat, way, at_us }, last);
    if (way === "note") this.#open.delete(stream);
  }

  #write(stream: string, about: { seat: number; way: Way; at_us: number }, text: string): void {
    for (let at = 0; at === 0 || at < text.length; ) {
      let row = this.#open.get(stream);
      if (!row || row.text.length >= LONGEST) {
        this.#count += 1;
        row = { id: this.#count, ...about, text: "" };
        this.rows.push(row);
        this.#size += ROW;
      }
      const end = whole(text, at + LONGEST - row.text.length);
      // Of a character that cannot be seen, the sign may be shorter.
      const part = visible(text.slice(at, end));
      const grown = { ...row, text: row.text + part };
      this.rows[this.#index(row.id)] = grown;
      this.#open.set(stream, grown);
      this.#size += part.length;
      at = Math.max(at + 1, end);
    }
  }

  #index(id: number): number {
    return id - this.rows[0]!.id;
  }

  /** A line as it stands now. `null` if it was dropped. */
  row(id: number): Row | null {
    return this.rows.length === 0 ? null : (this.rows[this.#index(id)] ?? null);
  }

  /** Drops the oldest lines beyond what is kept. */
  #shorten(): void {
    let gone = 0;
    while (this.#size > this.#most && gone < this.rows.length - 1) {
      this.#size -= this.rows[gone]!.text.length + ROW;
      gone += 1;
    }
    if (gone === 0) return;
    this.rows.splice(0, gone);
    this.dropped += gone;
    const oldest = this.rows[0]!.id;
    for (const [stream, row] of this.#open) if (row.id < oldest) this.#open.delete(stream);
  }

  /** The lines of a seat, or of all, that hold a word. */
  found(seat: number | null, word: string): readonly Row[] {
    if (seat === null && word === "") return this.rows;
    const wanted = word.toLowerCase();
    return this.rows.filter((row) => (seat === null || row.seat === seat) && row.text.toLowerCase().includes(wanted));
  }
}
