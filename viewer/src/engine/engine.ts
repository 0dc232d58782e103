// The rules of all games, a reader of replays and a verification, as a WASM module. `docs/viewer.md` describes its exports.
import { Decoder } from "./decode.ts";
import type { Frame, GameEvent, Legal, Match, Outcome, Refusal, Scene, Series, Turn, Verdict } from "./types.ts";

export type * from "./types.ts";

/** The version of the exports that this file knows. */
const VERSION = 2;

/** Why something cannot be done. The text may quote the replay, so it is text and never markup. */
export class EngineError extends Error {
  /** The line of the replay, counted from 1, if the reason is there. */
  readonly line?: number;

  constructor(message: string, line?: number) {
    super(message);
    this.name = "EngineError";
    if (line !== undefined) this.line = line;
  }
}

/**
 * A replay that is open, and the position that is shown. Position 0 is the start, and turn 1 leads to position 1. Seats count
 * from 1; `null` as the eyes means that everything is seen.
 */
export interface Engine {
  /** The seat whose knowledge is all that there is, or 0. */
  readonly known: number;
  /** Opens a replay: its plain text in format 1 or 2, whole or cut off. */
  open(text: Uint8Array): Match;
  /** Adds whole lines of the same replay, for a match that is being played. */
  append(text: Uint8Array): Match;
  /** Goes on through at most `count` lines of the verification. */
  verify(count: number): Verdict;
  /** Goes on through at most `count` turns with what is collected for charts and marks. With other eyes it begins anew. Returns
   *  whether there is more. */
  survey(seat: number | null, count: number): boolean;
  /** Shows the position after `ply` turns. */
  seek(ply: number): void;
  /** Shows a position within turn `ply`, after so many of its steps. 0 is the position before the turn. */
  seekStep(ply: number, step: number): void;
  /** The number of steps of turn `ply`, at least 1. */
  steps(ply: number): number;
  /** The fingerprint of the shown position. Within a turn it is that of the turn's end. */
  fingerprint(): string;
  /** What is the same in all positions of the match. */
  scene(): Scene;
  /** What else is drawn of the shown position. */
  frame(seat: number | null): Frame;
  /** Facts about a thing or a cell, each with its name. */
  facts(key: number, seat: number | null): [string, string][];
  /** What the survey has collected. Numbers that are not known, or not collected yet, are `NaN`. */
  series(): Series;
  /** What happened in turn `ply`. */
  events(ply: number, seat: number | null): GameEvent[];
  /** What the seats decided in turn `ply`. */
  turn(ply: number): Turn;
}

/** An engine with the rules, by which orders can be tried beside the record. */
export interface RulesEngine extends Engine {
  /** The lawful first orders of a seat in the shown position. */
  legal(seat: number): Legal;
  /** The seats that decide in the shown position. */
  awaited(): number[];
  /** Says why the rules refuse a decision in the shown position. `null` if they accept it. `orders` is a JSON list. */
  check(seat: number, orders: string): Refusal | null;
  /** Leaves the record at the shown position. Until `leave` or `seek` everything above shows the branch. */
  branch(): void;
  /** Plays a turn on the branch. `orders` is a JSON list. Answers what a seat learns of it; without one, everything. */
  apply(decisions: readonly { seat: number; orders: string }[], seat?: number | null): Outcome;
  /** Takes the last turn of the branch back. `false` if there is none. */
  undo(): boolean;
  /** Returns to the record. */
  leave(): void;
}

/** The exports of every module. Those that answer return the length of the answer, or a negative number. */
export interface Exports {
  memory: WebAssembly.Memory;
  agon_version(): number;
  agon_input(length: number): number;
  agon_output(): number;
  agon_open(): number;
  agon_append(): number;
  agon_verify(count: number): number;
  agon_seek(ply: number): number;
  agon_seek_step(ply: number, step: number): number;
  agon_steps(ply: number): number;
  agon_fingerprint(): number;
  agon_scene(): number;
  agon_frame(eyes: number): number;
  agon_facts(key: number, eyes: number): number;
  agon_survey(eyes: number, count: number): number;
  agon_series(): number;
  agon_events(ply: number, eyes: number): number;
  agon_turn(ply: number): number;
  agon_legal(seat: number): number;
  agon_awaited(): number;
  agon_check(seat: number): number;
  agon_branch(): number;
  agon_apply(eyes: number): number;
  agon_undo(): number;
  agon_leave(): number;
}

