// A console that is served, as a program under test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Watched } from "./browser.mjs";

/** Those that have not ended. */
const running = new Set();

export class Session {
  /** Starts `agon console` with these words. */
  static async start(agon, ...words) {
    const session = new Session();
    const all = ["console", ...words, "--no-open", "--format", "json"];
    session.program = spawn(agon.program, all, { cwd: agon.folder, stdio: ["ignore", "pipe", "pipe"] });
    session.errors = "";
    session.program.stderr.on("data", (bytes) => (session.errors += bytes));
    running.add(session);
    session.exit = once(session.program, "exit").then(([code]) => {
      running.delete(session);
      return code;
    });
    const ended = session.exit.then((code) => {
      throw new Error(`the console ended with ${code}: ${session.errors}`);
    });
    const [line] = await Promise.race([once(createInterface({ input: session.program.stdout }), "line"), ended]);
    ended.catch(() => {});
    ({ schema: session.schema, url: session.url } = JSON.parse(line));
    session.port = Number(new URL(session.url).port);
    return session;
  }

  /** Opens its page. */
  open(browser, more = {}) {
    return Watched.open(browser, this.url, more);
  }

  /** Ends it as Ctrl-C does, and returns its exit code. */
  end() {
    this.program.kill("SIGINT");
    return this.exit;
  }
}

/** Ends what a failed check has left. */
export function endAll() {
  for (const { program } of running) program.kill("SIGKILL");
}

/** Writes a text into the field of a seat and lets it take the bot. */
export async function sit(page, seat, bot) {
  const field = page.locator(".seats input").nth(seat - 1);
  await field.fill(bot);
  await field.press("Enter");
}

/** Sends a line to the program of a seat, and returns what it answers. */
export async function raw(page, text) {
  await page.getByLabel("A line for the program").fill(text);
  const before = await page.locator("[data-raw]").getAttribute("data-sent");
  await page.keyboard.press("Enter");
  await page.waitForSelector(`[data-raw=answered]:not([data-sent="${before}"])`, { timeout: 15_000 });
  const answer = page.locator("[data-raw] pre");
  return (await answer.count()) > 0 ? answer.innerText() : "";
}

/** Saves the session as a replay, and returns its last fingerprint by the referee's own rules. */
export async function saved(page, agon, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save replay" }).click()]);
  await file.saveAs(agon.path(`${name}.jsonl`));
  return agon.fingerprint(name);
}
