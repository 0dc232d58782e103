// A match that is played in the page against built-in bots, and the turns that were taken back.
import type { PlayEngine } from "../engine/play.ts";
import type { Start } from "../engine/types.ts";
import { Desk, GLANCE, PERSON, type Line, type SavedMap } from "./desk.svelte.ts";
import { Tree, type Given, type Turn } from "./tree.ts";

export class LocalDesk extends Desk {
  tree = new Tree();
  /** The decisions of other people in the same turn. */
  #decided = $state.raw<ReadonlyMap<number, string>>(new Map());
  /** What bots have decided in the position at the end, by seat. */
  #thought = new Map<number, { bot: string; orders: string }>();
  protected readonly seed: number;

  constructor(play: PlayEngine, start: Start) {
    play.start(start);
    super(play, new TextEncoder().encode(play.record()), start.game);
    this.seed = start.seed;
    this.bots = start.seats.map((seat) => seat.bot.replace(/^@/, "") || PERSON);
    this.#arrive();
  }

  protected composes(seat: number): boolean {
    return this.bots[seat - 1] === PERSON && !this.#decided.has(seat);
  }

  protected decide(seat: number, orders: string): void {
    this.#decided = new Map(this.#decided).set(seat, orders);
    this.compose([]);
    this.#work(true);
  }

  oneTurn(): void {
    this.#work(true);
  }

  get pace(): number {
    void [this.changes, this.paused, this.bots, this.#decided];
    return 30;
  }

  // Where people decide as well, the bots think first.
  goOn(): number | null {
    if (!this.#work(false)) return null;
    return this.hand === null ? GLANCE : 0;
  }

  /**
   * Lets bots decide, and plays the turn if everybody has decided. Returns whether there is more to do.
   *
   * With `now`, also a paused turn in which nobody but people decides is played.
   */
  #work(now: boolean): boolean {
    if (this.over) return false;
    const decisions: Given[] = [];
    // Where bots decide in the same turn as a person, they have decided when the person does.
    for (const seat of this.awaited) {
      const orders = this.bots[seat - 1] === PERSON ? this.#decided.get(seat) : this.#think(seat);
      if (orders !== undefined) decisions.push({ seat, orders });
    }
    if (decisions.length < this.awaited.length) return false;
    const people = this.awaited.some((seat) => this.bots[seat - 1] === PERSON);
    if (this.paused && !people && !now) return false;
    this.#give(decisions);
    return !this.over;
  }

  #think(seat: number): string {
    const bot = this.bots[seat - 1] ?? "";
    const known = this.#thought.get(seat);
    if (known?.bot === bot) return known.orders;
    this.play.seek(this.match.plies);
    const orders = this.play.decide(seat, bot, this.seed);
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
    this.#decided = new Map();
    this.#thought.clear();
    this.compose([]);
    this.changes += 1;
    this.renew(this.play.match());
    this.show(this.match.plies);
    this.stand();
    this.survey();
  }

  /** Goes to a turn that was played: back, or on along a branch. */
  #goTo(to: Turn): void {
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
    this.#goTo(to);
  }

  redo(): void {
    const to = this.tree.redone();
    if (to) this.#goTo(to);
  }

  get canUndo(): boolean {
    void this.changes;
    return this.tree.now.before !== null;
  }

  get canRedo(): boolean {
    void this.changes;
    return this.tree.now.next !== null;
  }

  fromHere(): void {
    this.#goTo(this.tree.at(this.ply));
  }

  get lines(): readonly Line[] {
    void this.changes;
    return this.tree.branches().map(({ end, parts }) => ({ id: end.id, plies: end.ply, parts, current: end === this.tree.now }));
  }

  goTo(line: number): void {
    const found = this.tree.branches().find(({ end }) => end.id === line);
    if (found) this.#goTo(found.end);
  }

  sit(seat: number, bot: string): void {
    this.bots = this.bots.map((other, i) => (i === seat - 1 ? bot : other));
    this.#decided = new Map([...this.#decided].filter(([other]) => other !== seat));
    this.compose([]);
  }

  record(): Promise<string> {
    return Promise.resolve(this.play.record());
  }

  map(): Promise<SavedMap> {
    return Promise.resolve({ text: this.play.map(), leftOut: null });
  }
}
