"""One conversation a game: `hold(bot)` plays the referee, checks every answer and returns the bot's decisions."""

from .wrong import Wrong, expect
from . import grid

GAMES = {"grid": grid.hold}

__all__ = ["GAMES", "Wrong", "expect"]
