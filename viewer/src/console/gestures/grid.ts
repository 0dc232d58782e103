// Grid: tiles are painted within the energy. A second click takes a tile back.
import { cellId, cellOf, type Gestures } from "./gesture.ts";

const tile = (order: string): [number, number] => JSON.parse(order) as [number, number];
const write = (id: string): string => `[${cellOf(id).join(",")}]`;

export const grid: Gestures = {
  single: false,
  hint: "Paint the tiles to capture. Click a painted tile to take it back.",
  places: () => [],
  candidates: (scope) =>
    scope
      .legal()
      .orders.filter((order) => !scope.orders.includes(order))
      .map((order) => ({ from: null, to: cellId(...tile(order)), order })),
  actions: () => [],
  ends: (order) => ({ from: null, to: cellId(...tile(order)) }),
  attempt: (_, to) => write(to),
  words: (order) => {
    const [x, y] = tile(order);
    return `capture ${x}, ${y}`;
  },
  toggle: (to, { orders }) => {
    const order = write(to);
    return orders.includes(order) ? orders.filter((other) => other !== order) : null;
  },
};
