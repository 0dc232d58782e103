// Sizes and places of what Planet Wars shows: planets that do not touch, and numbers that do not collide.
import type { Item } from "../engine/engine.ts";
import type { Space } from "../layers.ts";
import { number } from "../numbers.ts";

export interface Fleet {
  item: Item;
  ships: number;
  total: number;
  remaining: number;
  from: { x: number; y: number };
  to: { x: number; y: number };
  destination: number;
  x: number;
  y: number;
}

const SMALLEST = 10;

/** Returns the radius of each planet by its key. Where two would touch, the small one shrinks first. */
export function radii(planets: readonly Item[], space: Space): Map<number, number> {
  const room = Math.min(1, Math.max(0.6, Math.min(space.width, space.height) / 560));
  const at = planets.map((planet) => space.at(planet));
  const size = planets.map((planet) => Math.max(8, (12 + 2.4 * Math.min(8, planet.values[1] ?? 0)) * room));
  const least = Math.min(SMALLEST, ...size);
  for (let i = 0; i < planets.length; i += 1) {
    for (let k = i + 1; k < planets.length; k += 1) {
      const apart = Math.hypot(at[i]!.x - at[k]!.x, at[i]!.y - at[k]!.y) - 2;
      const [small, large] = size[i]! <= size[k]! ? [i, k] : [k, i];
      if (size[small]! + size[large]! <= apart) continue;
      size[small] = Math.max(least, apart - size[large]!);
      if (size[small]! + size[large]! > apart) size[large] = Math.max(least, apart - size[small]!);
    }
  }
  return new Map(planets.map((planet, i) => [planet.key, size[i]!]));
}

/** Draws fleets of one seat and goal as one where they nearly coincide. */
export function mergeFleets(fleets: readonly Fleet[], within = 12): Fleet[] {
  const merged: Fleet[] = [];
  const groups = new Map<string, Fleet[]>();
  for (const fleet of [...fleets].sort((a, b) => b.ships - a.ships)) {
    const name = `${fleet.item.seat}>${fleet.destination}`;
    const group = groups.get(name) ?? [];
    const near = group.find((other) => Math.hypot(other.x - fleet.x, other.y - fleet.y) < within);
    if (near) {
      near.ships += fleet.ships;
      continue;
    }
    const own = { ...fleet };
    group.push(own);
    groups.set(name, group);
    merged.push(own);
  }
  return merged;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const touch = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Squares of the screen, so that a box is compared with its neighbours only. */
class Crowd {
  readonly #squares = new Map<number, Box[]>();
  readonly #side = 40;

  *#over(box: Box): Generator<number> {
    for (let x = Math.floor(box.x / this.#side); x <= Math.floor((box.x + box.width) / this.#side); x += 1) {
      for (let y = Math.floor(box.y / this.#side); y <= Math.floor((box.y + box.height) / this.#side); y += 1) {
        yield x * 10_000 + y;
      }
    }
  }

  add(box: Box): void {
    for (const square of this.#over(box)) {
      const boxes = this.#squares.get(square);
      if (boxes) boxes.push(box);
      else this.#squares.set(square, [box]);
    }
  }

  free(box: Box): boolean {
    for (const square of this.#over(box)) {
      if (this.#squares.get(square)?.some((other) => touch(box, other))) return false;
    }
    return true;
  }
}

const AROUND = [[1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]] as const;

/** Finds places for the numbers of fleets, the largest first. Those that find none are left out. */
export function placeLabels(
  planets: readonly Item[],
  sizes: ReadonlyMap<number, number>,
  fleets: readonly Fleet[],
  space: Space,
): { key: number; x: number; y: number; text: string }[] {
  const crowd = new Crowd();
  for (const planet of planets) {
    const { x, y } = space.at(planet);
    const r = (sizes.get(planet.key) ?? SMALLEST) + 2;
    crowd.add({ x: x - r, y: y - r - 6, width: 2 * r, height: 2 * r + 6 });
  }
  for (const fleet of fleets) crowd.add({ x: fleet.x - 6, y: fleet.y - 6, width: 12, height: 12 });
  const labels = [];
  for (const fleet of [...fleets].sort((a, b) => b.ships - a.ships || a.item.key - b.item.key)) {
    const text = number(fleet.ships);
    const [width, height] = [text.length * 6.6 + 2, 12];
    for (const [dx, dy] of AROUND) {
      const [x, y] = [fleet.x + dx * (8 + width / 2), fleet.y + dy * 12];
      const box = { x: x - width / 2, y: y - height / 2, width, height };
      if (box.x < 0 || box.y < 0 || box.x + width > space.width || box.y + height > space.height) continue;
      if (!crowd.free(box)) continue;
      crowd.add(box);
      labels.push({ key: fleet.item.key, x, y: y + 4, text });
      break;
    }
  }
  return labels;
}
