"""What a champion imports: everything that `_api` has, `_api` itself, and what the contest's module had imported."""

from collections import namedtuple
from enum import IntEnum
from typing import List, NamedTuple, Tuple

import _api
from _api import *  # noqa: F401,F403

__all__ = _api.__all__ + ["_api", "IntEnum", "List", "NamedTuple", "Tuple", "namedtuple"]
