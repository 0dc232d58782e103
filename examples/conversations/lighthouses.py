"""Lighthouses: the specification's messages in several layouts, then a match on a small island by its rules."""

import json
import random

from .wrong import expect

START = {
    "player_num": 0,
    "player_count": 2,
    "position": [1, 2],
    "map": [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]],
    "lighthouses": [[1, 1], [3, 1], [2, 3], [1, 3]],
}
TURN = {
    "position": [1, 3],
    "score": 36,
    "energy": 66,
    "view": [
        [-1, -1, -1, 0, -1, -1, -1],
        [-1, 0, 0, 50, 23, 50, -1],
        [-1, 0, 0, 32, 41, 0, -1],
        [0, 0, 0, 0, 50, 0, 0],
        [-1, 0, 0, 0, 0, 0, -1],
        [-1, 0, 0, 0, 0, 0, -1],
        [-1, -1, -1, 0, -1, -1, -1],
    ],
    "lighthouses": [
        {"position": [1, 1], "owner": 0, "energy": 30, "connections": [[1, 3]], "have_key": False},
        {"position": [3, 1], "owner": -1, "energy": 0, "connections": [], "have_key": False},
        {"position": [2, 3], "owner": 1, "energy": 90, "connections": [], "have_key": False},
        {"position": [1, 3], "owner": 0, "energy": 50, "connections": [[1, 1]], "have_key": True},
    ],
}

# Three of the lighthouses stand in one line.
ISLAND = """\
XXXXXXXXXXXXXXXX
XX     XXX    XX
X  !    X   !  X
X       X      X
X   XX      X  X
X   XX  !  XX  X
XX          X XX
X  !     X     X
XX    XXXX   !XX
XXXXXXXXXXXXXXXX"""
STARTS = [(8, 3), (2, 2)]
ROUNDS = 300


def hold(bot):
    decisions = example(bot)
    for me, one_key in ((0, True), (1, False)):  # one key at a time, then many: `keys` of the two rule sets
        with_bot, against = Match(me, one_key).play(bot, decisions)
        expect(with_bot > 2 * against, f"as player {me} it hardly beats a random walker: {with_bot} to {against}")
    return decisions


def example(bot):
    """The specification's two messages, then the same position in other words."""
    greet(bot, START)
    decisions = [ask(bot, START, TURN)]
    answer(bot, {"success": True})
    # The original engine says null where the specification says -1, which must not make a difference.
    null = json.loads(json.dumps(TURN).replace('"owner": -1', '"owner": null'))
    # Compact JSON with its keys in another order, a name with escapes, numbers as other writers print them.
    compact = json.dumps(null, separators=(",", ":"), sort_keys=True)
    spaced = json.dumps({**TURN, "note": 'caf\u00e9 "\\" \u2028 {[', "extra": [1e3, -2.5, None, True, {}]}) + "  \r"
    for text in (compact, spaced, json.dumps(TURN, indent=None, separators=(" , ", " : "))):
        decisions.append(ask(bot, START, TURN, text))
        expect(decisions[-1] == decisions[0], "the same position in another layout is answered differently")
        answer(bot, {"success": False, "message": 'Player does not have the "destination" key \u00e9'})
    # The view need not be 7x7, only square and of odd size.
    for size in (1, 3, 9):
        decisions.append(ask(bot, START, {**TURN, "energy": 3, "view": [[0] * size for _ in range(size)]}))
        answer(bot, {"success": True})
    # The only lighthouse whose key is held stands behind another one: they must not be connected.
    column = [[1, 1], [1, 2], [1, 3]]
    houses = [{"position": at, "owner": 0, "energy": 90, "connections": [], "have_key": at == [1, 1]} for at in column]
    greet(bot, {**START, "lighthouses": column})
    decisions.append(ask(bot, START, {**TURN, "energy": 0, "lighthouses": houses}))
    return decisions


def greet(bot, start):
    bot.say(json.dumps(start) + "\n", pieces=5)
    hello = parse(bot.hear())
    expect(isinstance(hello.get("name"), str) and hello["name"], f"a greeting without a name: {hello}")


def ask(bot, start, turn, text=None):
    """One turn: sends the state, checks that the command is well-formed and lawful, and returns it."""
    text = text or json.dumps(turn)
    bot.say(text[:50])
    bot.say(text[50:] + "\n")
    command = parse(bot.hear())
    problem = unlawful(start, turn, command)
    expect(problem is None, f"{command}: {problem}")
    return command


def answer(bot, result):
    bot.say(json.dumps(result) + "\n")


def parse(line):
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    expect(isinstance(value, dict), f"not a JSON object: {line!r}")
    return value


def unlawful(start, turn, command):
    """Why the original engine would refuse a command; None if it would not."""
    x, y = turn["position"]
    houses = {tuple(house["position"]): house for house in turn["lighthouses"]}
    here = houses.get((x, y))
    match command:
        case {"command": "pass", **rest} if not rest:
            return None
        case {"command": "move", "x": int(dx), "y": int(dy), **rest} if not rest:
            if {dx, dy} - {-1, 0, 1}:
                return "a step is -1, 0 or 1"
            return None if start["map"][y + dy][x + dx] else "no part of the island"
        case {"command": "attack", "energy": int(energy), **rest} if not rest:
            return None if here and energy >= 0 else "nothing to attack"
        case {"command": "connect", "destination": [int(a), int(b)], **rest} if not rest:
            there = houses.get((a, b))
            if not (here and there and here["owner"] == there["owner"] == start["player_num"]):
                return "both ends must be lighthouses of the player"
            if not there["have_key"]:
                return "the key is missing"
            if [a, b] in here["connections"] or (a, b) == (x, y):
                return "is joined already"
            return None if room(houses, (x, y), (a, b)) else "the way is not free"
    return "not a command of the protocol"


