"""Plays one match with a champion in Python: `agon_host.py FOLDER MODULE LIBRARY`, with the referee on stdin and stdout."""

import ctypes
import importlib
import os
import sys
import traceback

os.environ["AGON_CHAMPION_LIBRARY"] = sys.argv[3]

import _api  # before a file of the champion can hide what it imports

CALLBACK = ctypes.CFUNCTYPE(None)


def guarded(champion, name):
    """As in the contest: the callback is looked up at each call, what is raised goes to the log, the turn ends, and its
    actions count."""

    def call():
        try:
            getattr(champion, name)()
        except SystemExit as wish:
            code = wish.code if isinstance(wish.code, int) else 0 if wish.code is None else 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code & 255)
        except BaseException:
            traceback.print_exc()

    return CALLBACK(call)


def main():
    folder, name, path = sys.argv[1:]
    library = ctypes.CDLL(path)
    # From here on what is printed is the log, also what a champion prints while it is imported.
    if library.agon_champion_open() != 0:
        return 1
    sys.stdout.reconfigure(line_buffering=True)
    sys.path.insert(0, folder)
    sys.argv[:] = [os.path.join(folder, name + ".py")]
    champion = importlib.import_module(name)
    _api._adopt(importlib.import_module("api"))
    callbacks = [guarded(champion, callback) for callback in _api._callbacks]
    code = library.agon_champion_serve(*callbacks)
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
