// What happened to cells this turn, from the events of the turn.
import type { GameEvent } from "../engine/engine.ts";

export type Sign = "captured" | "taken" | "contested" | "suffocated";

const SIGNS: ReadonlySet<string> = new Set<Sign>(["captured", "taken", "contested", "suffocated"]);

/** Returns the sign of each cell to which something happened, by its index. */
export function signsOf(events: readonly GameEvent[]): Map<number, Sign> {
  const signs = new Map<number, Sign>();
  for (const { kind, keys } of events) {
    if (!SIGNS.has(kind)) continue;
    for (const key of keys) signs.set(key, kind as Sign);
  }
  return signs;
}
