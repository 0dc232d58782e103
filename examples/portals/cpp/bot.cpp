// A bot for Portals: it takes the portal that is cheapest to reach, links it to all it can, and goes on to the next.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

constexpr int CAPTURE = 3, NEUTRALISE = 10, NEUTRALISE_SHIELD = 5, TURBO = 6;  // what things cost in action points
constexpr int NEUTRAL = -1;  // the owner of a portal that nobody holds
constexpr int OK = 0;        // the answer to an action that was carried out

using Cell = std::pair<int, int>;  // x and y

struct Portal {
    int owner;  // 0, 1 or NEUTRAL
    int shields;
};

struct Link {
    Cell end1, end2;
    int owner;
};

// ---------------------------------------------------------------- the game

// The state as we know it. Each action asks the referee and returns its code, 0 if it was carried out.
class Turn {
public:
    int me = 0, round = 0;
    Cell agents[2];
    long long scores[2] = {0, 0};
    int action_points = 0, move_points = 0;
    std::map<Cell, Portal> portals;
    std::vector<Link> links;

    Cell position() const { return agents[me]; }

    int move(Cell to) {
        const int code = act("move " + words(to));
        if (code == OK) agents[me] = to;
        return code;
    }

    int turbo() { return act("turbo"); }

    int capture() {
        const int code = act("capture");
        if (code == OK) portals[position()] = {me, 0};
        return code;
    }

    int neutralise() {
        const int code = act("neutralise");
        if (code == OK) {
            const Cell here = position();
            portals[here] = {NEUTRAL, 0};
            const auto ends_here = [&](const Link& l) { return l.end1 == here || l.end2 == here; };
            links.erase(std::remove_if(links.begin(), links.end(), ends_here), links.end());
        }
        return code;
    }

    int link(Cell to) {
        const int code = act("link " + words(to));
        if (code == OK) links.push_back({position(), to, me});
        return code;
    }

    int shield() {
        const int code = act("shield");
        if (code == OK) ++portals[position()].shields;
        return code;
    }

private:
    static std::string words(Cell cell) { return std::to_string(cell.first) + ' ' + std::to_string(cell.second); }

    int act(const std::string& line) {
        std::cout << line << std::endl;  // endl also flushes: otherwise the referee would never see the action
        std::string result;
        int code;
        if (!(std::cin >> result >> code >> action_points >> move_points >> scores[me])) std::exit(0);  // match over
        return code;
    }
};

// ---------------------------------------------------------------- your strategy goes here

int distance(Cell a, Cell b) { return std::abs(a.first - b.first) + std::abs(a.second - b.second); }

// Makes the portal under our feet ours, if there is one and the points suffice.
void take(Turn& turn) {
    const auto portal = turn.portals.find(turn.position());
    if (portal == turn.portals.end()) return;
    if (portal->second.owner != turn.me && portal->second.owner != NEUTRAL) turn.neutralise();
    if (portal->second.owner == NEUTRAL) turn.capture();
}

// Links the portal under our feet to ours. The referee refuses what the rules forbid, and that costs nothing.
void link_all(Turn& turn) {
    const Cell here = turn.position();
    std::vector<Cell> mine;
    for (const auto& [at, portal] : turn.portals)
        if (portal.owner == turn.me) mine.push_back(at);
    if (std::find(mine.begin(), mine.end(), here) == mine.end()) return;
    std::stable_sort(mine.begin(), mine.end(), [&](Cell a, Cell b) { return distance(here, a) < distance(here, b); });
    for (Cell other : mine)
        if (other != here) turn.link(other);
}

// The action points needed to go to a portal and capture it.
int cost(const Turn& turn, Cell goal) {
    const Portal& portal = turn.portals.at(goal);
    const int fight = portal.owner == NEUTRAL ? 0 : NEUTRALISE + NEUTRALISE_SHIELD * portal.shields;
    return TURBO * std::max(0, distance(turn.position(), goal) - turn.move_points) + fight + CAPTURE;
}

// The cell next to the goal that our move points reach: first sideways, then up or down.
Cell towards(const Turn& turn, Cell goal) {
    const auto [x, y] = turn.position();
    const int dx = std::clamp(goal.first - x, -turn.move_points, turn.move_points);
    const int left = turn.move_points - std::abs(dx);
    return {x + dx, y + std::clamp(goal.second - y, -left, left)};
}

// Plays one turn: reads `turn` and acts through its methods.
void play(Turn& turn) {
    for (;;) {
        take(turn);
        link_all(turn);
        const Cell* goal = nullptr;  // the portal elsewhere that is the cheapest to make ours
        for (const auto& [at, portal] : turn.portals)
            if (portal.owner != turn.me && at != turn.position() && (!goal || cost(turn, at) < cost(turn, *goal)))
                goal = &at;
        if (!goal) break;
        if (cost(turn, *goal) > turn.action_points) {
            turn.move(towards(turn, *goal));
            break;
        }
        while (turn.move_points < distance(turn.position(), *goal)) turn.turbo();
        turn.move(*goal);
    }
    while (turn.shield() == OK) {  // the remaining points protect the portal on which the turn ends
    }
}

// ---------------------------------------------------------------- the protocol

int main() {
    Turn turn;
    std::string line;
    while (std::getline(std::cin, line)) {  // false when the match is over
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "me") {
            words >> turn.me;
        } else if (word == "turn") {  // the state begins
            words >> turn.round;
            turn.portals.clear();
            turn.links.clear();
        } else if (word == "agent") {
            int player, action_points, move_points;
            words >> player;
            Cell& at = turn.agents[player];
            words >> at.first >> at.second >> turn.scores[player] >> action_points >> move_points;
            if (player == turn.me) {
                turn.action_points = action_points;
                turn.move_points = move_points;
            }
        } else if (word == "portal") {
            Cell at;
            Portal portal;
            words >> at.first >> at.second >> portal.owner >> portal.shields;
            turn.portals[at] = portal;
        } else if (word == "link") {
            Link l;
            words >> l.end1.first >> l.end1.second >> l.end2.first >> l.end2.second >> l.owner;
            turn.links.push_back(l);
        } else if (word == "init") {  // the greeting ends; there is time here to look at the map
            std::cout << "ready" << std::endl;
        } else if (word == "go") {  // the state is complete: our turn
            play(turn);
            std::cout << "end" << std::endl;
        }
        // The other lines tell the rules and what the opponent did. This bot does not need them.
    }
}
