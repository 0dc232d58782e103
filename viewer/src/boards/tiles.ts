// The board of Grid: tiles with the texture of their seat, the frontier, and what happened this turn.
import type { Grid } from "../engine/engine.ts";
import type { Layers, Space } from "../layers.ts";
import { drawPixels } from "./pixels.ts";
import { seatColour, seatShape } from "../seats.ts";
import type { Sign } from "./signs.ts";
import { amount, type Colours } from "../theme.ts";

export function drawTiles(
  pen: CanvasRenderingContext2D,
  space: Space,
  layers: Layers,
  signs: ReadonlyMap<number, Sign>,
  colours: Colours,
  width: number,
  height: number,
): void {
  pen.globalAlpha = 1;
  pen.fillStyle = colours("--space");
  pen.fillRect(0, 0, width, height);
  const tiles = layers.grid("tiles");
  if (!tiles) return;
  const c = space.scale;
  const small = c < 8;
  const left = (x: number): number => space.x(x - 0.5);
  const top = (y: number): number => space.y(space.scene.yUp ? y + 0.5 : y - 0.5);
  const [x0, y0] = [left(0), top(space.scene.yUp ? tiles.height - 1 : 0)];

  if (small) {
    drawPixels(pen, tiles, space.scene.yUp, { x: x0, y: y0, width: tiles.width * c, height: tiles.height * c }, colours);
  } else {
    pen.fillStyle = colours("--tile");
    pen.fillRect(x0, y0, tiles.width * c, tiles.height * c);
    for (const seat of new Set(tiles.cells)) {
      if (seat > 0) drawSeat(pen, tiles, seat, c, left, top, colours);
    }
    drawLines(pen, tiles, c, x0, y0, colours);
  }
  drawFrontier(pen, tiles, space, c, left, top, colours, small);
  if (c >= 6) drawSigns(pen, tiles, signs, space, c, colours);
}

function drawSeat(
  pen: CanvasRenderingContext2D,
  tiles: Grid,
  seat: number,
  c: number,
  left: (x: number) => number,
  top: (y: number) => number,
  colours: Colours,
): void {
  const own = new Path2D();
  for (let i = 0; i < tiles.cells.length; i += 1) {
    if (tiles.cells[i] !== seat) continue;
    own.rect(left(i % tiles.width), top(Math.floor(i / tiles.width)), c + 0.2, c + 0.2);
  }
  pen.fillStyle = colours(seatColour(seat));
  pen.globalAlpha = amount("--fill");
  pen.fill(own);
  if (seatShape(seat) !== "disc") drawTexture(pen, own, seat, colours);
  pen.globalAlpha = 1;
}

/** Draws stripes or dots over the tiles of a seat. */
function drawTexture(pen: CanvasRenderingContext2D, own: Path2D, seat: number, colours: Colours): void {
  const { a, d } = pen.getTransform();
  const [width, height] = [pen.canvas.width / a, pen.canvas.height / d];
  pen.save();
  pen.clip(own);
  pen.globalAlpha = 0.42;
  pen.strokeStyle = pen.fillStyle = colours("--tile");
  pen.beginPath();
  if (seatShape(seat) === "square") {
    for (let x = -height; x < width; x += 8 * Math.SQRT2) {
      pen.moveTo(x, height);
      pen.lineTo(x + height, 0);
    }
    pen.lineWidth = 2;
    pen.stroke();
  } else {
    for (let x = 3.5; x < width; x += 7) {
      for (let y = 3.5; y < height; y += 7) {
        pen.moveTo(x + 1.4, y);
        pen.arc(x, y, 1.4, 0, 2 * Math.PI);
      }
    }
    pen.fill();
  }
  pen.restore();
}

function drawLines(
  pen: CanvasRenderingContext2D,
  tiles: Grid,
  c: number,
  x0: number,
  y0: number,
  colours: Colours,
): void {
  pen.beginPath();
  for (let x = 0; x <= tiles.width; x += 1) {
    pen.moveTo(x0 + x * c, y0);
    pen.lineTo(x0 + x * c, y0 + tiles.height * c);
  }
  for (let y = 0; y <= tiles.height; y += 1) {
    pen.moveTo(x0, y0 + y * c);
    pen.lineTo(x0 + tiles.width * c, y0 + y * c);
  }
  pen.strokeStyle = colours("--space");
  pen.lineWidth = 1.4;
  pen.stroke();
}

