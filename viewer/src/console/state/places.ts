// Which item of the state a thing on the board is, and where things stand.
import type { Item as Thing } from "../../engine/engine.ts";
import type { Desk } from "../desk.svelte.ts";
import type { Names, Shape } from "./shapes.ts";

/** The path of an item, or the line between two places in a list. */
export type Target = string | { list: string; ends: readonly [string, string] };

const placeOf = ({ points }: Thing, index = 0): string => `${Math.round(points[2 * index] ?? 0)},${Math.round(points[2 * index + 1] ?? 0)}`;

/** Returns the item of a thing on the board. `null` if the state has none. */
export function itemOf(thing: Thing, called: string, shape: Names): Target | null {
  for (const [name, of] of Object.entries(shape.items)) {
    if (of.is === "by place" && of.of === called) return `${name}[${placeOf(thing)}]`;
    if (of.is === "by seat" && of.of === called && thing.seat !== null) return `${name}[${thing.seat}]`;
    if (of.is === "list" && of.each.is === "link" && of.each.drawn === called) return { list: name, ends: [placeOf(thing), placeOf(thing, 1)] };
  }
  return null;
}

/** Returns the item of a cell on which no thing is. */
export function itemOfCell(cell: { column: number; row: number }, shape: Names): Target | null {
  const found = Object.entries(shape.items).find(([, of]) => of.is === "by place" && of.of === "cell");
  return found ? `${found[0]}[${cell.column},${cell.row}]` : null;
}

/** Returns the classes of things that items name, with the places of those on the board. */
export function placesOf(desk: Desk, shape: Names): [string, string[]][] {
  const classes = new Set<string>();
  const collect = (of: Shape): void => {
    if ((of.is === "place" || of.is === "link" || of.is === "by place") && of.of && of.of !== "cell") classes.add(of.of);
    if (of.is === "list" || of.is === "by seat" || of.is === "by place") collect(of.each);
    if (of.is === "names") Object.values(of.items).forEach(collect);
  };
  collect(shape);
  return [...classes].map((name) => [name, desk.layers.items(name).map((thing) => placeOf(thing))]);
}
