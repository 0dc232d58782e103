// A transcript that is longer than what a page keeps.
import { Watched } from "./browser.mjs";

const MIB = 2 ** 20;
const ROOM = 64;

export async function checkTalk(browser, agon, checks) {
  const piece = (ply, stream, bytes) => JSON.stringify({ ply, seat: 1, stream, at_us: 1, bytes });
  const long = Array.from({ length: ROOM + 2 }, (_, i) => piece(Math.floor(i / 2) + 1, "in", "x".repeat(MIB)));
  agon.write("long.talk.jsonl", [piece(1, "err", "the first"), ...long, piece(40, "err", "the last"), ""].join("\n"));
  const watched = await Watched.open(browser, `${agon.html("grid", "--transcript", "long.talk.jsonl")}#ply=40`);
  const { page } = watched;
  await page.getByRole("tab", { name: "stderr" }).click();
  await page.locator(".contents .piece").waitFor();
  const said = await page.locator(".contents").innerText();
  checks.that(said.includes("the last"), `what comes after it and has room is shown: ${said}`);
  checks.that(said.includes(`${(3 * MIB).toLocaleString("en")} bytes of the turns 32 to 33 are left out`), `what has no room is told: ${said}`);
  await page.getByRole("searchbox", { name: "Search all turns" }).fill("the first");
  await page.getByRole("button", { name: "Go to turn 1", exact: true }).click();
  checks.equal(await watched.data("ply"), "1", "a long transcript is searched");
  checks.equal(watched.wrongs.join("; "), "", "a long transcript is no error of the page");
  await watched.close();
}
