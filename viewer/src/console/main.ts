import { flushSync, mount } from "svelte";
import { loadPlay } from "../engine/play.ts";
import type { Start } from "../engine/types.ts";
import Failed from "../Failed.svelte";
import "../layout.css";
import { block } from "../payload.ts";
import { sayError } from "../player.svelte.ts";
import "../theme.css";
import Console from "./Console.svelte";
import { Desk } from "./desk.svelte.ts";

async function open(): Promise<void> {
  const [wasm, terms] = await Promise.all([block("agon-engine"), block("agon-match")]);
  if (!wasm || !terms) throw new Error("this page has no match in it; make one with `agon console GAME --html`");
  const start = JSON.parse(new TextDecoder().decode(terms)) as Start;
  const engine = await loadPlay(wasm);
  const first = new Desk(engine, start);
  mount(Console, {
    target: document.body,
    props: { first, terms: start, game: first.game, begin: (wanted: Start) => new Desk(engine, wanted) },
  });
  flushSync();
  document.title = `${first.match.title} · Agon`;
}

open().catch((error: unknown) => {
  mount(Failed, { target: document.body, props: { why: sayError(error) } });
});
