// The same pages in Firefox, another engine: they open from disk, verify, play, seek, tell and take a turn of a person.
import { pathToFileURL } from "node:url";
import { firefox } from "playwright-core";
import { Watched } from "./browser.mjs";
import { keys } from "./console.mjs";
import { GAMES } from "./games.mjs";

/** The games, each with a bot to play against, and whether a turn is one order. */
export const OPPONENTS = [
  { name: "lighthouses", bot: "@weaver", single: true },
  { name: "planet-wars", bot: "@prospector" },
  { name: "triangles", bot: "@careful", single: true },
  { name: "grid", bot: "@frontier" },
  { name: "portals", bot: "@builder" },
];

/** Firefox as Debian has it. Playwright knows it by WebDriver BiDi, up to 1.64: later versions ask for more than it has. */
const launch = () => firefox.launch({ channel: "moz-firefox", executablePath: process.env.AGON_FIREFOX ?? "/usr/bin/firefox-esr" });

export async function checkFirefox(agon, checks) {
  const browser = await launch();
  try {
    for (const { name } of GAMES) await checks.part(`firefox ${name}`, () => checkGame(browser, agon, checks, name));
    await checks.part("firefox policy", () => checkPolicy(browser, agon, checks));
    for (const game of OPPONENTS) await checks.part(`firefox console ${game.name}`, () => checkTurn(browser, agon, checks, game));
  } finally {
    await browser.close();
  }
}

async function checkGame(browser, agon, checks, name) {
  const url = agon.html(name);
  const watched = await Watched.open(browser, url);
  const { page } = watched;
  await watched.until("verified", "true");
  await watched.press("End");
  checks.equal(await watched.data("fingerprint"), agon.fingerprint(name), `firefox, ${name}: the last fingerprint`);
  checks.equal(await watched.data("ply"), await watched.data("plies"), `firefox, ${name}: in the last turn`);

  await watched.press("Home");
  await watched.until("ply", 0);
  for (let i = 0; i < 4; i += 1) await watched.press("+");
  await watched.press(" ");
  await page.waitForFunction(() => Number(document.querySelector("main").dataset.ply) > 4);
  await watched.press(" ");
  checks.equal(await watched.data("playing"), "false", `firefox, ${name}: space plays and pauses`);
  const bar = await page.locator(".time").boundingBox();
  await page.mouse.click(bar.x + bar.width / 2, bar.y + 30);
  const [there, plies] = [Number(await watched.data("ply")), Number(await watched.data("plies"))];
  checks.that(Math.abs(there - plies / 2) <= plies / 100 + 1, `firefox, ${name}: a press on the bar leads to ${there} of ${plies}`);
  await page.waitForFunction((ply) => location.hash.startsWith(`#ply=${ply}`), there);

  await page.getByRole("tab", { name: "Words" }).click();
  await watched.press("End");
  const said = (await page.locator(".contents li p > bdi").first().innerText()).trim();
  checks.that(/^\S.*\.$/.test(said), `firefox, ${name}: what happened is a sentence: ${said}`);
  checks.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `firefox, ${name}: the page is as wide as the window`);
  checks.equal(watched.wrongs.join("; "), "", `firefox, ${name}: nothing goes wrong in the page`);
  await watched.close();

  const later = await Watched.open(browser, `${url}#ply=7&seat=2`);
  checks.equal(`${await later.data("ply")} ${await later.data("seat")}`, "7 2", `firefox, ${name}: the link leads to its turn and its eyes`);
  await later.press("1");
  checks.equal(await later.data("seat"), "1", `firefox, ${name}: the key 1 gives the eyes of seat 1`);
  checks.equal(later.wrongs.join("; "), "", `firefox, ${name}: nothing goes wrong behind a link`);
  await later.close();
}

/** The page's policy holds here, too, and what goes wrong in a page is noticed. */
async function checkPolicy(browser, agon, checks) {
  const [page, end] = [agon.lines("grid.html").join("\n"), "</body>"];
  const strange = `<script>document.body.dataset.strange = "1"</script><img src="http://127.0.0.1:9/x.png" alt="">`;
  agon.write("strange.html", page.replace(end, strange + end));
  const watched = await Watched.open(browser, pathToFileURL(agon.path("strange.html")).href);
  await watched.until("verified", "true");
  checks.equal(await watched.page.evaluate(() => document.body.dataset.strange), undefined, "firefox: a script that the page does not name is refused");
  for (const what of ["script-src", "img-src"]) checks.that(watched.wrongs.some((wrong) => wrong.includes(what)), `firefox: the refusal is noticed (${what}): ${watched.wrongs.join("; ")}`);
  await watched.close();
}

/** The page in which a person plays takes a turn by keys alone, and one back. */
async function checkTurn(browser, agon, checks, { name, bot, single = false }) {
  const file = agon.path(`firefox-${name}.html`);
  agon.run("console", name, "human", bot, "--seed", "5", "--html", "-o", file, "--quiet");
  const watched = await Watched.open(browser, pathToFileURL(file).href);
  await watched.page.waitForSelector("[data-lit]");
  const start = await watched.data("fingerprint");
  await keys(watched, single);
  await watched.page.waitForFunction(() => {
    const { ply, hand } = document.querySelector("main").dataset;
    return Number(ply) > 0 && hand === "1";
  });
  checks.that((await watched.data("fingerprint")) !== start, `firefox, ${name}: a turn by keys changes the position`);
  await watched.press("u");
  await watched.until("ply", 0);
  checks.equal(await watched.data("fingerprint"), start, `firefox, ${name}: undo leads back`);
  checks.equal(watched.wrongs.join("; "), "", `firefox, ${name}: nothing goes wrong in the console`);
  await watched.close();
}
