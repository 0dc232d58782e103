// Lighthouses: walk to a neighbouring cell, charge the lighthouse under the player, connect it to another one.
import type { Item } from "../../engine/engine.ts";
import { cellId, cellOf, type Action, type Candidate, type Gestures, type Scope } from "./gesture.ts";

const player = ({ layers, seat }: Scope): Item | undefined => layers.items("player").find((item) => item.seat === seat);
const at = (item: Item): string => cellId(Math.round(item.points[0] ?? 0), Math.round(item.points[1] ?? 0));
const lights = ({ layers }: Scope): string[] => layers.items("lighthouse").map(at);

function step(from: string, to: string): string {
  const [a, b] = cellOf(from);
  const [x, y] = cellOf(to);
  return JSON.stringify({ move: [x - a, y - b] });
}
const connect = (to: string): string => JSON.stringify({ connect: cellOf(to) });

export const lighthouses: Gestures = {
  single: true,
  hint: "Click a neighbouring cell to walk there. Drag from your lighthouse to another one to connect them.",
  places: () => [],
  candidates: (scope) => {
    const own = player(scope);
    if (!own) return [];
    const [column, row] = cellOf(at(own));
    const found: Candidate[] = [];
    for (let x = -1; x <= 1; x += 1) {
      for (let y = -1; y <= 1; y += 1) {
        const to = cellId(column + x, row + y);
        if (x !== 0 || y !== 0) found.push({ from: null, to, order: step(at(own), to) });
      }
    }
    const others = lights(scope).filter((to) => to !== at(own));
    if (lights(scope).includes(at(own))) found.push(...others.map((to) => ({ from: at(own), to, order: connect(to) })));
    return found;
  },
  actions: (scope): Action[] => {
    const own = player(scope);
    const energy = own?.values[1] ?? 0;
    const build = (amount: number): string => JSON.stringify({ attack: amount });
    const charge = { label: "Charge the lighthouse", order: build(energy), amount: { most: energy, value: energy, build } };
    const onLight = own !== undefined && lights(scope).includes(at(own));
    return [...(onLight && energy > 0 ? [charge] : []), { label: "Pass", order: '"pass"' }];
  },
  ends: () => null,
  attempt: (from, to, scope) => {
    const own = player(scope);
    if (!own) return null;
    if (from !== null && from !== to) return connect(to);
    const [x, y] = cellOf(to);
    const [a, b] = cellOf(at(own));
    // A step that no protocol can write is refused as a connection or not at all.
    if (Math.max(Math.abs(x - a), Math.abs(y - b)) <= 127) return step(at(own), to);
    return null;
  },
  words: (order) => {
    const read = JSON.parse(order) as string | { move?: [number, number]; attack?: number; connect?: [number, number] };
    if (typeof read === "string") return read;
    if (read.move) return `walk by ${read.move.join(", ")}`;
    if (read.attack !== undefined) return `charge with ${read.attack}`;
    return `connect to ${read.connect?.join(", ") ?? ""}`;
  },
};
