// A bot for Lighthouses: it walks from lighthouse to lighthouse, takes them and joins them into triangles.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

const std::string NAME = "Keeper";
constexpr int NOBODY = -1;  // the owner of a lighthouse that has none

using Cell = std::pair<int, int>;           // x and y, counted from the lower left corner of the map
using Rows = std::vector<std::vector<int>>;  // the lowest row first

const std::vector<Cell> DIRECTIONS = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

struct Lighthouse {
    Cell position;
    int owner, energy;
    std::vector<Cell> connections;  // positions of the lighthouses at the other ends
    bool have_key;
};

struct Turn {
    Cell position;
    int energy;
    Rows view;  // free energy around me, my own cell in the middle
    std::vector<Lighthouse> lighthouses;
};

// What stays the same for the whole match.
struct Game {
    int me = NOBODY;
    Rows map;                    // 1 on the island
    std::map<Cell, Rows> steps;  // for each lighthouse the number of steps to it from every cell of the island
};

// ---------------------------------------------------------------- the rules

std::string pass() { return R"({"command": "pass"})"; }

// To one of the eight cells around, if it is part of the island.
std::string move(Cell d) {
    return R"({"command": "move", "x": )" + std::to_string(d.first) + R"(, "y": )" + std::to_string(d.second) + "}";
}

// Puts energy into the lighthouse under our feet, against its owner or, if we own it, for it.
std::string attack(int energy) { return R"({"command": "attack", "energy": )" + std::to_string(energy) + "}"; }

// Joins the lighthouse under our feet to another one. Both must be ours, and we need the key of the other one.
std::string connect(Cell to) {
    return R"({"command": "connect", "destination": [)" + std::to_string(to.first) + ", " +
           std::to_string(to.second) + "]}";
}

// Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line.
long long side(Cell a, Cell b, Cell c) {
    const auto cross_product = [](long long x1, long long y1, long long x2, long long y2) { return x1 * y2 - y1 * x2; };
    return cross_product(b.first - a.first, b.second - a.second, c.first - a.first, c.second - a.second);
}

// Does c lie on the way from a to b, excluding the ends? (Cells are compared by x, then by y.)
bool between(Cell a, Cell c, Cell b) { return side(a, b, c) == 0 && std::min(a, b) < c && c < std::max(a, b); }

