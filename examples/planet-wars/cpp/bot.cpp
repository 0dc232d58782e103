// A bot for Planet Wars: it gathers ships for the planets that repay them soonest and rescues its own ones.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

enum Owner { NEUTRAL = 0, ME = 1, ENEMY = 2 };  // in each bot's own view

struct Planet {
    int id;
    double x, y;
    int owner, ships;
    int growth;  // new ships a turn, while somebody owns the planet
};

struct Fleet {
    int owner, ships, source, destination;
    int total, remaining;  // turns: of the whole trip, until it arrives
};

struct Order {
    int source, destination, ships;
};

// Turns that a fleet needs from one planet to another.
int distance(const Planet& a, const Planet& b) {
    return int(std::ceil(std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y))));
}

// ---------------------------------------------------------------- your strategy goes here

constexpr double PATIENCE = 20;  // a neutral planet must repay its ships within this many turns, including the trip

double turns_to_repay(const Planet& p) { return double(p.ships) / p.growth; }

// Who sends how many ships to the target, the nearest first; empty if they are too few.
std::vector<Order> gather(const Planet& target, int strength, const std::vector<int>& spare,
                          std::vector<Planet> planets) {
    const auto nearer = [&](const Planet& a, const Planet& b) { return distance(a, target) < distance(b, target); };
    std::stable_sort(planets.begin(), planets.end(), nearer);
    std::vector<Order> party;
    int gathered = 0;
    for (const Planet& source : planets) {
        const int turns = distance(source, target);
        const bool too_slow = target.owner == NEUTRAL && turns + turns_to_repay(target) > PATIENCE;
        if (spare[source.id] == 0 || too_slow) continue;
        int need = 1 - strength;
        if (target.owner == ENEMY) need += target.growth * turns;  // it grows until the last of us is there
        const int ships = std::min(spare[source.id], need - gathered);
        if (ships > 0) {
            party.push_back({source.id, target.id, ships});
            gathered += ships;
        }
        if (gathered >= need) return party;
    }
    return {};
}

// Returns this turn's orders.
std::vector<Order> decide(const std::vector<Planet>& planets, const std::vector<Fleet>& fleets) {
    // For each planet our strength there once all fleets have arrived; below zero it belongs to another player.
    std::vector<int> strength;
    for (const Planet& p : planets) strength.push_back(p.owner == ME ? p.ships : -p.ships);
    for (const Fleet& f : fleets) strength[f.destination] += f.owner == ME ? f.ships : -f.ships;

    // The ships that our planets can send without being lost.
    std::vector<int> spare;
    for (const Planet& p : planets)
        spare.push_back(p.owner == ME ? std::max(0, std::min(p.ships, strength[p.id])) : 0);

    // Planets to take and planets of ours to rescue, those first that repay the ships soonest.
    std::vector<Planet> targets;
    for (const Planet& p : planets)
        if (p.growth > 0 && (p.owner != ME || strength[p.id] < 0)) targets.push_back(p);
    const auto sooner = [](const Planet& a, const Planet& b) { return turns_to_repay(a) < turns_to_repay(b); };
    std::stable_sort(targets.begin(), targets.end(), sooner);

    std::vector<Order> orders;
    for (const Planet& target : targets)
        for (const Order& order : gather(target, strength[target.id], spare, planets)) {
            spare[order.source] -= order.ships;
            orders.push_back(order);
        }
    return orders;
}

// ---------------------------------------------------------------- the protocol

int main() {
    std::vector<Planet> planets;  // what has arrived of this turn's message
    std::vector<Fleet> fleets;
    std::string line;
    while (std::getline(std::cin, line)) {  // false when the match is over
        std::istringstream words(line.substr(0, line.find('#')));
        std::string word;
        words >> word;  // stays empty on a blank line or a comment, which mean nothing
        if (word == "P") {
            Planet p{};
            p.id = int(planets.size());
            words >> p.x >> p.y >> p.owner >> p.ships >> p.growth;
            planets.push_back(p);
        } else if (word == "F") {
            Fleet f{};
            words >> f.owner >> f.ships >> f.source >> f.destination >> f.total >> f.remaining;
            fleets.push_back(f);
        } else if (word == "go") {
            for (const Order& o : decide(planets, fleets))
                std::cout << o.source << ' ' << o.destination << ' ' << o.ships << '\n';
            std::cout << "go" << std::endl;  // endl also flushes: otherwise the referee would never see the orders
            planets.clear();
            fleets.clear();
        }
    }
}
