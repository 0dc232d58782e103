// Checks the module *play* as the page uses it: `node tests/play.mjs MODULE`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { check, finish } from "./check.mjs";
import { compile } from "./compile.mjs";

const wasm = readFileSync(process.argv[2]);
const { GAMES } = await compile("games.ts");
const { loadPlay } = await compile("engine/play.ts");
const engine = await loadPlay(wasm);
const games = engine.games();

/** Begins a match of the weaker built-in bots, which decide quickly. */
function start(game, seed = 7) {
  const bots = Array.from({ length: game.default_seats }, (_, i) => game.bots[i % 3].name);
  engine.start({ game: game.name, seed, seats: bots.map((bot, i) => ({ name: `${bot} ${i + 1}`, bot: `@${bot}` })) });
  return bots;
}

/** Lets every awaited bot decide, and plays the turn. Returns the decisions. */
function turn(bots) {
  const decisions = engine.awaited().map((seat) => ({ seat, orders: engine.decide(seat, bots[seat - 1], 7) }));
  engine.give(decisions);
  return decisions;
}

check("all games can be played", () => {
  assert.deepEqual(games.map((game) => game.name).toSorted(), Object.keys(GAMES).toSorted());
  assert.ok(games.find((game) => game.name === "triangles").protocol_words.includes("gen_move"));
});

for (const game of games) {
  check(`${game.name}: turns are played, taken back and played again`, () => {
    const bots = start(game);
    const marks = [engine.fingerprint()];
    const turns = [];
    for (let ply = 0; ply < 12 && !engine.standing().over; ply++) {
      turns.push(turn(bots));
      marks.push(engine.fingerprint());
    }
    assert.equal(engine.match().plies, turns.length);
    for (const kept of [turns.length - 1, 3, 0]) {
      engine.rewind(kept);
      assert.equal(engine.fingerprint(), marks[kept], `back to turn ${kept}`);
      for (const decisions of turns.slice(kept)) engine.give(decisions);
      assert.equal(engine.fingerprint(), marks.at(-1), `again from turn ${kept}`);
    }
    engine.rewind(3);
    const again = turn(bots);
    assert.deepEqual(again, turns[3], "a bot decides the same in the same position");
    assert.equal(engine.survey(null, 1000), false);
    const series = engine.series();
    assert.equal(series.plies, 4);
    assert.ok(series.values.every(Number.isFinite));
  });

  check(`${game.name}: what was played is a replay that verifies`, () => {
    const bots = start(game);
    for (let ply = 0; ply < 8 && !engine.standing().over; ply++) turn(bots);
    engine.rewind(2);
    turn(bots);
    const [record, mark] = [engine.record(), engine.fingerprint()];
    const match = engine.open(new TextEncoder().encode(record));
    assert.deepEqual([match.game, match.plies], [game.name, 3]);
    assert.equal(engine.verify(1000).state, "true");
    engine.seek(3);
    assert.equal(engine.fingerprint(), mark);
  });

  check(`${game.name}: an unlawful decision changes nothing and says why`, () => {
    start(game);
    const mark = engine.fingerprint();
    const [seat] = engine.awaited();
    const unlawful = {
      triangles: "[[1,1]]",
      "planet-wars": '[{"source":0,"destination":1,"ships":-1}]',
      grid: "[[9999,0]]",
      lighthouses: '[{"move":[5,5]}]',
      portals: '[{"move":[1,0]}]',
    }[game.name];
    const others = engine.awaited().slice(1).map((other) => ({ seat: other, orders: engine.decide(other, "random", 1) }));
    assert.throws(() => engine.give([{ seat, orders: unlawful }, ...others]), /is unlawful: ./);
    assert.equal(engine.fingerprint(), mark);
    assert.throws(() => engine.give([{ seat: 32, orders: "[]" }]), /seat 32 does not decide now/);
    assert.throws(() => engine.decide(seat, "nobody", 1), /has no built-in bot `nobody`/);
    assert.equal(engine.check(seat, engine.decide(seat, game.bots[1].name, 1)), null);
  });

  check(`${game.name}: a position is a map from which a match begins`, () => {
    const seats = start(game).map((bot, i) => ({ name: `seat ${i + 1}`, bot }));
    turn(seats.map(({ bot }) => bot));
    engine.start({ game: game.name, seed: 1, seats, map: engine.map(), map_name: "a position" });
    assert.equal(engine.match().map, "a position");
    assert.ok(engine.awaited().length > 0);
  });

  check(`${game.name}: rollouts begin at the shown position and are repeatable`, () => {
    const seats = start(game);
    for (let ply = 0; ply < 4 && !engine.standing().over; ply++) turn(seats);
    const mark = engine.fingerprint();
    const names = seats.map(() => "random");
    const played = engine.rollout(names, 5, 3);
    assert.equal(played.length, 3);
    for (const { places, scores } of played) assert.deepEqual([places.length, scores.length], [seats.length, seats.length]);
    assert.deepEqual(engine.rollout(names, 5, 3), played);
    assert.equal(engine.fingerprint(), mark);
    assert.throws(() => engine.rollout(["random"].slice(seats.length), 5, 1), /seats/);
  });
}

check("what cannot begin says why", () => {
  const seats = [{ name: "a", bot: "" }, { name: "b", bot: "" }];
  assert.throws(() => engine.start({ game: "chess", seed: 1, seats }), /does not have the game `chess`/);
  assert.throws(() => engine.start({ game: "triangles", seed: 1, seats, map: "no map" }), /./);
  assert.throws(() => engine.start({ game: "triangles", seed: 1, seats: [...seats, ...seats] }), /./);
});

finish("a person can play every game");
