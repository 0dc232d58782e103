#!/usr/bin/env python3
"""A bot for Triangles: it closes as many triangles as it can and leaves the opponent as few as possible."""

import sys
from itertools import combinations


# ---------------------------------------------------------------- your strategy goes here

def decide(board, time_left):
    """Picks the segment to draw, one of `board.legal`. `time_left` is in milliseconds, for the rest of the game."""
    worth = {segment: board.triangles(*segment) for segment in board.legal}
    best_first = sorted(board.legal, key=worth.get, reverse=True)

    def merit(segment):
        # What we gain, minus the best reply of the opponent: a chance that we open, or what is there already.
        chances = board.chances(*segment)
        reply = max((worth[s] + 1 for s in chances), default=0)
        for s in best_first:
            if worth[s] <= reply:
                break
            if s != segment and not board.cross(*s, *segment):
                reply = worth[s]
        # Between equals, many chances for both have proved better than few.
        return worth[segment] - reply, len(chances)

    return max(board.legal, key=merit)


# ---------------------------------------------------------------- the board

class Board:
    """The points, what has been drawn, and what may still be drawn."""

    def __init__(self, points):
        self.points = [None, *points]  # the protocol counts them from 1
        numbers = range(1, len(points) + 1)
        self.joined = {i: set() for i in numbers}  # joined[i]: the points at the other ends of i's segments
        # Every lawful segment is held once, as (i, j) with i < j, in a dict used as an ordered set. At first only a
        # point in its way makes a segment unlawful.
        pairs = list(combinations(numbers, 2))
        self.legal = {(i, j): None for i, j in pairs if not any(self.between(i, k, j) for k in numbers)}
        self.known_empty = {}

    def draw(self, i, j):
        """Draws a segment, after which segments that cross it are no longer lawful."""
        drawn = (min(i, j), max(i, j))
        if drawn not in self.legal:
            raise ValueError(f"{i} {j} cannot be drawn")
        self.joined[i].add(j)
        self.joined[j].add(i)
        self.legal = {s: None for s in self.legal if s != drawn and not self.cross(*s, i, j)}

    def triangles(self, i, j):
        """What drawing i-j is worth now: a point for each empty triangle that it closes."""
        return sum(self.empty(i, j, k) for k in self.joined[i] & self.joined[j])

    def chances(self, i, j):
        """The lawful segments that would each be worth one point more once i-j is drawn."""
        ways = [(i, k) for k in self.joined[j] - self.joined[i]] + [(j, k) for k in self.joined[i] - self.joined[j]]
        segments = [(min(a, k), max(a, k)) for a, k in ways if self.empty(i, j, k)]
        return [segment for segment in segments if segment in self.legal]

    # Geometry. All numbers are small integers, so nothing is rounded.

    def side(self, a, b, c):
        """Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line."""
        (ax, ay), (bx, by), (cx, cy) = self.points[a], self.points[b], self.points[c]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    def between(self, a, k, b):
        """Does point k lie on the segment a-b, excluding its ends?"""
        if k in (a, b) or self.side(a, b, k) != 0:
            return False
        return min(self.points[a], self.points[b]) < self.points[k] < max(self.points[a], self.points[b])

    def cross(self, a, b, c, d):
        """Do the segments a-b and c-d cross? Sharing an end is not crossing."""
        return (self.side(a, b, c) * self.side(a, b, d) < 0
                and self.side(c, d, a) * self.side(c, d, b) < 0)

    def empty(self, a, b, c):
        """Is no point inside the triangle? Points never move, so each answer is kept."""
        corners = tuple(sorted((a, b, c)))
        if corners not in self.known_empty:
            turn = self.side(a, b, c)
            self.known_empty[corners] = not any(
                self.side(a, b, k) * turn > 0 and self.side(b, c, k) * turn > 0 and self.side(c, a, k) * turn > 0
                for k in self.joined
            )
        return self.known_empty[corners]


# ---------------------------------------------------------------- the protocol

class Player:
    """One method a command, with the command's numbers; what it returns is the text of the answer."""

    def __init__(self):
        self.board = Board([])
        self.clock = 0

    def set_points(self, _count, *numbers):
        self.board = Board(list(zip(numbers[::2], numbers[1::2])))

    def time_left(self, milliseconds):
        self.clock = milliseconds

    def play(self, i, j):
        self.board.draw(i, j)

    def gen_move(self):
        i, j = decide(self.board, self.clock)
        self.board.draw(i, j)
        return f"{i} {j}"

    def quit(self):
        pass


def main():
    player = Player()
    commands = {name: getattr(player, name) for name in ["set_points", "time_left", "play", "gen_move", "quit"]}
    for line in sys.stdin:
        words = line.split("#")[0].split()
        if not words:
            continue  # empty lines have no meaning
        if words[0] not in commands:
            print("? unknown command")
        else:
            try:
                print(f"= {commands[words[0]](*map(int, words[1:])) or ''}".rstrip())
            except (TypeError, ValueError) as why:  # wrong arguments, or nothing can be drawn
                print("?", why)
        print(flush=True)  # the empty line ends the answer
        if words[0] == "quit":
            return


if __name__ == "__main__":
    main()
