// Gestures of the pointer and of the keyboard, from a place to a place.
import type { Direction } from "../boards/walk.ts";
import type { Space } from "../layers.ts";
import type { Desk } from "./desk.svelte.ts";
import { cellId, cellOf, lawful, type Candidate, type Place } from "./gestures/gesture.ts";

/** How near to a place the pointer must be, in CSS pixels. */
const NEAR = 22;
/** From this distance on, a press is a drag. */
const DRAG = 7;

export class Hand {
  readonly desk: Desk;
  /** Where the board lies on the screen. */
  space: Space | null = null;
  /** The place at which a gesture has begun. */
  from = $state<string | null>(null);
  cursor = $state<string | null>(null);
  byKeys = $state(false);
  pointer = $state.raw<{ x: number; y: number } | null>(null);
  dragging = $state(false);
  #pressed: { x: number; y: number; id: string } | null = null;
  /** Whether the press paints cells, and what it has painted. */
  #painted: Set<string> | null = null;

  places = $derived.by((): Place[] => (this.desk.scope ? this.desk.gestures.places(this.desk.scope) : []));
  candidates = $derived.by((): Candidate[] => {
    const scope = this.desk.scope;
    if (!scope) return [];
    const { gestures } = this.desk;
    return gestures.listed ? gestures.candidates(scope) : lawful(gestures.candidates(scope), scope);
  });
  /** The places that a click or the end of a drag may name. */
  lit = $derived.by((): string[] => {
    const ends = this.candidates.filter((one) => one.from === this.from).map((one) => one.to);
    const starts = this.from === null ? this.candidates.map((one) => one.from).filter((id) => id !== null) : [];
    return [...new Set([...ends, ...starts])].slice(0, 2000);
  });
  /** The orders so far as they lie on the board. */
  drawn = $derived.by((): { from: Place | null; to: Place }[] => {
    const scope = this.desk.scope;
    if (!scope) return [];
    const found: { from: Place | null; to: Place }[] = [];
    for (const [i, order] of this.desk.orders.entries()) {
      const before = { ...scope, orders: scope.orders.slice(0, i) };
      const ends = this.desk.gestures.ends(order, before);
      const to = ends ? this.place(ends.to) : null;
      if (to) found.push({ from: ends?.from == null ? null : this.place(ends.from), to });
    }
    return found;
  });

  constructor(desk: Desk) {
    this.desk = desk;
  }

  /** Whether gestures of this game begin at a place that is chosen first. */
  get startsPairs(): boolean {
    return this.desk.scene.cell === 0;
  }

