// The board of Grid as paths: the tiles of each seat, the frontier, and what happened this turn.
import type { Layers, Space } from "../layers.ts";
import { Cells, px } from "./cells.ts";
import type { Sign } from "./signs.ts";

/** From this size on, tiles have the texture of their seat and lines between them, in pixels. Smaller ones have two tones. */
const TEXTURES = 8;
/** From this size on, what happened to a tile is shown as a sign. On smaller ones it is a shade. */
const SIGNS = 14;
/** On tiles that are smaller than this nothing is shown. */
const SHADES = 6;

export interface Tiles {
  cells: Cells;
  isSmall: boolean;
  seats: { seat: number; d: string }[];
  frontier: string;
}

/** Returns what is owned. */
export function tilesOf(space: Space, layers: Layers): Tiles | null {
  const tiles = layers.grid("tiles");
  if (!tiles) return null;
  const cells = new Cells(tiles, space);
  const owner = (index: number): number => (index < 0 ? 0 : tiles.cells[index]!);
  const areas = [...cells.areas(owner, 0.2)].sort(([a], [b]) => a - b);
  return {
    cells,
    isSmall: space.scale < TEXTURES,
    seats: areas.map(([seat, d]) => ({ seat, d })),
    frontier: cells.borders((one, other) => owner(one) > 0 && owner(other) > 0 && owner(one) !== owner(other)),
  };
}

/** Returns the lines between all tiles. */
export function linesOf({ columns, lines, left, top, size }: Cells): string {
  let d = "";
  for (let x = 0; x <= columns; x += 1) d += `M${px(left + x * size)} ${px(top)}v${px(lines * size)}`;
  for (let y = 0; y <= lines; y += 1) d += `M${px(left)} ${px(top + y * size)}h${px(columns * size)}`;
  return d;
}

export interface Signs {
  shades: string;
  captured: string;
  taken: string;
  /** What taken tiles have in the colour of their new owner. */
  cores: { seat: number; d: string }[];
  contested: string;
  crosses: string;
  suffocated: string;
}

/** Returns what happened this turn. */
export function drawnSigns(space: Space, layers: Layers, signs: ReadonlyMap<number, Sign>): Signs {
  const drawn: Signs = { shades: "", captured: "", taken: "", cores: [], contested: "", crosses: "", suffocated: "" };
  const tiles = layers.grid("tiles");
  const c = space.scale;
  if (!tiles || c < SHADES) return drawn;
  const cores = new Map<number, string>();
  for (const [index, sign] of signs) {
    const [x, y] = [space.x(index % tiles.width), space.y(Math.floor(index / tiles.width))];
    if (c < SIGNS) {
      drawn.shades += square(x, y, c / 2);
      continue;
    }
    switch (sign) {
      case "captured":
        drawn.captured += disc(x, y, c * 0.12);
        break;
      case "taken": {
        const owner = tiles.cells[index]!;
        drawn.taken += disc(x, y, c * 0.3);
        drawn.captured += disc(x, y, c * 0.12);
        cores.set(owner, (cores.get(owner) ?? "") + disc(x, y, c * 0.22));
        break;
      }
      case "contested":
        drawn.contested += diamond(x, y, c * 0.34);
        drawn.crosses += cross(x, y, c * 0.34 * 0.4);
        break;
      case "suffocated":
        drawn.suffocated += square(x, y, c * 0.32);
        break;
    }
  }
  drawn.cores = [...cores].map(([seat, d]) => ({ seat, d }));
  return drawn;
}

const square = (x: number, y: number, half: number): string => `M${px(x - half)} ${px(y - half)}h${px(2 * half)}v${px(2 * half)}h${px(-2 * half)}z`;

const diamond = (x: number, y: number, r: number): string => `M${px(x)} ${px(y - r)}l${px(r)} ${px(r)}l${px(-r)} ${px(r)}l${px(-r)} ${px(-r)}z`;

const cross = (x: number, y: number, a: number): string =>
  `M${px(x - a)} ${px(y - a)}l${px(2 * a)} ${px(2 * a)}m0 ${px(-2 * a)}l${px(-2 * a)} ${px(2 * a)}`;

const disc = (x: number, y: number, r: number): string =>
  `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 1 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 1 ${px(-2 * r)} 0z`;
