// Every board beside a picture of it that somebody has looked at. AGON_UPDATE_PICTURES=1 writes those that are missing or differ.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { Watched } from "./browser.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Recorded matches, which never change, a turn in which there is much to see, and the height of the page, so that a board is small. */
export const BOARDS = [
  { game: "lighthouses", replay: "lighthouses-spec", ply: 45, height: 440 },
  { game: "planet-wars", replay: "planet-wars-spec", ply: 14, height: 440 },
  { game: "triangles", replay: "triangles-spec", ply: 50, height: 400 },
  { game: "grid", replay: "grid-spec", ply: 12, height: 400 },
  { game: "portals", replay: "portals-spec", ply: 36, height: 400 },
];
const WIDTH = 840;
/** A fleet that nothing covers, by its number among all. */
const FLEET = 17;
/** Where pictures are that differ. */
const FOUND = join(tmpdir(), "agon-boards");

// Pictures are compared by the mean colours of small squares: another browser draws edges and letters a little differently, which
// changes up to 3 of these squares from Chromium 131 to 156. A fleet that is missing changes 13.
const SQUARE = 4;
/** How different two colours may be, from 0 to 1. */
const COLOUR = 0.1;
/** The most squares that may be different. */
const MOST = 6;
/** Colours of a kept picture are multiples of this, which makes its file smaller. */
const ROUND = 8;

/** One font for all machines, drawn without the hints that depend on the machine. */
const FONT = `@font-face { font-family: Reference; src: url(data:font/ttf;base64,${readFileSync(here("../../world/agon/fonts/NotoSans-Regular.ttf"), "base64")}); }
* { font-family: Reference !important; text-rendering: geometricPrecision !important; }`;

export async function checkReference(browser, agon, checks) {
  for (const board of BOARDS) {
    for (const colorScheme of ["light", "dark"]) await checkBoard(browser, agon, checks, board, colorScheme);
  }
}

async function checkBoard(browser, agon, checks, { game, replay, ply, height }, colorScheme) {
  const file = agon.path(`board-${game}.html`);
  agon.run("replay", "html", here(`../../fixtures/replays/v2/${replay}.jsonl`), "--output", file, "--quiet");
  const watched = await Watched.open(browser, `${pathToFileURL(file).href}#ply=${ply}`, { width: WIDTH, height, colorScheme, still: true });
  const { page } = watched;
  await page.addStyleTag({ content: FONT });
  await page.evaluate(() => document.fonts.load("12px Reference"));
  await watched.until("ply", ply);
  const name = `${game}-${colorScheme}.png`;
  const kept = here(`reference/${name}`);
  const found = await picture(page);
  if (process.env.AGON_UPDATE_PICTURES && !(existsSync(kept) && looksLike(kept, found))) {
    keep(kept, found);
    console.log(`wrote ${kept}`);
  }
  const isSame = existsSync(kept) && looksLike(kept, found);
  if (!isSame) {
    mkdirSync(FOUND, { recursive: true });
    keep(join(FOUND, name), found);
  }
  checks.that(isSame, `${game}, ${colorScheme}: the board does not look like viewer/e2e/reference/${name}, but like ${join(FOUND, name)}; AGON_UPDATE_PICTURES=1 renews it`);

  const changed = async (what) => checks.that(!looksLike(kept, await picture(page)), `${game}, ${colorScheme}: ${what} is seen`);
  // The comparison can fail.
  if (game === "planet-wars") {
    const hide = (isHidden) => page.locator(".board g.mover").nth(FLEET).evaluate((one, hidden) => (one.style.display = hidden ? "none" : ""), isHidden);
    await hide(true);
    await changed("a fleet that is missing");
    await hide(false);
  }
  const colour = (value) => page.evaluate((wanted) => document.documentElement.style.setProperty("--s2", wanted), value);
  await colour("var(--s3)");
  await changed("the colour of another seat");
  await colour("");
  await watched.press("Shift+ArrowRight");
  await watched.until("ply", ply + 10);
  await changed("another turn");
  await watched.close();
}

const picture = async (page) => PNG.sync.read(await page.locator(".board").first().screenshot());

function keep(path, found) {
  const data = found.data.map((value) => Math.min(255, Math.round(value / ROUND) * ROUND));
  writeFileSync(path, PNG.sync.write({ ...found, data }, { colorType: 2, deflateLevel: 9, filterType: -1 }));
}

function looksLike(kept, found) {
  const [one, other] = [PNG.sync.read(readFileSync(kept)), found].map(squares);
  if (one.width !== other.width || one.height !== other.height) return false;
  return pixelmatch(one.data, other.data, null, one.width, one.height, { threshold: COLOUR, includeAA: true }) <= MOST;
}

/** A picture of which each pixel is the mean of a square. */
function squares({ width: columns, data: pixels, height: rows }) {
  const [width, height] = [Math.floor(columns / SQUARE), Math.floor(rows / SQUARE)];
  const sums = new Float64Array(width * height * 4);
  for (let y = 0; y < height * SQUARE; y += 1) {
    for (let x = 0; x < width * SQUARE; x += 1) {
      const to = (Math.floor(y / SQUARE) * width + Math.floor(x / SQUARE)) * 4;
      for (let part = 0; part < 4; part += 1) sums[to + part] += pixels[(y * columns + x) * 4 + part];
    }
  }
  return { width, height, data: Uint8Array.from(sums, (sum) => sum / SQUARE ** 2) };
}
