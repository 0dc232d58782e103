import { flushSync, mount } from "svelte";
import { loadPlay, type PlayEngine } from "../engine/play.ts";
import type { Start } from "../engine/types.ts";
import Failed from "../Failed.svelte";
import "../layout.css";
import { block } from "../payload.ts";
import { sayError } from "../player.svelte.ts";
import "../theme.css";
import Console from "./Console.svelte";
import type { Desk } from "./desk.svelte.ts";
import { LocalDesk } from "./local.svelte.ts";
import { ServedDesk } from "./served.svelte.ts";
import { wireOfAddress } from "./wire.ts";

const json = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

/** Follows the session of the console that has served this page. */
function serve(engine: PlayEngine, game: string): Promise<ServedDesk> {
  const wire = wireOfAddress();
  return new Promise((done, failed) => {
    wire.lost = (why) => failed(new Error(`${why}. The address that \`agon console\` has printed is good as long as it runs`));
    wire.hears = (message) => {
      if (message.kind === "hello") done(new ServedDesk(engine, game, wire, message));
    };
    wire.connect();
  });
}

async function open(): Promise<void> {
  const [wasm, terms, served] = await Promise.all(["agon-engine", "agon-match", "agon-served"].map(block));
  if (!wasm || (!terms && !served)) throw new Error("this page has no match in it; make one with `agon console GAME --html`");
  const engine = await loadPlay(wasm);
  if (served) {
    show(await serve(engine, (json(served) as { game: string }).game));
  } else if (terms) {
    const start = json(terms) as Start;
    const begin = (wanted: Start): LocalDesk => new LocalDesk(engine, wanted);
    show(begin(start), { terms: start, begin });
  }
}

function show(first: Desk, local?: { terms: Start; begin: (wanted: Start) => Desk }): void {
  mount(Console, { target: document.body, props: local ? { first, local } : { first } });
  flushSync();
  document.title = `${first.match.title} · Agon`;
}

open().catch((error: unknown) => {
  mount(Failed, { target: document.body, props: { why: sayError(error), what: "console" } });
});
