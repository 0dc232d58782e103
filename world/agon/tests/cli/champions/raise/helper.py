"""Lies beside the champion. What does not hold ends the process, which an exception would not."""

import os
import sys
import traceback


def check(api):
    try:
        types(api)
        if api.tour_actuel() == 3:
            lists(api)
    except Exception:
        traceback.print_exc()
        sys.exit(5)


def types(api):
    assert type(api.moi()) is int and api.moi() == 0 and api.adversaire() == 1
    assert [type(part) for part in api.position_agent(1)] == [int, int] and type(api.position_agent(1)) is tuple
    assert api.lien_existe((0, 0), (9, 9)) is False
    assert api.capturer() in list(api.erreur)
    assert api.annuler() in (True, False)
    assert api.TAILLE_TERRAIN == 30 and api.POINTS_CREATION_PORTAIL == 10
    assert [e.name for e in api.erreur][:2] == ["OK", "PA_INSUFFISANTS"]
    assert api.portail_joueur((5, 5)) == -2


def lists(api):
    portals = api.liste_portails()
    assert portals == [(0, 0), (0, 2), (2, 0)]
    portals.clear()
    assert len(api.liste_portails()) == 3
    (link, *_) = api.liste_liens()
    assert link == ((0, 0), (0, 2), 0) and link.extr2 == (0, 2) and link[2] == link.joueur_l == 0
    (field,) = api.liste_champs()
    assert field == api.champ((0, 0), (0, 2), (2, 0), 0) and field.joueur_c == 0
    api.afficher_champ(field)
    api.afficher_erreur(api.erreur.LIEN_CHAMP)
