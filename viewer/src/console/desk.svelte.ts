// A match that is played in the page: who sits where, what was decided, and the turns that were taken back.
import { EngineError, type Frame } from "../engine/engine.ts";
import type { PlayEngine } from "../engine/play.ts";
import type { Game, Start } from "../engine/types.ts";
import { Layers } from "../layers.ts";
import { Player } from "../player.svelte.ts";
import type { Scope } from "./gestures/gesture.ts";
import { accepts } from "./gestures/gesture.ts";
import { gesturesOf } from "./gestures/index.ts";
import { Tree, type Given, type Turn } from "./tree.ts";

export const PERSON = "human";

export class Desk extends Player {
  readonly play: PlayEngine;
  readonly game: Game;
  /** Who decides for each seat: the name of a built-in bot, or `human`. */
  bots = $state<string[]>([]);
  /** Whether the bots wait. */
  paused = $state(false);
  /** What the person has composed so far, each order as JSON. */
  orders = $state.raw<readonly string[]>([]);
  /** The decisions of other people in the same turn. */
  decided = $state.raw<ReadonlyMap<number, string>>(new Map());
  refusal = $state("");
  over = $state(false);
  ending = $state("");
  awaited = $state.raw<readonly number[]>([]);
  /** Counts changes of the tree, which is no state itself. */
  changes = $state(0);
  tree = new Tree();
  /** What bots have decided in the position at the end, by seat. */
  #thought = new Map<number, { bot: string; orders: string }>();
  #seed: number;
  #drawn: { frame: Frame; layers: Layers } | null = null;

  constructor(play: PlayEngine, start: Start) {
    play.start(start);
    super(play, new TextEncoder().encode(play.record()), null, true);
    const game = play.games().find((known) => known.name === start.game);
    if (!game) throw new EngineError(`this page does not have the game ${start.game}`);
    this.play = play;
    this.game = game;
    this.#seed = start.seed;
    this.bots = start.seats.map((seat) => seat.bot.replace(/^@/, "") || PERSON);
    this.#arrive();
  }

  /** The seat whose decision the person composes now. */
  get hand(): number | null {
    const waiting = this.awaited.find((seat) => this.bots[seat - 1] === PERSON && !this.decided.has(seat));
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
      this.play.apply(this.awaited.map((other) => ({ seat: other, orders: other === seat ? `[${this.orders.join(",")}]` : "[]" })));
      return new Layers(this.scene, this.play.frame(this.seat));
    } finally {
      this.play.leave();
    }
  }

  /** Adds an order, if the rules accept it, and says why not otherwise. A decision of one order is given at once. */
  order(order: string): void {
    const scope = this.scope;
    if (!scope) return;
    const orders = [...scope.orders, order];
    if (!accepts(order, scope)) {
      this.refusal = scope.check(orders)?.why ?? "";
      return;
    }
    this.compose(orders);
    if (this.gestures.single) this.give();
  }

  /** Replaces the orders. */
  compose(orders: readonly string[]): void {
    this.refusal = "";
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
    if (refusal) {
      this.refusal = refusal.why;
      return;
    }
    this.decided = new Map(this.decided).set(seat, orders);
    this.compose([]);
    this.work(true);
  }

  /**
   * Lets bots decide, and plays the turn if everybody has decided. Returns whether there is more to do.
   *
   * With `now`, also a paused turn in which nobody but people decides is played.
   */
  work(now = false): boolean {
    if (this.over) return false;
    const decisions: Given[] = [];
    // Where bots decide in the same turn as a person, they have decided when the person does.
    for (const seat of this.awaited) {
      const orders = this.bots[seat - 1] === PERSON ? this.decided.get(seat) : this.#decide(seat);
      if (orders !== undefined) decisions.push({ seat, orders });
    }
    if (decisions.length < this.awaited.length) return false;
    const people = this.awaited.some((seat) => this.bots[seat - 1] === PERSON);
    if (this.paused && !people && !now) return false;
    this.#give(decisions);
    return !this.over;
  }

  #decide(seat: number): string {
    const bot = this.bots[seat - 1] ?? "";
    const known = this.#thought.get(seat);
    if (known?.bot === bot) return known.orders;
    this.play.seek(this.match.plies);
    const orders = this.play.decide(seat, bot, this.#seed);
    this.play.seek(this.ply);
    this.#thought.set(seat, { bot, orders });
    return orders;
  }

  #give(given: readonly Given[]): void {
    this.play.give(given);
    this.tree.add(given, given.some(({ seat }) => this.bots[seat - 1] === PERSON));
    this.#arrive();
  }

  /** Shows the end of the match as it stands now. */
  #arrive(): void {
    this.decided = new Map();
    this.#thought.clear();
    this.compose([]);
    this.changes += 1;
    this.renew(this.play.match());
    this.show(this.match.plies);
    const { over, ending, places, scores } = this.play.standing();
    this.over = over;
    this.ending = ending;
    if (over) this.match = { ...this.match, places, scores, ending };
    this.awaited = over ? [] : this.play.awaited();
    this.survey();
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

  /** Goes to a turn that was played: back, or on along a branch. */
  goTo(to: Turn): void {
    const { from, turns } = this.tree.way(to);
    this.play.rewind(from.ply);
    for (const turn of turns) this.play.give(turn.given);
    this.tree.go(to);
    this.#arrive();
  }

  undo(): void {
    const to = this.tree.undone();
    if (!to) return;
    if (!this.bots.includes(PERSON)) this.paused = true;
    this.goTo(to);
  }

  redo(): void {
    const to = this.tree.redone();
    if (to) this.goTo(to);
  }

  get canUndo(): boolean {
    void this.changes;
    return this.tree.now.before !== null;
  }

  get canRedo(): boolean {
    void this.changes;
    return this.tree.now.next !== null;
  }

  /** Takes the turns behind the one that is shown back. */
  fromHere(): void {
    this.goTo(this.tree.at(this.ply));
  }

  sit(seat: number, bot: string): void {
    this.bots = this.bots.map((other, i) => (i === seat - 1 ? bot : other));
    this.decided = new Map([...this.decided].filter(([other]) => other !== seat));
    this.compose([]);
  }

  /** Lets the built-in bot fill in the orders of the person, without giving them. */
  suggest(bot: string): void {
    const seat = this.hand;
    if (seat === null) return;
    const orders = JSON.parse(this.play.decide(seat, bot, this.#seed)) as unknown[];
    this.compose(orders.map((order) => JSON.stringify(order)));
  }
}
