// `agon console`: the page of a session with programs, driven by gestures, keys and lines of their protocols.
import { mkdirSync, readFileSync } from "node:fs";
import { checkAccess } from "./axe.mjs";
import { checkClocks } from "./clocks.mjs";
import { drag, keys, listed, lit, time } from "./console.mjs";
import { endAll, raw, saved, Session, sit } from "./session.mjs";
import { checkStrangers } from "./strangers.mjs";

/** Eight points without three on a line, so that a match is short. */
const POINTS = [[5, 5], [90, 8], [80, 85], [12, 78], [40, 22], [66, 30], [58, 61], [25, 50]];

/** The games, each short, with a built-in bot, how a person decides, and how many turns follow a decision. */
export const GAMES = [
  { name: "triangles", bot: "@careful", words: ["--map", "points.map"], turn: drag, plies: 2 },
  { name: "planet-wars", bot: "@prospector", words: ["--map", "gen:final:1", "--rounds", "14"], turn: send, plies: 1 },
  { name: "grid", bot: "@frontier", words: ["--map", "gen:24x24:5", "--rounds", "12"], turn: paint, plies: 1 },
  { name: "lighthouses", bot: "@weaver", words: ["--map", "gen:lakes:3", "--rounds", "8"], turn: walk, plies: 2 },
  { name: "portals", bot: "@builder", words: ["--map", "gen:queens:5", "--rounds", "6"], turn: walk, plies: 2 },
];

export async function checkServed(browser, agon, checks, shots, only = "") {
  agon.write("points.map", POINTS.map(([x, y]) => `point ${x} ${y}\n`).join(""));
  for (const game of GAMES.filter(({ name }) => name.includes(only))) {
    agon.run("new", game.name, "python", `kit-${game.name}`, "--quiet");
    await checks.part(`served ${game.name}`, () => checkBuiltin(browser, agon, checks, game, shots));
    await checks.part(`served ${game.name} kit`, () => checkKit(browser, agon, checks, game));
    endAll();
  }
  const parts = [checkBots, checkTalk, checkPieces, checkFailing, checkLost, checkClocks, checkStrangers];
  for (const part of parts.filter(({ name }) => only === "" || name === only)) {
    await checks.part(part.name, () => part(browser, agon, checks, shots));
    endAll();
  }
}

async function checkBuiltin(browser, agon, checks, { name, bot, words, turn, plies }, shots) {
  const session = await Session.start(agon, name, "human", bot, "--seed", "5", ...words);
  checks.equal(session.schema, 1, "the document of the address has the version of its schema");
  const watched = await session.open(browser);
  const { page } = watched;
  checks.equal(new URL(page.url()).hash, "", `${name}: the token leaves the address`);
  checks.equal(await watched.data("hand"), "1", `${name}: the person begins`);
  const marks = [await watched.data("fingerprint")];
  await page.evaluate(time);
  for (let i = 1; i <= 3; i += 1) {
    await turn(watched);
    await watched.until("ply", i * plies);
    await watched.until("hand", 1);
    marks.push(await watched.data("fingerprint"));
  }
  checks.time(`served-${name}-click-ms`, await page.evaluate(() => window.slowest), 50);
  if (shots) await page.screenshot({ path: `${shots}/served-${name}.png` });
  for (const back of [2, 1]) {
    await watched.press("u");
    await watched.until("ply", back * plies);
    checks.equal(await watched.data("fingerprint"), marks[back], `${name}: undo leads over the bot's decision`);
  }
  for (const on of [2, 3]) {
    await watched.press("r");
    await watched.until("ply", on * plies);
    checks.equal(await watched.data("fingerprint"), marks[on], `${name}: redo plays the same again`);
  }
  await watched.press("u");
  await watched.until("ply", 2 * plies);
  await keys(watched, name === "triangles" || name === "lighthouses");
  await watched.until("ply", 3 * plies);
  await watched.until("hand", 1);
  checks.that((await watched.data("fingerprint")) !== marks[3], `${name}: another turn by keys alone`);
  const branches = page.locator(".told button");
  await branches.nth(1).waitFor();
  checks.equal(await branches.count(), 2, `${name}: both branches are kept`);
  await branches.first().click();
  await watched.until("fingerprint", marks[3]);
  await page.reload();
  await page.waitForSelector("main[data-ply]");
  checks.equal(await watched.data("fingerprint"), marks[3], `${name}: a page that is loaded again shows the same`);
  await checkEdit(watched, checks, name);
  await page.getByRole("button", { name: "Undo" }).click();
  await watched.until("fingerprint", marks[3]);
  await saveMap(page, name === "triangles" ? "says all" : "does not say");
  await toTheEnd(watched, checks, name, turn);
  const kept = await saved(page, agon, `served-${name}`);
  checks.equal(await watched.data("fingerprint"), kept, `${name}: the saved session is what was played`);
  await checkAccess(watched, checks, `served ${name}`);
  checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong in the page`);
  await watched.close();
  checks.equal(await session.end(), 0, `${name}: Ctrl-C ends it`);
}

/** A whole match against a starter kit, which plays as a program. */
async function checkKit(browser, agon, checks, { name, words, turn }) {
  const session = await Session.start(agon, name, "human", `python3 kit-${name}/bot.py`, "--seed", "5", ...words);
  const watched = await session.open(browser);
  await toTheEnd(watched, checks, `${name} kit`, turn);
  const kept = await saved(watched.page, agon, `kit-${name}`);
  checks.equal(await watched.data("fingerprint"), kept, `${name}: the saved session with the kit is what was played`);
  await watched.page.getByRole("button", { name: "Quit" }).click();
  await watched.until("connection", "ended");
  checks.equal(await session.exit, 0, `${name}: Quit ends it`);
  checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong against the kit`);
  await watched.close();
}

