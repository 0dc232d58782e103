// A person at the board: what is composed and shown, whoever keeps the match. `local.svelte.ts` keeps it in the page, and
// `served.svelte.ts` follows a session of `agon console`.
import { EngineError, type Frame } from "../engine/engine.ts";
import type { PlayEngine } from "../engine/play.ts";
import type { Game } from "../engine/types.ts";
import { Layers } from "../layers.ts";
import { Player } from "../player.svelte.ts";
import type { Scope } from "./gestures/gesture.ts";
import { accepts } from "./gestures/gesture.ts";
import { gesturesOf } from "./gestures/index.ts";
import type { Session } from "./session.ts";

export const PERSON = "human";
/** How long a turn is shown before the next one, if nobody but bots decides, in milliseconds. */
export const GLANCE = 120;

/** A line of play that was left, or the one that is shown. */
export interface Line {
  id: number;
  /** The number of turns at its end. */
  plies: number;
  /** The last turn that it has in common with the line that is shown. `null` if that is not known. */
  parts: number | null;
  current: boolean;
}

/** A position as a map. */
export interface SavedMap {
  text: string;
  /** What the map cannot say. `null` if nobody knows. */
  leftOut: readonly string[] | null;
}

export abstract class Desk extends Player {
  readonly play: PlayEngine;
  readonly game: Game;
  /** What a session with programs can do beyond a match in the page. `null` if there is none. */
  readonly session: Session | null = null;
  /** Who decides for each seat: a bot as the user named it, or `human`. */
  bots = $state<string[]>([]);
  /** Whether the bots wait. */
  paused = $state(false);
  /** What the person has composed so far, each order as JSON. */
  orders = $state.raw<readonly string[]>([]);
  /** Why the last thing that the person wanted was not done, and the way out if there is a short one. */
  refusal = $state("");
  hint = $state("");
  over = $state(false);
  ending = $state("");
  awaited = $state.raw<readonly number[]>([]);
  /** Counts changes of the match. */
  changes = $state(0);
  #drawn: { frame: Frame; layers: Layers } | null = null;

  constructor(play: PlayEngine, replay: Uint8Array, game: string) {
    super(play, replay, true);
    const known = play.games().find(({ name }) => name === game);
    if (!known) throw new EngineError(`this page does not have the game ${game}`);
    this.play = play;
    this.game = known;
  }

  /** Whether the person composes the decision of a seat that is awaited. */
  protected abstract composes(seat: number): boolean;
  /** Takes a decision that the rules accept. */
  protected abstract decide(seat: number, orders: string): void;
  abstract undo(): void;
  abstract redo(): void;
  abstract get canUndo(): boolean;
  abstract get canRedo(): boolean;
  /** Takes the turns behind the one that is shown back. */
  abstract fromHere(): void;
  abstract get lines(): readonly Line[];
  /** Goes to the end of a line of play. */
  abstract goTo(line: number): void;
  /** Gives a seat to a bot or to a person. */
  abstract sit(seat: number, bot: string): void;
  /** Lets the bots play one turn. */
  abstract oneTurn(): void;
  /** Lets bots go on, if they may. Returns after how many milliseconds there is more to do, or `null`. */
  abstract goOn(): number | null;
  /** Reads all that decides whether bots may go on, and returns how long the page draws before they do, in milliseconds. */
  abstract get pace(): number;
  /** The replay as it stands. `null` if it could not be had, which is told. */
  abstract record(): Promise<string | null>;
  /** The position at the end as a map. `null` if it could not be had, which is told. */
  abstract map(): Promise<SavedMap | null>;

  pause(paused: boolean): void {
    this.paused = paused;
  }

  /** The seat whose decision the person composes now. */
  get hand(): number | null {
    const waiting = this.awaited.find((seat) => this.composes(seat));
    return this.over || this.ply !== this.match.plies ? null : (waiting ?? null);
  }

  get gestures() {
    return gesturesOf(this.match.game);
  }

  /** What gestures look at. `null` if no person decides now. */
  get scope(): Scope | null {
    const seat = this.hand;
    if (seat === null) return null;
    const { scene, orders, play } = this;
    const layers = this.#unplayed();
    const size = (axis: 0 | 1): number => (scene.cell > 0 ? Math.round((scene.high[axis] - scene.low[axis]) / scene.cell) : 0);
    return {
      seat, ply: this.ply, layers, orders, columns: size(0), rows: size(1),
      legal: () => play.legal(seat),
      check: (list) => play.check(seat, `[${list.join(",")}]`),
    };
  }

  /** The position after the turn if nobody else gave orders. `null` if no person decides now. */
  after(): Layers | null {
    const seat = this.hand;
    if (seat === null) return null;
    this.play.branch();
    try {
      const awaited = this.play.awaited();
      this.play.apply(awaited.map((other) => ({ seat: other, orders: other === seat ? `[${this.orders.join(",")}]` : "[]" })));
      return new Layers(this.scene, this.play.frame(this.seat));
    } finally {
      this.play.leave();
    }
  }

  refuse(why: string, hint = ""): void {
    [this.refusal, this.hint] = [why, hint];
  }

  /** Adds an order, if the rules accept it, and says why not otherwise. A decision of one order is given at once. */
  order(order: string): void {
    const scope = this.scope;
    if (!scope) return;
    const orders = [...scope.orders, order];
    if (!accepts(order, scope)) {
      this.refuse(scope.check(orders)?.why ?? "");
      return;
    }
    this.compose(orders);
    if (this.gestures.single) this.give();
  }

  /** Replaces the orders. */
  compose(orders: readonly string[]): void {
    this.refuse("");
    this.orders = orders;
    if (this.gestures.preview) this.layers = (orders.length > 0 ? this.after() : null) ?? this.#unplayed();
  }

  /** The position that is shown without the orders so far. */
  #unplayed(): Layers {
    if (this.#drawn?.frame !== this.frame) this.#drawn = { frame: this.frame, layers: new Layers(this.scene, this.frame) };
    return this.#drawn.layers;
  }

  /** Gives the orders of the person. */
  give(): void {
    const seat = this.hand;
    if (seat === null) return;
    const orders = `[${this.orders.join(",")}]`;
    const refusal = this.play.check(seat, orders);
    if (refusal) this.refuse(refusal.why);
    else this.decide(seat, orders);
  }

  /** Takes over how the match stands at its end. */
  protected stand(): void {
    this.play.seek(this.match.plies);
    try {
      const { over, ending, places, scores } = this.play.standing();
      [this.over, this.ending] = [over, ending];
      if (over) this.match = { ...this.match, places, scores, ending };
      this.awaited = over ? [] : this.play.awaited();
    } finally {
      this.play.seek(this.ply);
    }
  }

  /** Collects what charts and the time bar show. */
  survey(): void {
    while (this.play.survey(this.seat, 256));
    this.measure();
  }

  override look(seat: number | null): void {
    super.look(seat);
    this.survey();
  }

  /** Lets a built-in bot fill in the orders of the person, without giving them. */
  suggest(bot: string): void {
    const seat = this.hand;
    if (seat === null) return;
    const orders = JSON.parse(this.play.decide(seat, bot, this.seed)) as unknown[];
    this.compose(orders.map((order) => JSON.stringify(order)));
  }

  /** What built-in bots in the page draw lots with. */
  protected abstract readonly seed: number;
}
