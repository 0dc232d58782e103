// A bot for the Grid game: it grows towards the enemy and takes its tiles where it can.

#include <algorithm>
#include <iostream>
#include <queue>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Grid = std::vector<std::string>;  // grid[y][x] is the id of the tile's owner, or EMPTY; (0, 0) is top left

struct Tile {
    int x, y;
};

constexpr char EMPTY = '-';

// ---------------------------------------------------------------- the map

bool inside(const Grid& grid, int x, int y) {
    return 0 <= y && y < int(grid.size()) && 0 <= x && x < int(grid[y].size());
}

// The tiles that share a side with `t`.
std::vector<Tile> sides(const Grid& grid, Tile t) {
    std::vector<Tile> found;
    for (Tile n : {Tile{t.x, t.y - 1}, Tile{t.x - 1, t.y}, Tile{t.x + 1, t.y}, Tile{t.x, t.y + 1}})
        if (inside(grid, n.x, n.y)) found.push_back(n);
    return found;
}

// How many of the up to eight tiles around `t` are empty.
int empty_around(const Grid& grid, Tile t) {
    int count = grid[t.y][t.x] == EMPTY ? -1 : 0;
    for (int y = t.y - 1; y <= t.y + 1; ++y)
        for (int x = t.x - 1; x <= t.x + 1; ++x) count += inside(grid, x, y) && grid[y][x] == EMPTY;
    return count;
}

// ---------------------------------------------------------------- your strategy goes here

// For each tile the number of side steps to the nearest enemy tile (a large number if he has none).
std::vector<std::vector<int>> distance_to_enemy(char me, const Grid& grid) {
    const int far = int(grid.size() * grid[0].size());
    std::vector<std::vector<int>> distance(grid.size(), std::vector<int>(grid[0].size(), far));
    std::queue<Tile> queue;  // of a breadth-first search
    for (int y = 0; y < int(grid.size()); ++y)
        for (int x = 0; x < int(grid[y].size()); ++x)
            if (grid[y][x] != me && grid[y][x] != EMPTY) {
                distance[y][x] = 0;
                queue.push({x, y});
            }
    for (; !queue.empty(); queue.pop()) {
        const Tile t = queue.front();
        for (Tile n : sides(grid, t))
            if (distance[n.y][n.x] == far) {
                distance[n.y][n.x] = distance[t.y][t.x] + 1;
                queue.push(n);
            }
    }
    return distance;
}

// Picks the tiles to capture this turn, at most `budget` of them. `me` is my id, '1' or '2'.
// Lawful targets share a side with one of my tiles as the map stands now, whoever owns the target.
std::vector<Tile> decide(char me, int budget, const Grid& grid) {
    const auto distance = distance_to_enemy(me, grid);
    std::vector<Tile> targets;
    for (int y = 0; y < int(grid.size()); ++y)
        for (int x = 0; x < int(grid[y].size()); ++x) {
            const auto near = sides(grid, {x, y});
            const bool reachable = std::any_of(near.begin(), near.end(), [&](Tile n) { return grid[n.y][n.x] == me; });
            if (grid[y][x] != me && reachable) targets.push_back({x, y});
        }
    // Enemy tiles come first (distance 0), then what lies nearest to them. Between equals the tile with the most
    // empty space around it is the better one: a tile without any suffocates.
    const auto key = [&](Tile t) { return std::pair(distance[t.y][t.x], -empty_around(grid, t)); };
    std::stable_sort(targets.begin(), targets.end(), [&](Tile a, Tile b) { return key(a) < key(b); });
    if (int(targets.size()) > budget) targets.resize(budget);
    return targets;
}

// ---------------------------------------------------------------- the protocol

int main() {
    std::vector<std::string> message;  // the lines of the referee's message that have arrived so far
    std::string line;
    while (std::getline(std::cin, line)) {  // false when the match is over
        line.erase(line.find_last_not_of(" \t\r") + 1);
        if (line != ".") {
            message.push_back(line);
            continue;
        }
        char letter, me;
        int budget;
        std::istringstream(message.at(0)) >> letter >> me;      // Y <my id>
        std::istringstream(message.at(1)) >> letter >> budget;  // E <budget>
        for (Tile t : decide(me, budget, Grid(message.begin() + 2, message.end())))
            std::cout << "C " << t.x << ' ' << t.y << '\n';
        std::cout << "." << std::endl;  // endl also flushes: otherwise the referee would never see the answer
        message.clear();
    }
}
