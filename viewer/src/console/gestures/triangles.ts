// Triangles: a segment between two points, drawn or clicked.
import type { Gestures, Scope } from "./gesture.ts";

const pair = (order: string): [number, number] => JSON.parse(order) as [number, number];

export const triangles: Gestures = {
  single: true,
  hint: "Draw a segment from one point to another, or click both.",
  places: ({ layers }: Scope) =>
    layers.items("point").map((item, i) => ({
      id: String(i + 1), x: item.points[0] ?? 0, y: item.points[1] ?? 0, label: `point ${i + 1}`,
    })),
  candidates: (scope) =>
    scope.legal().orders.flatMap((order) => {
      const [a, b] = pair(order).map(String) as [string, string];
      return [{ from: a, to: b, order }, { from: b, to: a, order: `[${b},${a}]` }];
    }),
  actions: () => [],
  listed: true,
  ends: (order) => {
    const [from, to] = pair(order).map(String) as [string, string];
    return { from, to };
  },
  attempt: (from, to) => (from === null ? null : `[${from},${to}]`),
  words: (order) => `segment ${pair(order).join("–")}`,
};
