#!/usr/bin/env python3
"""A bot for Portals: it takes the portal that is cheapest to reach, links it to all it can, and goes on to the next."""

import sys

CAPTURE, LINK, NEUTRALISE, NEUTRALISE_SHIELD, TURBO = 3, 2, 10, 5, 6  # what things cost in action points
NEUTRAL = -1  # the owner of a portal that nobody holds
OK = 0  # the answer to an action that was carried out


# ---------------------------------------------------------------- your strategy goes here

def play(turn):
    """Plays one turn: reads `turn` and acts through its methods."""
    while True:
        take(turn)
        link_all(turn)
        wanted = [at for at, portal in turn.portals.items() if portal.owner != turn.me and at != turn.position]
        if not wanted:
            break
        goal = min(wanted, key=lambda at: cost(turn, at))
        if cost(turn, goal) > turn.action_points:
            turn.move(towards(turn, goal))
            break
        while turn.move_points < distance(turn.position, goal):
            turn.turbo()
        turn.move(goal)
    while turn.shield() == OK:  # the remaining points protect the portal on which the turn ends
        pass


def take(turn):
    """Makes the portal under our feet ours, if there is one and the points suffice."""
    portal = turn.portals.get(turn.position)
    if portal and portal.owner not in (turn.me, NEUTRAL):
        turn.neutralise()
    if portal and portal.owner == NEUTRAL:
        turn.capture()


def link_all(turn):
    """Links the portal under our feet to ours. The referee refuses what the rules forbid, and that costs nothing."""
    mine = [at for at, portal in turn.portals.items() if portal.owner == turn.me]
    if turn.position in mine:
        for other in sorted(mine, key=lambda at: distance(turn.position, at)):
            if other != turn.position:
                turn.link(other)


def cost(turn, goal):
    """The action points needed to go to a portal and capture it."""
    portal = turn.portals[goal]
    fight = 0 if portal.owner == NEUTRAL else NEUTRALISE + NEUTRALISE_SHIELD * portal.shields
    return TURBO * max(0, distance(turn.position, goal) - turn.move_points) + fight + CAPTURE


def towards(turn, goal):
    """The cell next to the goal that our move points reach: first sideways, then up or down."""
    (x, y), (a, b) = turn.position, goal
    dx = max(-turn.move_points, min(turn.move_points, a - x))
    left = turn.move_points - abs(dx)
    return x + dx, y + max(-left, min(left, b - y))


def distance(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


# ---------------------------------------------------------------- the game

class Portal:
    def __init__(self, owner, shields):
        self.owner = owner  # 0, 1 or NEUTRAL
        self.shields = shields


class Turn:
    """The state as we know it. Each action asks the referee and returns its code, 0 if it was carried out."""

    def __init__(self, me):
        self.me = me
        self.round = 0
        self.agents = {}  # player -> (x, y)
        self.scores = {}
        self.action_points = self.move_points = 0
        self.portals = {}  # (x, y) -> Portal
        self.links = []  # ((x, y), (x, y), owner)

    @property
    def position(self):
        return self.agents[self.me]

    def move(self, to):
        code = self.act("move", *to)
        if code == OK:
            self.agents[self.me] = to
        return code

    def turbo(self):
        return self.act("turbo")

    def capture(self):
        code = self.act("capture")
        if code == OK:
            self.portals[self.position].owner = self.me
        return code

    def neutralise(self):
        code = self.act("neutralise")
        if code == OK:
            portal = self.portals[self.position]
            portal.owner, portal.shields = NEUTRAL, 0
            self.links = [link for link in self.links if self.position not in link]
        return code

    def link(self, to):
        code = self.act("link", *to)
        if code == OK:
            self.links.append((self.position, to, self.me))
        return code

    def shield(self):
        code = self.act("shield")
        if code == OK:
            self.portals[self.position].shields += 1
        return code

    def act(self, *words):
        print(*words, flush=True)  # without the flush the referee would never see the action
        answer = sys.stdin.readline()
        if not answer:
            sys.exit()  # the match is over
        _, code, action_points, move_points, score = answer.split()
        self.action_points, self.move_points = int(action_points), int(move_points)
        self.scores[self.me] = int(score)
        return int(code)


# ---------------------------------------------------------------- the protocol

def main():
    me, turn = 0, None
    for line in sys.stdin:
        word, *rest = line.split() or [""]
        if word == "me":
            me = int(rest[0])
        elif word == "turn":  # the state begins
            turn = Turn(me)
            turn.round = int(rest[0])
        elif word == "agent":
            player, x, y, score, action_points, move_points = map(int, rest)
            turn.agents[player], turn.scores[player] = (x, y), score
            if player == me:
                turn.action_points, turn.move_points = action_points, move_points
        elif word == "portal":
            x, y, owner, shields = map(int, rest)
            turn.portals[x, y] = Portal(owner, shields)
        elif word == "link":
            a, b, c, d, owner = map(int, rest)
            turn.links.append(((a, b), (c, d), owner))
        elif word == "init":  # the greeting ends; there is time here to look at the map
            print("ready", flush=True)
        elif word == "go":  # the state is complete: our turn
            play(turn)
            print("end", flush=True)
        # The other lines tell the rules and what the opponent did. This bot does not need them.


if __name__ == "__main__":
    main()
