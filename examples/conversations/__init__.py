"""One conversation a game: `hold(bot)` plays the referee, checks every answer and returns the bot's decisions."""

from . import grid, triangles
from .wrong import Wrong

GAMES = {"triangles": triangles.hold, "grid": grid.hold}

__all__ = ["GAMES", "Wrong"]
