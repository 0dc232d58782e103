// What the worker does: it plays matches from recorded positions to their end. It is the page's own script, started anew.
import { loadPlay } from "../engine/play.ts";
import { sayError } from "../player.svelte.ts";

/** What the page asks of the worker, once. */
export interface Task {
  wasm: Uint8Array;
  replay: Uint8Array;
  /** The name of a built-in bot for each seat. */
  bots: readonly string[];
  /** The positions, in the order of the work. */
  plies: readonly number[];
  /** The number of matches from each position. */
  count: number;
  seed: number;
}

/** What the worker answers: a position and the share of wins of each seat, or why it cannot go on. */
export type Answer = { ply: number; shares: number[] } | { why: string };

/** Returns the share of wins of each seat. Seats that share the first place share the win. */
export function shares(places: readonly (readonly number[])[], seats: number): number[] {
  const wins = new Array<number>(seats).fill(0);
  for (const match of places) {
    const first = match.flatMap((place, seat) => (place === 1 ? [seat] : []));
    for (const seat of first) wins[seat]! += 1 / first.length;
  }
  return wins.map((win) => win / Math.max(1, places.length));
}

/** Waits for the task and does it. */
export function work(): void {
  const say = (answer: Answer): void => postMessage(answer);
  addEventListener("message", ({ data }: MessageEvent<Task>) => {
    toEnd(data, say).catch((error: unknown) => say({ why: sayError(error) }));
  });
}

async function toEnd({ wasm, replay, bots, plies, count, seed }: Task, say: (answer: Answer) => void): Promise<void> {
  const engine = await loadPlay(wasm);
  engine.open(replay);
  for (const ply of plies) {
    engine.seek(ply);
    const played = engine.standing().over ? [engine.standing()] : engine.rollout(bots, seed + ply, count);
    say({ ply, shares: shares(played.map(({ places }) => places), bots.length) });
  }
}