/** Plays by gestures until the rules end the match. */
async function toTheEnd(watched, checks, name, turn) {
  const { page } = watched;
  for (let i = 0; i < 60; i += 1) {
    await page.waitForFunction(() => {
      const { hand, over } = document.querySelector("main").dataset;
      return hand === "1" || over === "true";
    }, undefined, { timeout: 30_000 });
    if ((await watched.data("over")) === "true") break;
    const before = Number(await watched.data("ply"));
    await turn(watched);
    await page.waitForFunction((ply) => Number(document.querySelector("main").dataset.ply) > ply, before, { timeout: 30_000 });
  }
  checks.equal(await watched.data("over"), "true", `${name}: the match is played to its end`);
  checks.that((await page.locator(".places li").count()) === 2, `${name}: the places are told`);
}

/** The board is edited: a flaw is told at its line, and an edited position is one that undo leads back from. */
async function checkEdit(watched, checks, name) {
  const { page } = watched;
  const before = await watched.data("fingerprint");
  await watched.press("e");
  const map = page.locator("textarea");
  await map.waitFor();
  const text = await map.inputValue();
  await map.fill("no map\n");
  await page.getByRole("button", { name: "Continue" }).click();
  const flaw = await page.locator("dialog .refusal").innerText();
  checks.that(flaw.includes("Line 1, column 1:"), `${name}: a flaw is told at its line: ${flaw}`);
  checks.equal(await watched.data("fingerprint"), before, `${name}: a flaw changes nothing`);
  await map.fill(text);
  await page.getByRole("button", { name: "Continue" }).click();
  await watched.until("ply", 0);
  // The page may tell the new position before the answer to the dialog.
  const closed = page.locator("dialog[open]").waitFor({ state: "detached", timeout: 10_000 });
  checks.that(await closed.then(() => true, () => false), `${name}: the dialog closes`);
  const edited = await watched.data("fingerprint");
  await watched.press("e");
  await map.waitFor();
  await page.locator("dialog select").selectOption({ index: (await page.locator("dialog option").count()) - 1 });
  await page.getByLabel("Seed").fill("77");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForFunction((mark) => document.querySelector("main").dataset.fingerprint !== mark, edited);
  await page.getByRole("button", { name: "Undo" }).click();
  await watched.until("fingerprint", edited);
  checks.equal(await saveMap(page, "The map file"), text, `${name}: the position is saved as the map that was edited`);
}

/** Saves the position as a map, of which the page says `words`, and returns its text. */
async function saveMap(page, words) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save map" }).click()]);
  await page.locator(".saved", { hasText: words }).waitFor({ timeout: 10_000 });
  return readFileSync(await file.path(), "utf8");
}

const hasLit = async (page) => (await page.locator("[data-lit]").count()) > 0;

async function send(watched) {
  if (await hasLit(watched.page)) await drag(watched);
  await watched.press("g");
}

async function paint(watched) {
  const { page } = watched;
  if (await hasLit(page)) {
    const last = await lit(page, -1);
    await page.mouse.click(last.x, last.y);
  }
  await watched.press("g");
}

async function walk(watched) {
  const { page } = watched;
  if (await hasLit(page)) {
    const to = await lit(page, 1);
    await page.mouse.click(to.x, to.y);
    if ((await listed(page)) === 0) return;
  }
  const pass = page.getByRole("button", { name: "Pass" });
  if ((await pass.count()) > 0) await pass.click();
  else await watched.press("g");
}

