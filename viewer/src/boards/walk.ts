// The keyboard on the board: from a thing, or from a cell, to the next one.

/** A thing with its place on the screen. */
export interface Thing {
  key: number;
  x: number;
  y: number;
}

/** A direction on the screen, where `y` grows downwards. */
export type Direction = readonly [x: -1 | 0 | 1, y: -1 | 0 | 1];

export const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** How much more a step to the side costs than one ahead. */
const ASIDE = 2;

/** Returns the nearest thing in a direction. At the edge, and where nothing is, it is the thing itself; without one, the first. */
export function nearest(things: readonly Thing[], from: number | null, [dx, dy]: Direction): number | null {
  const here = things.find((thing) => thing.key === from);
  if (!here) return inRows(things)[0]?.key ?? null;
  const cost = ({ x, y }: Thing): number => {
    const [ahead, aside] = [(x - here.x) * dx + (y - here.y) * dy, (x - here.x) * dy - (y - here.y) * dx];
    return ahead > 0.5 ? ahead + ASIDE * Math.abs(aside) : Number.POSITIVE_INFINITY;
  };
  const best = things.reduce((best, thing) => (cost(thing) < cost(best) ? thing : best), here);
  return best.key;
}

/** Returns the thing that follows in the order in which one reads: row by row. After the last one comes the first. */
export function following(things: readonly Thing[], from: number | null, step: 1 | -1): number | null {
  const all = inRows(things);
  const at = all.findIndex((thing) => thing.key === from);
  if (at < 0) return all.at(step > 0 ? 0 : -1)?.key ?? null;
  return all[(at + step + all.length) % all.length]!.key;
}

const inRows = (things: readonly Thing[]): Thing[] => [...things].sort((a, b) => a.y - b.y || a.x - b.x || a.key - b.key);
