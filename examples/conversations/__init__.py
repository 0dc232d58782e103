"""One conversation a game: `hold(bot)` plays the referee, checks every answer and returns the bot's decisions."""

from . import grid, lighthouses, planet_wars, portals, triangles
from .wrong import Wrong

GAMES = {
    "lighthouses": lighthouses.hold,
    "planet-wars": planet_wars.hold,
    "triangles": triangles.hold,
    "grid": grid.hold,
    "portals": portals.hold,
}

__all__ = ["GAMES", "Wrong"]
