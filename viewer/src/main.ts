import { flushSync, mount, unmount } from "svelte";
import App from "./App.svelte";
import { beginning } from "./beginning.ts";
import { Branch } from "./branch.svelte.ts";
import { Chance } from "./chance/chance.svelte.ts";
import { startWorker } from "./chance/start.ts";
import { work } from "./chance/worker.ts";
import { consoleAt } from "./console-at.ts";
import { type Engine, loadEngine } from "./engine/engine.ts";
import { KnownEngine } from "./engine/known.ts";
import { loadPlay } from "./engine/play.ts";
import Failed from "./Failed.svelte";
import "./layout.css";
import { LiveLines } from "./live.ts";
import { block, payload } from "./payload.ts";
import { readPlace } from "./permalink.ts";
import { Player, sayError } from "./player.svelte.ts";
import "./theme.css";
import { Transcript } from "./transcript.ts";

/** The text of this script, which a worker runs, too. */
const script = typeof document === "undefined" ? "" : (document.currentScript?.textContent ?? "");

async function open(): Promise<void> {
  const module = block("agon-engine");
  const loading = module.then((wasm): Engine | Promise<Engine> => (wasm ? loadEngine(wasm) : new KnownEngine()));
  // It is awaited when the blocks have been read, which may fail before.
  loading.catch(() => {});
  const { engine: wasm, known, replay, transcript, file, beside, plays } = await payload(module);
  const engine = await loading;
  const live = replay || known ? null : new LiveLines();
  const lines = known ?? replay ?? (await live?.next());
  if (!lines) throw new Error("the match ended before it began");
  const [first, rest] = replay && !readPlace(location.hash).ply ? beginning(lines) : [lines, null];
  const player = new Player(engine, first, live !== null, file);
  player.reading = rest !== null;
  if (plays) player.consoleAt = consoleAt;
  if (wasm && beside) player.beside = new Player(await loadEngine(wasm), beside, false);
  const app = mount(App, { target: document.body, props: { player } });
  flushSync();
  await app.opened();
  performance.mark("agon-first-board");
  document.title = `${player.match.title} · ${player.match.seats.map((seat) => seat.name).join(", ")} · Agon`;
  try {
    if (rest) await readOn(player, rest);
  } catch (error) {
    void unmount(app);
    throw error;
  }
  if (transcript) void player.hear(Transcript.read(transcript));
  if (live) await follow(live, player);
  else if (replay) await playOn(player, replay);
}

/** Reads the rest of a replay, piece by piece, so that the page can be used. */
async function readOn(player: Player, rest: Iterable<Uint8Array>): Promise<void> {
  const others = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
  for (const piece of rest) {
    await others();
    player.append(piece);
    do await others();
    while (player.explore());
  }
  player.reading = false;
}

/** Brings the built-in bots, where the page has them. The board is there before. */
async function playOn(player: Player, replay: Uint8Array): Promise<void> {
  try {
    // The block is the last one of the page, which may still be read.
    if (document.readyState === "loading") await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
    const wasm = await block("agon-play");
    if (!wasm) return;
    player.branchAt = async (ply) => new Branch(await loadPlay(wasm), replay, ply);
    player.chance = new Chance({ wasm, replay, worker: () => startWorker(script) });
    player.play = await loadPlay(wasm);
  } catch {
    // The match is shown without them.
  }
}

/** Shows a match while it is played. If its server is gone, what was played stays. */
async function follow(live: LiveLines, player: Player): Promise<void> {
  try {
    for (let lines = await live.next(); lines; lines = await live.next()) player.append(lines);
  } catch {
    // The page says that the match is not complete.
  }
  player.end();
}

if (typeof document === "undefined") {
  work();
} else {
  open().catch((error: unknown) => {
    mount(Failed, { target: document.body, props: { why: sayError(error) } });
  });
}
