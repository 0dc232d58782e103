// What the engine tells of a match. Names of bots and texts of refusals and faults may come from anybody: they are text and
// never markup.

export interface Match {
  game: string;
  /** The game for people, for example `Planet Wars`. */
  title: string;
  rules: string;
  /** Where the map came from. */
  map: string;
  seats: Seat[];
  plies: number;
  state: "running" | "over" | "cut" | "aborted" | "spoilt";
  /** Why the match ended, in the words of the referee. Empty if it has no result. */
  ending: string;
  /** What a person should know about the replay. */
  note?: string;
  /** The places of the seats, and their scores. Empty if the match has no result. */
  places: number[];
  scores: number[];
  /** How often turns were taken back or the position was edited. */
  changes: number;
  yUp: boolean;
  cell: number;
}

export interface Seat {
  name: string;
  /** The bot as the user named it. */
  bot: string;
}

export interface Verdict {
  state: "pending" | "true" | "false";
  /** The turns that were played again, or the first turn that differs. */
  ply: number;
  /** What differs, in words. */
  why?: string;
  /** The fingerprint in the replay, and the one by the rules, if they are what differs. */
  expected?: string;
  found?: string;
}

/** What the items of a class are called, and the names of their numbers. */
export interface ItemClass {
  name: string;
  values: string[];
}

export interface Scene {
  low: [number, number];
  high: [number, number];
  yUp: boolean;
  /** The side length of a cell, or 0. */
  cell: number;
  classes: ItemClass[];
  items: Item[];
  grids: Grid[];
}

export interface Frame {
  title: string;
  /** One line for each seat. Empty if the viewer knows nothing of it. */
  captions: string[];
  items: Item[];
  grids: Grid[];
}

export type Shape = "cell" | "disc" | "line" | "polygon" | "label";

/** A thing on the board. Its key stays the same through the match. */
export interface Item {
  key: number;
  /** The index of its class in `Scene.classes`. */
  cls: number;
  seat: number | null;
  shape: Shape;
  /** The coordinates of its points, x and y in turn. */
  points: Float32Array;
  radius: number;
  /** The opacity, from 0 to 1. */
  strength: number;
  /** Its numbers. `NaN` means that the viewer does not know the number. */
  values: Float64Array;
  text: string;
}

/** A layer of cells, in rows from the smallest y, each from the smallest x. */
export interface Grid {
  name: string;
  width: number;
  height: number;
  /** What the numbers are: seats (0 is nobody), indices of `kinds`, or amounts from 0 to `most` (-1 is unknown). */
  codes: "owners" | "classes" | "amounts";
  /** The names of classes. Of owners, the first one is for cells of nobody. */
  kinds: string[];
  most: number;
  cells: Int16Array;
}

export interface Series {
  names: string[];
  seats: number;
  /** The number of turns. */
  plies: number;
  /** By name, then by seat, then by position: `plies + 1` numbers for each seat. */
  values: Float64Array;
  /** What weighs most of each turn that deserves a mark. */
  marks: TurnMark[];
}

export interface TurnMark {
  ply: number;
  weight: Weight;
  seat: number | null;
  text: string;
}

/** Why something that happened matters. */
export type Weight = "gain" | "loss" | "lead" | "fault" | "refusal" | "other" | "change";

export interface GameEvent {
  kind: string;
  weight: Weight;
  seat: number | null;
  /** The things that it is about. */
  keys: number[];
  text: string;
}

export interface Decision {
  seat: number;
  /** The orders as JSON, separated by spaces. */
  orders: string;
  /** Each order as JSON. */
  list: string[];
  /** Why orders and commands were refused. */
  refused: string[];
  fault?: string;
  wallMs?: number;
  cpuMs?: number;
  /** The certificate of time: names and values in words. */
  clock?: [string, string][];
  /** Whether the decision exceeded the soft limit. */
  softLate: boolean;
}

export interface Turn {
  decisions: Decision[];
}

export interface Legal {
  /** Whether the orders could be listed. If not, there are too many. */
  listed: boolean;
  /** Each order as JSON. */
  orders: string[];
}

/** Why the rules refuse a decision, in the words of the game. */
export interface Refusal {
  why: string;
  /** The index of the refused order. It is the number of orders if one is missing. */
  index: number;
}

export interface Outcome {
  refused: string[];
  events: GameEvent[];
}

/** A game with what can be played in it without any other program. */
export interface Game {
  /** The name on the command line. */
  name: string;
  title: string;
  about: string;
  /** The least and the most seats. */
  seats: [number, number];
  default_seats: number;
  /** The rule sets. The first one is the usual one. */
  rules: string[];
  limit: { default: number; unit: string } | null;
  /** The kinds of maps that can be generated. The first one is the usual one. */
  maps: { name: string; about: string }[];
  /** The built-in bots, weakest first. */
  bots: { name: string; about: string }[];
  /** The first words of the lines that its protocol sends to a bot. */
  protocol_words: string[];
}

/** A match that begins. Without `map`, a map of the kind is generated from the seed. */
export interface Start {
  game: string;
  rules?: string;
  /** The text of the map, and where it came from. */
  map?: string;
  map_name?: string;
  kind?: string;
  /** A whole number from 0 to 2^53 - 1. */
  seed: number;
  limit?: number;
  seats: { name: string; bot: string }[];
}

/** The places and scores of the seats. */
export interface Standing {
  places: number[];
  scores: number[];
}
