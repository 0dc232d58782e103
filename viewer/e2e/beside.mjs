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
  await watched.press("2");
  await watched.press("0");
  await watched.press("End");
  checks.equal(await place("ply"), await place("plies"), "the shorter one stays at its end");
  checks.equal(await place("fingerprint"), agon.fingerprint("other"), "which is the position of the other replay");
  checks.equal(watched.wrongs.join("; "), "", "two replays are no error of the page");
  await watched.close();
}
