"""The Grid game: the specification's own message, a few extreme maps, then a whole match against random captures."""

import random

from .wrong import expect

SIDES = [(0, -1), (-1, 0), (1, 0), (0, 1)]
AROUND = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
TURNS = 200


def hold(bot):
    decisions = [
        ask(bot, 2, 1, ["--1", "--1", "22-"]),  # the specification's own example
        ask(bot, 1, 9, ["1-", "-2"]),  # more energy than there are tiles to take
        ask(bot, 2, 4, ["2-1-"], pieces=20),  # a single row, in small pieces
        ask(bot, 1, 3, ["---", "-1-", "---"]),  # nobody else is left: the original judge still asks once more
        ask(bot, 1, 2, ["122", "112", "221"]),  # no empty tile at all
        ask(bot, 2, 60, ["1" + "-" * 39] + ["-" * 40] * 38 + ["-" * 20 + "2" * 20]),
    ]
    expect(len(decisions[0]) == 1, "the specification's example: there are tiles to take, but the bot takes none")
    for me in (1, 2):
        tiles = play(bot, me, random.Random(me), decisions)
        expect(tiles[me] > tiles[3 - me], f"as player {me} it does not beat random captures: {tiles}")
    return decisions


def ask(bot, me, energy, rows, pieces=1):
    """One turn: sends the message, checks the order message, returns the captured tiles."""
    bot.say(f"Y {me}\nE {energy}\n" + "\n".join(rows) + "\n", pieces)
    if pieces > 1:
        bot.stays_silent()  # the dot has not been sent yet
    bot.say(".\n")
    captures = []
    while (line := bot.hear()) != ".":
        words = line.split(" ")
        expect(len(words) == 3 and words[0] == "C", f"not an order: {line!r}")
        expect(words[1].isdigit() and words[2].isdigit(), f"not a pair of coordinates: {line!r}")
        captures.append((int(words[1]), int(words[2])))
    expect(len(captures) <= energy, f"{len(captures)} captures with an energy budget of {energy}")
    for x, y in captures:
        expect(y < len(rows) and x < len(rows[0]), f"({x}, {y}) is not on the map")
        near = [(x + dx, y + dy) for dx, dy in SIDES]
        expect(any(owner(rows, a, b) == str(me) for a, b in near), f"({x}, {y}) touches no tile of player {me}")
    return captures


def owner(rows, x, y):
    """The tile's owner; None outside of the map."""
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[0]) else None


def play(bot, me, rng, decisions):
    """A match of the bot as player `me` on a 10x10 map. Returns {player: tiles at the end}."""
    rows = ["1---------"] + ["----------"] * 8 + ["---------2"]
    for _ in range(TURNS):
        mine = ask(bot, me, energy(rows, str(me)), rows)
        decisions.append(mine)
        his = random_captures(rows, str(3 - me), rng)
        rows = step(rows, {str(me): set(mine), str(3 - me): set(his)})
        tiles = {player: sum(row.count(str(player)) for row in rows) for player in (1, 2)}
        if 0 in tiles.values():
            break
    return tiles


def energy(rows, player):
    """1 plus a third, rounded up, of the empty tiles with more neighbours of the player than of the other one."""
    count = 0
    for y, row in enumerate(rows):
        for x, tile in enumerate(row):
            near = [owner(rows, x + dx, y + dy) for dx, dy in SIDES]
            mine = near.count(player)
            count += tile == "-" and mine > len(near) - mine - near.count("-") - near.count(None)
    return 1 + -(-count // 3)


def random_captures(rows, player, rng):
    reachable = [
        (x, y)
        for y, row in enumerate(rows)
        for x, tile in enumerate(row)
        if tile != player and any(owner(rows, x + dx, y + dy) == player for dx, dy in SIDES)
    ]
    return rng.sample(reachable, min(len(reachable), energy(rows, player)))


def step(rows, captures):
    """Suffocation on the map as it was sent, captures on top; a tile that both want stays as it is."""
    new = [
        ["-" if all(owner(rows, x + dx, y + dy) != "-" for dx, dy in AROUND) else tile for x, tile in enumerate(row)]
        for y, row in enumerate(rows)
    ]
    for player, other in ("12", "21"):
        for x, y in captures[player] - captures[other]:
            new[y][x] = player
    return ["".join(row) for row in new]
