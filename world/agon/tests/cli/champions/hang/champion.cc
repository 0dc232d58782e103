// Makes a capture in its first turn and does not come back from its second.

#include "api.hh"

extern "C" void partie_init() {}

extern "C" void jouer_tour() {
    capturer();
    for (volatile bool on = tour_actuel() == 2; on;) {
    }
}

extern "C" void partie_fin() {}
