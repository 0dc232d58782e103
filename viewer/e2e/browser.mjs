// Chromium without a network, and pages that are watched for errors and requests.
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launch = () => chromium.launch({ executablePath: process.env.AGON_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** A page that keeps what went wrong in it. */
export class Watched {
  /** What a page must not do. */
  wrongs = [];

  /** `still` is a page in which nothing glides, and which takes styles of a check. */
  static async open(browser, url, { width = 1280, height = 800, colorScheme = "light", lines = false, plays = false, touch = false, still = false, ready = "main[data-ply]:is(.console, :has(.panel))" } = {}) {
    const watched = new Watched();
    watched.context = await browser.newContext({ viewport: { width, height }, colorScheme, hasTouch: touch, isMobile: touch, bypassCSP: still, reducedMotion: still ? "reduce" : "no-preference" });
    watched.page = await watched.context.newPage();
    watched.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) watched.wrongs.push(`console: ${message.text()}`);
    });
    watched.page.on("pageerror", (error) => watched.wrongs.push(`error: ${error.message}`));
    watched.page.on("dialog", (dialog) => {
      watched.wrongs.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const own = url.replace(/#.*$/, "");
    watched.page.on("request", (request) => {
      const asked = request.url().replace(/#.*$/, "");
      const isLine = (lines && asked.startsWith(`${own}lines?from=`)) || (plays && asked.startsWith(`${own}play?ply=`));
      // A blob is a text of the page itself.
      if (asked !== own && !isLine && !/^(data|blob):/.test(asked)) watched.wrongs.push(`request: ${asked}`);
    });
    await watched.page.goto(url);
    await watched.page.waitForSelector(ready, { timeout: 20_000 });
    return watched;
  }

  /** An attribute of the page: `ply`, `plies`, `fingerprint`, `seat`, `verified`. */
  data(name) {
    return this.page.evaluate((key) => document.querySelector("main").dataset[key], name);
  }

  async until(name, value) {
    await this.page.waitForFunction(([key, wanted]) => document.querySelector("main").dataset[key] === wanted, [name, String(value)], { timeout: 30_000 });
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  async close() {
    await this.context.close();
  }
}
