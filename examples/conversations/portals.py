"""Portals: whole matches against random actions, with the text protocol of Agon and the rules of the specification."""

import random

from .wrong import Wrong, expect

SIDE = 30
ROUNDS = 40
MOVE_POINTS, ACTION_POINTS = 6, 42
# What champions, who speak the API of 2015, call the same actions.
FRENCH = {"deplacer": "move", "utiliser_turbo": "turbo", "capturer": "capture", "lier": "link",
          "neutraliser": "neutralise", "ajouter_bouclier": "shield"}
# How many numbers follow each word. The kits need neither questions nor `undo`.
ARGUMENTS = {"move": 2, "turbo": 0, "capture": 0, "link": 2, "neutralise": 0, "shield": 0, "end": 0}
(OK, TOO_FEW_POINTS, NO_PORTAL, OFF_THE_MAP, TOO_FAR, OWN, NEUTRAL, ENEMY, INTERFERES, IN_FIELD, SAME,
 TOO_MANY_SHIELDS) = range(12)  # the codes of the original API, in its order


def hold(bot):
    decisions = []
    for me in (0, 1):
        match = Match(random.Random(me))
        greet(bot, match, me)
        for _ in range(ROUNDS):
            for player in (0, 1):
                match.begin_turn(player)
                if player == me:
                    decisions.append(ask(bot, match, me))
                else:
                    match.act_at_random(player)
                match.end_turn(player)
            match.round += 1
        bot.say(state(match, me) + "over\n")
        bot.stays_silent()
        mine, other = match.score[me], match.score[1 - me]
        expect(mine > 2 * other, f"as player {me} it hardly beats random actions: {mine} to {other}")
    return decisions


def greet(bot, match, me):
    starts = "".join(f"start {player} {x} {y}\n" for player, (x, y) in enumerate(match.agents))
    hello = f"agon portals 1\nme {me}\nrules spec\nrounds {ROUNDS}\nside {SIDE}\n{starts}"
    bot.say(hello + state(match, me), pieces=9)
    bot.stays_silent()
    bot.say("init\n")
    expect((line := bot.hear()) == "ready", f"the greeting was answered with {line!r}, not with `ready`")


def ask(bot, match, me):
    """One turn: sends the state, then carries out and answers what comes. Returns the lines of the bot."""
    bot.say(state(match, me))
    if match.round == 1:
        bot.stays_silent()  # the message is not over before `go`
    bot.say("go\n")
    lines = []
    while not lines or lines[-1] != "end":
        line = bot.hear()
        verb, *numbers = line.split(" ")
        if verb == "?":
            bot.answer(f"= {match.know(me, *numbers)}\n")
            continue
        verb = FRENCH.get(verb, verb)
        expect(verb in ARGUMENTS and len(numbers) == ARGUMENTS[verb], f"not a line of the protocol: {line!r}")
        expect(all(n.isdigit() for n in numbers), f"not cells of the map: {line!r}")
        lines.append(" ".join([verb, *numbers]))
        expect(len(lines) < 4000, "a turn without end")
        if verb != "end":
            code = match.act(me, verb, tuple(map(int, numbers)))
            bot.answer(f"result {code} {match.action_points} {match.move_points} {match.score[me]}\n")
    return lines


def state(match, me):
    """What the greeting and each turn begin with."""
    lines = [f"turn {match.round}"]
    for player, (x, y) in enumerate(match.agents):
        lines.append(f"agent {player} {x} {y} {match.score[player]} {match.action_points} {match.move_points}")
    for (x, y), portal in sorted(match.portals.items()):
        lines.append(f"portal {x} {y} {portal['owner']} {portal['shields']}")
    for (a, b), (c, d) in sorted(match.links):
        lines.append(f"link {a} {b} {c} {d} {match.portals[a, b]['owner']}")
    for x, y in sorted(match.captured):
        lines.append(f"captured {x} {y}")
    return "\n".join(lines) + "\n"


