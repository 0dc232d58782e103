// Places for the numbers of points: in the widest angle that no segment takes.
import type { Item } from "../engine/engine.ts";
import type { Space } from "../layers.ts";

const AWAY = 12.5;

export function pointLabels(
  points: readonly Item[],
  segments: readonly Item[],
  space: Space,
): { x: number; y: number; text: string }[] {
  const angles = new Map<string, number[]>();
  const add = (item: Item, from: 0 | 1): void => {
    const a = space.at(item, from);
    const b = space.at(item, from === 0 ? 1 : 0);
    const name = `${item.points[2 * from]},${item.points[2 * from + 1]}`;
    const list = angles.get(name);
    const angle = Math.atan2(b.y - a.y, b.x - a.x);
    if (list) list.push(angle);
    else angles.set(name, [angle]);
  };
  for (const segment of segments) {
    add(segment, 0);
    add(segment, 1);
  }
  return points.map((point, i) => {
    const angle = widest(angles.get(`${point.points[0]},${point.points[1]}`) ?? []);
    return {
      x: Math.cos(angle) * AWAY,
      y: Math.sin(angle) * AWAY + 4,
      text: String(i + 1),
    };
  });
}

/** Returns the middle of the widest gap between these angles. Without any, up and to the right. */
function widest(angles: number[]): number {
  if (angles.length === 0) return -Math.PI / 4;
  const sorted = [...angles].sort((a, b) => a - b);
  let best = { gap: -1, middle: 0 };
  sorted.forEach((angle, i) => {
    const next = i + 1 < sorted.length ? sorted[i + 1]! : sorted[0]! + 2 * Math.PI;
    if (next - angle > best.gap) best = { gap: next - angle, middle: (angle + next) / 2 };
  });
  return best.middle;
}
