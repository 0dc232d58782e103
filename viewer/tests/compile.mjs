// Compiles TypeScript of the page for tests in Node.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build } from "vite";

/** Compiles a file below `src` with everything that it imports, and returns its exports. */
export async function compile(source) {
  const folder = mkdtempSync(join(tmpdir(), "agon-test-"));
  try {
    const entry = new URL(`../src/${source}`, import.meta.url).pathname;
    await build({
      configFile: false,
      logLevel: "error",
      plugins: [svelte({ configFile: false })],
      define: { "process.env.NODE_ENV": '"production"' },
      build: { outDir: folder, lib: { entry, formats: ["es"], fileName: () => "module.mjs" } },
    });
    return await import(pathToFileURL(join(folder, "module.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
