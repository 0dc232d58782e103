// Pages on large screens: nothing is tiny, nothing leaves the window, and the pointer hits what it shows.
import { Watched } from "./browser.mjs";
import { GAMES } from "./games.mjs";

/** Screens with a scale of 100 %, each with the least height that a text on it may have, in its pixels. */
const SCREENS = [
  { width: 3840, height: 2160, least: 15 },
  { width: 2560, height: 1440, least: 10 },
];

export async function checkWide(browser, agon, checks) {
  for (const { name } of GAMES) {
    for (const screen of SCREENS) await checkScreen(browser, agon.html(name), checks, name, screen);
  }
}

async function checkScreen(browser, url, checks, name, { width, height, least }) {
  const watched = await Watched.open(browser, `${url}#ply=12`, { width, height, still: true });
  const { page } = watched;
  const at = `${name} at ${width} by ${height}`;
  await watched.until("verified", "true");
  const { sizes, over } = await page.evaluate(look);
  checks.that(sizes.length > 10 && Math.min(...sizes) >= least, `${at}: the smallest of ${sizes.length} texts has ${Math.min(...sizes)} pixels`);
  checks.equal(over, "0 0", `${at}: the page is larger than the window by`);
  const board = await page.locator(".board").boundingBox();
  checks.that(board.width >= width * 0.7 && board.height >= height * 0.8, `${at}: the board has ${board.width} by ${board.height}`);

  const plies = Number(await watched.data("plies"));
  const bar = await page.locator(".time").boundingBox();
  await page.mouse.click(bar.x + bar.width * 0.75, bar.y + bar.height / 2);
  const there = Number(await watched.data("ply"));
  checks.that(Math.abs(there - plies * 0.75) <= plies / 100 + 1, `${at}: a press at three quarters leads to ${there} of ${plies}`);
  await page.locator(".contents figure .area").first().click({ position: { x: 6, y: 40 } });
  checks.that(Number(await watched.data("ply")) <= 1, `${at}: a press at the start of a chart leads to ${await watched.data("ply")}`);
  await checkPointer(watched, checks, name, at, board);
  checks.equal(watched.wrongs.join("; "), "", `${at}: nothing goes wrong in the page`);
  await watched.close();
}

/** The facts under the pointer are those of what is drawn there. */
async function checkPointer({ page }, checks, name, at, board) {
  if (name !== "grid") {
    const drawn = page.locator(".board g[data-key]").last();
    await drawn.hover({ force: true });
    const [ring, thing] = [await page.locator(".ring circle").boundingBox(), await drawn.boundingBox()];
    const [x, y] = [ring.x + ring.width / 2, ring.y + ring.height / 2];
    checks.that(x >= thing.x && x <= thing.x + thing.width && y >= thing.y && y <= thing.y + thing.height, `${at}: the ring is around the thing under the pointer`);
    return;
  }
  // The map has 24 by 24 cells, which fill the height of the board but for its margin.
  await page.mouse.move(board.x + board.width / 2 + 3, board.y + board.height / 2 + 3);
  const [column, row] = /cell\s+(\d+), (\d+)/.exec(await page.locator(".board .facts").innerText()).slice(1).map(Number);
  checks.that([11, 12].includes(column) && [11, 12].includes(row), `${at}: the middle of the board is the cell ${column}, ${row}`);
  const edge = board.height / 24;
  await page.mouse.move(board.x + board.width / 2 - 10 * edge, board.y + board.height / 2 + 3);
  const [left] = /cell\s+(\d+),/.exec(await page.locator(".board .facts").innerText()).slice(1).map(Number);
  checks.that([1, 2].includes(left), `${at}: ten cells to the left of it is column ${left}`);
}

/** What is seen of texts and the size of the page. It runs in the page. */
function look() {
  const zoom = (one) => one.currentCSSZoom ?? 1;
  const sizes = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    const box = parent.getBoundingClientRect();
    if (texts.currentNode.data.trim() === "" || box.width < 2 || parent.closest(".aside, option")) continue;
    sizes.push(Number.parseFloat(getComputedStyle(parent).fontSize) * zoom(parent));
  }
  const root = document.documentElement;
  return { sizes, over: `${root.scrollWidth - root.clientWidth} ${root.scrollHeight - root.clientHeight}` };
}
