// What bots draw and count for people, in lines of their stderr. `docs/viewer.md` describes the language. What does not follow it
// is an ordinary line of stderr.
import type { Transcript } from "./transcript.ts";

/** What a bot draws in one turn, in the coordinates of the board. */
export type Drawing =
  | { kind: "point"; at: [number, number] }
  | { kind: "circle"; at: [number, number]; radius: number }
  | { kind: "line"; from: [number, number]; to: [number, number] }
  | { kind: "text"; at: [number, number]; text: string };

/** A number that bots count, by seat: its values in the order of the turns. */
export interface Metric {
  name: string;
  values: Map<number, { ply: number; value: number }[]>;
}

/** What of the rest is left out: drawings of a seat in a turn, names of numbers in a match, letters of a name and of a text. */
export const MOST = { drawings: 200, metrics: 8, name: 24, text: 40 } as const;
const SIGN = "agon:";

/** Returns the words of a line that is meant for this page, or `null`. */
function words(line: string): string[] | null {
  const text = line.trim();
  return text.startsWith(SIGN) ? text.slice(SIGN.length).trim().split(/\s+/) : null;
}

/** Beyond this no number is drawn: a chart could not show it beside another one. */
const LARGEST = 1e15;
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** Reads numbers. Returns `null` unless all of them are decimal and not too large. */
function numbers(of: readonly string[], count: number): number[] | null {
  const found = of.slice(0, count).map((word) => (DECIMAL.test(word) ? Number(word) : Number.NaN));
  return found.length === count && found.every((number) => Math.abs(number) <= LARGEST) ? found : null;
}

/** Reads a line. Returns `null` if it draws nothing. */
export function drawing(line: string): Drawing | null {
  const [kind, ...rest] = words(line) ?? [];
  switch (kind) {
    case "point": {
      const found = rest.length === 2 ? numbers(rest, 2) : null;
      return found && { kind, at: [found[0]!, found[1]!] };
    }
    case "circle": {
      const found = rest.length === 3 ? numbers(rest, 3) : null;
      return found && found[2]! >= 0 ? { kind, at: [found[0]!, found[1]!], radius: found[2]! } : null;
    }
    case "line": {
      const found = rest.length === 4 ? numbers(rest, 4) : null;
      return found && { kind, from: [found[0]!, found[1]!], to: [found[2]!, found[3]!] };
    }
    case "text": {
      const found = numbers(rest, 2);
      const text = [...rest.slice(2).join(" ")].slice(0, MOST.text).join("");
      return found && text !== "" ? { kind, at: [found[0]!, found[1]!], text } : null;
    }
    default:
      return null;
  }
}

/** Reads a line. Returns `null` if it counts nothing. */
export function metric(line: string): { name: string; value: number } | null {
  const [kind, name, ...rest] = words(line) ?? [];
  if (kind !== "number" || !name || rest.length !== 1 || [...name].length > MOST.name) return null;
  const found = numbers(rest, 1);
  return found && { name, value: found[0]! };
}

/** Returns what a seat printed to stderr in a turn. */
function printed(transcript: Transcript, ply: number, seat: number): string[] {
  const pieces = transcript.between(["err"], ply, ply).filter((piece) => piece.seat === seat);
  return pieces.map((piece) => piece.text).join("").split("\n");
}

/** Returns what a seat draws in a turn. */
export function drawings(transcript: Transcript, ply: number, seat: number): Drawing[] {
  const all: Drawing[] = [];
  for (const line of printed(transcript, ply, seat)) {
    const one = drawing(line);
    if (one && all.length < MOST.drawings) all.push(one);
  }
  return all;
}

/** Returns what bots count, in the order in which the names come. The last value of a turn counts. */
export function metrics(transcript: Transcript): Metric[] {
  const all = new Map<string, Metric>();
  const lines = new Map<string, { ply: number; seat: number; text: string }>();
  for (const { stream, ply, seat, text } of transcript.pieces) {
    if (stream !== "err") continue;
    const key = `${ply} ${seat}`;
    const known = lines.get(key);
    if (known) known.text += text;
    else lines.set(key, { ply, seat, text });
  }
  for (const { ply, seat, text } of lines.values()) {
    if (!text.includes(SIGN)) continue;
    for (const line of text.split("\n")) {
      const one = metric(line);
      if (!one) continue;
      let known = all.get(one.name);
      if (!known) {
        if (all.size === MOST.metrics) continue;
        known = { name: one.name, values: new Map() };
        all.set(one.name, known);
      }
      const values = known.values.get(seat) ?? [];
      known.values.set(seat, values);
      if (values.at(-1)?.ply === ply) values[values.length - 1] = { ply, value: one.value };
      else values.push({ ply, value: one.value });
    }
  }
  return [...all.values()];
}

/** Returns the value of a seat after a turn: the last one that its bot told, or `NaN`. */
export function valueAt({ values }: Metric, seat: number, ply: number): number {
  const told = values.get(seat) ?? [];
  let [low, high] = [0, told.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (told[middle]!.ply <= ply) low = middle + 1;
    else high = middle;
  }
  return told[low - 1]?.value ?? Number.NaN;
}
