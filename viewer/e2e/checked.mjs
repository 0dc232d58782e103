// What every run in a browser begins and ends with.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agon } from "./agon.mjs";
import { launch } from "./browser.mjs";
import { Checks } from "./checks.mjs";
import { endAll } from "./session.mjs";

/** Does `work` with a browser and a folder of its own, and prints how many checks passed and failed. */
export async function checked(program, work) {
  const folder = mkdtempSync(join(tmpdir(), "agon-e2e-"));
  const agon = new Agon(program, folder);
  const browser = await launch();
  const checks = new Checks(folder, async () => {
    endAll();
    for (const context of browser.contexts()) await context.close();
  });
  try {
    await work(browser, agon, checks);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${checks.passed} passed, ${checks.failed} failed`);
  process.exitCode = checks.failed === 0 ? 0 : 1;
}
