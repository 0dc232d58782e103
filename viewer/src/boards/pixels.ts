// Many small tiles: one pixel each on a small picture, which is drawn large. Paths of ten thousand squares would take longer than
// a turn lasts.
import type { Grid } from "../engine/engine.ts";
import { seatColour, seatShape } from "../seats.ts";
import { amount, type Colours } from "../theme.ts";

type Colour = readonly [number, number, number];

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How much of the ground shows through the second tone of a seat whose shape is no disc. */
const SECOND_TONE = 0.28;

export function drawPixels(pen: CanvasRenderingContext2D, tiles: Grid, yUp: boolean, box: Box, colours: Colours): void {
  const ground = parts(colours("--tile"));
  const tones = new Map<number, readonly [Colour, Colour]>([[0, [ground, ground]]]);
  const under = pictureOf(pen.canvas, tiles.width, tiles.height);
  if (!under) return;
  const image = under.createImageData(tiles.width, tiles.height);
  for (let i = 0; i < tiles.cells.length; i += 1) {
    const seat = tiles.cells[i]!;
    let pair = tones.get(seat);
    if (!pair) {
      const own = mix(ground, parts(colours(seatColour(seat))), amount("--fill"));
      pair = [own, seatShape(seat) === "disc" ? own : mix(own, ground, SECOND_TONE)];
      tones.set(seat, pair);
    }
    const [x, y] = [i % tiles.width, Math.floor(i / tiles.width)];
    const at = 4 * ((yUp ? tiles.height - 1 - y : y) * tiles.width + x);
    const [red, green, blue] = pair[(x + y) % 2]!;
    image.data[at] = red;
    image.data[at + 1] = green;
    image.data[at + 2] = blue;
    image.data[at + 3] = 255;
  }
  under.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(under.canvas, box.x, box.y, box.width, box.height);
}

/** The small picture of each canvas. A new one for each turn costs more than what is drawn on it. */
const pictures = new WeakMap<HTMLCanvasElement, CanvasRenderingContext2D>();

function pictureOf(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  let pen = pictures.get(canvas) ?? null;
  if (pen?.canvas.width !== width || pen.canvas.height !== height) {
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [width, height];
    // It is read by each drawing and stays in the memory of the processor.
    pen = picture.getContext("2d", { willReadFrequently: true });
    if (pen) pictures.set(canvas, pen);
  }
  return pen;
}

const mix = (under: Colour, over: Colour, share: number): Colour => [
  under[0] + (over[0] - under[0]) * share,
  under[1] + (over[1] - under[1]) * share,
  under[2] + (over[2] - under[2]) * share,
];

/** Reads a colour as browsers print it: `rgb(1, 2, 3)`. */
function parts(colour: string): Colour {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
