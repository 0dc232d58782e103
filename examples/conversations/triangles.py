"""Triangles: the specification's example with blank lines and odd commands, then games against random segments."""

import random

from .wrong import expect

# Points that fit every sentence of the specification's example, whose figure is lost, and its six drawn segments (T29).
EXAMPLE = [(4, 8), (3, 5), (8, 6), (2, 10), (9, 6), (12, 4), (4, 3), (10, 6), (1, 1)]
DRAWN = [(1, 2), (2, 9), (9, 4), (4, 1), (4, 5), (4, 8)]


def hold(bot):
    decisions = example(bot) + [move for points in odd_sets() for move in play(bot, points, random.Random(1))[0]]
    for seed, size in enumerate([12, 30, 31]):
        rng = random.Random(seed)
        points = rng.sample([(x, y) for x in range(1, 101) for y in range(1, 101)], size)
        moves, balance = play(bot, points, rng)
        expect(balance > 0, f"does not beat random segments on {size} points: {balance}")
        decisions += moves
    tell(bot, "quit")
    return decisions


def example(bot):
    """The specification's example, set up as by the contest's applet: set_points, then a play for each segment."""
    board = Board(EXAMPLE)
    tell(bot, set_points(EXAMPLE))
    for n, segment in enumerate(DRAWN):
        board.draw(*segment)
        # Empty lines mean nothing, wherever they are; GTP, whose syntax this is, also has comments and tabs.
        layout = ["play {} {}", "\n\nplay {} {}\n", "play\t{}  {} # a comment", "# hello\nplay {} {}"][n % 4]
        tell(bot, layout.format(*segment))
    expect(ask(bot, "unheard_of 3").startswith("?"), "an unknown command must be answered with ?")
    expect(ask(bot, "play 1 6").startswith("?"), "1-6 goes through point 3: the answer must begin with ?")
    tell(bot, "time_left 0")
    move = generate(bot, board)
    # The specification: 1-9 and 2-4 give two points each, 1-5 and 5-8 one, all others none.
    expect(board.gain(*move) == 2, f"{move} leaves points behind in the specification's example")
    return [move]


def odd_sets():
    yield [(1, 1), (100, 100)]
    yield [(x, 7) for x in (5, 1, 9, 3)]  # all in one line: three segments, no triangle
    yield [(x, y) for x in range(1, 5) for y in range(1, 5)]  # a lattice, full of points in the way


def play(bot, points, rng):
    """A game in which the bot goes first or second by chance. Returns its moves and its points less the others."""
    board = Board(points)
    mine, balance = [], 0
    tell(bot, set_points(points), pieces=7)
    bots_turn = rng.random() < 0.5
    while board.legal:
        if bots_turn:
            tell(bot, f"time_left {180000 - len(mine)}")
            move = generate(bot, board)
            mine.append(move)
            balance += board.gain(*move)
        else:
            move = rng.choice(sorted(board.legal))
            move = rng.choice([move, move[::-1]])
            balance -= board.gain(*move)
            tell(bot, "play {} {}".format(*move))
        board.draw(*move)
        # Now and then the opponent does not move: a bot that is alone goes on drawing.
        bots_turn = not bots_turn or rng.random() < 0.05
    return mine, balance


def set_points(points):
    return f"set_points {len(points)} " + " ".join(f"{x} {y}" for x, y in points)


def generate(bot, board):
    answer = ask(bot, "gen_move")
    expect(answer.startswith("= "), f"gen_move was answered with {answer!r}")
    words = answer[1:].split()
    expect(len(words) == 2 and all(w.isdigit() for w in words), f"gen_move was answered with {answer!r}")
    i, j = map(int, words)
    expect((min(i, j), max(i, j)) in board.legal, f"{i} {j} cannot be drawn")
    return i, j


def tell(bot, command, pieces=1):
    answer = ask(bot, command, pieces)
    expect(answer.strip() == "=", f"{command.strip()!r} was answered with {answer!r}")


def ask(bot, command, pieces=1):
    """Sends a command and returns the one line of its answer, which an empty line must follow."""
    bot.say(command + "\n", pieces)
    answer = bot.hear()
    expect(answer[:1] in ("=", "?"), f"an answer begins with = or ?, not {answer!r}")
    expect(bot.hear() == "", "an answer ends with an empty line")
    return answer


class Board:
    """The rules, kept as plain as possible."""

    def __init__(self, points):
        self.points = dict(enumerate(points, 1))
        self.drawn = set()
        pairs = {(i, j) for i in self.points for j in self.points if i < j}
        self.legal = {(i, j) for i, j in pairs if not any(self.on(i, j, k) for k in self.points)}

    def turn(self, a, b, c):
        (ax, ay), (bx, by), (cx, cy) = (self.points[n] for n in (a, b, c))
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        return (area > 0) - (area < 0)

    def on(self, i, j, k):
        inside = sorted([self.points[i], self.points[j], self.points[k]])[1] == self.points[k]
        return k not in (i, j) and inside and self.turn(i, j, k) == 0

    def draw(self, i, j):
        new = (min(i, j), max(i, j))
        self.drawn.add(new)
        self.legal = {
            (a, b)
            for a, b in self.legal - {new}
            if self.turn(i, j, a) * self.turn(i, j, b) >= 0 or self.turn(a, b, i) * self.turn(a, b, j) >= 0
        }

    def gain(self, i, j):
        """The empty triangles that i-j would close."""
        has = lambda a, b: (min(a, b), max(a, b)) in self.drawn  # noqa: E731
        return sum(has(i, k) and has(j, k) and not self.inhabited(i, j, k) for k in self.points)

    def inhabited(self, a, b, c):
        turns = ({self.turn(a, b, k), self.turn(b, c, k), self.turn(c, a, k)} for k in self.points)
        return any(len(t) == 1 and 0 not in t for t in turns)