/** Bots alone: they wait until somebody lets them go on, are asked, and one decides in their place. */
async function checkBots(browser, agon, checks) {
  agon.run("new", "lighthouses", "python", "kit-asked", "--quiet");
  const session = await Session.start(agon, "lighthouses", "python3 kit-asked/bot.py", "@weaver", "--map", "gen:lakes:3", "--rounds", "30");
  const watched = await session.open(browser);
  const { page } = watched;
  checks.equal(await watched.data("paused"), "true", "bots wait at the first position");
  await page.getByRole("button", { name: "Ask seat 1" }).click();
  const told = await page.locator(".answered").innerText();
  checks.that(/would give .* after /.test(told), `the answer of a bot is told: ${told}`);
  checks.equal(await watched.data("ply"), "0", "and not played");
  await page.getByRole("button", { name: "Decide for seat 1" }).click();
  await watched.until("hand", 1);
  await page.getByRole("button", { name: "Ask seat 1" }).click();
  await page.waitForSelector(".orders .list li");
  await page.locator("[data-give]").click();
  await watched.until("ply", 1);
  checks.equal(await watched.data("hand"), "", "one decides for a bot in one turn");
  await page.getByRole("button", { name: "Go on", exact: true }).click();
  await page.waitForFunction(() => Number(document.querySelector("main").dataset.ply) >= 8);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "One turn" }).waitFor();
  checks.equal(await watched.data("paused"), "true", "the bots are paused");
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong among bots");
  await watched.close();
  await session.end();
}

/** Lines of the protocol to a program, the dialogue, and how it is brought into step. */
async function checkTalk(browser, agon, checks, shots) {
  agon.run("new", "triangles", "python", "kit-talk", "--quiet");
  const session = await Session.start(agon, "triangles", "human", "python3 kit-talk/bot.py", "--map", "points.map");
  const watched = await session.open(browser, { colorScheme: "dark" });
  const { page } = watched;
  await watched.press("d");
  const name = await raw(page, "name");
  checks.that(name.length > 0, `the program answers when it is asked for its name: ${name}`);
  const nonsense = await raw(page, "no-such-command");
  checks.that(/^\?/.test(nonsense), `the program refuses nonsense: ${nonsense}`);
  const moves = [await raw(page, "gen_move"), await raw(page, "gen_move")];
  checks.that(moves.every((move) => /^= ?\d+ \d+/.test(move)), `the program moves twice: ${moves.join(" | ")}`);
  checks.that((await page.locator(".why").innerText()).includes("misled"), "the program may believe in another position");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  checks.equal(await page.getByLabel("A line for the program").inputValue(), "no-such-command", "earlier lines come back");
  await page.getByPlaceholder("Search the dialogue").fill("no-such");
  checks.that(Number(await page.locator("[data-rows]").getAttribute("data-rows")) >= 1, "the dialogue is searched");
  await page.getByPlaceholder("Search the dialogue").fill("");
  if (shots) await page.screenshot({ path: `${shots}/served-talk.png` });
  await checkAccess(watched, checks, "the dialogue");
  await page.getByRole("button", { name: "Bring into step: seat 2" }).click();
  await page.waitForFunction(() => document.querySelector(".why") === null);
  await page.locator("#tab-turn").click();
  await drag(watched);
  await watched.until("ply", 2);
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong while one talks to a program");
  await watched.close();
  await session.end();
}

const HALTING = `import sys
for line in sys.stdin:
    if line.strip() in ("one", "two"):
        sys.stderr.write("half of " if line.strip() == "one" else "a line\\n")
        sys.stderr.flush()
    print("=\\n", flush=True)
`;

/** A line that comes in pieces grows where it is shown. */
async function checkPieces(browser, agon, checks) {
  mkdirSync(agon.path("halting"));
  agon.write("halting/bot.py", HALTING);
  const session = await Session.start(agon, "triangles", "human", "python3 halting/bot.py", "--map", "points.map");
  const watched = await session.open(browser);
  const { page } = watched;
  await watched.press("d");
  await raw(page, "one");
  const row = page.locator(".said.stderr .text");
  await row.filter({ hasText: /^half of\s*$/ }).click();
  await raw(page, "two");
  await row.filter({ hasText: /^half of a line$/ }).waitFor({ timeout: 10_000 });
  // The line that is shown whole grows, too.
  await page.locator(".whole pre").filter({ hasText: "half of a line" }).waitFor({ timeout: 10_000 });
  checks.equal(await page.locator(".said[aria-selected=true]").count(), 1, "and stays the chosen one");
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong while a line comes in pieces");
  await watched.close();
  await session.end();
}

const HUNG = `import sys, time
for line in sys.stdin:
    time.sleep(1000)
`;
const FLOODING = `import sys
for i in range(60000):
    print("flood", i, file=sys.stderr)
print("x" * 3000000, flush=True)
for line in sys.stdin:
    pass
`;

