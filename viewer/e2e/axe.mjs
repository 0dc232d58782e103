// What axe-core finds in a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Counts a serious or critical finding as a failed check. */
export async function checkAccess(watched, checks, name) {
  // The page's policy forbids it to take scripts in; this one comes from outside.
  await watched.page.evaluate(SOURCE);
  const found = await watched.page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id} at ${nodes[0].target.join(" ")}`);
  });
  checks.equal(found.join("; "), "", `${name}: no serious finding of axe-core`);
}
