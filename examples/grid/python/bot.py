#!/usr/bin/env python3
"""A bot for the Grid game: it grows towards the enemy and takes its tiles where it can."""

import sys

EMPTY = "-"


# ---------------------------------------------------------------- your strategy goes here

def decide(me, budget, grid):
    """Picks the tiles to capture this turn: a list of at most `budget` pairs (x, y).

    `me` is my id as a string, "1" or "2". `grid[y][x]` is the id of the tile's owner, or EMPTY; (0, 0) is top left.
    Lawful targets share a side with one of my tiles as the map stands now, whoever owns the target.
    """
    distance = distance_to_enemy(me, grid)
    targets = [
        (x, y)
        for y, row in enumerate(grid)
        for x, owner in enumerate(row)
        if owner != me and any(grid[b][a] == me for a, b in sides(grid, x, y))
    ]
    # Enemy tiles come first (distance 0), then what lies nearest to them. Between equals the tile with the most
    # empty space around it is the better one: a tile without any suffocates.
    targets.sort(key=lambda t: (distance[t[1]][t[0]], -empty_around(grid, *t)))
    return targets[:budget]


def distance_to_enemy(me, grid):
    """For each tile the number of side steps to the nearest enemy tile (a large number if he has none)."""
    far = len(grid) * len(grid[0])
    distance = [[0 if owner not in (me, EMPTY) else far for owner in row] for row in grid]
    queue = [(x, y) for y, row in enumerate(distance) for x, d in enumerate(row) if d == 0]
    for x, y in queue:  # the queue grows while we walk along it: a breadth-first search
        for a, b in sides(grid, x, y):
            if distance[b][a] == far:
                distance[b][a] = distance[y][x] + 1
                queue.append((a, b))
    return distance


# ---------------------------------------------------------------- the map

def sides(grid, x, y):
    """The tiles that share a side with (x, y)."""
    near = [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
    return [(a, b) for a, b in near if 0 <= b < len(grid) and 0 <= a < len(grid[0])]


def empty_around(grid, x, y):
    """How many of the up to eight tiles around (x, y) are empty."""
    rows = grid[max(y - 1, 0):y + 2]
    return sum(row[max(x - 1, 0):x + 2].count(EMPTY) for row in rows) - (grid[y][x] == EMPTY)


# ---------------------------------------------------------------- the protocol

def read_turn():
    """The referee's message up to its dot: (my id, budget, rows). None at the end of the match."""
    lines = []
    for line in sys.stdin:
        line = line.strip()
        if line == ".":
            return lines[0].split()[1], int(lines[1].split()[1]), lines[2:]
        lines.append(line)
    return None


def main():
    while (turn := read_turn()) is not None:
        for x, y in decide(*turn):
            print("C", x, y)
        print(".", flush=True)  # without the flush the referee would never see the answer


if __name__ == "__main__":
    main()
