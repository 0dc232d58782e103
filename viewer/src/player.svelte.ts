// What is shown and how it moves on: the turn, the eyes, the speed, and the verification that goes on beside it.
import type { Branch } from "./branch.svelte.ts";
import { swings, type Chance } from "./chance/chance.svelte.ts";
import { EngineError, type Engine, type Frame, type GameEvent, type Match, type Scene, type Series, type Verdict } from "./engine/engine.ts";
import type { PlayEngine } from "./engine/play.ts";
import { GAMES, ofGame } from "./games.ts";
import { Layers } from "./layers.ts";
import { marksOf, nextMark, type Mark } from "./marks.ts";
import type { Transcript } from "./transcript.ts";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

/** How long the page works at the verification and the survey before it draws again, in milliseconds. */
const SLICE = 4;
/** How many turns the page walks at once through what has been read. */
const STRIDE = 64;
/** Turns of which what happened is kept. */
const TOLD = 16;
/** From this speed on nothing glides: each turn is drawn at rest. */
const STILL_FROM = 8;

export class Player {
  match = $state.raw<Match>() as Match;
  scene = $state.raw<Scene>() as Scene;
  frame = $state.raw<Frame>() as Frame;
  layers = $state.raw<Layers>() as Layers;
  series = $state.raw<Series>({ names: [], seats: 0, plies: 0, values: new Float64Array(), marks: [] });
  marks = $state.raw<Mark[]>([]);
  ply = $state(0);
  step = $state(0);
  steps = $state(1);
  seat = $state<number | null>(null);
  playing = $state(false);
  reverse = $state(false);
  speed = $state(1);
  scrubbing = $state(false);
  fingerprint = $state("");
  verified = $state<"pending" | "true" | "false">("pending");
  checked = $state(0);
  lie = $state.raw<Verdict | null>(null);

  /** Whether the match is being played. */
  live = $state(false);
  /** Whether the end of the replay has not been read yet. */
  reading = $state(false);

  /** Another match, which is shown in step with this one. */
  beside: Player | null = null;
  /** How many turns the other match is shown behind the end of this one. */
  past = $state(0);
  /** Other turns than the recorded ones, beside the record. */
  branch = $state.raw<Branch | null>(null);
  /** Begins them at a turn, where the page can. */
  branchAt: ((ply: number) => Promise<Branch>) | null = null;
  /** Begins a console at a turn and returns its address, where the page's server can. */
  consoleAt: ((ply: number) => Promise<string>) | null = null;
  /** An engine with built-in bots, where the page has one, and it is there. */
  play = $state.raw<PlayEngine | null>(null);
  /** The chances of winning, where the page can compute them. */
  chance = $state.raw<Chance | null>(null);

  readonly engine: Engine;
  /** What bots read and wrote, once the page has read it. */
  transcript = $state.raw<Transcript | null>(null);
  /** Whether the page has a transcript that it does not show yet, or cannot read. */
  talk = $state<"none" | "reading" | "unreadable" | "read">("none");
  readonly file: string;
  readonly #told = new Map<number, GameEvent[]>();
  /** What was drawn last. */
  #before: Layers | null = null;
  #builtins: readonly string[] | null = null;
  #due = 0;
  /** The last turn through which the page has walked while it read the replay. */
  #explored = 0;
  #settled = false;
  #surveyed = false;

