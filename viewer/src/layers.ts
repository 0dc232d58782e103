// A position in the form the boards draw: the static scene and the frame of the turn in one, by names.
import type { Frame, Grid, Item, Scene } from "./engine/engine.ts";

/** The bits of a key that number a thing among its kind; the bits above say the kind, which is 0 for cells. */
const KIND = 2 ** 49;

export const keyNumber = (key: number): number => key % KIND;

export class Layers {
  readonly #items = new Map<string, Item[]>();
  readonly #grids = new Map<string, Grid>();
  readonly #moving: ReadonlyMap<number, Item>;

  /** A thing that is as in the layers `before` stays the same object, so that nothing of it is drawn anew. */
  constructor(scene: Scene, frame: Frame, before: Layers | null = null) {
    const known = before ? before.#moving : new Map<number, Item>();
    const kept = (item: Item): Item => {
      const old = known.get(item.key);
      return old && isSame(old, item) ? old : item;
    };
    this.#moving = new Map(frame.items.map((item) => [item.key, kept(item)]));
    const still = scene.items.filter((item) => !this.#moving.has(item.key));
    for (const item of [...still, ...this.#moving.values()]) {
      const name = scene.classes[item.cls]?.name ?? "";
      const list = this.#items.get(name);
      if (list) list.push(item);
      else this.#items.set(name, [item]);
    }
    for (const grid of [...scene.grids, ...frame.grids]) this.#grids.set(grid.name, grid);
  }

  /** The items of a class, in drawing order. */
  items(name: string): Item[] {
    return this.#items.get(name) ?? [];
  }

  grid(name: string): Grid | undefined {
    return this.#grids.get(name);
  }
}

const isEqual = (one: Float32Array | Float64Array, other: Float32Array | Float64Array): boolean =>
  one.length === other.length && one.every((value, i) => Object.is(value, other[i]));

const isSame = (one: Item, other: Item): boolean =>
  one.cls === other.cls &&
  one.seat === other.seat &&
  one.shape === other.shape &&
  one.strength === other.strength &&
  one.radius === other.radius &&
  one.text === other.text &&
  isEqual(one.points, other.points) &&
  isEqual(one.values, other.values);

/** Where the board's coordinates lie on the screen, in CSS pixels. */
export class Space {
  readonly scale: number;
  readonly #left: number;
  readonly #top: number;

  constructor(
    readonly scene: Scene,
    readonly width: number,
    readonly height: number,
    margin: number,
  ) {
    const [x0, y0] = scene.low;
    const [x1, y1] = scene.high;
    const room = [Math.max(1, width - 2 * margin), Math.max(1, height - 2 * margin)] as const;
    this.scale = Math.min(room[0] / Math.max(1e-6, x1 - x0), room[1] / Math.max(1e-6, y1 - y0));
    this.#left = (width - (x1 - x0) * this.scale) / 2 - x0 * this.scale;
    this.#top = (height - (y1 - y0) * this.scale) / 2;
  }

  x(x: number): number {
    return this.#left + x * this.scale;
  }

  y(y: number): number {
    const [, low] = this.scene.low;
    const [, high] = this.scene.high;
    return this.#top + (this.scene.yUp ? high - y : y - low) * this.scale;
  }

  /** Point `index` of an item. */
  at(item: Item, index = 0): { x: number; y: number } {
    return { x: this.x(item.points[2 * index] ?? 0), y: this.y(item.points[2 * index + 1] ?? 0) };
  }

  /** The points of a polygon as SVG writes them. */
  path(item: Item): string {
    let out = "";
    for (let i = 0; i + 1 < item.points.length; i += 2) {
      out += `${i ? "L" : "M"}${this.x(item.points[i]!).toFixed(1)} ${this.y(item.points[i + 1]!).toFixed(1)}`;
    }
    return `${out}Z`;
  }

  /** The cell under a place of the screen, as column and row of the map. */
  cell(x: number, y: number): { column: number; row: number } {
    const column = (x - this.x(this.scene.low[0])) / this.scale;
    const down = (y - this.#top) / this.scale;
    const row = this.scene.yUp ? this.scene.high[1] - this.scene.low[1] - down : down;
    return { column: Math.floor(column), row: Math.floor(row) };
  }
}
