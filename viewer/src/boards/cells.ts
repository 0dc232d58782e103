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
  /** The left edge of each column, and of the one behind the last. */
  readonly #lefts: readonly string[];
  /** The upper edge of each line, and of the one below the last. */
  readonly #tops: readonly string[];
  /** The index of the first cell of each line. */
  readonly #starts: readonly number[];

  constructor({ width, height }: Grid, space: Space) {
    [this.columns, this.lines, this.size] = [width, height, space.scale];
    this.left = space.x(-0.5);
    this.top = space.scene.yUp ? space.y(height - 0.5) : space.y(-0.5);
    this.#lefts = Array.from({ length: width + 1 }, (_, column) => px(this.left + column * this.size));
    this.#tops = Array.from({ length: height + 1 }, (_, line) => px(this.top + line * this.size));
    this.#starts = Array.from({ length: height }, (_, line) => (space.scene.yUp ? height - 1 - line : line) * width);
  }

  /** Returns the areas of cells of one kind, by kind. `kind` tells it of a cell; 0 is no kind. Rectangles are larger by `more` pixels,
   *  so that nothing shines through between them. */
  areas(kind: (index: number) => number, more: number): Map<number, string> {
    const high = px(this.size + more);
    const areas = new Map<number, string>();
    for (let line = 0; line < this.lines; line += 1) {
      const start = this.#starts[line]!;
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

  /** Returns the lines between those neighbours that `parts` tells. It is asked about the edge of the layer, too, beyond which the
   *  index is -1. */
  borders(parts: (one: number, other: number) => boolean): string {
    const [starts, lefts, tops] = [this.#starts, this.#lefts, this.#tops];
    let d = "";
    for (let column = 0; column <= this.columns; column += 1) {
      const [hasOne, hasOther] = [column > 0, column < this.columns];
      for (let line = 0; line < this.lines; line += 1) {
        const first = line;
        for (; line < this.lines; line += 1) {
          const at = starts[line]! + column;
          if (!parts(hasOne ? at - 1 : -1, hasOther ? at : -1)) break;
        }
        if (line > first) d += `M${lefts[column]!} ${tops[first]!}V${tops[line]!}`;
      }
    }
    for (let line = 0; line <= this.lines; line += 1) {
      const [above, below] = [starts[line - 1] ?? Number.NaN, starts[line] ?? Number.NaN];
      const [hasOne, hasOther] = [line > 0, line < this.lines];
      for (let column = 0; column < this.columns; column += 1) {
        const first = column;
        while (column < this.columns && parts(hasOne ? above + column : -1, hasOther ? below + column : -1)) column += 1;
        if (column > first) d += `M${lefts[first]!} ${tops[line]!}H${lefts[column]!}`;
      }
    }
    return d;
  }
}
