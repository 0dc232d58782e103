// The page in which a person plays: opened from disk, without any server, by gestures and by keys.
import { pathToFileURL } from "node:url";
import { checkAccess } from "./axe.mjs";
import { Watched } from "./browser.mjs";

/** The games, each with a bot to play against, and with what a turn of the person is. */
export const GAMES = [
  { name: "triangles", words: ["human", "@careful", "--map", "gen:uniform:5"], turn: drag, plies: 2, single: true },
  { name: "planet-wars", words: ["human", "@prospector", "--map", "gen:final:1"], turn: send, plies: 1 },
  { name: "grid", words: ["human", "@frontier", "--map", "gen:24x24:5"], turn: paint, plies: 1 },
  { name: "lighthouses", words: ["human", "@weaver", "--map", "gen:lakes:3"], turn: walk, plies: 2, single: true },
  { name: "portals", words: ["human", "@builder", "--map", "gen:queens:5"], turn: act, plies: 2 },
];

export async function checkConsole(browser, agon, checks, shots, only = "") {
  for (const game of GAMES.filter(({ name }) => name.includes(only))) await checks.part(`console ${game.name}`, () => checkGame(browser, agon, checks, game, shots));
}

async function checkGame(browser, agon, checks, { name, words, turn, plies, single }, shots) {
  const file = agon.path(`console-${name}.html`);
  agon.run("console", name, ...words, "--seed", "5", "--html", "-o", file, "--quiet");
  const watched = await Watched.open(browser, pathToFileURL(file).href);
  const { page } = watched;
  checks.equal(await watched.data("hand"), "1", `${name}: the person begins`);
  const marks = [await watched.data("fingerprint")];
  await page.evaluate(time);
  for (let i = 1; i <= 3; i += 1) {
    await turn(watched, checks, name);
    await watched.until("ply", i * plies);
    await watched.until("hand", 1);
    marks.push(await watched.data("fingerprint"));
  }
  checks.time(`console-${name}-click-ms`, await page.evaluate(() => window.slowest), 50);
  if (shots) {
    await turn(watched, checks, name, true);
    await page.screenshot({ path: `${shots}/console-${name}.png` });
    await watched.press("Escape");
    await page.mouse.up();
    for (let left = await listed(page); left > 0; left -= 1) await watched.press("Backspace");
  }

  for (const back of [2, 1, 0]) {
    await watched.press("u");
    await watched.until("ply", back * plies);
    checks.equal(await watched.data("fingerprint"), marks[back], `${name}: undo leads over the bot's decision`);
  }
  for (const on of [1, 2, 3]) {
    await watched.press("r");
    await watched.until("ply", on * plies);
    checks.equal(await watched.data("fingerprint"), marks[on], `${name}: redo plays the same again`);
  }

  await watched.press("u");
  await watched.until("hand", 1);
  await keys(watched, single);
  await watched.until("ply", 3 * plies);
  checks.that((await watched.data("fingerprint")) !== marks[3], `${name}: another turn by keys alone`);
  const branches = page.locator(".told button");
  checks.equal(await branches.count(), 2, `${name}: both branches are kept`);
  await branches.first().click();
  await watched.until("fingerprint", marks[3]);

  await checkRefusal(watched, checks, name);
  await page.locator(".seats select").first().selectOption("random");
  await page.waitForFunction(() => Number(document.querySelector("main").dataset.ply) >= 12, undefined, { timeout: 20_000 });
  await page.locator(".seats select").first().selectOption("human");
  await page.getByRole("button", { name: "Pause bots" }).click();
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save replay" }).click()]);
  await saved.saveAs(agon.path(`console-${name}.jsonl`));
  checks.equal(await watched.data("fingerprint"), agon.fingerprint(`console-${name}`), `${name}: the saved replay is what was played`);

  await checkEdit(watched, checks, name);
  await checkAccess(watched, checks, `console ${name}`);
  checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong in the console`);
  await watched.close();
}

/** Keeps the longest time from a key or a click to the turn that it plays. It runs in the page. */
export function time() {
  let began = 0;
  window.slowest = 0;
  for (const event of ["keydown", "pointerup"]) addEventListener(event, () => (began = performance.now()), true);
  const seen = new MutationObserver(() => {
    if (began > 0) window.slowest = Math.max(window.slowest, performance.now() - began);
    began = 0;
  });
  seen.observe(document.querySelector("main"), { attributeFilter: ["data-ply"] });
}

export const listed = (page) => page.locator(".orders .list li").count();

/** The middle of a place that is lit, by its number among them. */
export async function lit(page, which) {
  await page.waitForSelector("[data-lit]");
  return page.$$eval(
    "[data-lit]",
    (all, number) => {
      const one = all[number < 0 ? all.length + number : Math.min(number, all.length - 1)];
      const box = one.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    },
    which,
  );
}

/** Drags from a place that is lit to one that is lit then. Returns before the button is let go if `half`. */
export async function drag({ page }, _checks, _name, half = false) {
  const from = await lit(page, 0);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 12, from.y + 12);
  await page.waitForSelector(".from");
  const to = await lit(page, 3);
  await page.mouse.move(to.x, to.y);
  if (!half) await page.mouse.up();
}

async function send(watched, checks, name, half) {
  const { page } = watched;
  await drag(watched);
  await page.waitForSelector(".orders .list li");
  checks.that((await page.locator(".orders .list small").innerText()).startsWith("arrives in turn"), `${name}: the turn of arrival is told`);
  const amount = page.locator(".orders .list input");
  await amount.fill("3");
  const board = await page.locator(".board").boundingBox();
  await page.mouse.click(board.x + 3, board.y + 3);
  checks.that((await page.locator(".orders .list .words").innerText()).startsWith("3 ships"), `${name}: a click on the board takes the number over`);
  await watched.press("ArrowRight");
  checks.equal(await page.locator(".over .cursor").count(), 1, `${name}: and the arrows move the cursor`);
  if (!half) await watched.press("g");
}

async function paint(watched, checks, name, half) {
  const { page } = watched;
  const first = await lit(page, 0);
  await page.mouse.click(first.x, first.y);
  checks.equal(await listed(page), 1, `${name}: a tile is painted`);
  await page.mouse.click(first.x, first.y);
  checks.equal(await listed(page), 0, `${name}: and taken back`);
  await page.mouse.click(first.x, first.y);
  const second = await lit(page, -1);
  await page.mouse.click(second.x, second.y);
  checks.equal(await listed(page), 2, `${name}: a turn is a list`);
  if (!half) await watched.press("g");
}

async function walk({ page }, _checks, _name, half) {
  const to = await lit(page, 1);
  await page.mouse.move(to.x, to.y);
  if (!half) await page.mouse.click(to.x, to.y);
}

async function act(watched, checks, name, half) {
  const { page } = watched;
  const to = await lit(page, 2);
  await page.mouse.click(to.x, to.y);
  await page.getByRole("button", { name: "Turbo" }).click();
  checks.equal(await listed(page), 2, `${name}: actions follow each other`);
  await page.getByRole("button", { name: "Take the last back" }).click();
  checks.equal(await listed(page), 1, `${name}: the last action is taken back`);
  if (!half) await watched.press("g");
}

/** Composes and gives a turn with the keyboard alone. */
export async function keys(watched, single) {
  const { page } = watched;
  await page.locator(".hand").focus();
  for (let i = 0; i < 6; i += 1) await watched.press("n");
  await watched.press("Enter");
  if ((await page.locator(".from").count()) > 0) {
    for (let i = 0; i < 2; i += 1) await watched.press("n");
    await watched.press("Enter");
  }
  if (!single) await watched.press("g");
}

/** An order that the rules refuse is told in their words, and changes nothing. */
async function checkRefusal(watched, checks, name) {
  const { page } = watched;
  const before = await watched.data("fingerprint");
  const box = await page.locator(".board").boundingBox();
  const spots = [];
  for (let i = 1; i < 30; i += 1) for (let j = 1; j < 30; j += 1) spots.push([box.x + (box.width * i) / 30, box.y + (box.height * j) / 30]);
  for (const [x, y] of spots) {
    await page.mouse.click(x, y);
    if ((await page.locator(".refusal").count()) > 0) break;
    if ((await watched.data("fingerprint")) !== before || (await page.locator(".orders .list li").count()) > 0) {
      await watched.press("Escape");
      if ((await watched.data("fingerprint")) !== before) await watched.press("u");
      await watched.until("fingerprint", before);
      for (let left = await listed(page); left > 0; left -= 1) await watched.press("Backspace");
    }
  }
  const refusal = await page.locator(".refusal").innerText();
  checks.that(refusal.startsWith("Refused:") && refusal.length > 20, `${name}: ${refusal}`);
  checks.equal(await watched.data("fingerprint"), before, `${name}: a refused order changes nothing`);
  await watched.press("Escape");
}

/** The board is edited as a map. A flaw is told with its line, and changes nothing. */
async function checkEdit(watched, checks, name) {
  const { page } = watched;
  const before = await watched.data("fingerprint");
  await watched.press("e");
  const map = page.locator("textarea");
  const text = await map.inputValue();
  await map.fill("no map");
  await page.getByRole("button", { name: "Begin" }).click();
  checks.that((await page.locator("dialog .refusal").innerText()).length > 5, `${name}: a flaw is told`);
  checks.equal(await watched.data("fingerprint"), before, `${name}: a flaw changes nothing`);
  await map.fill(text);
  await page.getByRole("button", { name: "Begin" }).click();
  await watched.until("ply", 0);
  checks.that((await page.locator(".about").innerText()).includes("edited"), `${name}: a match begins from the edited position`);
}
