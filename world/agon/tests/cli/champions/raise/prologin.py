"""Raises in every callback, after it has acted."""

import os
import threading

from api import *

import helper


def partie_init():
    raise RuntimeError("raised in partie_init")


def jouer_tour():
    helper.check(_api)
    if tour_actuel() == 1:
        capturer()
        deplacer((2, 0))
        capturer()
        lier((0, 0))
        deplacer((0, 2))
        capturer()
        lier((0, 0))
        assert lier((2, 0)) is erreur.OK
    elif tour_actuel() == 2:
        for wrong in (5, (1,), ("a", "b"), (1.5, 2), (2 ** 40, 0), None):
            try:
                deplacer(wrong)
            except Exception:
                continue
            os._exit(3)
        try:
            position_agent(2)
        except SystemError:
            pass
        else:
            os._exit(4)
    elif tour_actuel() == 3:
        reads = []
        thread = threading.Thread(target=lambda: reads.extend(liste_portails()))
        thread.start()
        thread.join()
        assert reads == [(0, 0), (0, 2), (2, 0)]
    raise ValueError("raised in jouer_tour")


def partie_fin():
    raise RuntimeError("raised in partie_fin")
