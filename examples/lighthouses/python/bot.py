#!/usr/bin/env python3
"""A bot for Lighthouses: it walks from lighthouse to lighthouse, takes them and joins them into triangles."""

import json
import sys
from typing import NamedTuple

NAME = "Keeper"
DIRECTIONS = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]


class Lighthouse(NamedTuple):
    owner: int  # a player's number; no player has NOBODY
    energy: int
    connections: list  # positions of the lighthouses at the other ends
    have_key: bool


NOBODY = -1


class Turn(NamedTuple):
    position: tuple
    energy: int
    view: list  # free energy around me, lowest row first, my own cell in the middle
    lighthouses: dict  # position -> Lighthouse


# ---------------------------------------------------------------- your strategy goes here

ENOUGH = 30  # less energy than this is not worth putting into a lighthouse: each loses 10 per round


def decide(game, turn):
    """Returns the command of this turn: one of pass_turn(), move(), attack() and connect()."""
    here = turn.lighthouses.get(turn.position)
    if here and here.owner == game.me:
        links = [at for at in held_keys(game, turn) if joinable(turn, turn.position, at)]
        if links:
            return connect(max(links, key=lambda at: new_area(turn, turn.position, at)))
    if here and turn.energy > here.energy + ENOUGH:
        return attack(turn.energy)  # takes the lighthouse, or recharges it if it is ours

    # Go where each step promises the most; if no step promises anything, gather energy.
    goals = {}
    for at in turn.lighthouses:
        if at != turn.position:
            goals[at] = promise(game, turn, at) / game.steps[at][turn.position]
    goal = max(goals, key=goals.get, default=None)
    if goal and goals[goal] > 0:
        steps = game.steps[goal]
        return walk(game, turn, lambda cell: steps[cell] < steps[turn.position])
    return walk(game, turn, lambda cell: True)


def promise(game, turn, at):
    """What a visit to a lighthouse is worth to us, in a unit of our own."""
    goal = turn.lighthouses[at]
    strong_enough = turn.energy > goal.energy + ENOUGH
    if goal.owner != game.me and not strong_enough:
        return 0
    links = [30 + new_area(turn, at, other) for other in held_keys(game, turn) if joinable(turn, at, other)]
    return sum(links) + (10 if strong_enough else 0)


def held_keys(game, turn):
    """The lighthouses of ours whose keys we hold: to them we can connect another one."""
    return [at for at, house in turn.lighthouses.items() if house.have_key and house.owner == game.me]


def new_area(turn, a, b):
    """The area of the triangles that a connection between two lighthouses would close."""
    both = [c for c in turn.lighthouses[a].connections if c in turn.lighthouses[b].connections]
    return sum(abs(side(a, b, c)) // 2 for c in both)


def walk(game, turn, wanted):
    """A step to the cell with the most energy among the wanted ones."""
    x, y = turn.position
    ways = [(dx, dy) for dx, dy in DIRECTIONS if game.map[y + dy][x + dx] and wanted((x + dx, y + dy))]
    return move(*max(ways, key=lambda way: free_energy(turn.view, *way))) if ways else pass_turn()


# ---------------------------------------------------------------- the rules

def pass_turn():
    return {"command": "pass"}


def move(dx, dy):
    """To one of the eight cells around, if it is part of the island."""
    return {"command": "move", "x": dx, "y": dy}


def attack(energy):
    """Puts energy into the lighthouse under our feet, against its owner or, if we own it, for it."""
    return {"command": "attack", "energy": energy}


def connect(destination):
    """Joins the lighthouse under our feet to another one. Both must be ours, and we need the key of the other one."""
    return {"command": "connect", "destination": destination}


def joinable(turn, a, b):
    """Is there room for a connection between two lighthouses?"""
    if a == b or b in turn.lighthouses[a].connections:
        return False
    beams = [(c, d) for c, house in turn.lighthouses.items() for d in house.connections]
    return not any(between(a, c, b) for c in turn.lighthouses) and not any(cross(a, b, c, d) for c, d in beams)


def side(a, b, c):
    """Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def between(a, c, b):
    """Does c lie on the way from a to b, excluding the ends?"""
    return c not in (a, b) and side(a, b, c) == 0 and min(a, b) < c < max(a, b)


def cross(a, b, c, d):
    """Do two connections cross? Sharing an end is not crossing."""
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def free_energy(view, dx, dy):
    """The free energy on a cell near us; 0 if it is too far away to see."""
    row, column = len(view) // 2 + dy, len(view) // 2 + dx
    return view[row][column] if 0 <= row < len(view) and 0 <= column < len(view) else 0


class Game:
    """What stays the same for the whole match."""

    def __init__(self, start):
        self.me = start["player_num"]
        self.map = start["map"]  # map[y][x] is 1 on the island; the first row is the lowest one
        # For each lighthouse the number of steps to it from every cell of the island.
        self.steps = {(x, y): self.steps_to(x, y) for x, y in start["lighthouses"]}

    def steps_to(self, x, y):
        steps = {(x, y): 0}
        queue = [(x, y)]
        for x, y in queue:  # the queue grows while we walk along it: a breadth-first search
            for a, b in ((x + dx, y + dy) for dx, dy in DIRECTIONS):
                if self.map[b][a] and (a, b) not in steps:  # the border of the map is never part of the island
                    steps[a, b] = steps[x, y] + 1
                    queue.append((a, b))
        return steps


# ---------------------------------------------------------------- the protocol

def read_turn(message):
    lighthouses = {}
    for house in message["lighthouses"]:
        owner = NOBODY if house["owner"] is None else house["owner"]  # the original engine sends null for nobody
        connections = [tuple(at) for at in house["connections"]]
        lighthouses[tuple(house["position"])] = Lighthouse(owner, house["energy"], connections, house["have_key"])
    return Turn(tuple(message["position"]), message["energy"], message["view"], lighthouses)


def say(answer):
    print(json.dumps(answer), flush=True)  # without the flush the referee would never see the answer


def main():
    game = None
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        if "player_num" in message:  # the first message of the match
            game = Game(message)
            say({"name": NAME})
        elif "success" in message:  # the result of our last command; the referee expects no answer
            if not message["success"]:
                print(f"[{NAME}] {message.get('message')}", file=sys.stderr)
        else:
            say(decide(game, read_turn(message)))


if __name__ == "__main__":
    main()
