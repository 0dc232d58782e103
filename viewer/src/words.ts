// The match in words: what the engine tells of turns, with the names of players in the place of their seats.
import type { GameEvent } from "./engine/engine.ts";
import { capital } from "./numbers.ts";

/** A piece of a sentence. A name of a player stands alone, so that its letters cannot turn the others around. */
export interface Phrase {
  text: string;
  seat: number | null;
}

const SEAT = /\bseat (\d+)\b/gi;

/** Returns what happened as a sentence. `name` returns the name of a player, empty if there is none. */
export function phrases(event: GameEvent, name: (seat: number) => string): Phrase[] {
  const text = capital(event.text);
  const all: Phrase[] = [];
  let from = 0;
  for (const found of text.matchAll(SEAT)) {
    const seat = Number(found[1]);
    const called = name(seat);
    if (called === "") continue;
    if (found.index > from) all.push({ text: text.slice(from, found.index), seat: null });
    all.push({ text: called, seat });
    from = found.index + found[0].length;
  }
  if (from < text.length) all.push({ text: text.slice(from), seat: null });
  return all;
}

/** Returns whether a sentence holds a word, whatever its case. The number of a seat can be searched for, too. */
export function holds(event: GameEvent, word: string, name: (seat: number) => string): boolean {
  const wanted = word.toLowerCase();
  const said = phrases(event, name).map((phrase) => phrase.text).join("");
  return said.toLowerCase().includes(wanted) || event.text.toLowerCase().includes(wanted);
}
