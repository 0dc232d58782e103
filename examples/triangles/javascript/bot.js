// A bot for Triangles: it gains what it can and leaves the opponent as little as possible.
"use strict";

// ---------------------------------------------------------------- your strategy goes here

// Picks the segment to draw, one of `board.legal`. `timeLeft` is in milliseconds, for the rest of the game.
function decide(board, timeLeft) {
  const offers = board.legal.map((segment) => ({ segment, worth: board.triangles(segment) }));
  const bestFirst = [...offers].sort((a, b) => b.worth - a.worth);
  let best = { merit: -Infinity };
  for (const { segment, worth } of offers) {
    // What we gain, minus the best reply of the opponent: a chance that we open, or what is there already.
    const chances = board.chances(segment);
    let reply = Math.max(0, ...chances.map((s) => board.triangles(s) + 1));
    for (const other of bestFirst) {
      if (other.worth <= reply) break;
      if (other.segment !== segment && !board.cross(other.segment, segment)) reply = other.worth;
    }
    const merit = worth - reply;
    // Between equals, many chances for both have proved better than few.
    if (merit > best.merit || (merit === best.merit && chances.length > best.chances)) {
      best = { segment, merit, chances: chances.length };
    }
  }
  return best.segment;
}

// ---------------------------------------------------------------- the board

// The points, what has been drawn, and what may still be drawn. A segment is a pair [i, j] of point numbers.
class Board {
  constructor(points) {
    this.points = [null, ...points]; // the protocol counts them from 1
    const numbers = [...points.keys()].map((index) => index + 1);
    this.joined = this.points.map(() => new Set()); // joined[i]: the points at the other ends of i's segments
    // Every lawful segment is held once, with i < j. At first a segment is unlawful only if it passes through a point.
    this.legal = numbers
      .flatMap((i) => numbers.slice(i).map((j) => [i, j]))
      .filter((segment) => !numbers.some((k) => this.holds(segment, k)));
    this.index();
  }

  index() {
    this.lawful = new Set(this.legal.map(String));
  }

  isLegal([i, j]) {
    return this.lawful.has(String([Math.min(i, j), Math.max(i, j)]));
  }

  // Draws a segment, after which segments that cross it are no longer lawful.
  draw([i, j]) {
    if (!this.isLegal([i, j])) throw new Error(`${i} ${j} cannot be drawn`);
    this.joined[i].add(j);
    this.joined[j].add(i);
    this.legal = this.legal.filter(([a, b]) => !this.joined[a].has(b) && !this.cross([a, b], [i, j]));
    this.index();
  }

  // What drawing a segment is worth now: a point for each empty triangle that it closes.
  triangles([i, j]) {
    return [...this.joined[i]].filter((k) => this.joined[j].has(k) && this.empty(i, j, k)).length;
  }

  // The lawful segments that would each be worth one point more once [i, j] is drawn.
  chances([i, j]) {
    const ways = (a, b) => [...this.joined[b]].filter((k) => !this.joined[a].has(k)).map((k) => [a, k]);
    return [...ways(i, j), ...ways(j, i)].filter((s) => this.isLegal(s) && this.empty(i, j, s[1]));
  }

  // Geometry. All numbers are small integers, so nothing is rounded.

  // Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line.
  side(a, b, c) {
    const [[ax, ay], [bx, by], [cx, cy]] = [this.points[a], this.points[b], this.points[c]];
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  }

  // Does point k lie on the segment, excluding its ends?
  holds([a, b], k) {
    if (k === a || k === b || this.side(a, b, k) !== 0) return false;
    const [[ax, ay], [bx, by], [kx, ky]] = [this.points[a], this.points[b], this.points[k]];
    return (kx - ax) * (kx - bx) <= 0 && (ky - ay) * (ky - by) <= 0;
  }

  // Do two segments cross? Sharing an end is not crossing.
  cross([a, b], [c, d]) {
    return this.side(a, b, c) * this.side(a, b, d) < 0 && this.side(c, d, a) * this.side(c, d, b) < 0;
  }

  // Is no point inside the triangle?
  empty(a, b, c) {
    const turn = this.side(a, b, c);
    for (let k = 1; k < this.points.length; k++) {
      if (this.side(a, b, k) * turn > 0 && this.side(b, c, k) * turn > 0 && this.side(c, a, k) * turn > 0) return false;
    }
    return true;
  }
}

// ---------------------------------------------------------------- the protocol

let board = new Board([]);
let timeLeft = 0;

// Carries out one command and returns the text of the answer. What it throws is answered with `?`.
function answer(command, numbers) {
  switch (command) {
    case "set_points": {
      const points = [];
      for (let n = 1; n + 1 < numbers.length; n += 2) points.push([numbers[n], numbers[n + 1]]);
      board = new Board(points);
      return "";
    }
    case "time_left":
      timeLeft = numbers[0];
      return "";
    case "play":
      board.draw(numbers);
      return "";
    case "gen_move": {
      if (board.legal.length === 0) throw new Error("nothing can be drawn");
      const segment = decide(board, timeLeft);
      board.draw(segment);
      return segment.join(" ");
    }
    case "quit":
      return "";
    default:
      throw new Error("unknown command");
  }
}

// When the match is over the input ends, and with it the program.
const input = require("readline").createInterface({ input: process.stdin });
input.on("line", (line) => {
  const [command, ...words] = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
  if (command === undefined) return; // empty lines have no meaning
  let reply;
  try {
    reply = `= ${answer(command, words.map(Number))}`.trimEnd();
  } catch (why) {
    reply = `? ${why.message}`;
  }
  process.stdout.write(`${reply}\n\n`); // the empty line ends the answer
  if (command === "quit") input.close();
});
