// A bot for Portals: it takes the portal that is cheapest to reach, links it to all it can, and goes on to the next.
"use strict";

const CAPTURE = 3; // what things cost in action points
const NEUTRALISE = 10;
const NEUTRALISE_SHIELD = 5;
const TURBO = 6;
const NEUTRAL = -1; // the owner of a portal that nobody holds
const OK = 0; // the answer to an action that was carried out

// A position is a pair [x, y]. An action has to be awaited, as the referee answers it.

// ---------------------------------------------------------------- your strategy goes here

// Plays one turn: reads `turn` and acts through its methods.
async function play(turn) {
  for (;;) {
    await take(turn);
    await linkAll(turn);
    const goal = cheapest(turn);
    if (!goal) break;
    if (cost(turn, goal) > turn.actionPoints) {
      await turn.move(towards(turn, goal.position));
      break;
    }
    while (turn.movePoints < distance(turn.position, goal.position)) await turn.turbo();
    await turn.move(goal.position);
  }
  while ((await turn.shield()) === OK); // the remaining points protect the portal on which the turn ends
}

// Makes the portal under our feet ours, if there is one and the points suffice.
async function take(turn) {
  const portal = turn.portalAt(turn.position);
  if (portal && portal.owner !== turn.me && portal.owner !== NEUTRAL) await turn.neutralise();
  if (portal && portal.owner === NEUTRAL) await turn.capture();
}

// Links the portal under our feet to ours. The referee refuses what the rules forbid, and that costs nothing.
async function linkAll(turn) {
  const here = turn.portalAt(turn.position);
  if (here?.owner !== turn.me) return;
  const others = turn.portals.filter((portal) => portal !== here && portal.owner === turn.me);
  others.sort((a, b) => distance(turn.position, a.position) - distance(turn.position, b.position));
  for (const other of others) await turn.link(other.position);
}

// The portal elsewhere that is the cheapest to make ours; undefined if all are.
function cheapest(turn) {
  let best;
  for (const portal of turn.portals) {
    if (portal.owner === turn.me || same(portal.position, turn.position)) continue;
    if (!best || cost(turn, portal) < cost(turn, best)) best = portal;
  }
  return best;
}

// The action points needed to go to a portal and capture it.
function cost(turn, portal) {
  const fight = portal.owner === NEUTRAL ? 0 : NEUTRALISE + NEUTRALISE_SHIELD * portal.shields;
  return TURBO * Math.max(0, distance(turn.position, portal.position) - turn.movePoints) + fight + CAPTURE;
}

// The cell next to the goal that our move points reach: first sideways, then up or down.
function towards(turn, [a, b]) {
  const [x, y] = turn.position;
  const clamp = (steps, limit) => Math.max(-limit, Math.min(limit, steps));
  const dx = clamp(a - x, turn.movePoints);
  return [x + dx, y + clamp(b - y, turn.movePoints - Math.abs(dx))];
}

function distance([ax, ay], [bx, by]) {
  return Math.abs(ax - bx) + Math.abs(ay - by);
}

function same([ax, ay], [bx, by]) {
  return ax === bx && ay === by;
}

// ---------------------------------------------------------------- the game

// The state as we know it. Each action asks the referee and returns its code, 0 if it was carried out.
class Turn {
  constructor(me, round) {
    this.me = me;
    this.round = round;
    this.agents = []; // the positions of both players
    this.scores = [];
    this.actionPoints = 0;
    this.movePoints = 0;
    this.portals = []; // { position, owner, shields }, the owner being 0, 1 or NEUTRAL
    this.links = []; // { ends: [position, position], owner }
  }

  get position() {
    return this.agents[this.me];
  }

  portalAt(position) {
    return this.portals.find((portal) => same(portal.position, position));
  }

  async move(to) {
    const code = await this.act(`move ${to[0]} ${to[1]}`);
    if (code === OK) this.agents[this.me] = to;
    return code;
  }

  turbo() {
    return this.act("turbo");
  }

  async capture() {
    const code = await this.act("capture");
    if (code === OK) this.portalAt(this.position).owner = this.me;
    return code;
  }

  async neutralise() {
    const code = await this.act("neutralise");
    if (code === OK) {
      Object.assign(this.portalAt(this.position), { owner: NEUTRAL, shields: 0 });
      this.links = this.links.filter(({ ends }) => !ends.some((end) => same(end, this.position)));
    }
    return code;
  }

  async link(to) {
    const code = await this.act(`link ${to[0]} ${to[1]}`);
    if (code === OK) this.links.push({ ends: [this.position, to], owner: this.me });
    return code;
  }

  async shield() {
    const code = await this.act("shield");
    if (code === OK) this.portalAt(this.position).shields++;
    return code;
  }

  async act(line) {
    say(line);
    const [, code, actionPoints, movePoints, score] = (await nextLine()).split(" ").map(Number);
    this.actionPoints = actionPoints;
    this.movePoints = movePoints;
    this.scores[this.me] = score;
    return code;
  }
}

// ---------------------------------------------------------------- the protocol

const input = require("readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// The next line of the referee. When the match is over the input ends, and with it the program.
async function nextLine() {
  const { value, done } = await input.next();
  if (done) process.exit();
  return value;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

async function main() {
  let me, turn;
  for (;;) {
    const [word, ...numbers] = (await nextLine()).split(/\s+/).map((text, n) => (n === 0 ? text : Number(text)));
    if (word === "me") {
      me = numbers[0];
    } else if (word === "turn") {
      turn = new Turn(me, numbers[0]); // the state begins
    } else if (word === "agent") {
      const [player, x, y, score, actionPoints, movePoints] = numbers;
      turn.agents[player] = [x, y];
      turn.scores[player] = score;
      if (player === me) Object.assign(turn, { actionPoints, movePoints });
    } else if (word === "portal") {
      const [x, y, owner, shields] = numbers;
      turn.portals.push({ position: [x, y], owner, shields });
    } else if (word === "link") {
      const [a, b, c, d, owner] = numbers;
      turn.links.push({ ends: [[a, b], [c, d]], owner });
    } else if (word === "init") {
      say("ready"); // the greeting ends; there is time here to look at the map
    } else if (word === "go") {
      await play(turn); // the state is complete: our turn
      say("end");
    }
    // The other lines tell the rules and what the opponent did. This bot does not need them.
  }
}

main();
