// Checks what the console composes and keeps, without a browser: `node tests/console.mjs MODULE`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { check, finish } from "./check.mjs";
import { compile } from "./compile.mjs";

const wasm = readFileSync(process.argv[2]);
const { loadPlay } = await compile("engine/play.ts");
const { Layers } = await compile("layers.ts");
const { gesturesOf } = await compile("console/gestures/index.ts");
const { lawful, accepts } = await compile("console/gestures/gesture.ts");
const { left } = await compile("console/clock.ts");
const { Tree } = await compile("console/tree.ts");
const engine = await loadPlay(wasm);

/** Numbers that are the same in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What the gestures of a seat look at. */
function scopeOf(seat, orders) {
  const scene = engine.scene();
  const size = (axis) => (scene.cell > 0 ? Math.round((scene.high[axis] - scene.low[axis]) / scene.cell) : 0);
  return {
    seat, orders, ply: engine.match().plies, layers: new Layers(scene, engine.frame(seat)), columns: size(0), rows: size(1),
    legal: () => engine.legal(seat),
    check: (list) => engine.check(seat, `[${list.join(",")}]`),
  };
}

for (const game of engine.games()) {
  check(`${game.name}: gestures alone play lawful turns, and nothing lawful is out of their reach`, () => {
    const below = numbers(11);
    const seats = Array.from({ length: game.default_seats }, (_, i) => ({ name: `seat ${i + 1}`, bot: "human" }));
    engine.start({ game: game.name, seed: 3, seats });
    const gestures = gesturesOf(game.name);
    let composed = 0;
    for (let ply = 0; ply < 40 && !engine.standing().over; ply++) {
      const decisions = engine.awaited().map((seat) => {
        let scope = scopeOf(seat, []);
        const known = new Set([
          ...lawful(gestures.candidates(scope), scope, Infinity).map((one) => one.order),
          ...gestures.actions(scope).filter((one) => accepts(one.order, scope)).map((one) => one.order),
        ]);
        const { listed, orders } = engine.legal(seat);
        // A walk to where one stands is lawful, and nobody needs it.
        const standing = scope.layers.items("agent").find((item) => item.seat === seat);
        const still = standing && JSON.stringify({ move: [...standing.points] });
        for (const order of listed ? orders : []) {
          assert.ok(order === still || known.has(order), `turn ${ply + 1}: no gesture gives ${order}`);
        }
        const list = [];
        for (let left = gestures.single ? 1 : 1 + below(4); left > 0; left--) {
          const lit = lawful(gestures.candidates(scope), scope, Infinity);
          const buttons = gestures.actions(scope).filter((one) => accepts(one.order, scope));
          const all = [...lit.map((one) => one.order), ...buttons.map((one) => one.order)];
          if (all.length === 0) break;
          const order = all[below(all.length)];
          assert.ok(gestures.words(order, scope).length > 3);
          const ends = gestures.ends(order, scope);
          const candidate = lit.find((one) => one.order === order);
          if (ends && candidate) assert.equal(ends.to, candidate.to);
          list.push(order);
          scope = scopeOf(seat, list);
          composed++;
        }
        return { seat, orders: `[${list.join(",")}]` };
      });
      engine.give(decisions);
    }
    assert.ok(composed >= 20, `${composed} orders`);
  });
}

check("an unlawful gesture is an order that the rules refuse in their words", () => {
  const seats = [{ name: "a", bot: "human" }, { name: "b", bot: "human" }];
  const refusal = (game, from, to) => {
    engine.start({ game, seed: 3, seats });
    const scope = scopeOf(1, []);
    return scope.check([gesturesOf(game).attempt(from, to, scope)])?.why;
  };
  assert.match(refusal("triangles", "4", "4"), /from point 4 to itself/);
  assert.match(refusal("planet-wars", "0", "1"), /planet 0/);
  assert.match(refusal("grid", null, "7,7"), /./);
  assert.match(refusal("lighthouses", null, "99,0"), /./);
  assert.match(refusal("portals", null, "29,29"), /./);
});

check("the amount of ships is kept within what the planet has", () => {
  engine.start({ game: "planet-wars", seed: 3, seats: [{ name: "a", bot: "" }, { name: "b", bot: "" }] });
  const gestures = gesturesOf("planet-wars");
  const [first] = gestures.candidates(scopeOf(1, []));
  const scope = scopeOf(1, [first.order]);
  const amount = gestures.amount(first.order, scope);
  assert.equal(amount.value, amount.most);
  const less = amount.build(1);
  assert.equal(scope.check([less]), null);
  assert.equal(gestures.amount(less, scopeOf(1, [less])).most, amount.most);
  assert.notEqual(scope.check([amount.build(amount.most + 1)]), null);
});

check("undo, redo and branches walk through the tree of turns", () => {
  const tree = new Tree();
  const person = (n) => tree.add([{ seat: 1, orders: `[${n}]` }], true);
  const bot = (n) => tree.add([{ seat: 2, orders: `[${n}]` }], false);
  const go = (to) => {
    const way = tree.way(to);
    tree.go(to);
    return [way.from.ply, way.turns.map((turn) => turn.id)];
  };
  assert.equal(tree.undone(), null);
  person(1);
  const two = bot(2);
  person(3);
  const four = bot(4);
  assert.deepEqual(go(tree.undone()), [2, []]);
  assert.equal(tree.now, two);
  assert.deepEqual(go(tree.redone()), [2, [3, 4]]);
  assert.equal(tree.now, four);
  go(tree.undone());
  go(tree.undone());
  assert.equal(tree.now, tree.start);
  go(tree.redone());
  assert.equal(tree.now, two);
  person(5);
  const six = bot(6);
  assert.deepEqual(tree.branches(), [{ end: four, parts: 2 }, { end: six, parts: 4 }]);
  assert.deepEqual(go(four), [2, [3, 4]]);
  assert.equal(tree.redone(), null);
  go(tree.start);
  assert.deepEqual(go(tree.redone()), [0, [1, 2]], "redo follows the branch that was chosen");
  assert.deepEqual(go(tree.redone()), [2, [3, 4]]);
  go(two);
  assert.equal(person(3).id, 3, "the same decision again is the same turn");
  assert.equal(tree.at(1).id, 1);
});

check("the time left is counted down in minutes and seconds, and in tenths when it is urgent", () => {
  for (const [micros, passed, words] of [
    [180e6, 0, "3:00"], [180e6, 1, "2:59"], [3725e6, 0, "1:02:05"], [60e6, 50_000, "0:10"], [60e6, 50_100, "0:09.9"],
    [1_234_567, 0, "0:01.2"], [1e6, 5000, "0:00.0"],
  ]) {
    assert.equal(left(micros, passed), words);
  }
});

finish("the console composes what the rules accept");
