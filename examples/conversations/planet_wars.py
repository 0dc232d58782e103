"""Planet Wars: the specification's own example, odd layouts and positions, then matches against random fleets."""

import math
import random

from .wrong import expect

TURNS = 200

# The specification's example of a message, with its comments, its blank lines and its aligned columns.
EXAMPLE = """\
# Example map

P 0    0    1 34 2  # Player one's home planet.
P 7    9    2 34 2  # Player two's home planet.
P 3.14 2.71 0 15 5  # A neutral planet with real-number coordinates.

F 1 15 0 1 12 2     # Player one has sent some ships to attack player two.
F 2 28 1 2  8 4     # Player two has sent some ships to take over the neutral planet.
"""

ODD = [
    "P 0 0 2 5 1\nP 3 4 0 7 0\nF 1 9 1 0 5 2\n",  # no planet of mine, only a fleet
    "P 0 0 1 50 5\n",  # one planet, nowhere to go
    "P 0 0 1 0 3\nP 1 1 2 0 0\nP 2 2 0 0 4\n",  # no ships anywhere
    "P -1.5 2.25e0 1 100 5\n\n\n  P 11.8039955755\t0.0 0 3 1 # near\n#\nP 15 1.0 2 0 5",  # odd but readable numbers
    "P 0 0 1 20 5\nP 9 0 1 90 5\nP 5 5 2 1 1\nF 2 60 2 0 8 3\n",  # one of my planets needs help
]


def hold(bot):
    decisions = [ask(bot, EXAMPLE), ask(bot, EXAMPLE, pieces=40)]
    expect(decisions[0] == decisions[1], "the same message in small pieces is answered differently")
    decisions += [ask(bot, text) for text in ODD]
    for me in (1, 2):
        for seed in (1, 2):
            decisions += play(bot, me, random.Random(seed))
    return decisions


def ask(bot, text, pieces=1):
    """One turn: sends the state, checks the orders, returns them."""
    bot.say(text.rstrip("\n") + "\n", pieces)
    if pieces > 1:
        bot.stays_silent()  # `go` has not been sent yet
    bot.say("go\n")
    planets = [line.split("#")[0].split()[1:] for line in text.splitlines() if line.strip().startswith("P")]
    ships = {n: int(planet[3]) for n, planet in enumerate(planets) if planet[2] == "1"}
    orders = []
    while (line := bot.hear()) != "go":
        words = line.split(" ")
        expect(len(words) == 3 and all(w.isdigit() for w in words), f"not an order: {line!r}")
        source, destination, count = map(int, words)
        expect(source in ships, f"{line!r}: planet {source} is not its own")
        expect(destination < len(planets), f"{line!r}: there is no planet {destination}")
        expect(source != destination, f"{line!r}: source and destination are the same, which loses the game")
        expect(0 < count <= ships[source], f"{line!r}: planet {source} has {ships[source]} ships left")
        ships[source] -= count
        orders.append((source, destination, count))
    return orders


def play(bot, me, rng):
    """A match of the bot as player `me` against random fleets; it must win. Returns the bot's decisions."""
    planets, fleets, decisions = draw_map(rng), [], []
    for _ in range(TURNS):
        decisions.append(ask(bot, state(planets, fleets, me)))
        orders = {me: decisions[-1], 3 - me: random_orders(planets, 3 - me, rng)}
        fleets = turn(planets, fleets, orders)
        left = {who: ships(planets, fleets, who) for who in (1, 2)}
        if 0 in left.values():
            break
    expect(left[me] > left[3 - me], f"as player {me} it does not beat random fleets: {left}")
    return decisions


def draw_map(rng):
    """Ten pairs of planets, each the other's mirror image. A planet is [x, y, owner, ships, growth]."""
    planets = [[5.0, 5.0, 1, 100, 5], [19.0, 19.0, 2, 100, 5]]
    while len(planets) < 20:
        x, y = round(rng.uniform(0, 24), 6), round(rng.uniform(0, 24), 6)
        pair = [[x, y, 0, rng.randint(0, 60), rng.randint(0, 5)], [24 - x, 24 - y, 0, 0, 0]]
        pair[1][3:] = pair[0][3:]
        if trip(*pair) > 1 and all(trip(p, q) > 1 for p in pair for q in planets):
            planets += pair
    return planets


def trip(a, b):
    return math.ceil(math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2))


def state(planets, fleets, me):
    """The message to player `me`, who is always player 1 in his own eyes."""
    seen = {0: 0, me: 1, 3 - me: 2}
    lines = [f"P {x} {y} {seen[owner]} {count} {growth}" for x, y, owner, count, growth in planets]
    lines += ["F {} {} {} {} {} {}".format(seen[owner], *rest) for owner, *rest in fleets]
    return "\n".join(lines)


def random_orders(planets, who, rng):
    own = [n for n, planet in enumerate(planets) if planet[2] == who and planet[3] > 1]
    if not own:
        return []
    source = rng.choice(own)
    destination = rng.choice([n for n in range(len(planets)) if n != source])
    return [(source, destination, planets[source][3] // 2)]


def turn(planets, fleets, orders):
    """Departure, advancement and arrival. Returns the fleets still in flight."""
    fleets = [list(fleet) for fleet in fleets]
    for who, list_of_orders in orders.items():
        for source, destination, count in list_of_orders:
            planets[source][3] -= count
            length = trip(planets[source], planets[destination])
            fleets.append([who, count, source, destination, length, length])
    for fleet in fleets:
        fleet[5] -= 1
    for n, planet in enumerate(planets):
        if planet[2] != 0:
            planet[3] += planet[4]
        forces = {planet[2]: planet[3]}
        for owner, count, _, destination, _, remaining in fleets:
            if destination == n and remaining == 0:
                forces[owner] = forces.get(owner, 0) + count
        (owner, first), (_, second) = sorted([*forces.items(), (None, 0)], key=lambda force: -force[1])[:2]
        planet[3] = first - second
        if first > second:  # a tie keeps the owner
            planet[2] = owner
    return [fleet for fleet in fleets if fleet[5] > 0]


def ships(planets, fleets, who):
    return sum(p[3] for p in planets if p[2] == who) + sum(f[1] for f in fleets if f[0] == who)
