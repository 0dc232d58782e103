// The ground of Lighthouses as paths: land with its coast, the energy of cells, and what a seat does not see.
import type { Grid } from "../engine/engine.ts";
import type { Layers, Space } from "../layers.ts";
import { Cells, px } from "./cells.ts";

const MOST_ENERGY = 100;
/** From this size on, cells show their energy as squares of different sizes, in pixels. Smaller ones are filled. */
const SQUARES = 12;
/** From this size on, squares have round corners. Nobody sees them on smaller cells. */
const CORNERS = 20;
/** How many tones filled cells have. */
const TONES = 4;
/** How many rows are one path. The browser reads and draws only those anew that change. */
const BAND = 8;

/** Returns what stays the same through the match. */
export function landOf(space: Space, land: Grid | undefined): { body: string; coast: string } {
  if (!land) return { body: "", coast: "" };
  const cells = new Cells(land, space);
  const isLand = (index: number): boolean => index >= 0 && land.cells[index] !== 0;
  return { body: cells.areas((index) => (isLand(index) ? 1 : 0), 0.5).get(1) ?? "", coast: cells.borders((one, other) => isLand(one) !== isLand(other)) };
}

/** Returns the cells that a seat does not see. */
export function fogOf(space: Space, layers: Layers): string {
  const [energy, land] = [layers.grid("energy"), layers.grid("ground")];
  if (!energy?.cells.some((amount) => amount < 0)) return "";
  const isUnseen = (index: number): boolean => energy.cells[index]! < 0 && land?.cells[index] !== 0;
  return new Cells(energy, space).areas((index) => (isUnseen(index) ? 1 : 0), 0.5).get(1) ?? "";
}

/** Returns the energy of cells: paths with their opacity. */
export function energyOf(space: Space, layers: Layers): { d: string; opacity: number }[] {
  const energy = layers.grid("energy");
  if (!energy) return [];
  if (space.scale >= SQUARES) return squaresOf(space, energy).map((d) => ({ d, opacity: 0.34 }));
  const tone = (amount: number): number => (amount > 0 ? Math.min(TONES, 1 + Math.floor((amount / MOST_ENERGY) * TONES)) : 0);
  const areas = new Cells(energy, space).areas((index) => tone(energy.cells[index]!), 0);
  return Array.from({ length: TONES }, (_, i) => ({ d: areas.get(i + 1) ?? "", opacity: 0.12 + 0.12 * i }));
}

/** Squares whose area is the energy, a path for each band of rows. */
function squaresOf(space: Space, energy: Grid): string[] {
  const places = { x: Array.from({ length: energy.width }, (_, x) => space.x(x)), y: Array.from({ length: energy.height }, (_, y) => space.y(y)) };
  const sizes: Square[] = [];
  const bands: string[] = [];
  for (let y = 0; y < energy.height; y += 1) {
    let d = "";
    for (let x = 0; x < energy.width; x += 1) {
      const amount = energy.cells[y * energy.width + x]!;
      if (amount <= 0) continue;
      const square = (sizes[amount] ??= squareOf(amount, space.scale));
      const left = (square.lefts[x] ??= `M${px(places.x[x]! + square.left)} `);
      const top = (square.tops[y] ??= px(places.y[y]! + square.top) + square.sides);
      d += left + top;
    }
    const band = Math.floor(y / BAND);
    bands[band] = (bands[band] ?? "") + d;
  }
  return bands;
}

/** A square of one size. */
interface Square {
  /** Where its path begins, from the middle of a cell. */
  left: number;
  top: number;
  sides: string;
  /** The beginnings of its paths, for each column and row. */
  lefts: string[];
  tops: string[];
}

/** The fourth side is where the area is closed. */
function squareOf(amount: number, size: number): Square {
  const side = size * (0.1 + 0.52 * Math.sqrt(Math.min(1, amount / MOST_ENERGY)));
  const round = size < CORNERS ? 0 : side * 0.18;
  const [straight, r] = [px(side - 2 * round), px(round)];
  const sides =
    round === 0
      ? `h${straight}v${straight}h-${straight}`
      : `h${straight}q${r} 0 ${r} ${r}v${straight}q0 ${r}-${r} ${r}h-${straight}q-${r} 0-${r}-${r}v-${straight}q0-${r} ${r}-${r}`;
  return { left: round - side / 2, top: -side / 2, sides, lefts: [], tops: [] };
}
