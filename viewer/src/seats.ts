// How a seat looks: hue, shape and texture together, so that seats differ for every eye and on paper.

export type Shape = "disc" | "square" | "diamond";

const SHAPES: readonly Shape[] = ["disc", "square", "diamond"];

/** Returns the class that sets the colours of a seat. Seats count from 1. */
export const seatClass = (seat: number | null): string => (seat === null ? "nobody" : `seat${((seat - 1) % 8) + 1}`);

export const seatShape = (seat: number | null): Shape => (seat === null ? "disc" : SHAPES[(seat - 1) % 3]!);

/** Returns the outline of a seat's shape around the origin. All shapes of one radius cover about the same area. */
export function outline(seat: number | null, radius: number): string {
  switch (seatShape(seat)) {
    case "disc":
      return `M${-radius} 0A${radius} ${radius} 0 1 1 ${radius} 0A${radius} ${radius} 0 1 1 ${-radius} 0Z`;
    case "square": {
      const a = radius * 0.92;
      const round = Math.min(2, radius * 0.2);
      const side = 2 * (a - round);
      return `M${-a + round} ${-a}h${side}q${round} 0 ${round} ${round}v${side}q0 ${round} ${-round} ${round}h${-side}q${-round} 0 ${-round} ${-round}v${-side}q0 ${-round} ${round} ${-round}Z`;
    }
    case "diamond": {
      const a = radius * 1.25;
      return `M0 ${-a}L${a} 0L0 ${a}L${-a} 0Z`;
    }
  }
}

/** Returns what fills an area of a seat: its tint with its texture. `Textures.svelte` defines them. */
export const areaFill = (seat: number | null): string => (seat === null ? "none" : `url(#area${seat})`);
