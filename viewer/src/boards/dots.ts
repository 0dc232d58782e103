// The ground of Portals: a dot for each place where an agent may stand.
import type { Space } from "../layers.ts";
import type { Colours } from "../theme.ts";

export function drawDots(
  pen: CanvasRenderingContext2D,
  space: Space,
  colours: Colours,
  width: number,
  height: number,
): void {
  pen.fillStyle = colours("--space");
  pen.fillRect(0, 0, width, height);
  if (space.scale < 7) return;
  const { low, high } = space.scene;
  pen.fillStyle = colours("--star");
  pen.beginPath();
  for (let y = Math.ceil(low[1]); y <= high[1]; y += 1) {
    for (let x = Math.ceil(low[0]); x <= high[0]; x += 1) {
      const [cx, cy] = [space.x(x), space.y(y)];
      pen.moveTo(cx + 1.2, cy);
      pen.arc(cx, cy, 1.2, 0, 2 * Math.PI);
    }
  }
  pen.fill();
}
