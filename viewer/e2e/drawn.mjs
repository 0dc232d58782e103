// What bots draw and count in lines of their stderr.
import { Watched } from "./browser.mjs";

export async function checkDrawn(browser, agon, checks) {
  const piece = (ply, seat, bytes) => JSON.stringify({ ply, seat, stream: "err", at_us: 1, bytes });
  const pieces = [
    piece(3, 1, "thinking\nagon: point 1 2\nagon: circle 2 2 1.5\nagon: line 0 0 4"),
    // A write may end in the middle of a line.
    piece(3, 1, " 4\nagon: text 3 3 <b>here</b> I stand\nagon: number depth 4\nagon: number depth 6\n"),
    piece(3, 2, "agon: point 5 5\nagon: point x 5\nagon: circle 1 1 -1\nagon: jump 1 2\nagon: number depth NaN\nagon: number deep 1e999\n"),
    piece(4, 2, "agon: point 6 6\n".repeat(5000)),
    piece(5, 1, `agon: number ${"n".repeat(30)} 1\n` + Array.from({ length: 20 }, (_, i) => `agon: number n${i} ${i}\n`).join("")),
  ];
  agon.write("drawn.talk.jsonl", pieces.join("\n") + "\n");
  const watched = await Watched.open(browser, `${agon.html("grid", "--transcript", "drawn.talk.jsonl")}#ply=3`);
  const { page } = watched;
  const count = (what) => page.locator(`.drawings ${what}`).count();
  await page.locator(".drawings g").first().waitFor();
  checks.equal(await count("g"), 5, "what two bots draw is drawn");
  for (const what of ["circle", "line", "text"]) checks.equal(await count(what), 1, `a ${what} is drawn`);
  checks.equal(await page.locator(".drawings text").innerHTML(), "&lt;b&gt;here&lt;/b&gt; I stand", "a text stays text");
  await watched.press("1");
  checks.equal(await count("g"), 4, "a seat sees what its own bot draws");
  await watched.press("2");
  checks.equal(await count("g"), 1, "and nothing else");
  await watched.press("0");
  await watched.press("ArrowRight");
  checks.equal(await count("g"), 200, "what is too much is left out");
  await watched.press("ArrowRight");
  checks.equal(await count("g"), 0, "drawings are of one turn");
  // Charts are drawn one by one.
  await page.locator(".contents figcaption", { hasText: "n6" }).waitFor();
  const charts = await page.locator(".contents figcaption").allInnerTexts();
  checks.equal(charts.slice(-8).join(), "depth,n0,n1,n2,n3,n4,n5,n6", "eight numbers become charts");
  await page.locator("figure", { hasText: "depth" }).locator(".now .value").first().waitFor();
  checks.equal(await page.locator("figure", { hasText: "depth" }).locator(".now .value").first().textContent(), "6", "the last value of a turn stays until the next one");
  checks.equal(watched.wrongs.join("; "), "", "drawings are no error of the page");
  await watched.close();
}
