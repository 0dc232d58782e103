// The clocks of a session: they are started and stopped from the page, and stand when the session has ended.
import { checkAccess } from "./axe.mjs";
import { Session } from "./session.mjs";

const WORDS = ["lighthouses", "human", "@weaver", "--map", "gen:lakes:3", "--time", "off,bank=5min"];

export async function checkClocks(browser, agon, checks) {
  const session = await Session.start(agon, ...WORDS);
  const watched = await session.open(browser);
  const { page } = watched;
  const clocks = page.locator(".seat .clock");
  const running = page.locator(".seat .clock.runs");
  checks.equal((await clocks.allInnerTexts()).join(), "5:00,5:00", "both clocks are full");
  checks.equal(await running.count(), 0, "and stand at the start");
  await watched.press("?");
  checks.equal(await page.locator("dialog dt", { hasText: /^C$/ }).count(), 1, "the sheet has the key of the clocks");
  await page.keyboard.press("Escape");
  // From here on time is what the check says, beside the little that passes by itself.
  await page.clock.install();
  await page.getByRole("button", { name: "Start clocks" }).click();
  await running.waitFor();
  checks.equal(await running.count(), 1, "the clock of who decides runs");
  await page.clock.runFor(60_000);
  checks.that(/^[34]:/.test(await running.innerText()), `it is counted down: ${await running.innerText()}`);
  await watched.press("c");
  await running.waitFor({ state: "detached" });
  await watched.press("c");
  await running.waitFor();
  await checkAccess(watched, checks, "a session with clocks");

  await page.setViewportSize({ width: 360, height: 740 });
  checks.equal(await page.getByRole("button", { name: /^Seats/ }).getAttribute("aria-expanded"), "false", "on a phone the seats are folded");
  const short = page.locator(".seats .bar .clock");
  checks.equal(await short.count(), 2, "and every clock is at their heading");
  for (const box of await short.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))) {
    checks.that(box.width > 20 && box.left >= 0 && box.right <= 360 && box.top >= 0 && box.bottom <= 740, `a clock is in sight: ${JSON.stringify(box)}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole("button", { name: "Quit" }).click();
  await watched.until("connection", "ended");
  checks.equal(await running.count(), 0, "no clock runs when the session has ended");
  const left = await clocks.allInnerTexts();
  await page.clock.runFor(5000);
  checks.equal((await clocks.allInnerTexts()).join(), left.join(), "and none is counted down");
  checks.equal(await session.exit, 0, "Quit ends it");
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong with clocks");
  await watched.close();

  // Bots that are built in decide at once, so that no clock is seen to run.
  const bots = await Session.start(agon, "lighthouses", "@weaver", "@weaver", "--map", "gen:lakes:3", "--time", "off,bank=5min");
  const among = await bots.open(browser);
  const stop = among.page.getByRole("button", { name: "Stop clocks" });
  await among.page.getByRole("button", { name: "Start clocks" }).click();
  await stop.waitFor();
  checks.equal(await among.page.locator(".seat .clock.runs").count(), 0, "clocks that go on need not run");
  await among.press("c");
  await among.page.getByRole("button", { name: "Start clocks" }).waitFor();
  await among.page.getByRole("button", { name: "One turn" }).click();
  await among.until("ply", 1);
  await stop.click();
  await among.page.getByRole("button", { name: "Start clocks" }).waitFor();
  checks.equal(among.wrongs.join("; "), "", "nothing goes wrong with clocks of bots");
  await among.close();
  await bots.end();

  const without = await Session.start(agon, "lighthouses", "human", "@weaver");
  const plain = await without.open(browser);
  checks.equal(await plain.page.getByRole("button", { name: /clocks$/ }).count(), 0, "a session without clocks has no button for them");
  await plain.close();
  await without.end();
}
