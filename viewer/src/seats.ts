// How a seat looks: hue, shape and texture together, so that seats differ for every eye and on paper.

export type Shape = "disc" | "square" | "diamond";

const SHAPES: readonly Shape[] = ["disc", "square", "diamond"];

/** Returns the class that sets the colours of a seat. Seats count from 1. */
export const seatClass = (seat: number | null): string => (seat === null ? "nobody" : `seat${((seat - 1) % 8) + 1}`);

export const seatShape = (seat: number | null): Shape => (seat === null ? "disc" : SHAPES[(seat - 1) % 3]!);

/** Returns the outline of a seat's shape around a place, the origin if none is given. All shapes of one radius cover about the same
 *  area. A path that has its place needs no group that is moved, of which the browser keeps account in every frame. */
export function outline(seat: number | null, radius: number, x = 0, y = 0): string {
  const from = (dx: number, dy: number): string => `M${x + dx} ${y + dy}`;
  switch (seatShape(seat)) {
    case "disc":
      return `${from(-radius, 0)}a${radius} ${radius} 0 1 1 ${2 * radius} 0a${radius} ${radius} 0 1 1 ${-2 * radius} 0z`;
    case "square": {
      const a = radius * 0.92;
      const round = Math.min(2, radius * 0.2);
      const side = 2 * (a - round);
      return (
        `${from(round - a, -a)}h${side}q${round} 0 ${round} ${round}v${side}q0 ${round} ${-round} ${round}` +
        `h${-side}q${-round} 0 ${-round} ${-round}v${-side}q0 ${-round} ${round} ${-round}z`
      );
    }
    case "diamond": {
      const a = radius * 1.25;
      return `${from(0, -a)}l${a} ${a}l${-a} ${a}l${-a} ${-a}z`;
    }
  }
}

/** Returns what fills an area of a seat: its tint with its texture. `Textures.svelte` defines them. */
export const areaFill = (seat: number | null): string => (seat === null ? "none" : `url(#area${seat})`);
