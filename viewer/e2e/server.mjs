// `agon replay view`: who is answered, and how it ends.
import { spawn } from "node:child_process";
import { request } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Watched } from "./browser.mjs";

/** The status that the server gives to a request of this path with these headers. */
function status(port, path, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** A console that stands at the turn that is shown, in another tab. */
async function checkPlay({ page }, checks) {
  const [tab] = await Promise.all([page.waitForEvent("popup"), page.getByRole("button", { name: "Open a console here" }).click()]);
  await tab.waitForSelector('main[data-connection="open"]');
  const at = (one) => one.evaluate(() => [document.querySelector("main").dataset.ply, document.querySelector("main").dataset.fingerprint].join());
  checks.equal(await at(tab), await at(page), "a console stands where the page does");
  checks.that((await tab.evaluate(() => document.querySelector("main").dataset.hand)) === "1", "and a person decides there");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("tab", { name: "What if" }).click();
  const button = page.getByRole("button", { name: "Open a console here" });
  await button.scrollIntoViewIfNeeded();
  const { x, width } = await button.boundingBox();
  checks.that(x >= 0 && x + width <= 360, `on a phone the button is in the panel: from ${x} to ${x + width}`);
  return tab;
}

export async function checkServer(browser, agon, checks) {
  let tab;
  const server = spawn(agon.program, ["replay", "view", "grid.jsonl", "--no-open", "--format", "json"], { cwd: agon.folder, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const ended = once(server, "exit").then(([code]) => {
      throw new Error(`the server ended with ${code}`);
    });
    const [line] = await Promise.race([once(createInterface({ input: server.stdout }), "line"), ended]);
    ended.catch(() => {});
    const { schema, url } = JSON.parse(line);
    const { port, pathname } = new URL(url);
    checks.equal(schema, 1, "the document has the version of its schema");
    checks.equal(await status(port, pathname), 200, "who knows the address is answered");
    checks.equal(await status(port, "/"), 403, "who does not know it is refused");
    checks.equal(await status(port, pathname, { Host: `evil.example:${port}` }), 403, "another host is refused");
    checks.equal(await status(port, pathname, { Origin: "http://evil.example" }), 403, "another origin is refused");
    const watched = await Watched.open(browser, `${url}#ply=5`, { plays: true });
    await watched.until("verified", "true");
    checks.equal(await watched.data("ply"), "5", "the served page opens");
    checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong in the served page");
    tab = await checkPlay(watched, checks);
  } finally {
    server.kill("SIGTERM");
  }
  await tab?.waitForFunction(() => document.querySelector("main").dataset.connection !== "open", undefined, { timeout: 20_000 });
  await tab?.context().close();
  const [code] = server.exitCode === null ? await once(server, "exit") : [server.exitCode];
  checks.equal(code, 0, "SIGTERM ends it with 0");
}
