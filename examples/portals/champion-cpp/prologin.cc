// A champion for Portals in C++, with the API of Prologin 2015. It takes the portal that is cheapest to reach, links it
// to all it can, and goes on to the next.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "prologin.hh"

// ---------------------------------------------------------------- your strategy goes here

static bool same(position a, position b) { return a.x == b.x && a.y == b.y; }

static position here() { return position_agent(moi()); }

// Makes the portal under our feet ours, if there is one and the points suffice.
static void take() {
    if (portail_joueur(here()) == adversaire()) neutraliser();
    if (portail_joueur(here()) == -1) capturer();
}

// Links the portal under our feet to ours. What the rules forbid is refused and costs nothing.
static void link_all() {
    const position from = here();
    if (portail_joueur(from) != moi()) return;
    std::vector<position> portals = liste_portails();
    const auto nearer = [&](position a, position b) { return distance(from, a) < distance(from, b); };
    std::stable_sort(portals.begin(), portals.end(), nearer);
    for (position other : portals)
        if (portail_joueur(other) == moi() && !same(other, from)) lier(other);
}

// Action points that it takes to go to a portal and make it ours.
static int cost(position goal) {
    const int turbo = COUT_TURBO * std::max(0, distance(here(), goal) - points_deplacement());
    if (portail_joueur(goal) != adversaire()) return turbo + COUT_CAPTURE;
    return turbo + COUT_CAPTURE + COUT_NEUTRALISATION + COUT_NEUTRALISATION_BOUCLIER * portail_boucliers(goal);
}

// The cell next to the goal that our move points reach: first sideways, then up or down.
static position towards(position goal) {
    const auto clamp = [](int steps, int limit) { return std::max(-limit, std::min(limit, steps)); };
    const position from = here();
    const int dx = clamp(goal.x - from.x, points_deplacement());
    return position{from.x + dx, from.y + clamp(goal.y - from.y, points_deplacement() - std::abs(dx))};
}

// ---------------------------------------------------------------- what the match calls

// Called once before the first turn: the map can be looked at, but nothing can be done.
void partie_init() {}

// Called for each of our turns.
void jouer_tour() {
    for (;;) {
        take();
        link_all();

        std::vector<position> wanted = liste_portails();
        const auto unwanted = [](position p) { return portail_joueur(p) == moi() || same(p, here()); };
        wanted.erase(std::remove_if(wanted.begin(), wanted.end(), unwanted), wanted.end());
        if (wanted.empty()) break;

        const auto cheaper = [](position a, position b) { return cost(a) < cost(b); };
        const position goal = *std::min_element(wanted.begin(), wanted.end(), cheaper);
        if (cost(goal) > points_action()) {
            deplacer(towards(goal));
            break;
        }
        while (points_deplacement() < distance(here(), goal)) utiliser_turbo();
        deplacer(goal);
    }
    while (ajouter_bouclier() == OK) {  // what is left protects the portal on which the turn ends
    }
}

// Called once after the last turn.
void partie_fin() {}
