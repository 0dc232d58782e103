// Portals: the actions of a turn, one after the other. The last one can be taken back, as `annuler` does.
import type { Item } from "../../engine/engine.ts";
import { cellId, cellOf, type Candidate, type Gestures, type Scope } from "./gesture.ts";

type Read = string | { move?: [number, number]; link?: [number, number] };
const read = (order: string): Read => JSON.parse(order) as Read;
const at = (item: Item): string => cellId(Math.round(item.points[0] ?? 0), Math.round(item.points[1] ?? 0));
const move = (to: string): string => JSON.stringify({ move: cellOf(to) });
const link = (to: string): string => JSON.stringify({ link: cellOf(to) });

/** Where the agent stands after the orders so far. */
function here({ layers, seat, orders }: Scope): string | null {
  for (const order of [...orders].reverse()) {
    const action = read(order);
    if (typeof action === "object" && action.move) return cellId(...action.move);
  }
  const agent = layers.items("agent").find((item) => item.seat === seat);
  return agent ? at(agent) : null;
}
const portals = ({ layers }: Scope): string[] => layers.items("portal").map(at);

/** No agent walks further in a turn: six movement points, and seven that all its action points buy. */
const FARTHEST = 13;

export const portalsGestures: Gestures = {
  single: false,
  preview: true,
  hint: "Click a cell to walk there. Drag from the portal under you to another one to link them.",
  places: () => [],
  candidates: (scope) => {
    const own = here(scope);
    if (own === null) return [];
    const [column, row] = cellOf(own);
    const found: Candidate[] = [];
    for (let x = -FARTHEST; x <= FARTHEST; x += 1) {
      const rest = FARTHEST - Math.abs(x);
      for (let y = -rest; y <= rest; y += 1) {
        const inside = column + x >= 0 && column + x < scope.columns && row + y >= 0 && row + y < scope.rows;
        const to = cellId(column + x, row + y);
        if (inside && (x !== 0 || y !== 0)) found.push({ from: null, to, order: move(to) });
      }
    }
    if (portals(scope).includes(own)) {
      found.push(...portals(scope).filter((to) => to !== own).map((to) => ({ from: own, to, order: link(to) })));
    }
    return found;
  },
  actions: () => [
    { label: "Capture", order: '"capture"' },
    { label: "Neutralise", order: '"neutralise"' },
    { label: "Shield", order: '"shield"' },
    { label: "Turbo", order: '"turbo"' },
  ],
  ends: (order, scope) => {
    const action = read(order);
    const to = typeof action === "object" ? (action.move ?? action.link) : undefined;
    return to ? { from: here(scope), to: cellId(...to) } : null;
  },
  attempt: (from, to) => (from !== null && from !== to ? link(to) : move(to)),
  words: (order) => {
    const action = read(order);
    if (typeof action === "string") return action;
    return action.move ? `walk to ${action.move.join(", ")}` : `link to ${action.link?.join(", ") ?? ""}`;
  },
};
