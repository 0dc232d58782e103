// What a session of `agon console` says of itself, and what can be done with its programs. `docs/console.md` has the commands.
import type { SeatClock } from "./clock.ts";
import type { Dialogue } from "./dialogue.svelte.ts";
import type { Items, Value } from "./state/shapes.ts";

export type SeatState = "ready" | "thinking" | "out_of_step" | "dead" | "human";

export interface SeatStatus {
  name: string;
  /** The bot as the user named it, or `human`. */
  bot: string;
  state: SeatState;
  /** Why the bot is dead or out of step. It may quote the bot. */
  why?: string;
  /** How a program is brought into step. `null` if the seat has no program. */
  into_step: string | null;
  in_step: boolean;
  /** Whether the seat has decided in the turn that is being played. */
  decided: boolean;
  /** The clock, if the session has clocks. */
  clock?: SeatClock;
}

export interface CommandError {
  text: string;
  line: number | null;
  column: number | null;
  length: number | null;
  /** The text in which the place is. */
  in: "command" | "map" | "state";
  /** The path of the item that is wrong, for an error in what a position has beyond its map. */
  item?: string;
  hint: string | null;
}

/** What a bot answered without its answer being played. */
export interface BotAnswer {
  seat: number;
  orders: unknown[] | null;
  refusal: string | null;
  text: string | null;
  /** Whether the answer was complete when the time for it was up. */
  complete: boolean;
  wall_us: number;
}

/** The answer to a command, with the state of the session after it. */
export interface Status {
  command: string;
  ok: boolean;
  error: CommandError | null;
  ply: number;
  fingerprint: string;
  awaiting: number[];
  over: boolean;
  branch: number;
  /** Whether the clocks go on as soon as somebody decides by them, also if none runs now. Missing without clocks. */
  clocks_run?: boolean;
  seats: SeatStatus[];
  /** How many steps can be taken back, and played again. */
  undo: number;
  redo: number;
  /** The first word of the command that waits for bots. */
  waiting: string | null;
  turns?: unknown[];
  answer?: BotAnswer;
  branches?: { branch: number; ply: number; current: boolean }[];
  map?: string;
  replay?: string;
  left_out?: string[];
  state?: Items;
  /** What of the position did not fit the changed map. */
  begun_anew?: string[];
}

/** Whether the session hears commands. An ended one never will again. */
export type Connection = "open" | "lost" | "ended";

export interface Session {
  readonly connection: Connection;
  /** Why the connection is lost. */
  readonly why: string;
  readonly status: Status;
  readonly dialogue: Dialogue;
  /** The words of the game's protocol that a program may be sent. */
  readonly words: readonly string[];
  /** What a bot was asked last, in words. */
  readonly answered: string;
  /** The seats whose programs were sent lines by hand and have not been brought into step since. */
  readonly misled: ReadonlySet<number>;
  /** The bot's seat for which the person decides in this turn. */
  readonly substitute: number | null;
  connect(): void;
  restart(seat: number): void;
  kill(seat: number): void;
  /** Lets a program play on that is out of step. */
  anyway(seat: number): void;
  /** Asks a bot for its decision without playing it. */
  ask(seat: number): void;
  /** Lets the person decide in the place of a bot in this turn. */
  decideFor(seat: number): void;
  /** Sends a line to a program as it is. `null` if that was refused, which is told. */
  raw(seat: number, text: string): Promise<BotAnswer | null>;
  // Each continues from another position, or returns what is wrong with it.
  edit(map: string): Promise<CommandError | null>;
  load(kind: string, seed: number): Promise<CommandError | null>;
  /** What the position has beyond its map. `null` if that could not be had. */
  beyond(): Promise<Items | null>;
  /** Replaces all of it, given as JSON. */
  editBeyond(state: string): Promise<CommandError | null>;
  /** Sets the item at a path. */
  put(path: string, value: Value): Promise<CommandError | null>;
  /** Leaves the item at a path out. */
  leaveOut(path: string): Promise<CommandError | null>;
  /** Lets the clocks run, or stand until somebody plays. */
  setClocks(run: boolean): void;
  quit(): void;
}
