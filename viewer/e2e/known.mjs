// Pages that have only what one seat knew.
import { Watched } from "./browser.mjs";

export async function checkKnown(browser, agon, checks) {
  for (const name of ["lighthouses", "grid"]) {
    const whole = await Watched.open(browser, `${agon.html(name)}#ply=31&seat=2`);
    const known = await Watched.open(browser, `${agon.html(name, "--seat", "2")}#ply=31&seat=1`);
    checks.equal(await known.data("seat"), "2", `${name}: the page has the eyes of its seat`);
    for (const key of ["0", "1"]) await known.press(key);
    checks.equal(await known.data("seat"), "2", `${name}: and no others`);
    checks.equal(await known.data("ply"), "31", `${name}: the link leads to its turn`);
    checks.equal(await known.data("plies"), await whole.data("plies"), `${name}: it has every turn`);
    checks.equal(await known.data("fingerprint"), "", `${name}: it has no fingerprint`);
    checks.equal(await known.page.evaluate(() => document.scripts.length), 2, `${name}: it has one block of data and the viewer`);
    const drawn = (page) => page.$$eval(".board [data-key]", (all) => all.map((one) => one.outerHTML).join(""));
    checks.equal(await drawn(known.page), await drawn(whole.page), `${name}: it draws what the seat saw`);
    for (const tab of ["Turns", "Clock", "Charts"]) {
      await known.page.getByRole("tab", { name: tab }).click();
      checks.that((await known.page.locator(".contents").innerText()).length > 0, `${name}: ${tab} says something`);
    }
    await known.press("End");
    await known.press("k");
    await known.until("playing", "true");
    await known.press("k");
    for (const { wrongs } of [whole, known]) checks.equal(wrongs.join("; "), "", `${name}: nothing goes wrong in the page`);
    await whole.close();
    await known.close();
  }
}
