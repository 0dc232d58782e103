// The command that asks a bot again what it would do in a turn, to be copied into a terminal.
import type { Player } from "./player.svelte.ts";

/** What a terminal could take for something else than text. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** Returns a word as a shell takes it. What cannot be seen is not copied; `instead` then stands for it. */
export function quoted(word: string, instead: string): string {
  if (word === "" || UNSEEN.test(word)) return instead;
  return /^[\w@.,:/+=-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the command for a seat in a turn, or an empty text where a bot cannot be taken through the match. */
export function askCommand(player: Player, ply: number, seat: number): string {
  if (player.isOpen || player.engine.known > 0 || player.match.changes > 0) return "";
  const bot = player.match.seats[seat - 1]?.bot ?? "";
  if (bot === "human") return "";
  return `agon replay ask ${quoted(player.file, "FILE")} --ply ${ply} --seat ${seat} ${quoted(bot, "BOT")}`;
}
