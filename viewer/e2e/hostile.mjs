// Replays that lie or are of a newer format, names that are markup, and transcripts that are both.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Watched } from "./browser.mjs";
import { Session } from "./session.mjs";

const NAME = "<img src=x onerror=alert(1)>\u202etxt";

export async function checkLie(browser, agon, checks) {
  const lines = agon.lines("grid.jsonl");
  const at = lines.findIndex((line) => line.includes('"ply":9,'));
  lines[at] = lines[at].replace(/"fingerprint":"(.)/, (_, digit) => `"fingerprint":"${digit === "0" ? "1" : "0"}`);
  agon.write("lie.jsonl", lines.join("\n"));
  const watched = await Watched.open(browser, agon.html("lie"));
  await watched.until("verified", "false");
  const said = await watched.page.locator(".notice.lie").innerText();
  checks.that(said.includes("lies at turn 9"), `the page says of a lie: ${said}`);
  await watched.page.locator(".notice.lie button").click();
  checks.equal(await watched.data("ply"), "9", "the lie is linked");
  checks.equal(watched.wrongs.join("; "), "", "a lie is no error of the page");
  await watched.close();
}

export async function checkCut(browser, agon, checks) {
  const lines = agon.lines("grid.jsonl");
  agon.write("cut.jsonl", lines.slice(0, 20).join("\n") + "\n" + lines[20].slice(0, 30));
  const watched = await Watched.open(browser, agon.html("cut"));
  await watched.until("verified", "true");
  checks.equal(await watched.data("plies"), "19", "a cut replay has the turns that are there");
  checks.equal(await watched.page.locator(".notice.cut").count(), 1, "and the page says that it is cut");
  await watched.close();
}

/** A page with a replay of a newer format says so. Agon refuses to make one, so the replay of another page is replaced. */
export async function checkNewer(browser, agon, checks) {
  const newer = agon.lines("grid.jsonl").join("\n").replace('{"agon":2,', '{"agon":3,');
  agon.html("grid");
  const page = readFileSync(agon.path("grid.html"), "utf8");
  agon.write("newer.html", page.replace(/(?<=id="agon-replay">)[^<]*/, gzipSync(newer).toString("base64")));
  const watched = await Watched.open(browser, pathToFileURL(agon.path("newer.html")).href, { ready: "main[data-failed]" });
  const said = await watched.page.locator("main").innerText();
  checks.that(said.includes("format version 3 is not supported (this program reads 1 to 2): use a newer version of Agon"), `the page says of a newer format: ${said}`);
  checks.equal(watched.wrongs.join("; "), "", "a newer format is no error of the page");
  await watched.close();
}

/** A long replay is read in pieces after the first board. What is wrong behind the first piece is told all the same. */
export async function checkLong(browser, agon, checks) {
  agon.play("pieces", "lighthouses", "@lamplighter", "@lamplighter", "@lamplighter", "@lamplighter", "--rounds", "800", "--seed", "3");
  const whole = await Watched.open(browser, agon.html("pieces"));
  await whole.until("verified", "true");
  checks.equal(await whole.data("plies"), "3200", "a long replay has all its turns");
  checks.equal(await whole.page.locator(".notice").count(), 0, "and a page that read it in pieces warns of nothing");
  await whole.press("End");
  checks.equal(await whole.data("fingerprint"), agon.fingerprint("pieces"), "its last fingerprint is that of the referee");
  await whole.close();
  const linked = await Watched.open(browser, `${agon.html("pieces")}#ply=3000`);
  checks.equal(await linked.data("ply"), "3000", "a link into a long replay leads to its turn");
  await linked.close();
  const lines = agon.lines("pieces.jsonl");
  lines[2500] = lines[2500].replace("{", "[");
  agon.html("pieces");
  const page = readFileSync(agon.path("pieces.html"), "utf8");
  agon.write("torn.html", page.replace(/(?<=id="agon-replay">)[^<]*/, gzipSync(lines.join("\n")).toString("base64")));
  const torn = await Watched.open(browser, pathToFileURL(agon.path("torn.html")).href, { ready: "main[data-failed]" });
  const said = await torn.page.locator("main").innerText();
  checks.that(said.includes("line 2501: "), `the page names the line that cannot be read: ${said}`);
  checks.equal(torn.wrongs.join("; "), "", "a torn replay is no error of the page");
  await torn.close();
}

export async function checkNames(browser, agon, checks) {
  const lines = agon.lines("planet-wars.jsonl");
  const header = JSON.parse(lines[0]);
  header.seats[0].name = NAME;
  header.seats[1].name = "</script><script>alert(2)</script>".repeat(200);
  header.map_name = "<b>map</b>";
  const turn = JSON.parse(lines[1]);
  turn.entries[0].refusal = "\u202eevil";
  agon.write("names.jsonl", [JSON.stringify(header), JSON.stringify(turn), ...lines.slice(2)].join("\n"));
  const pieces = [
    { ply: 1, seat: 1, stream: "err", at_us: 1, bytes: "<script>alert(3)</script>\u001b[31mred" },
    { ply: 1, seat: 2, stream: "out", at_us: 2, bytes: "x".repeat(2_000_000) },
    { ply: 3, seat: 1, stream: "in", at_us: 3, bytes: "needle" },
  ];
  agon.write("names.talk.jsonl", pieces.map((piece) => JSON.stringify(piece)).join("\n") + "\n");
  const url = agon.html("names", "--transcript", "names.talk.jsonl");
  const watched = await Watched.open(browser, `${url}#ply=1`);
  const { page } = watched;
  checks.that((await page.locator(".players .name").first().innerText()).includes("<img src=x"), "a name is shown as text");
  checks.equal(await page.locator("img").count(), 0, "a name makes no element");
  checks.equal(await page.evaluate(() => document.scripts.length), 6, "no script is added");
  for (const tab of ["Turns", "Words"]) {
    await page.getByRole("tab", { name: tab }).click();
    const told = await page.locator(".contents").innerText();
    checks.that(told.includes("evil") && !told.includes("\u202e"), `${tab}: a refusal turns nothing around: ${told}`);
  }
  await page.getByRole("tab", { name: "stderr" }).click();
  await page.locator(".contents .piece").waitFor();
  const said = await page.locator(".contents").innerText();
  checks.that(said.includes("<script>alert(3)</script>") && !said.includes("\u001b"), `stderr is shown as text: ${said}`);
  await page.getByRole("tab", { name: "Bytes" }).click();
  checks.that((await page.locator(".contents").innerText()).length < 10_000, "a long piece is shown in part");
  await page.getByRole("searchbox").fill("needle");
  await page.locator(".contents").getByRole("button", { name: "Go to turn 3" }).click();
  checks.equal(await watched.data("ply"), "3", "what is found leads to its turn");
  checks.that((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "a long name makes the page no wider");
  checks.equal(watched.wrongs.join("; "), "", "hostile text is no error of the page");
  await watched.close();
}

/** A session that begins from a replay keeps the names of people, whatever they are. */
export async function checkServedNames(browser, agon, checks) {
  const lines = agon.lines("planet-wars.jsonl");
  const header = JSON.parse(lines[0]);
  [header.seats[0].name, header.seats[1].name] = [NAME, "a\u061c\u200bb\u2028c"];
  agon.write("served-names.jsonl", [JSON.stringify(header), ...lines.slice(1)].join("\n"));
  const session = await Session.start(agon, "--replay", "served-names.jsonl", "--ply", "2");
  const watched = await session.open(browser);
  const { page } = watched;
  for (const place of [".seats", ".orders h3", "select[aria-label='Whose eyes']"]) {
    const text = await page.locator(place).evaluate((element) => element.textContent);
    checks.that(text.includes("<img src=x onerror=alert(1)>\u2426txt"), `${place}: a name is shown as text: ${text}`);
    checks.that(!/[\u061c\u200b\u2028\u202e]/.test(text), `${place}: and hides nothing`);
  }
  checks.equal(await page.locator("img").count(), 0, "a name makes no element");
  checks.equal(watched.wrongs.join("; "), "", "hostile names are no error of the page of a session");
  await watched.close();
  await session.end();
}