  /** `file` is the name of the file with the replay, empty if there is none. */
  constructor(engine: Engine, text: Uint8Array, live: boolean, file = "") {
    this.file = file;
    this.live = live;
    this.engine = engine;
    this.match = engine.open(text);
    // What one seat knew is drawn for its eyes alone, and cannot be verified.
    if (engine.known > 0) [this.seat, this.#settled, this.#surveyed] = [engine.known, true, true];
    this.scene = engine.scene();
    this.show(live ? this.match.plies : 0);
  }

  /** Takes the transcript when it has been read. */
  async hear(reading: Promise<Transcript>): Promise<void> {
    this.talk = "reading";
    try {
      this.transcript = await reading;
      this.talk = "read";
    } catch {
      this.talk = "unreadable";
    }
  }

  /** Whether further turns may follow: the match is being played, or its replay is being read. */
  get isOpen(): boolean {
    return this.live || this.reading;
  }

  /** Whether things glide from turn to turn. */
  get gliding(): boolean {
    return !this.scrubbing && this.speed < STILL_FROM;
  }

  name(seat: number): string {
    return this.match.seats[seat - 1]?.name ?? "";
  }

  /** The turn that is shown, of the longer match if there are two. */
  get turn(): number {
    return this.ply + this.past;
  }

  /** The last turn, of the longer match if there are two. */
  get last(): number {
    return Math.max(this.match.plies, this.beside?.match.plies ?? 0);
  }

  /** Takes another replay in the place of this one, and shows its last turn. */
  protected reopen(text: Uint8Array): void {
    this.match = this.engine.open(text);
    this.scene = this.engine.scene();
    this.#told.clear();
    [this.#settled, this.#surveyed] = [false, false];
    this.show(this.match.plies);
  }

  /** Takes further lines of a match that is being played. Who looks at its last turn goes on with it. */
  append(lines: Uint8Array): void {
    this.renew(this.engine.append(lines));
  }

  /** Takes a match that has changed: by further turns, or because turns were taken back. */
  protected renew(match: Match): void {
    const follows = this.ply === this.match.plies && !this.scrubbing;
    const { changes } = this.match;
    this.match = match;
    // Both go on from where they are: only the new lines are played.
    [this.#settled, this.#surveyed] = [false, false];
    if (this.match.changes !== changes) {
      // Turns were taken back. The start may be another one, too.
      this.#told.clear();
      this.scene = this.engine.scene();
    }
    if (follows || this.ply > this.match.plies) this.show(this.match.plies);
    else if (this.match.changes !== changes) this.show(this.ply);
  }

  /** Walks on through what has been read for a moment. The engine keeps positions on the way, so that no turn is far from one of
   *  them. What is shown stays. Returns whether there is more to walk. */
  explore(): boolean {
    const until = performance.now() + SLICE;
    try {
      while (this.#explored < this.match.plies && performance.now() < until) {
        this.#explored = Math.min(this.#explored + STRIDE, this.match.plies);
        this.engine.seek(this.#explored);
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // The rules refuse a turn, so that nobody gets beyond it.
      this.#explored = Infinity;
    }
    if (this.step < this.steps) this.engine.seekStep(this.ply, this.step);
    else this.engine.seek(this.ply);
    return this.#explored < this.match.plies;
  }

  /** Says that no further line follows, so that the verdict can be given. */
  end(): void {
    this.live = false;
    this.#settled = false;
  }

  /** Draws a turn, and no step of it alone. */
  show(ply: number): void {
    let turn = Math.min(Math.max(0, Math.round(ply)), this.last);
    let wanted = Math.min(turn, this.match.plies);
    try {
      this.engine.seek(wanted);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // The rules refuse a turn before it, which the verification tells. What was shown stays.
      this.playing = false;
      [turn, wanted] = [this.turn, this.ply];
      this.engine.seek(wanted);
    }
    [this.ply, this.past] = [wanted, turn - wanted];
    // Steps are for who looks at one turn; while time passes, nobody does.
    this.steps = wanted === 0 || this.playing || this.scrubbing ? 1 : this.engine.steps(wanted);
    this.step = this.steps;
    this.draw();
    const { beside } = this;
    if (!beside) return;
    [beside.playing, beside.scrubbing, beside.speed] = [this.playing, this.scrubbing, this.speed];
    beside.show(turn);
  }

  /** Draws the position after some steps of the turn that is shown. */
  showStep(step: number): void {
    if (this.steps < 2) return;
    this.step = Math.min(Math.max(0, step), this.steps);
    this.engine.seekStep(this.ply, this.step);
    this.draw();
  }

  look(seat: number | null): void {
    if (this.engine.known > 0) return;
    const sits = seat !== null && seat >= 1 && seat <= this.match.seats.length;
    this.seat = sits ? seat : null;
    this.draw();
    // What happened is told anew, because a seat does not learn everything.
    this.#told.clear();
    this.#surveyed = false;
    this.marks = [];
    this.branch?.look(this.seat);
    this.beside?.look(this.seat);
  }

  /** Begins other turns at the one that is shown. */
  async beginBranch(): Promise<void> {
    this.playing = false;
    const branch = (await this.branchAt?.(this.ply)) ?? null;
    branch?.look(this.seat);
    this.branch = branch;
  }

  endBranch(): void {
    this.branch = null;
  }

  /** What happened in a turn, as the viewer learns of it. */
  events(ply: number): GameEvent[] {
    if (ply === 0) return [];
    const known = this.#told.get(ply);
    if (known) return known;
    const events = this.engine.events(ply, this.seat);
    this.#told.set(ply, events);
    const [oldest] = this.#told.keys();
    if (this.#told.size > TOLD) this.#told.delete(oldest!);
    return events;
  }

  /** Draws what the engine shows. */
  draw(): void {
    this.fingerprint = this.engine.fingerprint();
    this.frame = this.engine.frame(this.seat);
    this.layers = this.#before = new Layers(this.scene, this.frame, this.#before);
  }

  toggle(): void {
    this.playing = !this.playing;
    this.#due = 0;
    const end = this.reverse ? 0 : this.last;
    if (this.playing && this.turn === end) this.show(this.reverse ? this.last : 0);
  }

  pauseAt(ply: number): void {
    this.playing = false;
    this.show(ply);
  }

  mark(direction: 1 | -1): void {
    this.pauseAt(nextMark(this.allMarks, this.turn, direction, this.last));
  }

  faster(direction: 1 | -1): void {
    const next = SPEEDS.indexOf(this.speed as (typeof SPEEDS)[number]) + direction;
    this.speed = SPEEDS[Math.min(Math.max(0, next), SPEEDS.length - 1)]!;
  }

  /** Plays on for `ms` milliseconds. */
  pass(ms: number): void {
    if (!this.playing || this.scrubbing) return;
    this.#due += (Math.min(ms, 250) / 1000) * this.speed;
    const whole = Math.floor(this.#due);
    if (whole === 0) return;
    this.#due -= whole;
    const wanted = this.turn + (this.reverse ? -whole : whole);
    this.show(wanted);
    const end = this.reverse ? 0 : this.last;
    if (this.turn === end) this.playing = false;
  }

  /** Goes on with the verification and the survey for a moment. Returns whether there is more to do. */
  workOn(): boolean {
    const until = performance.now() + SLICE;
    let count = 1;
    // Chunks grow while they are quick, so that calls cost little.
    const inTime = (chunk: () => void): void => {
      const before = performance.now();
      chunk();
      if (performance.now() - before < SLICE / 8) count = Math.min(count * 2, 256);
    };
    while (!this.#surveyed && performance.now() < until) {
      inTime(() => (this.#surveyed = !this.engine.survey(this.seat, count)));
    }
    while (!this.#settled && performance.now() < until) inTime(() => this.#verify(count));
    const more = !this.#settled || !this.#surveyed;
    return more || (this.beside?.workOn() ?? false);
  }

  #verify(count: number): void {
    const verdict = this.engine.verify(count);
    this.checked = verdict.ply;
    this.#settled = verdict.state !== "pending";
    // A match that goes on has not been verified to its end.
    if (!this.isOpen || verdict.state === "false") this.verified = verdict.state;
    if (verdict.state === "false") this.lie = verdict;
  }

  /** Takes what the survey has collected. */
  measure(): void {
    this.series = this.engine.series();
    this.marks = marksOf(this.series.marks);
    if (this.lie) {
      const lie: Mark = { ply: this.lie.ply, kind: "lie", seat: null, text: "the replay lies here" };
      this.marks = [...this.marks, lie].sort((a, b) => a.ply - b.ply);
    }
  }

  /** Returns a number of a series, or NaN where it is not known or not told to the seat that looks. */
  value(name: number, seat: number, ply: number): number {
    const { plies, values } = this.series;
    if (ply > plies) return Number.NaN;
    return values[(name * this.match.seats.length + seat - 1) * (plies + 1) + ply] ?? Number.NaN;
  }

  /** The marks of the match and the largest changes of the chances, which only who sees everything may know. */
  get allMarks(): readonly Mark[] {
    const { chance } = this;
    if (!chance || this.seat !== null || chance.points.length < 2) return this.marks;
    const name = (seat: number): string => this.name(seat);
    return [...this.marks, ...swings(chance.points, name, chance.about)].sort((a, b) => a.ply - b.ply);
  }

  /** The built-in bots of the game, weakest first, where the page has them. */
  get builtins(): readonly string[] {
    this.#builtins ??= this.play?.games().find((game) => game.name === this.match.game)?.bots.map((bot) => bot.name) ?? [];
    return this.#builtins;
  }

  /** The seats, from 1. */
  get seats(): number[] {
    return this.match.seats.map((_, i) => i + 1);
  }

  /** Whether the seat that looks knows what another one decides. */
  told(seat: number): boolean {
    return this.seat === null || this.seat === seat || ofGame(GAMES, this.match.game)?.tellsOrders !== false;
  }
}

/** Returns what to say of an error while a replay was opened. */
export const sayError = (error: unknown): string =>
  error instanceof EngineError && error.line !== undefined
    ? `line ${error.line}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error);
