// Every turn that was played, also those that were taken back: undo, redo and branches walk through them.
export interface Given {
  seat: number;
  /** A JSON list of orders. */
  orders: string;
}

export interface Turn {
  readonly id: number;
  /** The turn before. `null` at the start. */
  readonly before: Turn | null;
  readonly ply: number;
  readonly given: readonly Given[];
  /** Whether a person decided in it. */
  readonly byPerson: boolean;
  readonly after: Turn[];
  /** The turn that followed last, which redo plays again. */
  next: Turn | null;
}

export class Tree {
  readonly start: Turn = { id: 0, before: null, ply: 0, given: [], byPerson: false, after: [], next: null };
  now: Turn = this.start;
  #count = 0;

  /** Adds a turn behind the one that is shown. The same decisions again are the same turn. */
  add(given: readonly Given[], byPerson: boolean): Turn {
    const same = this.now.after.find((turn) => JSON.stringify(turn.given) === JSON.stringify(given));
    const turn = same ?? { id: ++this.#count, before: this.now, ply: this.now.ply + 1, given, byPerson, after: [], next: null };
    if (!same) this.now.after.push(turn);
    this.now.next = turn;
    this.now = turn;
    return turn;
  }

  /** Where undo leads: before the last decision of a person, or one turn back if only bots decided. */
  undone(): Turn | null {
    for (let turn: Turn | null = this.now; turn?.before; turn = turn.before) if (turn.byPerson) return turn.before;
    return this.now.before;
  }

  /** Where redo leads: behind the next decision of a person and the answers of bots to it. */
  redone(): Turn | null {
    let turn = this.now.next;
    while (turn?.next && !turn.next.byPerson) turn = turn.next;
    return turn;
  }

  /** The last turn on the line of play that is shown, up to turn `ply`. */
  at(ply: number): Turn {
    let turn = this.now;
    while (turn.before && turn.ply > ply) turn = turn.before;
    return turn;
  }

  /** The turns between the line of play that is shown and another turn: where they part, and what follows there. */
  way(to: Turn): { from: Turn; turns: Turn[] } {
    const line = new Set<Turn>();
    for (let turn: Turn | null = this.now; turn; turn = turn.before) line.add(turn);
    const turns: Turn[] = [];
    let from = to;
    while (!line.has(from) && from.before) {
      turns.unshift(from);
      from = from.before;
    }
    return { from, turns };
  }

  /** Goes to a turn. Redo then follows the way that led to it. */
  go(to: Turn): void {
    for (let turn = to; turn.before; turn = turn.before) turn.before.next = turn;
    this.now = to;
  }

  /** The last turns of all branches, and the turn at which each parts from the one that is shown. */
  branches(): { end: Turn; parts: number }[] {
    const found: { end: Turn; parts: number }[] = [];
    const open: Turn[] = [this.start];
    for (let turn = open.pop(); turn; turn = open.pop()) {
      if (turn.after.length === 0 && turn !== this.start) found.push({ end: turn, parts: this.way(turn).from.ply });
      open.push(...turn.after);
    }
    return found.sort((a, b) => a.end.id - b.end.id);
  }
}
