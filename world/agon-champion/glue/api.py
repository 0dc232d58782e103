"""What a champion imports: everything that `_api` has, and `_api` itself."""

import _api
from _api import *  # noqa: F401,F403

__all__ = _api.__all__ + ["_api"]
