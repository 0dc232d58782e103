// What the page computes with built-in bots: the chance of winning, and other turns than the recorded ones.
import { GAMES } from "./games.mjs";
import { Watched } from "./browser.mjs";

export async function checkChance(browser, agon, checks) {
  // A match in which the chance changes much in one turn.
  agon.play("swing", "triangles", "@careful", "@greedy", "--map", "gen:uniform:5", "--seed", "1");
  const watched = await Watched.open(browser, agon.html("swing"));
  const { page } = watched;
  const plies = Number(await watched.data("plies"));
  await watched.until("verified", "true");
  checks.equal(await page.locator(".mark.swing").count(), 0, "no change of a chance is marked before somebody asks");
  checks.equal(await page.locator(".chance .point").count(), 0, "no chance is drawn before somebody asks");
  await page.locator(".chance select").selectOption("random");
  await page.getByRole("button", { name: "Estimate" }).click();
  await page.getByRole("button", { name: "Estimate" }).waitFor({ timeout: 60_000 });
  const said = await page.locator(".chance [role=status]").innerText();
  checks.equal(said.trim(), "By @random against @random, 32 matches from each position.", "whose chance it is, and how many matches were played");
  const points = await page.$$eval(".chance .point", (all) => all.map((one) => Number(one.dataset.ply)));
  checks.that(points.length === 2 * 65 && Math.max(...points) === plies && Math.min(...points) === 0, `there are ${points.length} points`);
  await watched.press("End");
  const shares = (await page.locator(".chance .share").allInnerTexts()).map((text) => Number(/(\d+) %/.exec(text)[1]));
  checks.equal([...shares].sort().join(), "0,100", `at the end the winner has won: ${shares}`);
  await page.waitForSelector(".mark.swing", { state: "attached" });
  await watched.press("1");
  checks.equal(await page.locator(".chance").count(), 0, "a seat does not know the chances");
  checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong in the page");
  await watched.close();
}

export async function checkWhatIf(browser, agon, checks) {
  for (const { name } of GAMES) {
    const watched = await Watched.open(browser, `${agon.html(name)}#ply=11`);
    const { page } = watched;
    const after = await watched.data("fingerprint");
    await watched.press("ArrowLeft");
    await watched.until("ply", 10);
    await page.getByRole("tab", { name: "What if" }).click();
    await page.getByRole("button", { name: "What if, from turn 10" }).click();
    const branch = page.locator(".whatif");
    await branch.waitFor();
    const turns = (count) => page.waitForSelector(`.whatif[data-turns="${count}"]`);
    const choose = async (decider) => {
      for (const select of await page.locator(".contents .row select").all()) await select.selectOption(decider);
    };
    await choose("recorded");
    await page.getByRole("button", { name: "Play a turn" }).click();
    await turns(1);
    checks.equal(await branch.getAttribute("data-fingerprint"), after, `${name}: the recorded orders lead to the recorded position`);
    await watched.until("ply", 11);
    await page.getByRole("button", { name: "Take back" }).click();
    await turns(0);
    await choose("random");
    await page.getByRole("button", { name: "Play 10 turns" }).click();
    await turns(10);
    checks.equal(await branch.getAttribute("data-ply"), "20", `${name}: ten turns follow`);
    checks.equal(await watched.data("ply"), "20", `${name}: and the record goes on beside them`);
    checks.that((await branch.getAttribute("data-fingerprint")) !== (await watched.data("fingerprint")), `${name}: other orders lead elsewhere`);
    await page.getByRole("button", { name: "Close" }).click();
    checks.equal(await branch.count(), 0, `${name}: the record is left`);
    checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong in the page`);
    await watched.close();
  }
  await checkByHand(browser, agon, checks);
}

async function checkByHand(browser, agon, checks) {
  const watched = await Watched.open(browser, `${agon.html("triangles")}#ply=10`);
  const { page } = watched;
  await page.getByRole("tab", { name: "What if" }).click();
  await page.getByRole("button", { name: "What if, from turn 10" }).click();
  await page.locator(".contents .row select").selectOption("by hand");
  const orders = page.locator(".contents .orders input");
  for (const [wrong, said] of [["[1,", "JSON"], ["[0,0]", "eat"]]) {
    await orders.fill(wrong);
    await page.getByRole("button", { name: "Play a turn" }).click();
    checks.that((await page.locator(".contents .refused").innerText()).includes(said), `orders that cannot be: ${await page.locator(".contents .refused").innerText()}`);
    checks.equal(await page.locator(".whatif").getAttribute("data-turns"), "0", "nothing is played");
  }
  await orders.fill(await page.locator(".contents datalist option").first().getAttribute("value"));
  await page.getByRole("button", { name: "Play a turn" }).click();
  await page.waitForSelector('.whatif[data-turns="1"]');
  checks.equal(watched.wrongs.join("; "), "", "orders by hand are no error of the page");
  await watched.close();
}