/** A program that never answers, and one that floods: the session goes on. */
async function checkFailing(browser, agon, checks, shots) {
  // Bots may read a folder of their own.
  mkdirSync(agon.path("failing"));
  agon.write("failing/hung.py", HUNG);
  agon.write("failing/flooding.py", FLOODING);
  const session = await Session.start(agon, "grid", "human", "python3 failing/hung.py", "--rounds", "20", "--wait", "300ms");
  const watched = await session.open(browser);
  const { page } = watched;
  await paint(watched);
  await page.waitForSelector(".seats .thinking");
  checks.equal(await watched.data("ply"), "0", "the turn waits for the bot");
  checks.that(await page.getByRole("button", { name: "Undo" }).isEnabled(), "a decision can be taken back before its turn is over");
  await page.getByRole("button", { name: "Kill the program of seat 2" }).click();
  await page.waitForSelector(".seats .dead");
  await sit(page, 2, "@random");
  await page.getByRole("button", { name: "Let bots go on" }).click();
  await watched.until("ply", 1);
  await sit(page, 2, "python3 failing/flooding.py");
  await page.waitForSelector(".seats [aria-label^=Restart]");
  await watched.until("hand", 1);
  await page.locator(".hand").focus();
  await paint(watched);
  await watched.press("d");
  await page.waitForFunction(() => Number(document.querySelector("[data-rows]")?.dataset.rows) > 1000, undefined, { timeout: 20_000 });
  checks.that((await page.locator("[role=option]").count()) < 60, "of a flood only what is in sight is drawn");
  if (shots) await page.screenshot({ path: `${shots}/served-flood.png` });
  await checkRows(page, checks);
  await page.waitForSelector(".seats .dead", { timeout: 20_000 });
  const late = await session.open(browser);
  await late.press("d");
  await late.page.getByText(/^It begins after [\d,.\s]+ bytes/).waitFor();
  await late.close();
  await sit(page, 2, "@greedy");
  await page.locator("#tab-turn").click();
  await page.getByRole("button", { name: "Let bots go on" }).click();
  await watched.until("ply", 2);
  await watched.until("hand", 1);
  await paint(watched);
  await watched.until("ply", 3);
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong with failing programs");
  await watched.close();
  await session.end();
}

/** Lines of the dialogue are as high as the page that shows them wants, also when it becomes narrow, and cover each other nowhere. */
async function checkRows(page, checks) {
  for (const [width, high] of [[360, 44], [1280, 20]]) {
    await page.setViewportSize({ width, height: 800 });
    // In one go, because the flood goes on.
    const boxes = () =>
      page.evaluate(() => [...document.querySelectorAll("[data-rows] .said")].map((one) => one.getBoundingClientRect()).map(({ y, height }) => [y, height]).sort(([a], [b]) => a - b));
    const isDrawn = (wanted) => document.querySelectorAll(".said").length > 1 && document.querySelector(".said").getBoundingClientRect().height === wanted;
    await page.waitForFunction(isDrawn, high, { timeout: 5000 }).catch(() => {});
    const found = await boxes();
    checks.that(found.length > 1 && found.every(([y, height], i) => height === high && (i === 0 || Math.abs(y - found[i - 1][0] - high) < 0.5)), `at ${width} pixels lines are ${high} high: ${JSON.stringify(found.slice(0, 3))}`);
  }
}

/** The page of a session that is gone, and another that is begun from its replay. */
async function checkLost(browser, agon, checks) {
  const session = await Session.start(agon, "triangles", "human", "@greedy", "--map", "points.map");
  const watched = await session.open(browser);
  for (let ply = 2; ply <= 4; ply += 2) {
    await drag(watched);
    await watched.until("ply", ply);
    await watched.until("hand", 1);
  }
  const mark = await saved(watched.page, agon, "kept");
  session.program.kill("SIGKILL");
  await watched.until("connection", "lost");
  checks.that((await watched.page.locator(".notice").innerText()).includes("Not connected"), "a lost session is told");
  await drag(watched);
  checks.that((await watched.page.locator(".refusal").innerText()).includes("no connection"), "commands without a session are refused");
  checks.equal(await saved(watched.page, agon, "lost"), mark, "what was played can be saved without it");
  await saveMap(watched.page, "can say");
  await watched.page.getByRole("button", { name: "Connect again" }).click();
  await watched.until("connection", "lost");
  await watched.close();
  const next = await Session.start(agon, "triangles", "human", "@greedy", "--replay", "kept.jsonl");
  const again = await next.open(browser);
  checks.equal(await again.data("ply"), "4", "a session begins from a replay");
  checks.equal(await again.data("fingerprint"), mark, "and stands where it ended");
  await again.press("u");
  await again.until("ply", 2);
  const before = await again.data("fingerprint");
  await again.page.getByRole("button", { name: "Quit" }).click();
  await again.until("connection", "ended");
  checks.equal(await saved(again.page, agon, "ended"), before, "and also after the end of its session");
  await again.close();
  checks.equal(await next.exit, 0, "Quit ends it");
}