/** Makes an engine of the bytes of the module. Each engine has a memory of its own. */
export async function loadEngine(wasm: Uint8Array): Promise<RulesEngine> {
  return new WasmEngine(await instantiate<Exports>(wasm));
}

/** Returns the exports of a module, if this file knows their version. */
export async function instantiate<E extends Exports>(wasm: Uint8Array): Promise<E> {
  const { instance } = await WebAssembly.instantiate(wasm as BufferSource, {});
  const exports = instance.exports as unknown as E;
  if (exports.agon_version() !== VERSION) {
    throw new EngineError(`the engine has version ${exports.agon_version()}, but the page needs ${VERSION}`);
  }
  return exports;
}

/** The decisions of a turn as the module reads them. */
export const written = (decisions: readonly { seat: number; orders: string }[]): Uint8Array =>
  new TextEncoder().encode(`[${decisions.map(({ seat, orders }) => `{"seat":${seat},"orders":${orders}}`).join(",")}]`);

export class WasmEngine<E extends Exports = Exports> implements RulesEngine {
  readonly known: number = 0;
  readonly #exports: E;

  constructor(exports: E) {
    this.#exports = exports;
  }

  /** Calls the module, with input if there is any, and returns its answer. */
  protected call(work: (exports: E) => number, input?: Uint8Array): Decoder {
    if (input) this.#give(input);
    return this.#answer(work(this.#exports));
  }

  /** Gives the module its input. */
  #give(bytes: Uint8Array): void {
    const at = this.#exports.agon_input(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
  }

  /** Returns the answer of the call that returned `length`. It is a copy, because the next call reuses the memory. */
  #answer(length: number): Decoder {
    const at = this.#exports.agon_output() >>> 0;
    const answer = new Decoder(new Uint8Array(this.#exports.memory.buffer, at, Math.abs(length)).slice());
    if (length >= 0) return answer;
    const line = answer.number();
    throw new EngineError(answer.text(), line || undefined);
  }

  open(text: Uint8Array): Match {
    return this.described(this.call((exports) => exports.agon_open(), text));
  }

  append(text: Uint8Array): Match {
    return this.described(this.call((exports) => exports.agon_append(), text));
  }

  /** What describes a match, with what its scene says of it. */
  protected described(answer: Decoder): Match {
    return answer.match(this.call((exports) => exports.agon_scene()).plane());
  }

  verify(count: number): Verdict {
    return this.call((exports) => exports.agon_verify(count)).verdict();
  }

  seek(ply: number): void {
    this.call((exports) => exports.agon_seek(ply));
  }

  seekStep(ply: number, step: number): void {
    this.call((exports) => exports.agon_seek_step(ply, step));
  }

  steps(ply: number): number {
    return this.call((exports) => exports.agon_steps(ply)).number();
  }

  fingerprint(): string {
    return this.call((exports) => exports.agon_fingerprint()).text();
  }

  scene(): Scene {
    return this.call((exports) => exports.agon_scene()).scene();
  }

  frame(seat: number | null): Frame {
    return this.call((exports) => exports.agon_frame(seat ?? 0)).frame();
  }

  facts(key: number, seat: number | null): [string, string][] {
    return this.call((exports) => exports.agon_facts(key, seat ?? 0)).facts();
  }

  survey(seat: number | null, count: number): boolean {
    return this.call((exports) => exports.agon_survey(seat ?? 0, count)).flag();
  }

  series(): Series {
    return this.call((exports) => exports.agon_series()).series();
  }

  events(ply: number, seat: number | null): GameEvent[] {
    return this.call((exports) => exports.agon_events(ply, seat ?? 0)).events();
  }

  turn(ply: number): Turn {
    return this.call((exports) => exports.agon_turn(ply)).turn();
  }

  legal(seat: number): Legal {
    return this.call((exports) => exports.agon_legal(seat)).legal();
  }

  awaited(): number[] {
    return this.call((exports) => exports.agon_awaited()).seats();
  }

  check(seat: number, orders: string): Refusal | null {
    const answer = this.call((exports) => exports.agon_check(seat), new TextEncoder().encode(orders));
    const why = answer.text();
    return why === "" ? null : { why, index: answer.number() };
  }

  branch(): void {
    this.call((exports) => exports.agon_branch());
  }

  apply(decisions: readonly { seat: number; orders: string }[], seat: number | null = null): Outcome {
    return this.call((exports) => exports.agon_apply(seat ?? 0), written(decisions)).outcome();
  }

  undo(): boolean {
    return this.call((exports) => exports.agon_undo()).flag();
  }

  leave(): void {
    this.call((exports) => exports.agon_leave());
  }
}