class Match:
    """The rules, kept as plain as possible. A link is a pair of cells, the smaller one first."""

    def __init__(self, rng):
        self.rng = rng
        cells = [(rng.randrange(SIDE), rng.randrange(SIDE)) for _ in range(14)]
        cells += [(SIDE - 1 - x, SIDE - 1 - y) for x, y in cells]  # fair to both sides
        self.portals = {cell: {"owner": -1, "shields": 0} for cell in cells}
        self.links = set()
        self.agents, self.score, self.round = [(2, 3), (SIDE - 3, SIDE - 4)], [0, 0], 1
        self.action_points, self.move_points = ACTION_POINTS, MOVE_POINTS
        self.captured = []  # by the last player

    def begin_turn(self, player):
        self.action_points, self.move_points = ACTION_POINTS, MOVE_POINTS
        self.before = {cell for cell, portal in self.portals.items() if portal["owner"] == player}

    def end_turn(self, player):
        self.score[player] += sum(area(*f) for f in self.fields() if self.portals[f[0]]["owner"] == player)
        self.captured = {cell for cell, portal in self.portals.items() if portal["owner"] == player} - self.before

    def fields(self):
        return [(a, b, c) for a, b in self.links for c in self.portals if b < c and {(a, c), (b, c)} <= self.links]

    def act(self, player, verb, cell):
        """Carries out an action if it is lawful; returns its code either way."""
        return getattr(self, verb)(player, self.portals.get(self.agents[player]), cell)

    def pay(self, cost):
        self.action_points -= cost
        return OK

    def move(self, player, _here, cell):
        if not all(0 <= c < SIDE for c in cell):
            return OFF_THE_MAP
        steps = distance(self.agents[player], cell)
        if steps > self.move_points:
            return TOO_FAR
        self.move_points -= steps
        self.agents[player] = cell
        return OK

    def turbo(self, _player, _here, _):
        if self.action_points < 6:
            return TOO_FEW_POINTS
        self.move_points += 1
        return self.pay(6)

    def capture(self, player, here, _):
        if self.action_points < 3:
            return TOO_FEW_POINTS
        if here is None:
            return NO_PORTAL
        if here["owner"] != -1:
            return OWN if here["owner"] == player else ENEMY
        here.update(owner=player, shields=0)
        self.score[player] += 10
        return self.pay(3)

    def link(self, player, here, cell):
        if self.action_points < 2:
            return TOO_FEW_POINTS
        if not all(0 <= c < SIDE for c in cell):
            return OFF_THE_MAP
        if cell not in self.portals or here is None:
            return NO_PORTAL
        if cell == self.agents[player]:
            return SAME
        for owner in (here["owner"], self.portals[cell]["owner"]):
            if owner != player:
                return NEUTRAL if owner == -1 else ENEMY
        a, b = sorted([self.agents[player], cell])
        if any(interfere(a, b, c, d) for c, d in self.links):
            return INTERFERES
        if any(inside(p, *field) for field in self.fields() for p in (a, b)):
            return IN_FIELD
        self.links.add((a, b))
        return self.pay(2)

    def neutralise(self, player, here, _):
        if here is None:
            return NO_PORTAL
        cost = 10 + 5 * here["shields"]
        if self.action_points < cost:
            return TOO_FEW_POINTS
        if here["owner"] != 1 - player:
            return OWN if here["owner"] == player else NEUTRAL
        here.update(owner=-1, shields=0)
        self.links = {link for link in self.links if self.agents[player] not in link}
        return self.pay(cost)

    def shield(self, player, here, _):
        if here is None:
            return NO_PORTAL
        if here["owner"] != player:
            return NEUTRAL if here["owner"] == -1 else ENEMY
        if here["shields"] == 6:
            return TOO_MANY_SHIELDS
        if self.action_points < 3:
            return TOO_FEW_POINTS
        here["shields"] += 1
        return self.pay(3)

    def know(self, player, name, *numbers):
        """The answer to a question: those that the champions among the kits ask."""
        numbers = tuple(map(int, numbers))
        match name:
            case "moi":
                return player
            case "adversaire":
                return 1 - player
            case "points_action":
                return self.action_points
            case "points_deplacement":
                return self.move_points
            case "position_agent":
                return "{} {}".format(*self.agents[numbers[0]])
            case "distance":
                return distance(numbers[:2], numbers[2:])
            case "liste_portails":
                return " ".join([str(len(self.portals)), *(f"{x} {y}" for x, y in sorted(self.portals))])
            case "portail_joueur":
                return self.portals.get(numbers, {"owner": -2})["owner"]
            case "portail_boucliers":
                return self.portals.get(numbers, {"shields": -2})["shields"]
        raise Wrong(f"a question that no kit should need: {name}")

    def act_at_random(self, player):
        cells = sorted(self.portals)
        for _ in range(20):
            near = [cell for cell in cells if distance(cell, self.agents[player]) <= self.move_points]
            verb = self.rng.choice(["move", "capture", "capture", "link", "link", "neutralise", "shield"])
            x, y = self.agents[player]
            anywhere = (max(0, min(SIDE - 1, x + self.rng.randint(-3, 3))), y)
            self.act(player, verb, self.rng.choice(near or [anywhere] if verb == "move" else cells))


def distance(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def turn(a, b, c):
    """Twice the area of a triangle, with a sign."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def area(a, b, c):
    """What a field is worth: two points for each unit of its area."""
    return abs(turn(a, b, c))


def inside(p, a, b, c):
    turns = [turn(a, b, p), turn(b, c, p), turn(c, a, p)]
    return min(turns) > 0 or max(turns) < 0


def interfere(a, b, c, d):
    """Do the segments have a point in common that is not an end of both?"""
    if {a, b} == {c, d}:
        return True
    on = [(c, d, a), (c, d, b), (a, b, c), (a, b, d)]
    if any(turn(p, q, r) == 0 and p < r < q for p, q, r in on):  # the ends are in order, p before q
        return True
    return turn(c, d, a) * turn(c, d, b) < 0 and turn(a, b, c) * turn(a, b, d) < 0
