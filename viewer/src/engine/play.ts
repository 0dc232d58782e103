// The engine with built-in bots and generators of maps: a person plays in the page, and no server is asked.
// `docs/viewer.md` describes the exports. It works in a worker, too.
import { instantiate, WasmEngine, written, type Exports, type RulesEngine } from "./engine.ts";
import type { Game, Match, Outcome, Standing, Start } from "./types.ts";

/** An engine whose match can be played on. */
export interface PlayEngine extends RulesEngine {
  /** Every game with its bots and kinds of maps. */
  games(): Game[];
  /** Begins a match and shows its start. */
  start(start: Start): Match;
  /**
   * Plays a turn at the end of the match and shows the position after it. The turn becomes a line of the replay. Throws with
   * the words of the refusal if the rules refuse an order; nothing changes then.
   */
  give(decisions: readonly { seat: number; orders: string }[]): Outcome;
  /** Takes turns back until `ply` are left, and shows the position after them. */
  rewind(ply: number): void;
  /** What describes the match as it stands. */
  match(): Match;
  /** The shown position as a map, as far as a map can say it. */
  map(): string;
  /** How the match stands in the shown position. `ending` says why it has ended, and is empty if it has not. */
  standing(): Standing & { over: boolean; ending: string };
  /** The match as it stands as a whole replay, in format 2: its footer has the result, or says that the match was broken off. */
  record(): string;
  /** What a built-in bot decides in the shown position: a JSON list of orders. The same arguments give the same orders. */
  decide(seat: number, bot: string, seed: number): string;
  /** Plays matches from the shown position to their end. `bots` names a built-in bot for each seat. */
  rollout(bots: readonly string[], seed: number, count: number): Standing[];
}

interface PlayExports extends Exports {
  agon_games(): number;
  agon_start(): number;
  agon_give(): number;
  agon_rewind(ply: number): number;
  agon_match(): number;
  agon_map(): number;
  agon_standing(): number;
  agon_record(): number;
  agon_decide(seat: number, seed: number): number;
  agon_rollout(count: number, seed: number): number;
}

/** Makes an engine of the bytes of the module *play*. Each engine has a memory of its own. */
export async function loadPlay(wasm: Uint8Array): Promise<PlayEngine> {
  return new WasmPlay(await instantiate<PlayExports>(wasm));
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

class WasmPlay extends WasmEngine<PlayExports> implements PlayEngine {
  games(): Game[] {
    return JSON.parse(this.call((exports) => exports.agon_games()).text()) as Game[];
  }

  start(start: Start): Match {
    return this.described(this.call((exports) => exports.agon_start(), bytes(JSON.stringify(start))));
  }

  give(decisions: readonly { seat: number; orders: string }[]): Outcome {
    return this.call((exports) => exports.agon_give(), written(decisions)).outcome();
  }

  rewind(ply: number): void {
    this.call((exports) => exports.agon_rewind(ply));
  }

  match(): Match {
    return this.described(this.call((exports) => exports.agon_match()));
  }

  map(): string {
    return this.call((exports) => exports.agon_map()).text();
  }

  standing(): Standing & { over: boolean; ending: string } {
    const answer = this.call((exports) => exports.agon_standing());
    return { over: answer.flag(), ending: answer.text(), ...answer.standing() };
  }

  record(): string {
    return this.call((exports) => exports.agon_record()).text();
  }

  decide(seat: number, bot: string, seed: number): string {
    return this.call((exports) => exports.agon_decide(seat, seed), bytes(bot)).text();
  }

  rollout(bots: readonly string[], seed: number, count: number): Standing[] {
    return this.call((exports) => exports.agon_rollout(count, seed), bytes(JSON.stringify(bots))).standings();
  }
}
