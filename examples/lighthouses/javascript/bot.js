// A bot for Lighthouses: it walks from lighthouse to lighthouse, takes them and joins them into triangles.
"use strict";

const NAME = "Keeper";
const NOBODY = -1; // the owner of a lighthouse that has none
const DIRECTIONS = [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

// A position is a pair [x, y], y counted from below.
// turn: { position, energy, view, lighthouses }, view being the free energy around me, lowest row first
// lighthouse: { position, owner, energy, connections, have_key }, connections being positions of others

// ---------------------------------------------------------------- your strategy goes here

const ENOUGH = 30; // less energy than this is not worth putting into a lighthouse: each loses 10 per round

// Returns the command of this turn: one of pass(), move(), attack() and connect().
function decide(game, turn) {
  const here = lighthouseAt(turn, turn.position);
  if (here?.owner === game.me) {
    const link = first(
      heldKeys(game, turn).filter((other) => joinable(turn, here, other)),
      (other) => newArea(turn, here, other),
    );
    if (link) return connect(link.best.position);
  }
  if (here && turn.energy > here.energy + ENOUGH) {
    return attack(turn.energy); // takes the lighthouse, or recharges it if it is ours
  }

  // Go where each step promises the most; if no step promises anything, gather energy.
  const away = (lighthouse, [x, y]) => game.steps.get(String(lighthouse.position))[y][x];
  const goal = first(
    turn.lighthouses.filter((lighthouse) => lighthouse !== here),
    (lighthouse) => promise(game, turn, lighthouse) / away(lighthouse, turn.position),
  );
  if (goal?.score > 0) {
    return walk(game, turn, (cell) => away(goal.best, cell) < away(goal.best, turn.position));
  }
  return walk(game, turn, () => true);
}

// What a visit to a lighthouse is worth to us, in a unit of our own.
function promise(game, turn, goal) {
  const strongEnough = turn.energy > goal.energy + ENOUGH;
  if (goal.owner !== game.me && !strongEnough) return 0;
  let worth = strongEnough ? 10 : 0;
  for (const other of heldKeys(game, turn)) {
    if (joinable(turn, goal, other)) worth += 30 + newArea(turn, goal, other);
  }
  return worth;
}

// The lighthouses of ours whose keys we hold: to them we can connect another one.
function heldKeys(game, turn) {
  return turn.lighthouses.filter((lighthouse) => lighthouse.have_key && lighthouse.owner === game.me);
}

// The area of the triangles that a connection between two lighthouses would close.
function newArea(turn, a, b) {
  return a.connections
    .filter((c) => b.connections.some((d) => same(c, d)))
    .reduce((sum, c) => sum + Math.floor(Math.abs(side(a.position, b.position, c)) / 2), 0);
}

// A step to the cell with the most energy among the wanted ones.
function walk(game, turn, wanted) {
  const [x, y] = turn.position;
  const ways = DIRECTIONS.filter(([dx, dy]) => game.map[y + dy][x + dx] && wanted([x + dx, y + dy]));
  const way = first(ways, ([dx, dy]) => freeEnergy(turn.view, dx, dy));
  return way ? move(...way.best) : pass();
}

// The item with the highest score, the first one among equals: { best, score }. Undefined if there is none.
function first(items, scoreOf) {
  let found;
  for (const best of items) {
    const score = scoreOf(best);
    if (!found || score > found.score) found = { best, score };
  }
  return found;
}

// ---------------------------------------------------------------- the rules

const pass = () => ({ command: "pass" });

// To one of the eight cells around, if it is part of the island.
const move = (x, y) => ({ command: "move", x, y });

// Puts energy into the lighthouse under our feet, against its owner or, if we own it, for it.
const attack = (energy) => ({ command: "attack", energy });

// Joins the lighthouse under our feet to another one. Both must be ours, and we need the key of the other one.
const connect = (destination) => ({ command: "connect", destination });

const same = ([ax, ay], [bx, by]) => ax === bx && ay === by;

const lighthouseAt = (turn, position) => turn.lighthouses.find((lighthouse) => same(lighthouse.position, position));

// Is there room for a connection between two lighthouses?
function joinable(turn, a, b) {
  if (a === b || a.connections.some((c) => same(c, b.position))) return false;
  return turn.lighthouses.every(
    (c) =>
      !between(a.position, c.position, b.position) &&
      !c.connections.some((d) => cross(a.position, b.position, c.position, d)),
  );
}

// Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line.
function side([ax, ay], [bx, by], [cx, cy]) {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

// Does c lie on the way from a to b, excluding the ends?
function between(a, c, b) {
  const inBox = (c[0] - a[0]) * (c[0] - b[0]) <= 0 && (c[1] - a[1]) * (c[1] - b[1]) <= 0;
  return inBox && side(a, b, c) === 0 && !same(a, c) && !same(b, c);
}

// Do two connections cross? Sharing an end is not crossing.
function cross(a, b, c, d) {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

// The free energy on a cell near us; 0 if it is too far away to see.
function freeEnergy(view, dx, dy) {
  const middle = (view.length - 1) / 2;
  return view[middle + dy]?.[middle + dx] ?? 0;
}

// What stays the same for the whole match.
class Game {
  constructor(start) {
    this.me = start.player_num;
    this.map = start.map; // map[y][x] is 1 on the island; the first row is the lowest one
    // For each lighthouse the number of steps to it from every cell of the island.
    this.steps = new Map(start.lighthouses.map((position) => [String(position), this.stepsTo(position)]));
  }

  stepsTo([x, y]) {
    const steps = this.map.map((row) => row.map(() => Infinity));
    steps[y][x] = 0;
    const queue = [[x, y]];
    for (const [x, y] of queue) {
      // The queue grows while we walk along it: a breadth-first search.
      for (const [dx, dy] of DIRECTIONS) {
        const [a, b] = [x + dx, y + dy]; // still on the map, as its border is never part of the island
        if (this.map[b][a] && steps[b][a] === Infinity) {
          steps[b][a] = steps[y][x] + 1;
          queue.push([a, b]);
        }
      }
    }
    return steps;
  }
}

// ---------------------------------------------------------------- the protocol

let game;

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

// When the match is over the input ends, and with it the program.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.trim() === "") return;
  const message = JSON.parse(line);
  if ("player_num" in message) {
    game = new Game(message); // the first message of the match
    say({ name: NAME });
  } else if ("success" in message) {
    // The result of our last command; the referee expects no answer.
    if (!message.success) console.error(`[${NAME}] ${message.message}`);
  } else {
    // The original engine says null where nobody is the owner.
    for (const lighthouse of message.lighthouses) lighthouse.owner ??= NOBODY;
    say(decide(game, message));
  }
});
