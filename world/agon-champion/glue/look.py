"""Looks at what a champion in Python needs, without running the champion: `FILE LIBRARY VERSION`."""

import ctypes
import sys

sys.tracebacklimit = 0
path, library, version = sys.argv[1:]
try:
    told = ctypes.CDLL(library).agon_champion_version
except OSError as why:
    sys.exit(
        "Python cannot load Agon's library: %s\n"
        "`cargo install --path world/agon --locked` makes a library that fits the C library of this machine" % why
    )
except AttributeError:
    sys.exit("`%s` is not of this version of Agon, which is %s" % (library, version))
told.restype = ctypes.c_char_p
if told().decode() != version:
    sys.exit("`%s` is of Agon %s, and this is Agon %s" % (library, told().decode(), version))
with open(path, "rb") as file:
    compile(file.read(), path, "exec")
