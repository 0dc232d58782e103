// Two replays in one page.
import { Watched } from "./browser.mjs";

export async function checkBeside(browser, agon, checks) {
  agon.play("other", "grid", "@frontier", "@frontier", "--map", "gen:24x24:5", "--rounds", "30", "--seed", "9");
  const watched = await Watched.open(browser, `${agon.html("grid", "--beside", "other.jsonl")}#ply=12`);
  const { page } = watched;
  const beside = page.locator(".beside");
  const place = (name) => beside.getAttribute(`data-${name}`);
  checks.equal(await place("ply"), "12", "both show the same turn");
  await watched.until("verified", "true");
  await page.waitForSelector('.beside[data-verified="true"]');
  await watched.press("Shift+ArrowRight");
  checks.equal(await place("ply"), "22", "they go on together");
  checks.equal(await beside.getByText("its end").count(), 0, "and neither is at its end");
  await watched.press("2");
  await watched.press("0");
  await watched.press("End");
  checks.equal(await watched.data("ply"), await watched.data("plies"), "the longer one is shown to its end");
  checks.equal(await place("ply"), await place("plies"), "the shorter one stays at its end");
  checks.equal(await beside.getByText("its end").count(), 1, "which is told");
  checks.equal(await place("fingerprint"), agon.fingerprint("other"), "and is the position of the other replay");
  checks.equal(watched.wrongs.join("; "), "", "two replays are no error of the page");
  await watched.close();
  await checkLonger(browser, agon, checks);
}

/** The replay beside the first one is the longer one. */
async function checkLonger(browser, agon, checks) {
  const url = agon.html("other", "--beside", "grid.jsonl");
  const watched = await Watched.open(browser, url);
  const { page } = watched;
  const place = (name) => page.locator(".beside").getAttribute(`data-${name}`);
  const turns = async () => [await watched.data("ply"), await place("ply")].map(Number).join();
  const [own, last] = [Number(await watched.data("plies")), Number(await place("plies"))];
  checks.that(last > own + 10, `the other match is longer: ${last} turns, not ${own}`);
  await watched.press("End");
  checks.equal(await turns(), [own, last].join(), "both are shown to their ends");
  checks.equal(await watched.data("fingerprint"), agon.fingerprint("other"), "the shorter one at its last position");
  checks.equal(await place("fingerprint"), agon.fingerprint("grid"), "and the longer one at its own");
  checks.equal(await page.locator(".ended").innerText(), `This match ended with turn ${own}.`, "which is told");
  checks.equal(await page.getByRole("slider", { name: "Time" }).getAttribute("aria-valuetext"), `turn ${last} of ${last}`, "the bar of time has all turns");
  await watched.press("ArrowLeft");
  checks.equal(await turns(), [own, last - 1].join(), "one turn back leads the longer one back");
  await watched.press(" ");
  await watched.until("playing", "false");
  checks.equal(await turns(), [own, last].join(), "they play to the end of the longer one");
  const there = await Watched.open(browser, `${url}#ply=${own + 3}`);
  checks.equal(Number(await there.page.locator(".beside").getAttribute("data-ply")), own + 3, "a link leads there, too");
  await there.press("ArrowLeft");
  await there.press("Shift+ArrowLeft");
  checks.equal(Number(await there.data("ply")), own - 8, "and both go back together");
  checks.equal(await there.page.locator(".ended").count(), 0, "where neither has ended");
  for (const { wrongs } of [watched, there]) checks.equal(wrongs.join("; "), "", "nothing goes wrong behind the end of a match");
  await there.close();
  await watched.close();
}
