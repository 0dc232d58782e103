// What the map does not say is edited in a form: one item at a time, by a person who sees it or not.
import { spawnSync } from "node:child_process";
import { compile } from "../tests/compile.mjs";
import { checkAccess } from "./axe.mjs";
import { endAll, Session } from "./session.mjs";

const { shapeOf } = await compile("console/state/shapes.ts");

/** The games, each with items and what they are set to, and with one that the rules refuse: what is written where, and the item
 *  at which the flaw stands. */
export const GAMES = [
  { name: "triangles", words: ["--map", "gen:uniform:5"], sets: [["out", "2"]], flawed: ["forfeited", "1", "forfeited"] },
  { name: "planet-wars", words: ["--map", "gen:final:1"], sets: [["turn", "7"], ["out", "1"]], flawed: ["turn", "9999", "turn"], click: [".board g[data-key]", null] },
  { name: "grid", words: ["--map", "gen:24x24:5"], sets: [["turn", "7"]], flawed: ["ended", "elimination", "ended"] },
  {
    name: "lighthouses",
    words: ["--map", "gen:lakes:3"],
    sets: [["round", "12"], ["to_move", "2"], ["players[2].score", "77"], ["players[1].keys[+]", "lighthouse"], ["lighthouses[+]", "lighthouse"], ["cells[+]", "9,1"]],
    flawed: ["players[2].at", "0,0", "players[2].at"],
    click: [".board g[data-key]", /^item-(lighthouses|players)\[/],
  },
  {
    name: "portals",
    words: ["--map", "gen:queens:5"],
    sets: [["round", "3"], ["agents[2].score", "50"], ["portals[+]", "portal"], ["history[1].captured[+]", "portal"]],
    flawed: ["links[+]", "portal portal", "links[+]"],
    click: [".board g[data-key]", /^item-(portals|agents)\[/],
  },
];

export async function checkState(browser, agon, checks, shots, only = "") {
  for (const game of GAMES.filter(({ name }) => name.includes(only))) {
    await checks.part(`state ${game.name}`, () => checkForm(browser, agon, checks, game, shots));
    endAll();
  }
  await checks.part("state as text", () => checkText(browser, agon, checks));
  endAll();
}

const at = (page, id) => page.locator(`[id="${id}"]`);
const focused = (page) => page.evaluate(() => document.activeElement?.id ?? "");

/** Opens what an item is in. */
async function open(page, path) {
  for (const { index } of path.matchAll(/\.|\[/g)) {
    const way = at(page, `item-${path.slice(0, index)}`);
    if ((await way.getAttribute("aria-expanded")) === "false") await way.click();
  }
}

/** The places of things on the board of this kind. */
const places = (page, of) => page.locator(`[id="places-${of}"] option`).evaluateAll((all) => all.map(({ value }) => value));

/** Writes into the field of an item, chooses there, or turns the box of a seat. */
async function write(page, path, text) {
  await open(page, path);
  const field = at(page, `item-${path}`);
  await field.waitFor();
  const kind = await field.evaluate((one) => (one.type === "checkbox" ? "box" : one.localName));
  if (kind === "box") {
    await field.locator("xpath=ancestor::fieldset//input").nth(Number(text) - 1).click();
  } else if (kind === "select") {
    await field.selectOption(text);
  } else {
    const [first, second] = await Promise.all(text.split(" ").map(async (word, i) => (/^[a-z]+$/.test(word) ? (await places(page, word))[i] : word)));
    await field.fill(first);
    if (second) await at(page, `item-${path}-end`).fill(second);
    await page.keyboard.press("Enter");
  }
}

/** Waits until the position is another one. */
async function changed(page, mark, what) {
  const isOther = page.waitForFunction((last) => document.querySelector("main").dataset.fingerprint !== last, mark, { timeout: 10_000 });
  await isOther.catch(async () => {
    throw new Error(`${what} changes nothing: ${(await page.locator(".flaw").allInnerTexts()).join("; ")}`);
  });
}

/** The names that a shape gives to items, each list with the path of what they are in. */
function* named(shape, path) {
  if (shape.is === "names") {
    yield [path, Object.keys(shape.items)];
    for (const [name, items] of Object.entries(shape.items)) yield* named(items, path === "" ? name : `${path}.${name}`);
  } else if (shape.each) {
    yield* named(shape.each, `${path}[${shape.is === "by place" ? "0,0" : "1"}]`);
  }
}

/** The names of items that the console knows in each of these paths, in its own words. */
function known(agon, name, words, paths) {
  const asked = ["console", name, "@random", "@random", ...words, "--terminal", "--keep-going", "--format", "json"];
  const input = paths.map((path) => `edit put ${path === "" ? "" : `${path}.`}nonsense 1\n`).join("");
  const { stdout } = spawnSync(agon.program, asked, { cwd: agon.folder, input, encoding: "utf8" });
  return stdout.trim().split("\n").map((line) => JSON.parse(line).error.hint.replace("known here: ", "").split(", "));
}

async function checkForm(browser, agon, checks, { name, words, sets, flawed, click }, shots) {
  const session = await Session.start(agon, name, "human", "@random", "--seed", "5", ...words);
  const watched = await session.open(browser);
  const { page } = watched;
  const start = await watched.data("fingerprint");
  await watched.press("s");
  await page.waitForSelector("[data-item]");
  const first = await page.locator("[data-item]").first().getAttribute("data-item");
  await page.waitForFunction((id) => document.activeElement?.id === id, `item-${first}`);
  checks.equal(await page.locator("[data-lit]").count(), 0, `${name}: the board takes no gestures while it is edited`);
  const offered = await page.locator(".contents > ul > [data-item]").evaluateAll((all) => all.map((one) => one.dataset.item));
  const names = [...named(shapeOf(name), "")];
  checks.equal(offered.join(), names[0][1].join(), `${name}: the form has all items`);
  const wanted = known(agon, name, words, names.map(([path]) => path));
  for (const [i, [path, items]] of names.entries()) checks.equal(items.join(), wanted[i].join(), `${name}: the names in "${path}" are those of the game`);

  for (const [path, text] of sets) {
    const before = await watched.data("fingerprint");
    await write(page, path, text);
    await changed(page, before, path);
    checks.equal(await page.locator(".flaw").count(), 0, `${name}: ${path} is taken`);
  }
  const [path, text, place] = flawed;
  const before = await watched.data("fingerprint");
  await write(page, path, text);
  const flaw = at(page, `flaw-${place}`);
  await flaw.waitFor();
  const field = at(page, `item-${place}`);
  await page.waitForFunction((id) => document.activeElement?.id === id, `item-${place}`);
  checks.equal(await field.getAttribute("aria-describedby"), `flaw-${place}`, `${name}: the field says what is wrong`);
  checks.equal(await field.getAttribute("aria-invalid"), "true", `${name}: and that it is`);
  checks.that((await flaw.innerText()).length > 12, `${name}: in words: ${await flaw.innerText()}`);
  checks.equal(await page.locator(".flaw").count(), 1, `${name}: there is one flaw`);
  checks.equal(await watched.data("fingerprint"), before, `${name}: a flaw changes nothing`);
  await checkAccess(watched, checks, `${name}: the form with a flaw`);
  if (shots) await page.screenshot({ path: `${shots}/state-${name}.png` });
  await watched.press("Escape");
  await flaw.waitFor({ state: "detached" });

  for (let i = 0; i < sets.length; i += 1) {
    const mark = await watched.data("fingerprint");
    await page.getByRole("button", { name: "Undo" }).click();
    await changed(page, mark, "undo");
  }
  checks.equal(await watched.data("fingerprint"), start, `${name}: undo takes each change back`);
  if (click) await checkClick(watched, checks, name, click);
  await page.locator("#tab-turn").click();
  checks.that((await page.locator("[data-lit]").count()) > 0, `${name}: then gestures work again`);
  if (click) {
    await page.locator(click[0]).first().click({ button: "right", force: true });
    await page.locator(".facts").getByRole("button", { name: "Close" }).click();
    await page.locator(".facts").waitFor({ state: "detached" });
    checks.equal(await watched.data("fingerprint"), start, `${name}: the right button gives no orders`);
  }
  checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong in the form`);
  await watched.close();
  await session.end();
}

/** A click on a thing of the board tells facts of it, and opens its item if it has one. So do keys. */
async function checkClick(watched, checks, name, [thing, item]) {
  const { page } = watched;
  await page.locator(thing).first().click({ force: true });
  await page.locator(".facts dd").first().waitFor();
  const edit = page.locator(".facts").getByRole("button", { name: "Edit" });
  checks.equal(await edit.count(), item ? 1 : 0, `${name}: a thing can be edited if the state has it`);
  if (item) {
    await edit.click();
    await page.waitForFunction((pattern) => new RegExp(pattern).test(document.activeElement?.id ?? ""), item.source);
  }
  await page.locator(".hand").focus();
  await watched.press("Escape");
  await page.locator(".facts").waitFor({ state: "detached" });
  await watched.press("n");
  await page.locator(".facts dd").first().waitFor();
  await watched.press("ArrowRight");
  await watched.press("ArrowLeft");
  checks.equal(await page.locator(".over .cursor").count(), 0, `${name}: no gesture moves its cursor`);
  if (item) {
    await watched.press("Enter");
    await page.waitForFunction((pattern) => new RegExp(pattern).test(document.activeElement?.id ?? ""), item.source);
    checks.that(item.test(await focused(page)), `${name}: keys lead from the board to an item`);
  }
}

/** The same as JSON, for who knows what to write. */
async function checkText(browser, agon, checks) {
  const session = await Session.start(agon, "lighthouses", "human", "@weaver", "--map", "gen:lakes:3");
  const watched = await session.open(browser);
  const { page } = watched;
  const start = await watched.data("fingerprint");
  await page.locator("#tab-state").click();
  await page.getByRole("button", { name: "As text" }).click();
  const text = page.getByLabel("Items");
  // The session has to tell the state first.
  await page.waitForFunction((area) => area.value.includes("round"), await text.elementHandle());
  checks.equal(JSON.parse(await text.inputValue()).round, 1, "the state is shown as JSON");
  for (const [wrong, words] of [["{", "not JSON"], ['{"round": 0}', "round:"]]) {
    await text.fill(wrong);
    await page.getByRole("button", { name: "Continue from it" }).click();
    await page.locator(".contents .refusal", { hasText: words }).waitFor();
    checks.equal(await watched.data("fingerprint"), start, `${wrong} changes nothing`);
  }
  await text.fill('{"round": 12}');
  await page.getByRole("button", { name: "Continue from it" }).click();
  await page.waitForFunction((mark) => document.querySelector("main").dataset.fingerprint !== mark, start);
  checks.equal(await at(page, "item-round").inputValue(), "12", "the form follows");
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong with the text");
  await watched.close();
  await session.end();
}
