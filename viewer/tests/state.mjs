// Checks the form of what a map does not say, without a browser: `node tests/state.mjs`.
import assert from "node:assert/strict";
import { check, finish } from "./check.mjs";
import { compile } from "./compile.mjs";

const { itemOf, itemOfCell } = await compile("console/state/places.ts");
const { nearest, shapeOf, wayTo, within } = await compile("console/state/shapes.ts");
const { StateEditor } = await compile("console/state/editor.svelte.ts");

const STATE = {
  round: 12,
  players: { 1: { at: "3,4", energy: 5, score: 0, keys: ["1,1"] }, 2: { at: "3,5", energy: 5, score: 0 } },
  lighthouses: { "1,1": { owner: 1, energy: 30 } },
  connections: ["1,1 5,1", "5,1 0,7"],
};
const shape = shapeOf("lighthouses");

check("a flaw is shown at its item, at the field that adds it, or at what is around it", () => {
  for (const [path, shown] of [
    ["round", "round"],
    ["players[1].keys[1]", "players[1].keys[1]"],
    ["players[1].keys[2]", "players[1].keys[+]"],
    ["players[2].keys[1]", "players[2].keys[+]"],
    ["players[3]", "players"],
    ["out[1]", "out"],
    ["lighthouses[1,1]", "lighthouses[1,1]"],
    ["lighthouses[2,1]", "lighthouses[+]"],
    ["lighthouses[1,1].energy", "lighthouses[1,1].energy"],
    ["connections[2]", "connections[2]"],
    ["connections[12]", "connections[+]"],
    ["nonsense", ""],
  ]) {
    assert.equal(nearest(STATE, shape, 2, path), shown, path);
  }
  assert.deepEqual(wayTo("players[1].keys[+]"), ["players", "players[1]", "players[1].keys"]);
});

check("items that are left out are offered, and those that the page does not know are shown", () => {
  const root = within({ path: "", shape, value: { ...STATE, weather: { wind: [3] } } }, 2);
  assert.deepEqual(root.map(({ path }) => path), ["round", "to_move", "out", "players", "lighthouses", "connections", "cells", "weather"]);
  assert.equal(root[1].value, undefined);
  const [wind] = within(root.at(-1), 2);
  assert.deepEqual([wind.path, wind.shape.is], ["weather.wind", "list"]);
  const unknown = within({ path: "", shape: shapeOf("a game to come"), value: { turn: 3, name: "x" } }, 2);
  assert.deepEqual(unknown.map(({ path, shape: of }) => [path, of.is]), [["turn", "number"], ["name", "text"]]);
});

check("a thing on the board leads to its item", () => {
  const thing = (seat, ...points) => ({ seat, points: Float32Array.from(points) });
  assert.equal(itemOf(thing(null, 5, 1), "lighthouse", shape), "lighthouses[5,1]");
  assert.equal(itemOf(thing(2, 3, 5), "player", shape), "players[2]");
  assert.deepEqual(itemOf(thing(1, 5, 1, 1, 1), "connection", shape), { list: "connections", ends: ["5,1", "1,1"] });
  assert.equal(itemOf(thing(1, 5, 1), "triangle", shape), null);
  assert.equal(itemOf(thing(1, 5, 1), "planet", shapeOf("planet-wars")), null);
  assert.equal(itemOfCell({ column: 3, row: 4 }, shape), "cells[3,4]");
  assert.equal(itemOfCell({ column: 3, row: 4 }, shapeOf("grid")), null);
});

/** An editor whose session refuses what `refuses` returns a flaw for. */
async function edit(refuses = () => null) {
  const [sent, focused] = [[], []];
  globalThis.document = { getElementById: (id) => ({ focus: () => focused.push(id), closest: () => null }) };
  const answer = (...words) => (sent.push(words.join(" ")), Promise.resolve(refuses(...words)));
  const session = {
    beyond: () => Promise.resolve(STATE),
    put: (path, value) => answer("put", path, JSON.stringify(value)),
    leaveOut: (path) => answer("drop", path),
  };
  const editor = new StateEditor({ match: { game: "lighthouses" }, seats: [1, 2] }, session);
  await editor.load();
  const item = (path) => wayTo(`${path}.`).reduce((at, way) => editor.within(at).find((one) => one.path === way), { path: "", shape, value: STATE });
  return { editor, sent, focused, item };
}

await check("changes are commands, one item each", async () => {
  const { editor, sent, item } = await edit();
  assert.equal(await editor.put("players[2].score", 77), true);
  await editor.leaveOut("to_move");
  await editor.add(item("players[1].keys"), "5,3");
  await editor.add(item("players[2].keys"), "5,3");
  await editor.add(item("lighthouses"), "5,3");
  assert.deepEqual(sent, ["put players[2].score 77", "drop to_move", 'put players[1].keys[2] "5,3"', 'put players[2].keys ["5,3"]', 'put lighthouses[5,3] {"owner":1,"energy":1}']);
});

await check("a refused change opens the item of its flaw and gives it the focus", async () => {
  const { editor, focused } = await edit((_, path) => ({ text: `\`${path}\`: no`, item: path === "round" ? "players[1].keys[1]" : undefined, hint: null }));
  assert.equal(await editor.put("round", 99), false);
  assert.equal(editor.isFlawed("players[1].keys[1]"), true);
  assert.deepEqual(["players", "players[1]", "players[1].keys"].map((path) => editor.isOpen(path)), [true, true, true]);
  await editor.put("players[2].at", "9,9");
  assert.equal(editor.isFlawed("players[2].at"), true, "a flaw without an item is that of the change");
  assert.deepEqual(focused, ["item-players[1].keys[1]", "item-players[2].at"]);
});

await check("an item that is not there yet is filled in where it is added", async () => {
  const { editor, focused } = await edit();
  await editor.reveal("lighthouses[1,1]");
  assert.equal(editor.isOpen("lighthouses[1,1]"), true);
  await editor.reveal("lighthouses[5,3]");
  assert.deepEqual(editor.chosen, { path: "lighthouses[+]", text: "5,3" });
  await editor.revealLink("connections", ["0,7", "5,1"]);
  await editor.revealLink("connections", ["0,7", "1,1"]);
  assert.deepEqual(focused, ["item-lighthouses[1,1]", "item-lighthouses[+]", "item-connections[2]", "item-connections[+]"]);
});

finish("the form shows flaws at their items and sends one command a change");
