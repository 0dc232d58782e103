// Areas and borders of cells as paths. The browser draws paths beside the script; a canvas would keep the script waiting, and be
// copied for each picture. Cells side by side are one rectangle, so that paths are short.
import type { Grid } from "../engine/engine.ts";
import type { Space } from "../layers.ts";

/** A number of pixels as paths have it. */
export const px = (value: number): string => String(Math.round(value * 100) / 100);

/** Returns slanting lines over a picture, so many pixels apart. A pattern that is turned would be blurred. */
export function stripes(width: number, height: number, apart: number): string {
  let d = "";
  for (let place = 0; place < width + height; place += apart * Math.SQRT2) d += `M${px(place)} 0L0 ${px(place)}`;
  return d;
}

/** Where the cells of a layer are on the screen. Lines are rows as one sees them, from the top. */
export class Cells {
  readonly columns: number;
  readonly lines: number;
  readonly size: number;
  readonly left: number;
  readonly top: number;
  readonly #yUp: boolean;
  /** The left edge of each column, and of the one behind the last. */
  readonly #lefts: readonly string[];
  /** The upper edge of each line, and of the one below the last. */
  readonly #tops: readonly string[];

  constructor({ width, height }: Grid, space: Space) {
    [this.columns, this.lines, this.size] = [width, height, space.scale];
    this.#yUp = space.scene.yUp;
    this.left = space.x(-0.5);
    this.top = this.#yUp ? space.y(height - 0.5) : space.y(-0.5);
    this.#lefts = Array.from({ length: width + 1 }, (_, column) => px(this.left + column * this.size));
    this.#tops = Array.from({ length: height + 1 }, (_, line) => px(this.top + line * this.size));
  }

  /** The index of a cell in its layer. -1 outside. */
  index(column: number, line: number): number {
    if (column < 0 || line < 0 || column >= this.columns || line >= this.lines) return -1;
    return (this.#yUp ? this.lines - 1 - line : line) * this.columns + column;
  }

  /** Returns the areas of cells of one kind, by kind. `kind` tells it of a cell; 0 is no kind. Rectangles are larger by `more` pixels,
   *  so that nothing shines through between them. */
  areas(kind: (index: number) => number, more: number): Map<number, string> {
    const high = px(this.size + more);
    const areas = new Map<number, string>();
    for (let line = 0; line < this.lines; line += 1) {
      const start = this.index(0, line);
      for (let column = 0; column < this.columns; ) {
        const [first, of] = [column, kind(start + column)];
        do column += 1;
        while (column < this.columns && kind(start + column) === of);
        if (of === 0) continue;
        const wide = px((column - first) * this.size + more);
        const one = `M${this.#lefts[first]!} ${this.#tops[line]!}h${wide}v${high}h-${wide}z`;
        areas.set(of, (areas.get(of) ?? "") + one);
      }
    }
    return areas;
  }

  /** Returns the lines between those neighbours that `parts` tells. It is also asked about the edge of the layer. */
  borders(parts: (one: number, other: number) => boolean): string {
    let d = "";
    for (let column = 0; column <= this.columns; column += 1) {
      for (let line = 0; line < this.lines; line += 1) {
        const first = line;
        while (line < this.lines && parts(this.index(column - 1, line), this.index(column, line))) line += 1;
        if (line > first) d += `M${this.#lefts[column]!} ${this.#tops[first]!}V${this.#tops[line]!}`;
      }
    }
    for (let line = 0; line <= this.lines; line += 1) {
      for (let column = 0; column < this.columns; column += 1) {
        const first = column;
        while (column < this.columns && parts(this.index(column, line - 1), this.index(column, line))) column += 1;
        if (column > first) d += `M${this.#lefts[first]!} ${this.#tops[line]!}H${this.#lefts[column]!}`;
      }
    }
    return d;
  }
}