def room(houses, a, b):
    """No third lighthouse on the way from a to b, and no connection across it."""
    for c, house in houses.items():
        if c not in (a, b) and area(a, b, c) == 0 and sorted([a, b, c])[1] == c:
            return False
        for d in map(tuple, house["connections"]):
            if area(a, b, c) * area(a, b, d) < 0 and area(c, d, a) * area(c, d, b) < 0:
                return False
    return True


def area(a, b, c):
    """Twice the area of a triangle, with a sign."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


class Match:
    """A match of the bot as player `me` against a random walker, by the rules of the specification."""

    def __init__(self, me, one_key):
        self.me, self.one_key = me, one_key
        rows = ISLAND.splitlines()[::-1]  # (0, 0) is the lower left corner
        self.map = [[int(char != "X") for char in row] for row in rows]
        self.island = {(x, y) for y, row in enumerate(self.map) for x, cell in enumerate(row) if cell}
        self.free = dict.fromkeys(self.island, 0)
        at = [(x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char == "!"]
        self.houses = {p: {"owner": -1, "energy": 0, "joined": set(), "keys": set()} for p in at}
        self.position, self.energy, self.score = list(STARTS), [0, 0], [0, 0]
        self.rng = random.Random(me)

    def play(self, bot, decisions):
        """Returns the scores of the bot and of the walker."""
        start = {"player_num": self.me, "player_count": 2, "position": self.position[self.me], "map": self.map,
                 "lighthouses": list(self.houses)}
        greet(bot, start)
        for _ in range(ROUNDS):
            self.begin_round()
            for player in (0, 1):
                if player == self.me:
                    command = ask(bot, start, self.state(player))
                    decisions.append(command)
                    answer(bot, {"success": True})
                else:
                    command = self.random_command(player)
                self.carry_out(player, command)
            self.add_scores()
        return self.score[self.me], self.score[1 - self.me]

    def begin_round(self):
        for x, y in self.free:
            gain = sum(max(0, 5 - ceil_root((x - a) ** 2 + (y - b) ** 2)) for a, b in self.houses)
            self.free[x, y] = min(100, self.free[x, y] + gain)
        share = {p: self.free[p] // self.position.count(p) for p in self.position}
        for player, p in enumerate(self.position):
            self.energy[player] += share[p]
            self.free[p] = 0
            if p in self.houses and not (self.one_key and any(player in h["keys"] for h in self.houses.values())):
                self.houses[p]["keys"].add(player)
        for p in self.houses:
            self.drain(p, 10)

    def drain(self, p, strength):
        """Takes energy from a lighthouse, which nobody owns any more when it has none left."""
        house = self.houses[p]
        house["energy"] = max(0, house["energy"] - strength)
        if house["energy"] == 0:
            house["owner"] = -1
            for other in house["joined"]:
                self.houses[other]["joined"].discard(p)
            house["joined"] = set()

    def state(self, player):
        x, y = self.position[player]
        view = [
            [self.free.get((x + dx, y + dy), 0) if dx * dx + dy * dy <= 9 else -1 for dx in range(-3, 4)]
            for dy in range(-3, 4)
        ]
        houses = [
            {"position": p, "owner": house["owner"], "energy": house["energy"],
             "connections": [list(q) for q in sorted(house["joined"])], "have_key": player in house["keys"]}
            for p, house in self.houses.items()
        ]
        return {"position": [x, y], "score": self.score[player], "energy": self.energy[player], "view": view,
                "lighthouses": houses}

    def random_command(self, player):
        x, y = self.position[player]
        if (x, y) in self.houses and self.rng.random() < 0.7:
            return {"command": "attack", "energy": self.rng.randint(0, self.energy[player])}
        ways = [(a - x, b - y) for a, b in sorted(self.island) if max(abs(a - x), abs(b - y)) == 1]
        dx, dy = self.rng.choice(ways)
        return {"command": "move", "x": dx, "y": dy}

    def carry_out(self, player, command):
        x, y = here = self.position[player]
        if command["command"] == "move":
            self.position[player] = (x + command["x"], y + command["y"])
        elif command["command"] == "attack":
            house = self.houses[here]
            strength = min(command["energy"], self.energy[player])
            self.energy[player] -= strength
            if house["owner"] not in (-1, player):
                lost = min(strength, house["energy"])
                self.drain(here, lost)
                strength -= lost
            if strength > 0:
                if house["owner"] in (-1, player):
                    house["owner"] = player
                    house["energy"] += strength
        elif command["command"] == "connect":
            there = tuple(command["destination"])
            self.houses[there]["keys"].discard(player)
            self.houses[there]["joined"].add(here)
            self.houses[here]["joined"].add(there)

    def add_scores(self):
        for p, house in self.houses.items():
            if house["owner"] >= 0:
                self.score[house["owner"]] += 2 + len(house["joined"])  # a connection is worth 2, 1 from each end
            for q in house["joined"]:
                for r in house["joined"] & self.houses[q]["joined"]:
                    if p < q < r:
                        self.score[house["owner"]] += sum(lit(p, q, r, cell) for cell in self.island)


def lit(a, b, c, p):
    """Does the cell lie inside the triangle? (The specification's rule for cells on its sides is left out here.)"""
    turns = [area(a, b, p), area(b, c, p), area(c, a, p)]
    return min(turns) > 0 or max(turns) < 0


def ceil_root(number):
    """The smallest integer whose square is not below the number: 5 - it = floor(5 - distance)."""
    return next(n for n in range(number + 1) if n * n >= number)
