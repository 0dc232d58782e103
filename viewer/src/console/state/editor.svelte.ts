// Changes what a position has beyond its map, one item at a time. The rules check each change with all other items.
import { tick } from "svelte";
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { Desk } from "../desk.svelte.ts";
import type { CommandError, Session } from "../session.ts";
import { addTo, isList, leads, nearest, shapeOf, wayTo, within, type Item, type Items, type Names, type Value } from "./shapes.ts";

/** How many items of a list are drawn at first, and how many more each time. */
const SOME = 60;

export class StateEditor {
  readonly desk: Desk;
  readonly session: Session;
  readonly shape: Names;
  state = $state.raw<Items>({});
  /** Counts how often the state has come. */
  version = $state(0);
  /** Why the last change was refused, and the path of the field that shows it. */
  flaw = $state.raw<CommandError | null>(null);
  flawed = $state("");
  /** What was done last, for who cannot see it. */
  said = $state("");
  /** The place of a new item that was chosen on the board, and the path of the field that adds it. */
  chosen = $state.raw<{ path: string; text: string } | null>(null);
  readonly #open = new SvelteSet<string>();
  readonly #drawn = new SvelteMap<string, number>();

  constructor(desk: Desk, session: Session) {
    [this.desk, this.session, this.shape] = [desk, session, shapeOf(desk.match.game)];
  }

  get items(): Item[] {
    return this.within({ path: "", shape: this.shape, value: this.state });
  }

  within(item: Omit<Item, "name">): Item[] {
    return within(item, this.desk.seats.length);
  }

  async load(): Promise<void> {
    const state = await this.session.beyond();
    if (state === null) return;
    if (JSON.stringify(state) !== JSON.stringify(this.state)) this.flaw = null;
    this.state = state;
    this.version += 1;
  }

  isFlawed(path: string): boolean {
    return this.flaw !== null && this.flawed === path;
  }

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  toggle(path: string): void {
    if (!this.#open.delete(path)) this.#open.add(path);
  }

  /** How many items within another one are drawn. */
  most(path: string): number {
    return this.#drawn.get(path) ?? SOME;
  }

  drawMore(path: string): void {
    this.#drawn.set(path, this.most(path) + SOME);
  }

  /** Sets an item. Returns whether the rules accept it. */
  put(path: string, value: Value): Promise<boolean> {
    return this.#change(path, () => this.session.put(path, value), `${path} is set`);
  }

  /** Leaves an item out, so that it is as at the start of a match. */
  leaveOut(path: string): Promise<boolean> {
    return this.#change(path, () => this.session.leaveOut(path), `${path} is left out`);
  }

  /** Adds an item to a list, or one with the name of a place. */
  add(to: Item, value: Value): Promise<boolean> {
    const { path, shape } = to;
    if (shape.is === "by place") return this.put(`${path}[${String(value)}]`, shape.fresh);
    const count = isList(to.value) ? to.value.length : 0;
    // A position of a list that is left out would make named items of it.
    return count > 0 ? this.put(`${path}[${count + 1}]`, value) : this.put(path, [value]);
  }

  async #change(path: string, change: () => Promise<CommandError | null>, said: string): Promise<boolean> {
    this.said = "";
    const flaw = await change();
    this.flaw = flaw;
    if (!flaw) {
      this.chosen = null;
      await this.load();
      this.said = said;
      return true;
    }
    this.flawed = nearest(this.state, this.shape, this.desk.seats.length, flaw.item ?? path);
    await this.focus(this.flawed);
    return false;
  }

  /** Draws an item and gives it the focus. */
  async focus(path: string): Promise<void> {
    for (const way of wayTo(path)) {
      this.#open.add(way);
      const place = this.#placeIn(way, path);
      while (place >= this.most(way)) this.drawMore(way);
    }
    await tick();
    const field = document.getElementById(`item-${path}`);
    field?.focus();
    // What belongs to the field is below it.
    field?.closest("li")?.scrollIntoView({ block: "nearest" });
  }

  /** The position of the item that leads to a path among those within another one. */
  #placeIn(way: string, path: string): number {
    let at: Item[] = this.items;
    for (;;) {
      const next = at.find((one) => leads(one.path, way));
      if (!next) return -1;
      at = this.within(next);
      if (next.path === way) return at.findIndex((one) => leads(one.path, path));
    }
  }

  /** Opens an item with everything in it, or the field that adds it with its place filled in. */
  async reveal(path: string): Promise<void> {
    if (this.version === 0) await this.load();
    const at = nearest(this.state, this.shape, this.desk.seats.length, path);
    if (at === path) {
      this.#open.add(path);
    } else if (at.endsWith("[+]")) {
      this.chosen = { path: at, text: path.slice(at.length - 2, -1) };
    }
    await this.focus(at);
  }

  /** Opens the item of a line between two places. */
  async revealLink(list: string, ends: readonly [string, string]): Promise<void> {
    if (this.version === 0) await this.load();
    const all = this.state[list];
    const names = [ends.join(" "), ends.toReversed().join(" ")];
    const index = isList(all) ? all.findIndex((one) => typeof one === "string" && names.includes(one)) : -1;
    await this.focus(index < 0 ? addTo(list) : `${list}[${index + 1}]`);
  }
}
