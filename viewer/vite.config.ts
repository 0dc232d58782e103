import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One script and one style sheet under fixed names: `agon replay html` writes both into the page and names their hashes
// in its content security policy.
export default defineConfig({
  plugins: [
    svelte({
      // Nodes are created one by one, so that nothing in the page sets `innerHTML`.
      compilerOptions: { fragments: "tree" },
    }),
  ],
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "agonViewer", fileName: () => "page.js", cssFileName: "page" },
  },
});
