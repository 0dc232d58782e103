// Reads what the engine writes: numbers in little-endian order, and texts and lists with their length before them.
// `world/agon-wasm/src/encoder.rs` and `engine.rs` write the same in the same order.
import { visible } from "../transcript.ts";
import type { Decision, Frame, GameEvent, Grid, Item, Legal, Match, Outcome, Scene, Series, Shape, Standing, Turn, Verdict } from "./types.ts";

const TEXT = new TextDecoder();
const SHAPES: readonly Shape[] = ["cell", "disc", "line", "polygon", "label"];
const CODES: readonly Grid["codes"][] = ["owners", "classes", "amounts"];
const WEIGHTS: readonly GameEvent["weight"][] = ["gain", "loss", "lead", "fault", "refusal", "other", "change"];
const STATES: readonly Verdict["state"][] = ["pending", "true", "false"];

export class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.#view.getUint8(this.#at++);
  }

  flag(): boolean {
    return this.byte() === 1;
  }

  number(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  single(): number {
    this.#at += 4;
    return this.#view.getFloat32(this.#at - 4, true);
  }

  double(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  text(): string {
    const length = this.number();
    this.#at += length;
    return length === 0 ? "" : TEXT.decode(this.#bytes.subarray(this.#at - length, this.#at));
  }

  /** A text that may be anybody's, for people: what could turn its neighbours around is a sign. */
  #shown(): string {
    return visible(this.text());
  }

  #list<T>(read: () => T): T[] {
    const list: T[] = [];
    for (let left = this.number(); left > 0; left--) list.push(read());
    return list;
  }

  #texts(): string[] {
    return this.#list(() => this.text());
  }

  #seat(): number | null {
    return this.byte() || null;
  }

  #weight(): GameEvent["weight"] {
    return WEIGHTS[this.byte()] ?? "other";
  }

  /** Bytes that something else reads. */
  blob(): Uint8Array {
    const length = this.number();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  seats(): number[] {
    return this.#list(() => this.byte());
  }

  #singles(count: number): Float32Array {
    const numbers = new Float32Array(count);
    for (let i = 0; i < count; i++) numbers[i] = this.single();
    return numbers;
  }

  #doubles(count: number): Float64Array {
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) numbers[i] = this.double();
    return numbers;
  }

  match(scene: Pick<Scene, "yUp" | "cell">): Match {
    const game = this.text();
    const title = this.text();
    const rules = this.text();
    const map = this.#shown();
    const names = this.#list(() => this.#shown());
    const bots = this.#list(() => this.#shown());
    const plies = this.number();
    const state = this.text() as Match["state"];
    const ending = this.text();
    const notes = this.#list(() => this.#shown());
    const { places, scores } = this.standing();
    const changes = this.number();
    const seats = names.map((name, i) => ({ name, bot: bots[i] ?? "" }));
    const match: Match = {
      game, title, rules, map, seats, plies, state, ending, places, scores, changes, yUp: scene.yUp, cell: scene.cell,
    };
    if (notes.length > 0) match.note = notes.join("; ");
    return match;
  }

  standing(): Standing {
    return { places: this.#list(() => this.byte()), scores: this.#list(() => this.double()) };
  }

  standings(): Standing[] {
    return this.#list(() => this.standing());
  }

  verdict(): Verdict {
    const state = STATES[this.byte()] ?? "false";
    const ply = this.number();
    if (state !== "false") return { state, ply };
    const why = this.#shown();
    const expected = this.text();
    const found = this.text();
    return expected === "" ? { state, ply, why } : { state, ply, why, expected, found };
  }

  /** The plane on which a match is played, with which a scene begins. */
  plane(): Pick<Scene, "low" | "high" | "yUp" | "cell"> {
    return { low: [this.single(), this.single()], high: [this.single(), this.single()], yUp: this.flag(), cell: this.single() };
  }

  scene(): Scene {
    const plane = this.plane();
    const classes = this.#list(() => ({ name: this.text(), values: this.#texts() }));
    return { ...plane, classes, items: this.#items(), grids: this.#grids() };
  }

  frame(): Frame {
    return { title: this.text(), captions: this.#texts(), items: this.#items(), grids: this.#grids() };
  }

  #items(): Item[] {
    return this.#list(() => {
      const key = this.double();
      const cls = this.byte();
      const seat = this.#seat();
      const strength = this.single();
      const shape = SHAPES[this.byte()] ?? "label";
      const corners = { cell: 1, disc: 1, line: 2, polygon: 0, label: 1 }[shape] || this.number();
      const points = this.#singles(2 * corners);
      const radius = shape === "disc" ? this.single() : 0;
      const text = shape === "label" ? this.text() : "";
      const values = this.#doubles(this.byte());
      return { key, cls, seat, shape, points, radius, strength, values, text };
    });
  }

  #grids(): Grid[] {
    return this.#list(() => {
      const name = this.text();
      const width = this.number();
      const height = this.number();
      const codes = CODES[this.byte()] ?? "amounts";
      const kinds = codes === "amounts" ? [] : this.#texts();
      const most = codes === "amounts" ? this.number() : 0;
      const count = this.number();
      // Every machine with a browser has numbers in the order in which WASM has them.
      const cells = new Int16Array(this.#bytes.slice(this.#at, this.#at + 2 * count).buffer);
      this.#at += 2 * count;
      return { name, width, height, codes, kinds, most, cells };
    });
  }

  facts(): [string, string][] {
    return this.#list(() => [this.text(), this.text()]);
  }

  series(): Series {
    const names = this.#texts();
    const seats = this.number();
    const plies = this.number();
    const values = this.#doubles(names.length * seats * (plies + 1));
    const marks = this.#list(() => {
      const ply = this.number();
      return { ply, weight: this.#weight(), seat: this.#seat(), text: this.#shown() };
    });
    return { names, seats, plies, values, marks };
  }

  events(): GameEvent[] {
    return this.#list(() => {
      const kind = this.text();
      const weight = this.#weight();
      const seat = this.#seat();
      const keys = this.#list(() => this.double());
      return { kind, weight, seat, keys, text: this.#shown() };
    });
  }

  turn(): Turn {
    return { decisions: this.#list(() => this.#decision()) };
  }

  #decision(): Decision {
    const seat = this.byte();
    const list = this.#texts();
    const orders = list.join(" ");
    const refused = this.#list(() => this.#shown());
    const fault = this.#shown();
    const times = this.#list((): [string, number] => [this.text(), this.double()]);
    const softLate = this.flag();
    const isWaiting = this.flag();
    const isPartial = this.flag();
    const decision: Decision = { seat, orders, list, refused, softLate };
    if (fault !== "") decision.fault = fault;
    const of = (name: string) => times.find(([known]) => known === name)?.[1];
    const [wall, cpu] = [of("wall"), of("cpu")];
    if (wall !== undefined) decision.wallMs = wall / 1000;
    if (cpu !== undefined) decision.cpuMs = cpu / 1000;
    decision.clock = times.map(([name, micros]) => [name, `${(micros / 1000).toFixed(micros < 10_000 ? 2 : 1)} ms`]);
    if (isWaiting) decision.clock.push(["at the end", "waiting for a core"]);
    if (isPartial) decision.clock.push(["cpu is", "at least this much"]);
    return decision;
  }

  legal(): Legal {
    return { listed: this.flag(), orders: this.#texts() };
  }

  outcome(): Outcome {
    return { refused: this.#list(() => this.#shown()), events: this.events() };
  }
}