  get #cells(): boolean {
    return this.desk.scene.cell > 0;
  }

  place(id: string): Place | null {
    if (!this.#cells) return this.places.find((place) => place.id === id) ?? null;
    const [column, row] = cellOf(id);
    return { id, x: column, y: row, label: `cell ${column}, ${row}` };
  }

  /** The place under a point of the board, in CSS pixels. */
  #under(x: number, y: number): string | null {
    const space = this.space;
    const scope = this.desk.scope;
    if (!space || !scope) return null;
    if (this.#cells) {
      const { column, row } = space.cell(x, y);
      return column >= 0 && row >= 0 && column < scope.columns && row < scope.rows ? cellId(column, row) : null;
    }
    const far = (place: Place): number => Math.hypot(space.x(place.x) - x, space.y(place.y) - y);
    const nearest = [...this.places].sort((a, b) => far(a) - far(b))[0];
    return nearest && far(nearest) <= NEAR ? nearest.id : null;
  }

  /** The lit cell nearest to a point, if the cell there is not lit, nor one that the orders name. */
  #near(x: number, y: number): string | null {
    const id = this.#under(x, y);
    const { space } = this;
    const isMeant = id !== null && (this.lit.includes(id) || this.drawn.some(({ to }) => to.id === id));
    if (!this.#cells || !space || isMeant) return id;
    const far = (place: Place): number => Math.hypot(space.x(place.x) - x, space.y(place.y) - y);
    const all = this.lit.map((one) => this.place(one)).filter((place) => place !== null);
    const best = all.sort((a, b) => far(a) - far(b))[0];
    return best && far(best) <= NEAR ? best.id : id;
  }

  /** Begins a gesture. A finger is broad: it means the place that is lit, if one is near. */
  down(x: number, y: number, isBroad = false): void {
    this.byKeys = false;
    const id = isBroad ? this.#near(x, y) : this.#under(x, y);
    if (id === null || this.desk.hand === null) return;
    this.#pressed = { x, y, id };
    this.pointer = { x, y };
    this.#painted = this.desk.gestures.toggle ? new Set([id]) : null;
    if (this.#painted) this.choose(id);
  }

  move(x: number, y: number): void {
    const pressed = this.#pressed;
    if (!pressed) return;
    this.pointer = { x, y };
    const far = Math.hypot(x - pressed.x, y - pressed.y) > DRAG;
    if (this.#painted) {
      const id = this.#under(x, y);
      if (id === null || this.#painted.has(id)) return;
      this.#painted.add(id);
      // Who paints over tiles passes some that cannot be captured.
      const candidate = this.candidates.find((one) => one.to === id);
      if (candidate) this.desk.order(candidate.order);
    } else if (far && !this.dragging) {
      this.dragging = true;
      this.from = pressed.id;
    }
  }

  up(x: number, y: number): void {
    const pressed = this.#pressed;
    const [dragging, painted] = [this.dragging, this.#painted];
    this.#pressed = this.#painted = null;
    this.dragging = false;
    this.pointer = null;
    if (!pressed || painted) return;
    const id = this.#under(x, y);
    if (!dragging) this.choose(pressed.id);
    else if (id === null || id === pressed.id) this.from = null;
    else this.choose(id);
  }

  cancel(): void {
    this.#pressed = this.#painted = null;
    this.dragging = false;
    this.from = null;
    this.pointer = null;
  }

  /** Does what a click at a place does: begins a gesture there, ends one, or gives the order of the place. */
  choose(id: string): void {
    const scope = this.desk.scope;
    if (!scope) return;
    const { gestures } = this.desk;
    const toggled = gestures.toggle?.(id, scope);
    if (toggled) return this.desk.compose(toggled);
    if (this.from === id) {
      this.from = null;
      return;
    }
    const from = this.from;
    const found = this.candidates.find((one) => one.from === from && one.to === id);
    const begins = from === null && this.candidates.some((one) => one.from === id);
    this.from = null;
    if (found) return this.desk.order(found.order);
    if (begins) {
      this.desk.refuse("");
      this.from = id;
      return;
    }
    const order = gestures.attempt(from, id, scope);
    if (order !== null) this.desk.order(order);
    else if (from === null && this.startsPairs) this.desk.refuse(`nothing can begin at ${this.place(id)?.label ?? "this place"}`);
  }

  /** Moves the cursor to the next place in a direction. */
  step(...[x, y]: Direction): void {
    this.byKeys = true;
    const space = this.space;
    const scope = this.desk.scope;
    if (!space || !scope) return;
    if (this.#cells) {
      const [column, row] = this.cursor === null ? this.#home() : cellOf(this.cursor);
      const to = [column + x, row + (space.scene.yUp ? -y : y)] as const;
      const inside = to[0] >= 0 && to[1] >= 0 && to[0] < scope.columns && to[1] < scope.rows;
      this.cursor = inside ? cellId(...to) : cellId(column, row);
      return;
    }
    const here = this.cursor === null ? null : this.place(this.cursor);
    if (!here) {
      this.cursor = this.lit[0] ?? this.places[0]?.id ?? null;
      return;
    }
    const down = space.scene.yUp ? -1 : 1;
    const cost = (place: Place): number => {
      const [dx, dy] = [place.x - here.x, (place.y - here.y) * down];
      const along = dx * x + dy * y;
      return along <= 0 ? Infinity : along + 2 * Math.abs(dx * y - dy * x);
    };
    const best = this.places.filter((place) => place.id !== here.id).sort((a, b) => cost(a) - cost(b))[0];
    if (best && cost(best) < Infinity) this.cursor = best.id;
  }

  /** Moves the cursor to the next place that is lit. */
  next(direction: 1 | -1): void {
    this.byKeys = true;
    const { lit } = this;
    if (lit.length === 0) return;
    const at = this.cursor === null ? -1 : lit.indexOf(this.cursor);
    this.cursor = lit[(at + direction + lit.length) % lit.length] ?? null;
  }

  #home(): [number, number] {
    const [first] = this.lit;
    return first === undefined ? [0, 0] : cellOf(first);
  }

  /** What a screen reader says of the cursor. */
  get said(): string {
    if (this.cursor === null || !this.byKeys) return "";
    const place = this.place(this.cursor);
    if (!place) return "";
    return `${place.label}${this.lit.includes(place.id) ? "" : ", not lawful now"}${this.from === place.id ? ", chosen" : ""}`;
  }
}
