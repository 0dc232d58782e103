// The list of the games that the page knows. Each table of boards, gestures and states has one entry for each of them: the compiler
// checks the tables, and `e2e/every.mjs` checks that this list is that of `agon games`.

/** What the page has to know of a game, beyond what its positions say. */
interface Facts {
  /** Whether each seat is told what the others decided. */
  tellsOrders: boolean;
  /** Whether its cells fill the board. What has edges of its own keeps some air. */
  fillsBoard: boolean;
}

type Name = "lighthouses" | "planet-wars" | "triangles" | "grid" | "portals";

/** A table with an entry for each game. */
export type ByGame<T> = Readonly<Record<Name, T>>;

export const GAMES: ByGame<Facts> = {
  lighthouses: { tellsOrders: false, fillsBoard: false },
  "planet-wars": { tellsOrders: true, fillsBoard: false },
  triangles: { tellsOrders: true, fillsBoard: false },
  grid: { tellsOrders: true, fillsBoard: true },
  portals: { tellsOrders: true, fillsBoard: false },
};

/** Returns the entry of a game. `undefined` if the page does not know the game. */
export const ofGame = <T>(table: ByGame<T>, game: string): T | undefined =>
  Object.hasOwn(table, game) ? table[game as Name] : undefined;
