// The chance of winning turn by turn: how many of the matches that built-in bots play from a position to its end each seat wins.
import type { Mark } from "../marks.ts";
import type { Answer, Task } from "./worker.ts";

/** The number of matches from each position. Fewer would say little. */
export const COUNT = 32;
/** The most positions that are looked at, beside the start. */
const MOST = 64;
/** The largest changes become marks, if they are at least this much. */
const MARKS = 3;
const LEAST = 0.25;
const SEED = 1;

/** A position that was looked at, and the share of wins of each seat. */
export interface Point {
  ply: number;
  shares: number[];
}

/** Returns the positions to look at: first the ends, then always the middles between those that are known. */
export function places(plies: number): number[] {
  const steps = Math.min(MOST, plies);
  const at = (step: number): number => Math.round((step / Math.max(1, steps)) * plies);
  const order = new Set([at(0), at(steps)]);
  for (let width = 2 ** Math.ceil(Math.log2(Math.max(1, steps))); width >= 1; width /= 2) {
    for (let step = 0; step <= steps; step += width) order.add(at(step));
  }
  return [...order];
}

/** Returns the largest changes from one known position to the next one. */
export function swings(points: readonly Point[], name: (seat: number) => string, about: string): Mark[] {
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const all = points.slice(1).map(({ ply, shares }, i) => {
    const before = points[i]!.shares;
    const changes = shares.map((share, seat) => Math.abs(share - before[seat]!));
    const seat = changes.indexOf(Math.max(...changes));
    const text = `${name(seat + 1)}'s chance of winning goes from ${percent(before[seat]!)} to ${percent(shares[seat]!)} (${about})`;
    return { size: changes[seat]!, mark: { ply, kind: "swing" as const, seat: seat + 1, text } };
  });
  const large = all.filter(({ size }) => size >= LEAST).sort((a, b) => b.size - a.size || a.mark.ply - b.mark.ply);
  return large.slice(0, MARKS).map(({ mark }) => mark);
}

/** Where the module and the replay are, and how a worker is started. */
export interface Workshop {
  /** The module with the built-in bots. */
  wasm: Uint8Array;
  replay: Uint8Array;
  worker(): Worker;
}

export class Chance {
  /** What is known so far, in the order of the turns. */
  points = $state.raw<readonly Point[]>([]);
  /** The bot that plays for every seat. */
  bot = $state("");
  wanted = $state(0);
  running = $state(false);
  why = $state("");
  #worker: Worker | null = null;

  constructor(readonly workshop: Workshop) {}

  get about(): string {
    return `by @${this.bot} against @${this.bot}, ${COUNT} matches from each position`;
  }

  start(bot: string, seats: number, plies: number): void {
    this.stop();
    const order = places(plies);
    [this.points, this.bot, this.wanted, this.why, this.running] = [[], bot, order.length, "", true];
    const { wasm, replay } = this.workshop;
    try {
      this.#worker = this.workshop.worker();
    } catch (error) {
      this.#end(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ("why" in data) return this.#end(data.why);
      this.points = [...this.points, data].sort((a, b) => a.ply - b.ply);
      if (this.points.length === this.wanted) this.#end("");
    };
    this.#worker.onerror = (event) => this.#end(event.message || "the browser does not start a worker");
    const task: Task = { wasm, replay, bots: new Array<string>(seats).fill(bot), plies: order, count: COUNT, seed: SEED };
    this.#worker.postMessage(task);
  }

  /** Ends the work. What is known stays. */
  stop(): void {
    this.#end("");
  }

  #end(why: string): void {
    this.#worker?.terminate();
    [this.#worker, this.running, this.why] = [null, false, why];
  }
}
