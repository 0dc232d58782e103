// Asks 150 000 times in one turn, and says how long that took.

#include <chrono>
#include <cstdio>

#include "prologin.hh"

void partie_init() {}

void jouer_tour() {
    const auto begin = std::chrono::steady_clock::now();
    int owned = 0;
    for (int i = 0; i < 50000; i++) {
        const position at = {i % 3, i / 3 % 3};
        owned += portail_joueur(at) == moi();
        owned += static_cast<int>(liste_portails().size());
    }
    const auto took = std::chrono::steady_clock::now() - begin;
    std::printf("150000 reads in %d us\n",
                static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
    if (owned == 150000) capturer();
}

void partie_fin() {}
