// Measures pages in a real browser. `cargo xtask e2e` starts it: node measure.mjs AGON
import { checked } from "./checked.mjs";
import { measure } from "./figures.mjs";

await checked(process.argv[2], (browser, agon, checks) => checks.part("figures", () => measure(browser, agon, checks)));
