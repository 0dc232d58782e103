// The console on a phone: nothing is wider than it, and everything can be hit with a finger.
import { pathToFileURL } from "node:url";
import { checkAccess } from "./axe.mjs";
import { Watched } from "./browser.mjs";
import { endAll, Session } from "./session.mjs";

const WIDTH = 360;
const HEIGHT = 740;
/** The least width and height of what a finger is to hit. */
const FINGER = 44;

export const GAMES = [
  { name: "triangles", bot: "@careful", words: ["--map", "gen:uniform:5"], taps: 2 },
  { name: "planet-wars", bot: "@prospector", words: ["--map", "gen:final:1"], taps: 2, gives: true },
  { name: "grid", bot: "@frontier", words: ["--map", "gen:24x24:5"], taps: 1, gives: true },
  { name: "lighthouses", bot: "@weaver", words: ["--map", "gen:lakes:3"], taps: 1 },
  { name: "portals", bot: "@builder", words: ["--map", "gen:queens:5"], taps: 1, gives: true },
];

export async function checkPhone(browser, agon, checks, shots, only = "") {
  for (const game of GAMES.filter(({ name }) => name.includes(only))) {
    await checks.part(`phone ${game.name} alone`, () => checkAlone(browser, agon, checks, game));
    for (const colorScheme of shots ? ["light", "dark"] : ["light"]) {
      await checks.part(`phone ${game.name}`, () => checkGame(browser, agon, checks, game, colorScheme, shots));
      endAll();
    }
  }
}

/** What is wider than the page, and what is too small for a finger. Things on the board have the size of the board. */
const misfits = (page) =>
  page.evaluate(
    ([width, finger]) => {
      const main = document.querySelector("main");
      const found = [];
      if (document.documentElement.scrollWidth > width || main.scrollWidth > main.clientWidth) found.push(`the page is ${Math.max(document.documentElement.scrollWidth, main.scrollWidth)} wide`);
      for (const one of main.querySelectorAll("button, select, input, textarea, [role=tab], [role=option]")) {
        const target = one.type === "checkbox" ? one.closest("label") : one;
        const box = target.getBoundingClientRect();
        if (box.width === 0) continue;
        const words = `${one.localName} ${one.ariaLabel ?? one.id} ${one.textContent.trim().slice(0, 20)}`;
        // Half a pixel is no matter of a finger.
        if (Math.min(box.width, box.height) < finger - 0.5) found.push(`${words} is ${box.width.toFixed(0)} by ${box.height.toFixed(0)}`);
        if (box.left < -0.5 || box.right > width + 0.5) found.push(`${words} is from ${box.left.toFixed(0)} to ${box.right.toFixed(0)}`);
      }
      return found.join("; ");
    },
    [WIDTH, FINGER],
  );

/** The page without a server. */
async function checkAlone(browser, agon, checks, { name, bot, words }) {
  const file = agon.path(`phone-${name}.html`);
  agon.run("console", name, "human", bot, ...words, "--html", "-o", file, "--quiet");
  const watched = await Watched.open(browser, pathToFileURL(file).href, { width: WIDTH, height: HEIGHT, touch: true });
  const { page } = watched;
  await page.waitForSelector("[data-lit]");
  await page.getByRole("button", { name: /^Seats/ }).tap();
  checks.equal(await misfits(page), "", `${name} alone on a phone: everything fits`);
  await page.getByRole("button", { name: "Menu" }).tap();
  await page.getByRole("button", { name: "New match" }).tap();
  await page.locator("dialog[open]").waitFor();
  checks.equal(await misfits(page), "", `${name} alone on a phone: a new match fits`);
  checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong alone on a phone`);
  await watched.close();
}

async function checkGame(browser, agon, checks, { name, bot, words, taps, gives }, colorScheme, shots) {
  agon.run("new", name, "python", `phone-${name}-${colorScheme}`, "--quiet");
  const session = await Session.start(agon, name, "human", bot, "--seed", "5", ...words);
  const watched = await session.open(browser, { width: WIDTH, height: HEIGHT, colorScheme, touch: true });
  const { page } = watched;
  const look = async (what) => {
    checks.equal(await misfits(page), "", `${name} on a phone, ${what}: everything fits`);
    if (shots) await page.screenshot({ path: `${shots}/phone-${name}-${what.replaceAll(" ", "-")}-${colorScheme}.png` });
  };
  await page.waitForSelector("[data-lit]");
  await look("the board");
  for (let i = 0; i < taps; i += 1) {
    const [x, y] = await page.$$eval("[data-lit]", (all) => {
      const box = all[Math.min(1, all.length - 1)].getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    });
    await page.touchscreen.tap(x, y);
    if (i + 1 < taps) await page.waitForSelector(".from");
  }
  if (gives) {
    await page.waitForSelector(".orders .list li");
    const give = await page.locator("[data-give]").boundingBox();
    const controls = await page.locator(".controls").boundingBox();
    checks.that(give.y + give.height <= controls.y, `${name} on a phone: the button that gives the orders is in sight`);
    await look("orders");
    await page.locator("[data-give]").tap();
  }
  await page.waitForFunction(() => Number(document.querySelector("main").dataset.ply) > 0 && document.querySelector("main").dataset.hand === "1");

  const bars = page.locator(".bar");
  checks.equal(await bars.count(), 3, `${name}: three parts can be folded`);
  const seats = page.getByRole("button", { name: /^Seats/ });
  checks.equal(await seats.getAttribute("aria-expanded"), "false", `${name}: the seats are folded at first`);
  await seats.tap();
  const field = page.getByLabel("Who decides for seat 2");
  await field.fill(`python3 phone-${name}-${colorScheme}/bot.py`);
  await field.press("Enter");
  await page.getByRole("button", { name: "Restart the program of seat 2" }).waitFor();
  await look("seats");
  await seats.tap();
  await page.getByRole("button", { name: /^Orders/ }).tap();
  checks.equal(await page.locator(".orders .hint").isVisible(), false, `${name}: the orders are folded`);
  await page.getByRole("tab", { name: "Dialogue" }).tap();
  await page.getByLabel("A line for the program").waitFor();
  await page.getByLabel("A line for the program").scrollIntoViewIfNeeded();
  await look("dialogue");
  await page.getByRole("tab", { name: "State" }).tap();
  await page.waitForSelector("[data-item]");
  const groups = page.locator(".contents > ul > li > .row > .toggle");
  for (let i = 0; i < (await groups.count()); i += 1) await groups.nth(i).tap();
  await page.locator("[data-item]").last().scrollIntoViewIfNeeded();
  await look("state");
  await checkAccess(watched, checks, `${name} on a phone`);
  await page.getByRole("button", { name: "Menu" }).tap();
  await look("menu");
  const isOnTop = () =>
    [...document.querySelectorAll("#menu button")].every((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
  checks.that(await page.evaluate(isOnTop), "nothing covers the menu");
  await page.getByRole("button", { name: "Edit board" }).tap();
  await page.locator("dialog textarea").waitFor();
  await look("map");
  await page.getByRole("button", { name: "Cancel" }).tap();
  checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong on a phone`);
  await watched.close();
  await session.end();
}
