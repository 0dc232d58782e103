// How gestures compose orders. A game says what a gesture means; whether it is lawful, the rules say.
import type { Legal, Refusal } from "../../engine/engine.ts";
import type { Layers } from "../../layers.ts";

/** A place on the board that a gesture can begin or end at. Its coordinates are those of the board. */
export interface Place {
  id: string;
  x: number;
  y: number;
  label: string;
}

/** What the gestures of a game may look at: the position as the seat sees it, and the orders so far, each as JSON. */
export interface Scope {
  seat: number;
  /** The number of turns so far. */
  ply: number;
  layers: Layers;
  orders: readonly string[];
  /** The columns and rows of the board, or 0 if it has no cells. */
  columns: number;
  rows: number;
  legal(): Legal;
  /** Says why the rules refuse these orders. `null` if they accept them. */
  check(orders: readonly string[]): Refusal | null;
}

/** An order that a gesture gives. `from` is `null` for a click. */
export interface Candidate {
  from: string | null;
  to: string;
  order: string;
}

/** An order without a place, given by a button. */
export interface Action {
  label: string;
  order: string;
  /** The amounts that it may have, if it has one. */
  amount?: { most: number; value: number; build: (amount: number) => string };
}

export interface Gestures {
  /** Whether a decision is one order, which is given as soon as it is composed. */
  single: boolean;
  /** Whether the board shows the position after the orders so far, because they happen one after the other. */
  preview?: boolean;
  /** What to do, in a sentence. */
  hint: string;
  /** Places apart from cells. Games of cells have none. */
  places(scope: Scope): Place[];
  /** The orders that gestures may give, lawful or not. */
  candidates(scope: Scope): Candidate[];
  actions(scope: Scope): Action[];
  /** Whether the candidates are lawful as they come, so that nobody needs to ask the rules again. */
  listed?: boolean;
  /** Where an order lies on the board. `scope` has the orders before it. */
  ends(order: string, scope: Scope): { from: string | null; to: string } | null;
  /** What the position after the turn tells of an order. */
  outlook?(order: string, after: Layers, scope: Scope): string;
  /** The order of a gesture of which nobody knows whether it is lawful, for its refusal. */
  attempt(from: string | null, to: string, scope: Scope): string | null;
  words(order: string, scope: Scope): string;
  /** The amount in an order that can be changed, and its limit. */
  amount?(order: string, scope: Scope): { value: number; most: number; build: (amount: number) => string } | null;
  /** What changes when a place is clicked that the orders already name. By default nothing does. */
  toggle?(to: string, scope: Scope): string[] | null;
}

export const cellId = (column: number, row: number): string => `${column},${row}`;

export function cellOf(id: string): [number, number] {
  const [column = 0, row = 0] = id.split(",").map(Number);
  return [column, row];
}

/** Returns the candidates that the rules accept as the next order. Beyond `most` candidates, the rest is left out. */
export function lawful(candidates: readonly Candidate[], scope: Scope, most = 1500): Candidate[] {
  return candidates.slice(0, most).filter(({ order }) => accepts(order, scope));
}

/** Whether the rules accept this order after those so far. */
export function accepts(order: string, scope: Scope): boolean {
  const refusal = scope.check([...scope.orders, order]);
  // A refusal behind the order is about what is still missing.
  return refusal === null || refusal.index > scope.orders.length;
}
