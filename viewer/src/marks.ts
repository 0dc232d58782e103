// Marks on the time bar: turns at which something happened, and the way from one to the next.
import type { TurnMark } from "./engine/engine.ts";

export type MarkKind = "fault" | "lie" | "change" | "swing" | "lead" | "loss" | "gain";

export interface Mark {
  ply: number;
  kind: MarkKind;
  seat: number | null;
  text: string;
}

/** The heavier one wins where two would touch. */
const WEIGHT: Record<MarkKind, number> = { gain: 1, loss: 2, lead: 3, swing: 4, change: 5, lie: 6, fault: 7 };

/** Returns the marks of a survey. */
export function marksOf(turns: readonly TurnMark[]): Mark[] {
  return turns.flatMap(({ ply, weight, seat, text }) => {
    const kind = weight === "refusal" ? "fault" : weight;
    return kind === "other" ? [] : [{ ply, kind, seat, text }];
  });
}

/** Keeps one mark for each `apart` pixels of a bar of this width. */
export function thinned(marks: readonly Mark[], plies: number, width: number, apart = 10): Mark[] {
  const kept: Mark[] = [];
  const x = (mark: Mark): number => (mark.ply / Math.max(1, plies)) * width;
  for (const mark of marks) {
    const before = kept.at(-1);
    if (!before || x(mark) - x(before) >= apart) kept.push(mark);
    else if (WEIGHT[mark.kind] > WEIGHT[before.kind]) kept[kept.length - 1] = mark;
  }
  return kept;
}

/** Returns the place of the next mark in this direction, or the end of the match. */
export function nextMark(marks: readonly Mark[], ply: number, direction: 1 | -1, plies: number): number {
  if (direction > 0) return marks.find((mark) => mark.ply > ply)?.ply ?? plies;
  return marks.findLast((mark) => mark.ply < ply)?.ply ?? 0;
}
