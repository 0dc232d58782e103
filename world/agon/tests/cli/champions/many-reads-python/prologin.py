"""Asks 150 000 times in one turn, and says how long that took."""

import time

from api import *


def partie_init():
    pass


def jouer_tour():
    begin = time.perf_counter()
    owned = 0
    for i in range(50000):
        owned += portail_joueur((i % 3, i // 3 % 3)) == moi()
        owned += len(liste_portails())
    print("150000 reads in %d us" % ((time.perf_counter() - begin) * 1e6))
    if owned == 150000:
        capturer()


def partie_fin():
    pass
