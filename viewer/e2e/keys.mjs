// The keyboard on the board, and a control that is held.
import { Watched } from "./browser.mjs";

export async function checkKeys(browser, agon, checks) {
  for (const name of ["planet-wars", "triangles"]) {
    const watched = await Watched.open(browser, `${agon.html(name)}#ply=5`);
    const { page } = watched;
    const facts = page.locator(".board .facts");
    const seen = new Set();
    for (let i = 0; i < 4; i += 1) {
      await watched.press("n");
      seen.add(await page.locator(".ring circle").evaluate((ring) => `${ring.getAttribute("cx")} ${ring.getAttribute("cy")}`));
      checks.equal(await facts.count(), 1, `${name}: a thing has facts`);
    }
    checks.that(seen.size > 1, `${name}: N goes from thing to thing`);
    await watched.press("Escape");
    await facts.waitFor({ state: "detached" });
    await page.locator(".board").focus();
    await watched.press("ArrowRight");
    checks.that((await facts.innerText()).trim() !== "", `${name}: the arrows move a cursor`);
    checks.equal(await watched.data("ply"), "5", `${name}: and the turn stays`);
    checks.equal(watched.wrongs.join("; "), "", `${name}: keys are no error of the page`);
    await watched.close();
  }
  const watched = await Watched.open(browser, `${agon.html("grid")}#ply=5`);
  const { page } = watched;
  const cell = async () => /cell\s+(\d+), (\d+)/.exec(await page.locator(".board .facts").innerText()).slice(1).map(Number);
  await page.locator(".board").focus();
  await watched.press("ArrowRight");
  const [column, row] = await cell();
  await watched.press("ArrowRight");
  checks.equal((await cell()).join(), `${column + 1},${row}`, "grid: the arrows go from cell to cell");
  await watched.press("ArrowUp");
  const [, above] = await cell();
  checks.equal(Math.abs(above - row), 1, "grid: and from row to row");
  checks.equal(await page.locator(".board .ring rect").count(), 1, "grid: the cell is marked");
  await checkLeft(watched, checks);
  await checkHeld(watched, checks);
  checks.equal(watched.wrongs.join("; "), "", "grid: keys are no error of the page");
  await watched.close();
}

/** Who clicks the board while the cursor is in a field goes on with the keys of the page. */
async function checkLeft(watched, checks) {
  const { page } = watched;
  const field = page.getByRole("searchbox");
  await page.getByRole("tab", { name: "Words" }).click();
  await field.fill("7");
  await page.locator(".board").click({ position: { x: 3, y: 3 } });
  const ply = Number(await watched.data("ply"));
  await watched.press("ArrowRight");
  checks.equal(Number(await watched.data("ply")), ply + 1, "after a click on the board the arrows are those of the turns");
  checks.equal(await field.inputValue(), "7", "and nothing more is typed into the field");
}

/** A control that is held stops where it was when it was let go. */
async function checkHeld({ page }, checks) {
  const [held, after, clicked] = await page.evaluate(async () => {
    const main = document.querySelector("main");
    const button = document.querySelector('[aria-label="Next turn"]');
    const ply = () => Number(main.dataset.ply);
    const from = ply();
    const send = (type, kind) => button.dispatchEvent(new kind(type, { bubbles: true, button: 0, detail: 1 }));
    send("pointerdown", PointerEvent);
    await new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (ply() < from + 2) return;
        observer.disconnect();
        resolve();
      }).observe(main, { attributes: true, attributeFilter: ["data-ply"] });
    });
    const held = ply();
    send("pointerup", PointerEvent);
    send("click", MouseEvent);
    await new Promise(requestAnimationFrame);
    const after = ply();
    send("pointerdown", PointerEvent);
    send("pointerup", PointerEvent);
    send("click", MouseEvent);
    await new Promise(requestAnimationFrame);
    return [held, after, ply()];
  });
  checks.equal(after, held, "a control that was held does not work once more when it is let go");
  checks.equal(clicked, held + 1, "and a short press works once");
}
