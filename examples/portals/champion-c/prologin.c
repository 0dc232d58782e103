/* A champion for Portals in C, with the API of Prologin 2015. It takes the portal that is cheapest to reach, links it
 * to all it can, and goes on to the next. */

#include <stdlib.h>

#include "prologin.h"

/* ---------------------------------------------------------------- your strategy goes here */

static int min(int a, int b) {
    return a < b ? a : b;
}

static int max(int a, int b) {
    return a > b ? a : b;
}

static int same(position a, position b) {
    return a.x == b.x && a.y == b.y;
}

static position here(void) {
    return position_agent(moi());
}

/* Makes the portal under our feet ours, if there is one and the points suffice. */
static void take(void) {
    if (portail_joueur(here()) == adversaire()) neutraliser();
    if (portail_joueur(here()) == -1) capturer();
}

static int nearer(const void *a, const void *b) {
    const position p = *(const position *)a, q = *(const position *)b;
    const int difference = distance(here(), p) - distance(here(), q);
    if (difference != 0) return difference;
    return p.x != q.x ? p.x - q.x : p.y - q.y; /* the order of liste_portails(), which qsort() may lose */
}

/* Links the portal under our feet to ours. What the rules forbid is refused and costs nothing. */
static void link_all(void) {
    if (portail_joueur(here()) != moi()) return;
    position_array portals = liste_portails();
    qsort(portals.datas, portals.length, sizeof(position), nearer);
    for (size_t n = 0; n < portals.length; n++) {
        const position other = portals.datas[n];
        if (portail_joueur(other) == moi() && !same(other, here())) lier(other);
    }
    free(portals.datas);
}

/* The action points needed to go to a portal and capture it. */
static int cost(position goal) {
    int points = COUT_CAPTURE + COUT_TURBO * max(0, distance(here(), goal) - points_deplacement());
    if (portail_joueur(goal) == adversaire())
        points += COUT_NEUTRALISATION + COUT_NEUTRALISATION_BOUCLIER * portail_boucliers(goal);
    return points;
}

/* Finds the portal elsewhere that is the cheapest to make ours. Returns 0 if all are. */
static int cheapest(position *goal) {
    int found = 0, least = 0;
    position_array portals = liste_portails();
    for (size_t n = 0; n < portals.length; n++) {
        const position portal = portals.datas[n];
        if (portail_joueur(portal) == moi() || same(portal, here())) continue;
        if (!found || cost(portal) < least) {
            found = 1;
            least = cost(portal);
            *goal = portal;
        }
    }
    free(portals.datas);
    return found;
}

/* The cell next to the goal that our move points reach: first sideways, then up or down. */
static position towards(position goal) {
    position cell = here();
    int left = points_deplacement();
    const int dx = max(-left, min(left, goal.x - cell.x));
    left -= abs(dx);
    cell.x += dx;
    cell.y += max(-left, min(left, goal.y - cell.y));
    return cell;
}

/* ---------------------------------------------------------------- what the match calls */

/* Called once before the first turn: the map can be looked at, but nothing can be done. */
void partie_init(void) {
}

/* Called for each of our turns. */
void jouer_tour(void) {
    for (;;) {
        position goal;
        take();
        link_all();
        if (!cheapest(&goal)) break;
        if (cost(goal) > points_action()) {
            deplacer(towards(goal));
            break;
        }
        while (points_deplacement() < distance(here(), goal)) utiliser_turbo();
        deplacer(goal);
    }
    while (ajouter_bouclier() == OK) { /* the remaining points protect the portal on which the turn ends */
    }
}

/* Called once after the last turn. */
void partie_fin(void) {
}