// Do two connections cross? Sharing an end is not crossing.
bool cross(Cell a, Cell b, Cell c, Cell d) {
    return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

bool connected(const Lighthouse& a, Cell b) {
    return std::find(a.connections.begin(), a.connections.end(), b) != a.connections.end();
}

// Is there room for a connection between two lighthouses?
bool joinable(const Turn& turn, const Lighthouse& a, const Lighthouse& b) {
    if (a.position == b.position || connected(a, b.position)) return false;
    for (const Lighthouse& c : turn.lighthouses) {
        if (between(a.position, c.position, b.position)) return false;
        for (Cell d : c.connections)
            if (cross(a.position, b.position, c.position, d)) return false;
    }
    return true;
}

// The free energy on a cell near us; 0 if it is too far away to see.
int free_energy(const Rows& view, Cell d) {
    const int size = int(view.size()), row = size / 2 + d.second, column = size / 2 + d.first;
    return 0 <= row && row < size && 0 <= column && column < size ? view[row][column] : 0;
}

// The number of steps to a lighthouse from every cell of the island; -1 elsewhere.
Rows steps_to(const Rows& map, Cell lighthouse) {
    Rows steps(map.size(), std::vector<int>(map[0].size(), -1));
    std::queue<Cell> queue;  // of a breadth-first search
    queue.push(lighthouse);
    steps[lighthouse.second][lighthouse.first] = 0;
    for (; !queue.empty(); queue.pop()) {
        const auto [x, y] = queue.front();
        for (auto [dx, dy] : DIRECTIONS) {
            const int a = x + dx, b = y + dy;  // still on the map, as its border is never part of the island
            if (map[b][a] && steps[b][a] < 0) {
                steps[b][a] = steps[y][x] + 1;
                queue.push({a, b});
            }
        }
    }
    return steps;
}

// ---------------------------------------------------------------- your strategy goes here

constexpr int ENOUGH = 30;  // less energy than this is not worth putting into a lighthouse: each loses 10 per round

// The lighthouses of ours whose keys we hold: to them we can connect another one.
std::vector<const Lighthouse*> held_keys(const Game& game, const Turn& turn) {
    std::vector<const Lighthouse*> held;
    for (const Lighthouse& l : turn.lighthouses)
        if (l.have_key && l.owner == game.me) held.push_back(&l);
    return held;
}

// The area of the triangles that a connection between two lighthouses would close.
long long new_area(const Lighthouse& a, const Lighthouse& b) {
    long long area = 0;
    for (Cell c : a.connections)
        if (connected(b, c)) area += std::abs(side(a.position, b.position, c)) / 2;
    return area;
}

// What a visit to a lighthouse is worth to us, in a unit of our own.
long long promise(const Game& game, const Turn& turn, const Lighthouse& goal) {
    const bool strong_enough = turn.energy > goal.energy + ENOUGH;
    if (goal.owner != game.me && !strong_enough) return 0;
    long long worth = strong_enough ? 10 : 0;
    for (const Lighthouse* other : held_keys(game, turn))
        if (joinable(turn, goal, *other)) worth += 30 + new_area(goal, *other);
    return worth;
}

// A step to the cell with the most energy; with a goal, only towards it.
std::string walk(const Game& game, const Turn& turn, const Lighthouse* goal) {
    const auto [x, y] = turn.position;
    const Cell* best = nullptr;
    for (const Cell& d : DIRECTIONS) {
        const int a = x + d.first, b = y + d.second;
        if (!game.map[b][a]) continue;
        if (goal) {
            const Rows& steps = game.steps.at(goal->position);
            if (steps[b][a] >= steps[y][x]) continue;
        }
        if (!best || free_energy(turn.view, d) > free_energy(turn.view, *best)) best = &d;
    }
    return best ? move(*best) : pass();
}

// Returns the command of this turn: one of pass(), move(), attack() and connect().
std::string decide(const Game& game, const Turn& turn) {
    const Lighthouse* here = nullptr;
    for (const Lighthouse& l : turn.lighthouses)
        if (l.position == turn.position) here = &l;

    if (here && here->owner == game.me) {
        const Lighthouse* link = nullptr;
        for (const Lighthouse* other : held_keys(game, turn))
            if (joinable(turn, *here, *other) && (!link || new_area(*here, *other) > new_area(*here, *link)))
                link = other;
        if (link) return connect(link->position);
    }
    if (here && turn.energy > here->energy + ENOUGH)
        return attack(turn.energy);  // takes the lighthouse, or recharges it if it is ours

    // Go where each step promises the most; if no step promises anything, gather energy.
    const Lighthouse* goal = nullptr;
    double most = 0;
    for (const Lighthouse& l : turn.lighthouses) {
        if (&l == here) continue;
        const int steps = game.steps.at(l.position)[turn.position.second][turn.position.first];
        const double promised = double(promise(game, turn, l)) / steps;
        if (promised > most) {
            most = promised;
            goal = &l;
        }
    }
    return walk(game, turn, goal);
}

// ---------------------------------------------------------------- reading JSON

// A value of any kind; only the members that fit its kind are used.
struct Json {
    char kind = 'n';                 // null, boolean, 0 for a number, and " [ { for what begins so
    double number = 0;               // of a boolean 0 or 1
    std::string text;                // of a string
    std::vector<Json> items;         // of an array or an object
    std::vector<std::string> names;  // of an object's items

    const Json* find(const std::string& name) const {
        for (size_t n = 0; n < names.size(); ++n)
            if (names[n] == name) return &items[n];
        return nullptr;
    }
    const Json& operator[](const std::string& name) const {
        if (const Json* item = find(name)) return *item;
        throw std::runtime_error("the message has no " + name);
    }
    int integer() const { return int(number); }
};

class JsonReader {
public:
    explicit JsonReader(const std::string& line) : line(line) {}

    Json value() {
        Json found;
        const char first = peek();
        if (first == '{' || first == '[') {
            found.kind = first;
            ++at;
            for (char end = first == '{' ? '}' : ']'; peek() != end;) {
                if (!found.items.empty()) expect(',');
                if (first == '{') {
                    found.names.push_back(string());
                    expect(':');
                }
                found.items.push_back(value());
            }
            ++at;
        } else if (first == '"') {
            found.kind = '"';
            found.text = string();
        } else if (line.compare(at, 4, "null") == 0) {
            at += 4;
        } else if (line.compare(at, 4, "true") == 0 || line.compare(at, 5, "false") == 0) {
            found.kind = 'b';
            found.number = first == 't';
            at += first == 't' ? 4 : 5;
        } else {
            found.kind = '0';
            char* end = nullptr;
            found.number = std::strtod(line.c_str() + at, &end);
            if (end == line.c_str() + at) throw std::runtime_error("not JSON: " + line);
            at = size_t(end - line.c_str());
        }
        return found;
    }

private:
    const std::string& line;
    size_t at = 0;

    // The next character that is no blank; 0 at the end of the line.
    char peek() {
        at = std::min(line.find_first_not_of(" \t\r\n", at), line.size());
        return line.c_str()[at];
    }

    void expect(char wanted) {
        if (peek() != wanted) throw std::runtime_error("not JSON: " + line);
        ++at;
    }

    // A string; of its escapes only what the referee's texts may need is translated.
    std::string string() {
        std::string text;
        expect('"');
        for (; line.at(at) != '"'; ++at) {
            if (line[at] == '\\') ++at;
            text += line.at(at);
        }
        ++at;
        return text;
    }
};

// ---------------------------------------------------------------- the protocol

Cell read_cell(const Json& pair) { return {pair.items.at(0).integer(), pair.items.at(1).integer()}; }

Rows read_rows(const Json& json) {
    Rows rows;
    for (const Json& row : json.items) {
        rows.emplace_back();
        for (const Json& cell : row.items) rows.back().push_back(cell.integer());
    }
    return rows;
}

Game read_start(const Json& message) {
    Game game{message["player_num"].integer(), read_rows(message["map"]), {}};
    for (const Json& at : message["lighthouses"].items) game.steps[read_cell(at)] = steps_to(game.map, read_cell(at));
    return game;
}

Turn read_turn(const Json& message) {
    Turn turn{read_cell(message["position"]), message["energy"].integer(), read_rows(message["view"]), {}};
    for (const Json& json : message["lighthouses"].items) {
        Lighthouse l{read_cell(json["position"]), NOBODY, json["energy"].integer(), {}, json["have_key"].number != 0};
        if (json["owner"].kind != 'n') l.owner = json["owner"].integer();  // the original engine has null for nobody
        for (const Json& at : json["connections"].items) l.connections.push_back(read_cell(at));
        turn.lighthouses.push_back(l);
    }
    return turn;
}

int main() {
    Game game;
    std::string line;
    while (std::getline(std::cin, line)) {  // false when the match is over
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const Json message = JsonReader(line).value();
        if (message.find("player_num")) {  // the first message of the match
            game = read_start(message);
            std::cout << R"({"name": ")" << NAME << R"("})" << std::endl;
        } else if (const Json* success = message.find("success")) {  // of our last command; it needs no answer
            if (success->number == 0) std::cerr << '[' << NAME << "] " << message["message"].text << '\n';
        } else {
            // endl also flushes: otherwise the referee would never see the command.
            std::cout << decide(game, read_turn(message)) << std::endl;
        }
    }
}
