// Planet Wars: ships from planet to planet. The amount is changed in the list of orders.
import type { Item } from "../../engine/engine.ts";
import { keyNumber } from "../../layers.ts";
import type { Gestures, Scope } from "./gesture.ts";

interface Send {
  source: number;
  destination: number;
  ships: number;
}
const read = (order: string): Send => JSON.parse(order) as Send;
const write = ({ source, destination, ships }: Send): string => JSON.stringify({ source, destination, ships });

const planets = ({ layers }: Scope): Item[] => layers.items("planet");

/** The ships that a planet has left after the orders so far. */
function left(planet: number, scope: Scope): number {
  const item = planets(scope).find((other) => keyNumber(other.key) === planet);
  const sent = scope.orders.map(read).filter((send) => send.source === planet);
  return (item?.values[0] ?? 0) - sent.reduce((sum, send) => sum + send.ships, 0);
}

export const planetWars: Gestures = {
  single: false,
  hint: "Drag from one of your planets to another planet, or click both. Change the number of ships in the list.",
  places: (scope) =>
    planets(scope).map((item) => ({
      id: String(keyNumber(item.key)),
      x: item.points[0] ?? 0,
      y: item.points[1] ?? 0,
      label: `planet ${keyNumber(item.key)}, ${item.seat === null ? "neutral" : `of seat ${item.seat}`}, ${item.values[0]} ships`,
    })),
  candidates: (scope) => {
    const own = planets(scope).filter((item) => item.seat === scope.seat);
    return own.flatMap((item) => {
      const source = keyNumber(item.key);
      const ships = left(source, scope);
      if (ships <= 0) return [];
      const others = planets(scope).map((other) => keyNumber(other.key)).filter((other) => other !== source);
      return others.map((destination) => ({
        from: String(source), to: String(destination), order: write({ source, destination, ships }),
      }));
    });
  },
  actions: () => [],
  listed: true,
  ends: (order) => ({ from: String(read(order).source), to: String(read(order).destination) }),
  outlook: (order, after, { seat, ply }) => {
    const { source, destination } = read(order);
    const fleet = after.items("fleet").find(
      (item) => item.seat === seat && item.values[3] === source && item.values[4] === destination && item.values[1] === (item.values[2] ?? 0) + 1,
    );
    // A fleet that is not there any more has arrived within the turn.
    return `arrives in turn ${ply + 1 + (fleet?.values[2] ?? 0)}`;
  },
  attempt: (from, to, scope) =>
    from === null ? null : write({ source: Number(from), destination: Number(to), ships: Math.max(1, left(Number(from), scope)) }),
  words: (order) => {
    const { source, destination, ships } = read(order);
    return `${ships} ships from planet ${source} to ${destination}`;
  },
  amount: (order, scope) => {
    const send = read(order);
    const most = Math.max(0, left(send.source, scope)) + send.ships;
    return { value: send.ships, most, build: (ships) => write({ ...send, ships }) };
  },
};
