// Drives the viewer in real browsers. `cargo xtask e2e` starts it: node run.mjs AGON [FOLDER FOR PICTURES]
import { mkdirSync } from "node:fs";
import { checkChanged } from "./changed.mjs";
import { checked } from "./checked.mjs";
import { checkGame, GAMES } from "./games.mjs";
import { checkCut, checkLie, checkLong, checkNames, checkNewer, checkServedNames } from "./hostile.mjs";
import { checkBeside } from "./beside.mjs";
import { checkChance, checkWhatIf } from "./chances.mjs";
import { checkDrawn } from "./drawn.mjs";
import { checkEvery } from "./every.mjs";
import { checkFirefox } from "./firefox.mjs";
import { checkConsole } from "./console.mjs";
import { checkKeys } from "./keys.mjs";
import { checkKnown } from "./known.mjs";
import { checkLive } from "./live.mjs";
import { checkPhone } from "./phone.mjs";
import { checkReference } from "./reference.mjs";
import { checkServer } from "./server.mjs";
import { checkServed } from "./served.mjs";
import { checkSources } from "./sources.mjs";
import { checkState } from "./state.mjs";
import { checkTalk } from "./talk.mjs";
import { checkWide } from "./wide.mjs";

const [program, shots] = process.argv.slice(2);
if (shots) mkdirSync(shots, { recursive: true });
await checked(program, async (browser, agon, checks) => {
  checkSources(checks);
  await checks.part("every", () => checkEvery(agon, checks));
  for (const game of GAMES) await checks.part(game.name, () => checkGame(browser, agon, checks, game, shots));
  for (const check of [checkLie, checkCut, checkLong, checkNewer, checkChanged, checkKeys, checkKnown, checkDrawn, checkBeside, checkChance, checkWhatIf, checkNames, checkServedNames, checkServer, checkLive, checkTalk, checkWide, checkReference]) await checks.part(check.name, () => check(browser, agon, checks));
  await checkConsole(browser, agon, checks, shots);
  await checkServed(browser, agon, checks, shots);
  await checkState(browser, agon, checks, shots);
  await checkPhone(browser, agon, checks, shots);
  await checks.part("firefox", () => checkFirefox(agon, checks));
});
