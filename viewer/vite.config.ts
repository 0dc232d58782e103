import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The pages, each with its first file. `vite build --mode NAME` builds one of them. */
const PAGES: Record<string, string> = { page: "src/main.ts", console: "src/console/main.ts" };

/** Writes a script in ASCII. If a page has another letter, browsers take two bytes for each letter around it, also of the modules,
 *  and read the page twice as long. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === "chunk") file.code = file.code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    }
  },
};

// One script and one style sheet under fixed names: the program writes both into the page and names their hashes in its
// content security policy.
export default defineConfig(({ mode }) => {
  const name = mode in PAGES ? mode : "page";
  return {
    plugins: [
      svelte({
        // Nodes are created one by one, so that nothing in the page sets `innerHTML`.
        compilerOptions: { fragments: "tree" },
      }),
      ascii,
    ],
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      target: "es2022",
      emptyOutDir: name === "page",
      modulePreload: false,
      cssCodeSplit: false,
      lib: { entry: PAGES[name]!, formats: ["iife"], name: "agonViewer", fileName: () => `${name}.js`, cssFileName: name },
    },
  };
});
