// Matches in which turns were taken back, or the position was edited.
import { Watched } from "./browser.mjs";

export async function checkChanged(browser, agon, checks) {
  const lines = agon.lines("grid.jsonl");
  const plies = lines.filter((line) => line.includes('"entries"')).length;
  const { fingerprint } = JSON.parse(lines[5]);
  const back = JSON.stringify({ event: "rewound", ply: 5, fingerprint });
  // What follows the eighth turn is the match from the sixth turn on, without the footer.
  agon.write("changed.jsonl", [...lines.slice(0, 9), back, ...lines.slice(6, plies + 1), ""].join("\n"));
  const watched = await Watched.open(browser, agon.html("changed"));
  await watched.until("verified", "true");
  checks.equal(await watched.data("plies"), String(plies), "turns that were taken back do not count");
  await watched.press("End");
  await watched.until("fingerprint", agon.fingerprint("grid"));
  await watched.page.waitForSelector(".mark.change", { state: "attached" });
  await watched.page.getByRole("tab", { name: "Turns" }).click();
  await watched.press("Escape");
  await watched.page.goto(`${watched.page.url().replace(/#.*/, "")}#ply=6`);
  await watched.until("ply", 6);
  const said = await watched.page.locator(".contents").innerText();
  checks.that(said.includes("Turns 6 to 8 were taken back"), `the turn says what was taken back: ${said}`);
  checks.equal(watched.wrongs.join("; "), "", "turns taken back are no error of the page");
  await watched.close();
  await checkEdited(browser, agon, checks, lines, plies);
}

async function checkEdited(browser, agon, checks, lines, plies) {
  const { map, fingerprint } = JSON.parse(lines[0]);
  const edited = JSON.stringify({ event: "edited", map, fingerprint });
  // After two turns the first position is back, and the whole match follows.
  agon.write("edited.jsonl", [...lines.slice(0, 3), edited, ...lines.slice(1, plies + 1), ""].join("\n"));
  const watched = await Watched.open(browser, `${agon.html("edited")}#ply=1`);
  await watched.until("verified", "true");
  checks.equal(await watched.data("plies"), String(plies), "turns before an edit do not count");
  await watched.page.waitForSelector(".mark.change", { state: "attached" });
  await watched.page.getByRole("tab", { name: "Turns" }).click();
  const said = await watched.page.locator(".contents").innerText();
  checks.that(said.includes("The position after turn 2 was edited"), `the first turn says what was edited: ${said}`);
  await watched.press("Escape");
  await watched.press("End");
  await watched.until("fingerprint", agon.fingerprint("grid"));
  checks.equal(watched.wrongs.join("; "), "", "an edit is no error of the page");
  await watched.close();
}
