// One game after the other: the page opened from disk, and everything that a person does with it.
import { checkAccess } from "./axe.mjs";
import { Watched } from "./browser.mjs";

export const GAMES = [
  { name: "lighthouses", words: ["@strategist", "@weaver", "@strategist", "--map", "gen:lakes:3", "--rounds", "60"] },
  { name: "planet-wars", words: ["@warlord", "@prospector", "--map", "gen:final:1"] },
  { name: "triangles", words: ["@careful", "@greedy", "--map", "gen:uniform:5"] },
  { name: "grid", words: ["@warden", "@frontier", "--map", "gen:24x24:5"] },
  { name: "portals", words: ["@architect", "@builder", "--map", "gen:queens:5", "--rounds", "40"] },
];

export async function checkGame(browser, agon, checks, { name, words }, shots) {
  agon.play(name, name, ...words, "--seed", "5");
  const url = agon.html(name);
  const watched = await Watched.open(browser, url);
  const { page } = watched;
  const plies = Number(await watched.data("plies"));
  checks.that(plies > 20, `${name}: ${plies} turns`);
  checks.equal(await watched.data("ply"), "0", `${name} opens at the start`);

  await watched.press("End");
  await watched.until("ply", plies);
  checks.equal(await watched.data("fingerprint"), agon.fingerprint(name), `${name}: the last fingerprint`);
  await watched.until("verified", "true");

  await checkTime(watched, checks, name, plies);
  await checkEyes(watched, checks, name);
  await checkPanels(watched, checks, name);
  await checkAccess(watched, checks, name);
  if (name !== "grid") {
    const keys = await page.$$eval("[data-key]", (all) => all.map((one) => one.getAttribute("data-key")));
    checks.that(keys.length > 0 && new Set(keys).size === keys.length, `${name}: every item has a key of its own`);
    await page.locator(".board g[data-key]").last().hover({ force: true });
    checks.that((await page.locator(".facts dd").count()) > 0, `${name}: hover shows facts`);
  }

  if (["lighthouses", "grid"].includes(name)) checks.that((await colours(page)) >= 3, `${name}: the ground has several colours`);

  const later = await Watched.open(browser, `${url}#ply=7&seat=2`);
  checks.equal(await later.data("ply"), "7", `${name}: the link leads to its turn`);
  checks.equal(await later.data("seat"), "2", `${name}: the link leads to its eyes`);
  await checkSizes(later, checks, name);
  if (shots) await shoot(browser, url, plies, name, shots);
  for (const { wrongs } of [watched, later]) checks.equal(wrongs.join("; "), "", `${name}: nothing goes wrong in the page`);
  await watched.close();
  await later.close();
}

/** The number of colours that fill the ground. */
const colours = (page) =>
  page.$$eval(".board .ground > *", (shapes) => {
    const filled = shapes.filter((one) => one.getBBox().width > 0).map((one) => getComputedStyle(one).fill);
    return new Set(filled.filter((fill) => fill !== "none" && !fill.startsWith("url"))).size;
  });

async function checkTime(watched, checks, name, plies) {
  const { page } = watched;
  await watched.press("Home");
  await watched.until("ply", 0);
  await watched.press("ArrowRight");
  await watched.press("ArrowRight");
  await watched.press("ArrowLeft");
  await watched.until("ply", 1);
  await watched.press("Shift+ArrowRight");
  await watched.until("ply", 11);
  for (let i = 0; i < 6; i += 1) await watched.press("+");
  await watched.press(" ");
  checks.equal(await watched.data("playing"), "true", `${name}: space plays`);
  await page.waitForFunction(() => Number(document.querySelector("main").dataset.ply) > 14);
  await watched.press(" ");
  checks.equal(await watched.data("playing"), "false", `${name}: space pauses`);
  await watched.press("r");
  await watched.press(" ");
  await watched.until("ply", 0);
  checks.equal(await watched.data("playing"), "false", `${name}: backwards ends at the start`);
  await watched.press("r");

  const bar = await page.locator(".time").boundingBox();
  const at = (share) => [bar.x + 8 + (bar.width - 16) * share, bar.y + 30];
  await page.mouse.move(...at(0.2));
  await page.mouse.down();
  for (const share of [0.4, 0.9, 0.5]) await page.mouse.move(...at(share), { steps: 4 });
  await page.mouse.up();
  const there = Number(await watched.data("ply"));
  checks.that(Math.abs(there - plies / 2) <= plies / 100 + 1, `${name}: scrubbing to the middle leads to ${there} of ${plies}`);
  await page.waitForFunction((ply) => location.hash.startsWith(`#ply=${ply}`), there);
  await watched.press("Home");
  await watched.press("]");
  const mark = Number(await watched.data("ply"));
  checks.that(mark > 0, `${name}: there is a mark`);
  await watched.press("[");
  checks.that(Number(await watched.data("ply")) < mark, `${name}: and a way back from it`);
}

