#!/usr/bin/env python3
"""A bot for Planet Wars: it gathers ships for the planets that repay them soonest and rescues its own ones."""

import math
import sys
from typing import NamedTuple

NEUTRAL, ME, ENEMY = 0, 1, 2  # in each bot's own view


class Planet(NamedTuple):
    id: int
    x: float
    y: float
    owner: int
    ships: int
    growth: int  # new ships a turn, while somebody owns the planet


class Fleet(NamedTuple):
    owner: int
    ships: int
    source: int
    destination: int
    total: int  # turns of the whole trip
    remaining: int  # turns until it arrives


# ---------------------------------------------------------------- your strategy goes here

PATIENCE = 20  # a neutral planet must repay its ships within this many turns, including the trip


def decide(planets, fleets):
    """Returns this turn's orders: a list of (source id, destination id, ships)."""
    # For each planet our strength there once all fleets have arrived; below zero it belongs to another player.
    strength = [planet.ships if planet.owner == ME else -planet.ships for planet in planets]
    for fleet in fleets:
        strength[fleet.destination] += fleet.ships if fleet.owner == ME else -fleet.ships

    # The ships that our planets can send without being lost.
    spare = [max(0, min(p.ships, strength[p.id])) if p.owner == ME else 0 for p in planets]

    # Planets to take and planets of ours to rescue, those first that repay the ships soonest.
    targets = [p for p in planets if p.growth > 0 and (p.owner != ME or strength[p.id] < 0)]
    targets.sort(key=lambda p: p.ships / p.growth)

    orders = []
    for target in targets:
        party = gather(target, strength[target.id], spare, planets)
        for source, ships in party:
            spare[source] -= ships
            orders.append((source, target.id, ships))
    return orders


def gather(target, strength, spare, planets):
    """Who sends how many ships to the target, the nearest first: [(source id, ships)], empty if they are too few."""
    party = []
    gathered = 0
    for source in sorted(planets, key=lambda p: distance(p, target)):
        turns = distance(source, target)
        if spare[source.id] == 0 or target.owner == NEUTRAL and turns + target.ships / target.growth > PATIENCE:
            continue
        need = 1 - strength
        if target.owner == ENEMY:
            need += target.growth * turns  # it grows until the last of us is there
        ships = min(spare[source.id], need - gathered)
        if ships > 0:
            party.append((source.id, ships))
            gathered += ships
        if gathered >= need:
            return party
    return []


def distance(a, b):
    """Turns that a fleet needs from one planet to another."""
    return math.ceil(math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2))


# ---------------------------------------------------------------- the protocol

def read_turn():
    """The state of the game up to `go`: (planets, fleets). None at the end of the match."""
    planets, fleets = [], []
    for line in sys.stdin:
        words = line.split("#")[0].split()  # comments and blank lines have no meaning
        if not words:
            continue
        if words[0] == "go":
            return planets, fleets
        if words[0] == "P":
            x, y = float(words[1]), float(words[2])
            planets.append(Planet(len(planets), x, y, *map(int, words[3:])))
        elif words[0] == "F":
            fleets.append(Fleet(*map(int, words[1:])))
    return None


def main():
    while (turn := read_turn()) is not None:
        for source, destination, ships in decide(*turn):
            print(source, destination, ships)
        print("go", flush=True)  # without the flush the referee would never see the orders


if __name__ == "__main__":
    main()
