// `agon match --open`: the match is shown while it is played, and stays.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Watched } from "./browser.mjs";

export async function checkLive(browser, agon, checks) {
  const words = ["match", "lighthouses", "@strategist", "@strategist", "--map", "gen:lakes:3", "--rounds", "400", "--seed", "5", "--open", "--format", "json"];
  const played = spawn(agon.program, words, { cwd: agon.folder, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, DISPLAY: "", WAYLAND_DISPLAY: "" } });
  let result = "";
  played.stdout.on("data", (bytes) => (result += bytes));
  try {
    const url = await address(played.stderr);
    const watched = await Watched.open(browser, url, { lines: true });
    await watched.until("verified", "true");
    checks.equal(await watched.data("plies"), "800", "every turn of a live match arrives");
    checks.equal(await watched.data("ply"), "800", "and who looks at the last turn sees it");
    checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong in a live page");
    await watched.close();
  } finally {
    played.kill("SIGINT");
  }
  const [code] = played.exitCode === null ? await once(played, "exit") : [played.exitCode];
  checks.equal(code, 0, "Ctrl-C ends the page after the match");
  checks.equal(JSON.parse(result).plies, 800, "the result is printed as without a page");
}

/** Returns the address that the command prints. */
async function address(stderr) {
  for await (const line of createInterface({ input: stderr })) {
    const [url] = line.match(/http:\/\/127\.0\.0\.1:\d+\/\w+\//) ?? [];
    if (url) return url;
  }
  throw new Error("no address is printed");
}