async function checkEyes(watched, checks, name) {
  await watched.press("1");
  checks.equal(await watched.data("seat"), "1", `${name}: the key 1 gives the eyes of seat 1`);
  await watched.press("0");
  checks.equal(await watched.data("seat"), "", `${name}: the key 0 gives all`);
}

async function checkPanels(watched, checks, name) {
  const { page } = watched;
  for (const tab of ["Turns", "Words", "Clock", "Charts"]) {
    await page.getByRole("tab", { name: tab }).click();
    checks.that((await page.locator(".contents").innerText()).length > 0, `${name}: ${tab} says something`);
  }
  await checkWords(watched, checks, name);
  checks.that((await page.locator(".contents figure").count()) > 0, `${name}: there is a chart`);
  await page.locator(".contents figure .area").first().click({ position: { x: 60, y: 60 } });
  await watched.press("?");
  checks.that(await page.locator("dialog").isVisible(), `${name}: ? opens the sheet`);
  await page.keyboard.press("Escape");
  checks.that(!(await page.locator("dialog").isVisible()), `${name}: Esc closes it`);
}

async function checkWords(watched, checks, name) {
  const { page } = watched;
  const plies = Number(await watched.data("plies"));
  await page.getByRole("tab", { name: "Words" }).click();
  await watched.press("End");
  const said = (await page.locator(".contents li p > bdi").first().innerText()).trim();
  checks.that(/^\S.*\.$/.test(said), `${name}: what happened is a sentence: ${said}`);
  const search = page.getByRole("searchbox", { name: "Search what happened" });
  await search.fill(said.replace(/\.$/, "").toUpperCase());
  await page.getByText(/sentences? found|The first \d+ sentences/).waitFor();
  const turns = await page.locator(".contents .number").allInnerTexts();
  checks.that(turns.length > 0, `${name}: its words are found`);
  await page.locator(".contents .number").last().click();
  checks.equal(await watched.data("ply"), turns.at(-1), `${name}: what is found leads to its turn`);
  await search.fill("no sentence says this");
  await page.getByText("0 sentences found").waitFor();
  await search.fill("");

  await page.getByRole("tab", { name: "Turns" }).click();
  await watched.press("End");
  const ask = page.locator(".contents .ask").first();
  const command = await ask.getAttribute("title");
  checks.that(new RegExp(`^agon replay ask ${name}\\.jsonl --ply ${plies} --seat \\d @[a-z]+$`).test(command), `${name}: ${command}`);
  await page.getByRole("tab", { name: "Charts" }).click();
}

async function checkSizes(watched, checks, name) {
  const { page } = watched;
  for (const [width, height] of [[360, 740], [390, 844], [3840, 2160]]) {
    await page.setViewportSize({ width, height });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    checks.that(over <= 0, `${name}: at ${width} pixels the page is ${over} too wide`);
    const board = await page.locator(".board").boundingBox();
    checks.that(board.width >= width * 0.5 && board.height >= 200, `${name}: at ${width} pixels the board is ${board.width} by ${board.height}`);
    const title = await page.locator(".top h2").evaluate((one) => one.scrollWidth - one.clientWidth);
    checks.that(title <= 0, `${name}: at ${width} pixels ${title} of the title are cut off`);
    const controls = await page.locator(".controls").evaluate((one) => one.scrollWidth - one.clientWidth);
    checks.that(controls <= 0, `${name}: at ${width} pixels the controls are ${controls} too wide`);
    const play = await page.getByRole("button", { name: "Play" }).boundingBox();
    checks.that(play.x >= 0 && play.x + play.width <= width && play.y + play.height <= height, `${name}: at ${width} pixels the button to play is there`);
  }
}

async function shoot(browser, url, plies, name, folder) {
  for (const [colorScheme, width, height] of [["light", 1280, 800], ["dark", 1280, 800], ["light", 390, 844]]) {
    const watched = await Watched.open(browser, `${url}#ply=${Math.floor(plies * 0.6)}`, { width, height, colorScheme });
    await watched.until("verified", "true");
    await watched.page.waitForTimeout(600);
    await watched.page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
    await watched.close();
  }
}
