// Every game that the program knows has its place in the page and in each list of these checks.
import { compile } from "../tests/compile.mjs";
import { GAMES as BY_HAND } from "./console.mjs";
import { OPPONENTS } from "./firefox.mjs";
import { GAMES } from "./games.mjs";
import { GAMES as BY_TOUCH } from "./phone.mjs";
import { BOARDS } from "./reference.mjs";
import { GAMES as SERVED } from "./served.mjs";
import { GAMES as STATES } from "./state.mjs";

const LISTS = {
  "e2e/console.mjs": BY_HAND,
  "e2e/firefox.mjs": OPPONENTS,
  "e2e/games.mjs": GAMES,
  "e2e/phone.mjs": BY_TOUCH,
  "e2e/reference.mjs": BOARDS,
  "e2e/served.mjs": SERVED,
  "e2e/state.mjs": STATES,
};

export async function checkEvery(agon, checks) {
  const known = JSON.parse(agon.run("games", "--format", "json")).map(({ name }) => name);
  const listed = { "src/games.ts": Object.keys((await compile("games.ts")).GAMES) };
  for (const [file, list] of Object.entries(LISTS)) listed[file] = list.map(({ name, game }) => game ?? name);
  for (const [file, names] of Object.entries(listed)) checks.equal(names.toSorted().join(" "), known.toSorted().join(" "), `viewer/${file} has every game once`);
}
