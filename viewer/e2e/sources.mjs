// Nothing in the viewer's sources makes markup of text.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FORBIDDEN = ["innerHTML", "outerHTML", "insertAdjacentHTML", "{@html", "document.write", "createContextualFragment", "DOMParser", "srcdoc", "eval(", "new Function"];

export function checkSources(checks) {
  const folder = fileURLToPath(new URL("../src", import.meta.url));
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(ts|svelte)$/.test(name));
  checks.that(files.length > 20, "the sources are there");
  for (const file of files) {
    const text = readFileSync(`${folder}/${file}`, "utf8");
    const found = FORBIDDEN.filter((word) => text.includes(word));
    checks.equal(found.join(", "), "", `${file} makes no markup of text`);
  }
}
