// The ground of Lighthouses: sea, shallows, land with its coast, and the energy of cells.
import type { Grid } from "../engine/engine.ts";
import type { Layers, Space } from "../layers.ts";
import type { Colours } from "../theme.ts";

const MOST_ENERGY = 100;

/** Draws what stays the same through the match. */
export function drawIsland(
  pen: CanvasRenderingContext2D,
  space: Space,
  land: Grid | undefined,
  colours: Colours,
  width: number,
  height: number,
): void {
  pen.globalAlpha = 1;
  pen.fillStyle = colours("--sea");
  pen.fillRect(0, 0, width, height);
  if (!land) return;
  const c = space.scale;
  const isLand = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < land.width && y < land.height && land.cells[y * land.width + x] !== 0;
  const left = (x: number): number => space.x(x - 0.5);
  const top = (y: number): number => space.y(space.scene.yUp ? y + 0.5 : y - 0.5);

  const body = new Path2D();
  const coast = new Path2D();
  for (let y = 0; y < land.height; y += 1) {
    for (let x = 0; x < land.width; x += 1) {
      if (!isLand(x, y)) continue;
      const [x0, y0] = [left(x), top(y)];
      body.rect(x0, y0, c + 0.5, c + 0.5);
      const up = space.scene.yUp ? y + 1 : y - 1;
      const down = space.scene.yUp ? y - 1 : y + 1;
      const edges: [boolean, number, number, number, number][] = [
        [isLand(x, up), x0, y0, x0 + c, y0],
        [isLand(x, down), x0, y0 + c, x0 + c, y0 + c],
        [isLand(x - 1, y), x0, y0, x0, y0 + c],
        [isLand(x + 1, y), x0 + c, y0, x0 + c, y0 + c],
      ];
      for (const [inland, ax, ay, bx, by] of edges) {
        if (inland) continue;
        coast.moveTo(ax, ay);
        coast.lineTo(bx, by);
      }
    }
  }
  pen.lineCap = "square";
  pen.strokeStyle = colours("--shallows");
  pen.lineWidth = c * 0.5;
  pen.stroke(coast);
  pen.strokeStyle = colours("--coast");
  pen.lineWidth = Math.min(5, Math.max(1.5, c / 6));
  pen.stroke(coast);
  pen.fillStyle = colours("--land");
  pen.fill(body);
}

/** Draws the energy of cells, and stripes over those that a seat does not see. */
export function drawEnergy(
  pen: CanvasRenderingContext2D,
  space: Space,
  layers: Layers,
  colours: Colours,
  width: number,
  height: number,
): void {
  pen.clearRect(0, 0, width, height);
  const energy = layers.grid("energy");
  const land = layers.grid("ground");
  if (!energy || !land) return;
  const c = space.scale;
  const full = new Path2D();
  const fog = new Path2D();
  const steps = [new Path2D(), new Path2D(), new Path2D(), new Path2D()];
  let fogged = false;
  for (let y = 0; y < energy.height; y += 1) {
    for (let x = 0; x < energy.width; x += 1) {
      const i = y * energy.width + x;
      if (land.cells[i] === 0) continue;
      const amount = energy.cells[i]!;
      const [cx, cy] = [space.x(x), space.y(y)];
      if (amount < 0) {
        fog.rect(cx - c / 2, cy - c / 2, c + 0.5, c + 0.5);
        fogged = true;
      } else if (amount > 0) {
        if (c < 12) {
          const step = Math.min(3, Math.floor((amount / MOST_ENERGY) * 4));
          steps[step]!.rect(cx - c / 2, cy - c / 2, c, c);
        } else {
          const side = c * (0.1 + 0.52 * Math.sqrt(Math.min(1, amount / MOST_ENERGY)));
          // Round corners cost time, and nobody sees them on small cells.
          if (c < 20) full.rect(cx - side / 2, cy - side / 2, side, side);
          else full.roundRect(cx - side / 2, cy - side / 2, side, side, side * 0.18);
        }
      }
    }
  }
  pen.fillStyle = colours("--energy");
  if (c < 12) {
    steps.forEach((path, step) => {
      pen.globalAlpha = 0.12 + 0.12 * step;
      pen.fill(path);
    });
  } else {
    pen.globalAlpha = 0.34;
    pen.fill(full);
  }
  pen.globalAlpha = 1;
  if (fogged) drawFog(pen, fog, colours);
}

/** Covers what a seat does not see with stripes. */
function drawFog(pen: CanvasRenderingContext2D, fog: Path2D, colours: Colours): void {
  pen.save();
  pen.clip(fog);
  pen.globalAlpha = 0.55;
  pen.fillStyle = colours("--sea");
  pen.fill(fog);
  pen.strokeStyle = colours("--coast");
  pen.lineWidth = 1;
  pen.beginPath();
  const { width, height } = pen.canvas;
  for (let x = -height; x < width; x += 6 * Math.SQRT2) {
    pen.moveTo(x, height);
    pen.lineTo(x + height, 0);
  }
  pen.stroke();
  pen.restore();
}
