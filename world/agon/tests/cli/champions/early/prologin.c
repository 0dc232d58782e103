/* Acts before its first turn: nothing may change. What does not hold ends the process. */

#include <stdio.h>

#include "prologin.h"

#define HOLDS(what) if (!(what)) abort()

void partie_init(void) {
    HOLDS(capturer() == PA_INSUFFISANTS);
    HOLDS(utiliser_turbo() == PA_INSUFFISANTS);
    HOLDS(lier((position){2, 0}) == PA_INSUFFISANTS);
    HOLDS(deplacer((position){0, 1}) == POSITION_ELOIGNEE);
    HOLDS(!annuler());
    HOLDS(tour_actuel() == 1);
    HOLDS(points_action() == NB_POINTS_ACTION);
    HOLDS(liste_portails().length == 3);
}

void jouer_tour(void) {
    HOLDS(position_agent(moi()).y == tour_actuel() - 1);
    deplacer((position){0, tour_actuel()});
    HOLDS(annuler());
    deplacer((position){0, tour_actuel()});
}

void partie_fin(void) {
    HOLDS(capturer() == PA_INSUFFISANTS);
    fprintf(stderr, "round %d, row %d\n", tour_actuel(), position_agent(moi()).y);
}
