// A match as one seat knew it, from what `agon replay html --seat` wrote: drawings, numbers and what happened, each as the module
// of the viewer answers it. There are no rules and no orders of other seats, so nothing can be verified or tried.
import { Decoder } from "./decode.ts";
import { EngineError, type Engine, type Frame, type GameEvent, type Match, type Scene, type Series, type Turn, type Verdict } from "./engine.ts";

/** The version of the records that this file knows. */
const VERSION = 1;

/** What is recorded of one position: the drawing, what happened in the turn before it, and what the seat decided in it. */
interface Place {
  frame: Uint8Array;
  events: Uint8Array;
  turn: Uint8Array;
}

export class KnownEngine implements Engine {
  #known = 0;
  #match: Match | null = null;
  #scene: Scene | null = null;
  #series: Series | null = null;
  #places: Place[] = [];
  #ply = 0;

  get known(): number {
    return this.#known;
  }

  open(record: Uint8Array): Match {
    const reader = new Decoder(record);
    const version = reader.number();
    if (version !== VERSION) throw new EngineError(`the record has version ${version}, but the page needs ${VERSION}`);
    this.#known = reader.byte();
    const match = reader.blob();
    this.#scene = new Decoder(reader.blob()).scene();
    this.#match = new Decoder(match).match(this.#scene);
    this.#series = new Decoder(reader.blob()).series();
    this.#places = Array.from({ length: this.#match.plies + 1 }, () => ({
      frame: reader.blob(),
      events: reader.blob(),
      turn: reader.blob(),
    }));
    this.#ply = 0;
    return this.#match;
  }

  #place(ply: number): Place {
    const place = this.#places[ply];
    if (!place) throw new EngineError(`there is no turn ${ply}`);
    return place;
  }

  seek(ply: number): void {
    this.#place(ply);
    this.#ply = ply;
  }

  seekStep(ply: number): void {
    this.seek(ply);
  }

  steps(): number {
    return 1;
  }

  fingerprint(): string {
    return "";
  }

  scene(): Scene {
    if (!this.#scene) throw new EngineError("no record is open");
    return this.#scene;
  }

  frame(): Frame {
    return new Decoder(this.#place(this.#ply).frame).frame();
  }

  facts(key: number): [string, string][] {
    const item = [...this.frame().items, ...this.scene().items].find((other) => other.key === key);
    const names = item ? this.scene().classes[item.cls]?.values : undefined;
    return (names ?? []).flatMap((name, i): [string, string][] => {
      const value = item!.values[i] ?? Number.NaN;
      return Number.isNaN(value) ? [] : [[name, String(Math.round(value * 100) / 100)]];
    });
  }

  series(): Series {
    if (!this.#series) throw new EngineError("no record is open");
    return this.#series;
  }

  events(ply: number): GameEvent[] {
    return new Decoder(this.#place(ply).events).events();
  }

  turn(ply: number): Turn {
    return new Decoder(this.#place(ply).turn).turn();
  }

  verify(): Verdict {
    return { state: "pending", ply: 0 };
  }

  survey(): boolean {
    return false;
  }

  append(): Match {
    throw new EngineError("a record does not grow");
  }
}
