// Which games have gestures. In every other one, orders are chosen from the list of lawful ones.
import { type ByGame, ofGame } from "../../games.ts";
import type { Gestures } from "./gesture.ts";
import { grid } from "./grid.ts";
import { lighthouses } from "./lighthouses.ts";
import { planetWars } from "./planetWars.ts";
import { portalsGestures } from "./portals.ts";
import { triangles } from "./triangles.ts";

const GESTURES: ByGame<Gestures> = { lighthouses, "planet-wars": planetWars, triangles, grid, portals: portalsGestures };

/** A game without gestures: its lawful orders are buttons. */
const plain: Gestures = {
  single: false,
  hint: "Choose your orders.",
  places: () => [],
  candidates: () => [],
  actions: (scope) => scope.legal().orders.slice(0, 200).map((order) => ({ label: order, order })),
  ends: () => null,
  attempt: () => null,
  words: (order) => order,
};

export const gesturesOf = (game: string): Gestures => ofGame(GESTURES, game) ?? plain;
