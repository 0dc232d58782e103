// Checks the module as the page uses it: `node tests/engine.mjs MODULE REPLAYS RANDOM POSITIONS`. MODULE is the file of the
// module, REPLAYS a folder with recorded replays and their `fingerprints.txt`, and RANDOM a folder with random matches of every
// game, whose fingerprints were computed without the module, with at least so many positions.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { check, finish } from "./check.mjs";
import { compile } from "./compile.mjs";

const [module, replays, random, least] = process.argv.slice(2);
const wasm = readFileSync(module);

const { loadEngine, EngineError } = await compile("engine/engine.ts");
const engine = await loadEngine(wasm);

const file = (name) => readFileSync(join(replays, name));
const recorded = readFileSync(join(replays, "fingerprints.txt"), "utf8").trim().split("\n").map((line) => line.split(" "));

for (const [name, plies, fingerprint] of recorded.filter(([name]) => name.endsWith(".jsonl"))) {
  check(`${name} ends with the recorded fingerprint`, () => {
    const match = engine.open(file(name));
    assert.equal(match.plies, Number(plies));
    engine.seek(match.plies);
    assert.equal(engine.fingerprint(), fingerprint);
    let verdict = engine.verify(10);
    while (verdict.state === "pending") verdict = engine.verify(10);
    assert.deepEqual(verdict, { state: "true", ply: match.plies });
  });
  check(`${name} can be drawn and told`, () => {
    const match = engine.open(file(name));
    const scene = engine.scene();
    const keys = new Map();
    for (let ply = 0; ply <= match.plies; ply++) {
      engine.seek(ply);
      for (const eyes of [null, 1]) {
        const frame = engine.frame(eyes);
        assert.equal(frame.captions.length, match.seats.length);
        for (const item of frame.items) {
          const cls = scene.classes[item.cls];
          assert.equal(item.values.length, cls.values.length);
          assert.ok(Number.isSafeInteger(item.key) && item.points.every(Number.isFinite));
          // A thing never becomes one of another class. A drawn segment is the last one until another is drawn.
          const kind = cls.name === "last" ? "segment" : cls.name;
          assert.equal(keys.get(item.key) ?? kind, kind);
          keys.set(item.key, kind);
        }
        for (const grid of frame.grids) assert.equal(grid.cells.length, grid.width * grid.height);
      }
      if (ply > 0) {
        assert.ok(engine.steps(ply) >= 1);
        assert.ok(engine.events(ply, null).length >= engine.events(ply, 1).length);
        for (const decision of engine.turn(ply).decisions) assert.ok(match.seats[decision.seat - 1]);
      }
    }
    while (engine.survey(null, 50));
    const series = engine.series();
    assert.ok(series.marks.every(({ ply, text }) => ply >= 1 && ply <= match.plies && text !== ""));
    assert.equal(series.values.length, series.names.length * series.seats * (match.plies + 1));
    assert.ok(series.values.every(Number.isFinite));
  });
}

check("facts name what a thing is", () => {
  engine.open(file("planet-wars-spec.jsonl"));
  const planet = engine.frame(null).items.find((item) => engine.scene().classes[item.cls].name === "planet");
  const facts = new Map(engine.facts(planet.key, null));
  assert.equal(facts.get("ships"), String(planet.values[0]));
  assert.equal(facts.get("planet"), String(planet.key % 2 ** 49));
});

check("a player of Lighthouses sees no other player", () => {
  const match = engine.open(file("lighthouses-spec.jsonl"));
  engine.seek(match.plies >> 1);
  const { classes } = engine.scene();
  const players = (eyes) => engine.frame(eyes).items.filter((item) => classes[item.cls].name === "player");
  assert.equal(players(null).length, match.seats.length);
  assert.deepEqual(players(2).map((item) => item.seat), [2]);
  assert.deepEqual(engine.frame(2).captions.map((caption) => caption !== ""), match.seats.map((_, i) => i === 1));
});

check("the actions of a turn of Portals are steps", () => {
  const match = engine.open(file("portals-spec.jsonl"));
  const plies = Array.from({ length: match.plies }, (_, i) => i + 1);
  const busy = plies.find((ply) => engine.steps(ply) > 2);
  const titles = [];
  for (let step = 0; step <= engine.steps(busy); step++) {
    engine.seekStep(busy, step);
    titles.push(JSON.stringify(engine.frame(null).items.map((item) => [item.key, item.seat, ...item.points])));
  }
  engine.seek(busy - 1);
  assert.equal(titles[0], JSON.stringify(engine.frame(null).items.map((item) => [item.key, item.seat, ...item.points])));
  assert.ok(new Set(titles).size > 2);
});

check("a fingerprint that lies is named", () => {
  const text = file("grid-spec.jsonl").toString().replace(/("ply":3,.*"fingerprint":")([0-9a-f]{16})/, "$10123456789abcdef");
  engine.open(new TextEncoder().encode(text));
  const verdict = engine.verify(2 ** 31);
  assert.deepEqual([verdict.state, verdict.ply, verdict.expected], ["false", 3, "0123456789abcdef"]);
});

check("what is no replay is refused with its line", () => {
  const refused = (text) => {
    try {
      engine.open(new TextEncoder().encode(text));
    } catch (why) {
      assert.ok(why instanceof EngineError);
      return [why.line, why.message];
    }
    throw new Error("it opened");
  };
  engine.open(file("grid-spec.jsonl"));
  engine.seek(5);
  const mark = engine.fingerprint();
  assert.equal(refused("")[0], 1);
  assert.match(refused('{"agon":9}\n')[1], /format version 9/);
  assert.equal(engine.fingerprint(), mark, "the replay that was open stays open");
  assert.throws(() => engine.frame(33), EngineError, "it has no such seat");
});

check("orders can be tried on a branch", () => {
  engine.open(file("triangles-spec.jsonl"));
  engine.seek(2);
  const before = engine.fingerprint();
  engine.branch();
  const [seat] = engine.awaited();
  const legal = engine.legal(seat);
  assert.ok(legal.listed && legal.orders.length > 1);
  const outcome = engine.apply([{ seat, orders: `[${legal.orders[0]}]` }]);
  assert.deepEqual(outcome.refused, []);
  assert.notEqual(engine.fingerprint(), before);
  assert.ok(engine.undo() && !engine.undo());
  engine.leave();
  assert.equal(engine.fingerprint(), before);
});

// Two equal fingerprints of a turn mean that the whole position is equal.
let positions = 0;
const started = performance.now();
for (const name of readdirSync(random)) {
  check(`random matches of ${name}`, () => {
    for (const text of readFileSync(join(random, name), "utf8").split("\n\n")) {
      if (text.trim() === "") continue;
      engine.open(new TextEncoder().encode(`${text}\n`));
      const verdict = engine.verify(2 ** 31);
      assert.equal(verdict.state, "true", JSON.stringify(verdict));
      positions += verdict.ply + 1;
    }
  });
}
check("random positions are there", () => assert.ok(positions >= Number(least), `${positions} positions, not ${least}`));
console.log(`${positions} random positions have the same fingerprints, ${((performance.now() - started) / 1000).toFixed(1)} s`);
finish("the module plays what was recorded");
