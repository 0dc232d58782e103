// A bot for the Grid game: it grows towards the enemy and takes its tiles where it can.
"use strict";

const EMPTY = "-";

// ---------------------------------------------------------------- your strategy goes here

// Picks the tiles to capture this turn: at most `budget` pairs [x, y].
//
// `me` is my id as a string, "1" or "2". `grid[y][x]` is the id of the tile's owner, or EMPTY; (0, 0) is top left.
// Lawful targets share a side with one of my tiles as the map stands now, whoever owns the target.
function decide(me, budget, grid) {
  const distance = distanceToEnemy(me, grid);
  const targets = [];
  grid.forEach((row, y) => {
    [...row].forEach((owner, x) => {
      if (owner !== me && sides(grid, x, y).some(([a, b]) => grid[b][a] === me)) {
        targets.push([x, y]);
      }
    });
  });
  // Enemy tiles come first (distance 0), then what lies nearest to them. Between equals the tile with the most
  // empty space around it is the better one: a tile without any suffocates.
  targets.sort(
    ([x, y], [a, b]) => distance[y][x] - distance[b][a] || emptyAround(grid, a, b) - emptyAround(grid, x, y),
  );
  return targets.slice(0, budget);
}

// For each tile the number of side steps to the nearest enemy tile (a large number if he has none).
function distanceToEnemy(me, grid) {
  const far = grid.length * grid[0].length;
  const distance = grid.map((row) => [...row].map((owner) => (owner !== me && owner !== EMPTY ? 0 : far)));
  const queue = distance.flatMap((row, y) => row.flatMap((d, x) => (d === 0 ? [[x, y]] : [])));
  for (const [x, y] of queue) {
    // The queue grows while we walk along it: a breadth-first search.
    for (const [a, b] of sides(grid, x, y)) {
      if (distance[b][a] === far) {
        distance[b][a] = distance[y][x] + 1;
        queue.push([a, b]);
      }
    }
  }
  return distance;
}

// ---------------------------------------------------------------- the map

// The tiles that share a side with (x, y).
function sides(grid, x, y) {
  const near = [[x, y - 1], [x - 1, y], [x + 1, y], [x, y + 1]];
  return near.filter(([a, b]) => grid[b]?.[a] !== undefined);
}

// How many of the up to eight tiles around (x, y) are empty.
function emptyAround(grid, x, y) {
  let count = grid[y][x] === EMPTY ? -1 : 0;
  for (let b = y - 1; b <= y + 1; b++) {
    for (let a = x - 1; a <= x + 1; a++) {
      if (grid[b]?.[a] === EMPTY) count++;
    }
  }
  return count;
}

// ---------------------------------------------------------------- the protocol

let message = []; // the lines of the referee's message that have arrived so far

// When the match is over the input ends, and with it the program.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.trim() !== ".") {
    message.push(line.trim());
    return;
  }
  const [id, energy, ...grid] = message;
  message = [];
  const orders = decide(id.split(/\s+/)[1], Number(energy.split(/\s+/)[1]), grid);
  process.stdout.write(orders.map(([x, y]) => `C ${x} ${y}\n`).join("") + ".\n");
});
