// A bot for Planet Wars: it gathers ships for the planets that repay them soonest and rescues its own ones.
"use strict";

const NEUTRAL = 0; // owners, in each bot's own view
const ME = 1;
const ENEMY = 2;

// planet: { id, x, y, owner, ships, growth }, growth being its new ships a turn while somebody owns it
// fleet: { owner, ships, source, destination, total, remaining }, the last two in turns

// ---------------------------------------------------------------- your strategy goes here

const PATIENCE = 20; // a neutral planet must repay its ships within this many turns, including the trip

// Returns this turn's orders: a list of { source, destination, ships }.
function decide(planets, fleets) {
  // For each planet our strength there once all fleets have arrived; below zero it belongs to another player.
  const strength = planets.map((planet) => (planet.owner === ME ? planet.ships : -planet.ships));
  for (const fleet of fleets) {
    strength[fleet.destination] += fleet.owner === ME ? fleet.ships : -fleet.ships;
  }

  // The ships that our planets can send without being lost.
  const spare = planets.map((p) => (p.owner === ME ? Math.max(0, Math.min(p.ships, strength[p.id])) : 0));

  // Planets to take and planets of ours to rescue, those first that repay the ships soonest.
  const targets = planets.filter((p) => p.growth > 0 && (p.owner !== ME || strength[p.id] < 0));
  targets.sort((a, b) => a.ships / a.growth - b.ships / b.growth);

  const orders = [];
  for (const target of targets) {
    for (const { source, ships } of gather(target, strength[target.id], spare, planets)) {
      spare[source] -= ships;
      orders.push({ source, destination: target.id, ships });
    }
  }
  return orders;
}

// Who sends how many ships to the target, the nearest first: [{ source, ships }], empty if they are too few.
function gather(target, strength, spare, planets) {
  const party = [];
  let gathered = 0;
  for (const source of [...planets].sort((a, b) => distance(a, target) - distance(b, target))) {
    const turns = distance(source, target);
    const tooSlow = target.owner === NEUTRAL && turns + target.ships / target.growth > PATIENCE;
    if (spare[source.id] === 0 || tooSlow) continue;
    let need = 1 - strength;
    if (target.owner === ENEMY) need += target.growth * turns; // it grows until the last of us is there
    const ships = Math.min(spare[source.id], need - gathered);
    if (ships > 0) {
      party.push({ source: source.id, ships });
      gathered += ships;
    }
    if (gathered >= need) return party;
  }
  return [];
}

// Turns that a fleet needs from one planet to another.
function distance(a, b) {
  return Math.ceil(Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2));
}

// ---------------------------------------------------------------- the protocol

let planets = []; // what has arrived of this turn's message
let fleets = [];

// When the match is over the input ends, and with it the program.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  // Comments and blank lines mean nothing.
  const [word, ...words] = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
  const numbers = words.map(Number);
  if (word === "P") {
    const [x, y, owner, ships, growth] = numbers;
    planets.push({ id: planets.length, x, y, owner, ships, growth });
  } else if (word === "F") {
    const [owner, ships, source, destination, total, remaining] = numbers;
    fleets.push({ owner, ships, source, destination, total, remaining });
  } else if (word === "go") {
    const orders = decide(planets, fleets).map((o) => `${o.source} ${o.destination} ${o.ships}\n`);
    process.stdout.write(`${orders.join("")}go\n`);
    planets = [];
    fleets = [];
  }
});