/** Draws ink where tiles of two seats lie side by side. */
function drawFrontier(
  pen: CanvasRenderingContext2D,
  tiles: Grid,
  space: Space,
  c: number,
  left: (x: number) => number,
  top: (y: number) => number,
  colours: Colours,
  small: boolean,
): void {
  const at = (x: number, y: number): number => tiles.cells[y * tiles.width + x] ?? 0;
  const line = new Path2D();
  for (let y = 0; y < tiles.height; y += 1) {
    for (let x = 0; x < tiles.width; x += 1) {
      const own = at(x, y);
      if (own === 0) continue;
      const right = x + 1 < tiles.width ? at(x + 1, y) : 0;
      if (right !== 0 && right !== own) {
        line.moveTo(left(x + 1), top(y));
        line.lineTo(left(x + 1), top(y) + c);
      }
      const next = y + 1 < tiles.height ? at(x, y + 1) : 0;
      if (next !== 0 && next !== own) {
        const edge = space.scene.yUp ? top(y) : top(y) + c;
        line.moveTo(left(x), edge);
        line.lineTo(left(x) + c, edge);
      }
    }
  }
  pen.lineCap = "round";
  if (!small) {
    pen.strokeStyle = colours("--halo");
    pen.lineWidth = Math.min(5.5, c * 0.25);
    pen.stroke(line);
  }
  pen.strokeStyle = colours("--ink");
  pen.lineWidth = small ? 1.5 : Math.min(2.6, c * 0.13);
  pen.stroke(line);
}

function drawSigns(
  pen: CanvasRenderingContext2D,
  tiles: Grid,
  signs: ReadonlyMap<number, Sign>,
  space: Space,
  c: number,
  colours: Colours,
): void {
  const r = Math.max(1.5, c * 0.12);
  for (const [i, sign] of signs) {
    const [x, y] = [space.x(i % tiles.width), space.y(Math.floor(i / tiles.width))];
    const owner = tiles.cells[i]!;
    if (c < 14) {
      // Too small for shapes: what changed is lit for this turn.
      pen.globalAlpha = 0.35;
      pen.fillStyle = colours("--ink");
      pen.fillRect(x - c / 2, y - c / 2, c, c);
      pen.globalAlpha = 1;
      continue;
    }
    switch (sign) {
      case "captured":
        disc(pen, x, y, r, colours("--halo"));
        break;
      case "taken":
        disc(pen, x, y, c * 0.3, colours("--halo"));
        disc(pen, x, y, c * 0.22, colours(seatColour(owner > 0 ? owner : null)));
        disc(pen, x, y, r, colours("--halo"));
        break;
      case "contested":
        crossedDiamond(pen, x, y, c * 0.34, colours);
        break;
      case "suffocated":
        pen.strokeStyle = colours("--ink");
        pen.lineWidth = 1.5;
        pen.setLineDash([3, 2.4]);
        pen.strokeRect(x - c * 0.32, y - c * 0.32, c * 0.64, c * 0.64);
        pen.setLineDash([]);
        break;
    }
  }
}

function disc(pen: CanvasRenderingContext2D, x: number, y: number, r: number, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fill();
}

function crossedDiamond(pen: CanvasRenderingContext2D, x: number, y: number, r: number, colours: Colours): void {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y);
  pen.lineTo(x, y + r);
  pen.lineTo(x - r, y);
  pen.closePath();
  pen.fillStyle = colours("--halo");
  pen.fill();
  const a = r * 0.4;
  pen.moveTo(x - a, y - a);
  pen.lineTo(x + a, y + a);
  pen.moveTo(x + a, y - a);
  pen.lineTo(x - a, y + a);
  pen.strokeStyle = colours("--ink");
  pen.lineWidth = 1.5;
  pen.stroke();
}
