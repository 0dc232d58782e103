// What the state of a position consists of. The names are the game's own, as `e2e/state.mjs` checks; `docs/console.md` has what
// they mean.
import { type ByGame, ofGame } from "../../games.ts";

/** A value of a state, as JSON has it. */
export type Value = number | string | readonly Value[] | Items;
export interface Items {
  readonly [name: string]: Value;
}

/** What may stand at an item, and how a person chooses it. */
export type Shape =
  | { is: "number" }
  | { is: "text" }
  | { is: "choice"; of: readonly string[] }
  | { is: "seat" }
  /** A list in which a seat is or is not. */
  | { is: "seats" }
  /** A place of the board. If `of` names a class of things on it, such a thing stands there. */
  | { is: "place"; of?: string }
  /** Two such places. `drawn` is the class of the line between them. */
  | { is: "link"; of: string; drawn?: string }
  | { is: "list"; each: Shape }
  | { is: "names"; items: Readonly<Record<string, Shape>> }
  /** An item for each seat. If `of` names a class of things on the board, the seat is one of them. */
  | { is: "by seat"; each: Shape; of?: string }
  /** Items named by places. A new one is `fresh`. `of` is as for a place; `cell` means cells that have no thing on them. */
  | { is: "by place"; each: Shape; of: string; fresh: Value };

export type Names = Extract<Shape, { is: "names" }>;

const NUMBER: Shape = { is: "number" };
const SEAT: Shape = { is: "seat" };
const SEATS: Shape = { is: "seats" };

const names = (items: Record<string, Shape>): Names => ({ is: "names", items });
const list = (each: Shape): Shape => ({ is: "list", each });
const bySeat = (of: string, each: Shape): Shape => ({ is: "by seat", of, each });

const lighthouse: Shape = { is: "place", of: "lighthouse" };
const portal: Shape = { is: "place", of: "portal" };

const SHAPES: ByGame<Names> = {
  triangles: names({ out: SEATS, forfeited: SEAT }),
  "planet-wars": names({ turn: NUMBER, out: SEATS, merged: list(NUMBER) }),
  grid: names({ turn: NUMBER, out: SEATS, ended: { is: "choice", of: ["elimination"] } }),
  lighthouses: names({
    round: NUMBER,
    to_move: SEAT,
    out: SEATS,
    players: bySeat("player", names({ at: { is: "place" }, energy: NUMBER, score: NUMBER, keys: list(lighthouse) })),
    lighthouses: { is: "by place", of: "lighthouse", each: names({ owner: SEAT, energy: NUMBER }), fresh: { owner: 1, energy: 1 } },
    connections: list({ is: "link", of: "lighthouse", drawn: "connection" }),
    cells: { is: "by place", of: "cell", each: NUMBER, fresh: 0 },
  }),
  portals: names({
    round: NUMBER,
    to_move: SEAT,
    out: SEATS,
    agents: bySeat("agent", names({ score: NUMBER, action_points: NUMBER, move_points: NUMBER })),
    portals: { is: "by place", of: "portal", each: names({ owner: SEAT, shields: NUMBER }), fresh: { owner: 1 } },
    links: list({ is: "link", of: "portal", drawn: "link" }),
    history: bySeat("", names({ captured: list(portal), neutralised: list(portal), shielded: list(portal), linked: list({ is: "link", of: "portal" }) })),
  }),
};

/** The words for names that do not say enough alone. */
const WORDS: Record<string, string> = { at: "place", cells: "energy of cells", out: "out of the match", merged: "orders merged into fleets", history: "last turn of each" };

/** Returns the shape of a game's whole state. The page knows no items of a game that it does not know. */
export const shapeOf = (game: string): Names => ofGame(SHAPES, game) ?? names({});

export const wordsOf = (name: string): string => WORDS[name] ?? name.replaceAll("_", " ");

/** Returns the shape of a value of which nothing else is known. */
export function guess(value: Value): Shape {
  if (typeof value === "number") return NUMBER;
  if (typeof value === "string") return { is: "text" };
  if (isList(value)) return list(value.length > 0 ? guess(value[0]!) : { is: "text" });
  return names({});
}

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export const isItems = (value: Value | undefined): value is Items => typeof value === "object" && !Array.isArray(value);

/** An item of a tree: its path, what it is called, its shape, and its value, if it is not left out. */
export interface Item {
  path: string;
  name: string;
  shape: Shape;
  value: Value | undefined;
}

const named = (path: string, name: string): string => (/^[a-z_]+$/.test(name) ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`);

/** Returns the items within another one, in the order in which they are shown. */
export function within({ path, shape, value }: Omit<Item, "name">, seats: number): Item[] {
  const items = isItems(value) ? value : {};
  const item = (name: string, of: Shape): Item => ({ path: named(path, name), name, shape: of, value: Object.hasOwn(items, name) ? items[name] : undefined });
  switch (shape.is) {
    case "names": {
      const others = Object.keys(items).filter((name) => !Object.hasOwn(shape.items, name));
      return [...Object.entries(shape.items).map(([name, of]) => item(name, of)), ...others.map((name) => item(name, guess(items[name]!)))];
    }
    case "by seat":
      return Array.from({ length: seats }, (_, i) => item(String(i + 1), shape.each));
    case "by place":
      return Object.keys(items).map((name) => item(name, shape.each));
    case "list":
      return (isList(value) ? value : []).map((each, i) => ({ path: `${path}[${i + 1}]`, name: String(i + 1), shape: shape.each, value: each }));
    default:
      return [];
  }
}

/** The path of the field in which an item is added to another one. */
export const addTo = (path: string): string => `${path}[+]`;

/** Whether items can be added to one of this shape, and taken out of it. */
export const grows = (shape: Shape): boolean => shape.is === "list" || shape.is === "by place";

/** Whether a path is that of an item, or leads through it. */
export const leads = (through: string, path: string): boolean =>
  path.startsWith(through) && ["", ".", "["].includes(path.charAt(through.length));

/** Returns the paths of the items that lead to a path, outermost first: for `players[1].at` those of `players` and `players[1]`. */
export function wayTo(path: string): string[] {
  const ends = [...path.matchAll(/\.|\[/g)].map(({ index }) => index).filter((end) => end > 0);
  return ends.map((end) => path.slice(0, end));
}

/** Returns the path at which a flaw of an item is shown: that of the item, of the field in which it was to be added, or of what
 *  is around it. */
export function nearest(root: Items, shape: Names, seats: number, path: string): string {
  let at: Omit<Item, "name"> = { path: "", shape, value: root };
  while (at.path !== path) {
    const next = within(at, seats).find((one) => leads(one.path, path));
    if (!next) return grows(at.shape) ? addTo(at.path) : at.path;
    at = next;
  }
  return path;
}
