// What if: from a recorded turn on, other orders than the recorded ones. It has an engine of its own, so that the record goes on
// beside it.
import { EngineError, type GameEvent } from "./engine/engine.ts";
import type { PlayEngine } from "./engine/play.ts";
import { Player } from "./player.svelte.ts";

/** Who decides for a seat: a built-in bot by its name, the record, or a person. */
export type Decider = "recorded" | "by hand" | (string & {});

/** A turn of the branch. */
interface Played {
  decided: { seat: number; orders: string }[];
  refused: string[];
  events: GameEvent[];
}

/** Seeds of bots are the number of the turn and this. */
const SEED = 7;

export class Branch extends Player {
  /** The turn of the record from which it goes on. */
  from = $state(0);
  turns = $state.raw<readonly Played[]>([]);
  awaited = $state.raw<readonly number[]>([]);
  /** Why the last decision was not played. */
  why = $state("");
  over = $state(false);
  ending = $state("");

  constructor(
    readonly hand: PlayEngine,
    replay: Uint8Array,
    from: number,
  ) {
    super(hand, replay, false);
    this.from = from;
    this.hand.seek(from);
    this.hand.branch();
    this.arrive();
  }

  override get gliding(): boolean {
    return true;
  }

  override events(): GameEvent[] {
    return this.turns.at(-1)?.events ?? [];
  }

  /** Looks through other eyes. What happened is told anew to them. */
  override look(seat: number | null): void {
    super.look(seat);
    const decided = this.turns.map((turn) => turn.decided);
    while (this.hand.undo());
    this.turns = decided.map((decided) => ({ decided, ...this.hand.apply(decided, this.seat) }));
    this.arrive();
  }

  /** The lawful first orders of a seat. Empty if there are too many to list. */
  lawful(seat: number): readonly string[] {
    const { listed, orders } = this.hand.legal(seat);
    return listed ? orders : [];
  }

  /** The recorded orders of a seat in the turn that comes, or `null` if it was not asked. */
  recorded(seat: number): string | null {
    if (this.ply >= this.match.plies) return null;
    const decision = this.hand.turn(this.ply + 1).decisions.find((other) => other.seat === seat);
    return decision ? `[${decision.list.join(",")}]` : null;
  }

  /** Plays a turn. `by` says who decides for a seat, and `written` has the orders of persons. Returns whether it was played. */
  give(by: (seat: number) => Decider, written: (seat: number) => string): boolean {
    try {
      const decided = this.awaited.map((seat) => ({ seat, orders: this.#orders(seat, by(seat), written(seat)) }));
      this.turns = [...this.turns, { decided, ...this.hand.apply(decided, this.seat) }];
      this.why = "";
    } catch (error) {
      if (!(error instanceof EngineError || error instanceof SyntaxError)) throw error;
      this.why = error.message;
      return false;
    }
    this.arrive();
    return true;
  }

  #orders(seat: number, by: Decider, written: string): string {
    if (by === "by hand") {
      const orders: unknown = JSON.parse(`[${written}]`);
      const list = JSON.stringify(orders);
      const refusal = this.hand.check(seat, list);
      if (refusal) throw new EngineError(`seat ${seat}: ${refusal.why}`);
      return list;
    }
    if (by === "recorded") {
      const recorded = this.recorded(seat);
      if (recorded === null) throw new EngineError(`seat ${seat} was not asked in turn ${this.ply + 1} of the record`);
      return recorded;
    }
    return this.hand.decide(seat, by, SEED);
  }

  undo(): void {
    if (!this.hand.undo()) return;
    this.turns = this.turns.slice(0, -1);
    this.why = "";
    this.arrive();
  }

  /** Draws the position at the end of the branch. */
  arrive(): void {
    this.ply = this.from + this.turns.length;
    const { over, ending } = this.hand.standing();
    [this.over, this.ending] = [over, ending];
    this.awaited = over ? [] : this.hand.awaited();
    this.draw();
  }
}
