// A bot for Triangles: it gains what it can and leaves the opponent as little as possible.

#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Point {
    int x, y;
};

// Two point numbers; the protocol counts the points from 1.
struct Segment {
    int i, j;
};

// ---------------------------------------------------------------- the board

// The points, what has been drawn, and what may still be drawn.
class Board {
public:
    std::vector<Segment> legal;  // every lawful segment once, with i < j

    explicit Board(std::vector<Point> given = {})
        : points(std::move(given)), count(int(points.size())), joined(table()), lawful(table()) {
        points.insert(points.begin(), Point{});  // nobody has number 0
        // At first a segment is unlawful only if it passes through a point.
        for (int i = 1; i <= count; ++i)
            for (int j = i + 1; j <= count; ++j)
                if (!blocked(i, j)) {
                    legal.push_back({i, j});
                    lawful[i][j] = lawful[j][i] = true;
                }
    }

    // Draws a segment, after which segments that cross it are no longer lawful.
    void draw(Segment s) {
        if (std::min(s.i, s.j) < 1 || std::max(s.i, s.j) > count || !lawful[s.i][s.j])
            throw std::invalid_argument("this cannot be drawn");
        joined[s.i][s.j] = joined[s.j][s.i] = true;
        std::vector<Segment> rest;
        for (Segment t : legal) {
            if (joined[t.i][t.j] || cross(s, t))
                lawful[t.i][t.j] = lawful[t.j][t.i] = false;
            else
                rest.push_back(t);
        }
        legal = std::move(rest);
    }

    // What drawing a segment is worth now: a point for each empty triangle that it closes.
    int triangles(Segment s) const {
        int sum = 0;
        for (int k = 1; k <= count; ++k) sum += joined[s.i][k] && joined[s.j][k] && empty(s.i, s.j, k);
        return sum;
    }

    // The lawful segments that would each be worth one point more once `s` is drawn.
    std::vector<Segment> chances(Segment s) const {
        std::vector<Segment> found;
        for (int k = 1; k <= count; ++k) {
            if (joined[s.j][k] && lawful[s.i][k] && empty(s.i, s.j, k)) found.push_back({s.i, k});
            if (joined[s.i][k] && lawful[s.j][k] && empty(s.i, s.j, k)) found.push_back({s.j, k});
        }
        return found;
    }

    // Do two segments cross? Sharing an end is not crossing.
    bool cross(Segment s, Segment t) const {
        return apart(side(s.i, s.j, t.i), side(s.i, s.j, t.j)) && apart(side(t.i, t.j, s.i), side(t.i, t.j, s.j));
    }

private:
    std::vector<Point> points;
    int count;
    std::vector<std::vector<char>> joined, lawful;  // for each pair of points: is it drawn, may it be drawn?

    std::vector<std::vector<char>> table() const {
        return std::vector<std::vector<char>>(count + 1, std::vector<char>(count + 1, false));
    }

    // Geometry. All numbers are small integers, so nothing is rounded.

    // Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line.
    int side(int a, int b, int c) const {
        const Point &p = points[a], &q = points[b], &r = points[c];
        return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    }

    // Are both numbers on different sides of zero?
    static bool apart(int a, int b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }

    // Does a third point lie on the segment?
    bool blocked(int a, int b) const {
        const auto within = [](int p, int k, int q) { return std::min(p, q) <= k && k <= std::max(p, q); };
        for (int k = 1; k <= count; ++k)
            if (k != a && k != b && side(a, b, k) == 0 && within(points[a].x, points[k].x, points[b].x) &&
                within(points[a].y, points[k].y, points[b].y))
                return true;
        return false;
    }

    // Is no point inside the triangle?
    bool empty(int a, int b, int c) const {
        if (side(a, b, c) < 0) std::swap(b, c);  // now the inside is on the left of each side
        for (int k = 1; k <= count; ++k)
            if (side(a, b, k) > 0 && side(b, c, k) > 0 && side(c, a, k) > 0) return false;
        return true;
    }
};

// ---------------------------------------------------------------- your strategy goes here

// Picks the segment to draw, one of `board.legal`. `time_left` is in milliseconds, for the rest of the game.
Segment decide(const Board& board, long /*time_left*/) {
    using Offer = std::pair<int, Segment>;  // what a segment is worth, and the segment
    std::vector<Offer> offers;
    for (Segment s : board.legal) offers.emplace_back(board.triangles(s), s);
    std::vector<Offer> best_first = offers;
    std::stable_sort(best_first.begin(), best_first.end(), [](auto& a, auto& b) { return a.first > b.first; });

    Segment best{};
    std::pair<int, int> best_merit{-1000, 0};
    for (const auto& [worth, s] : offers) {
        // What we gain, minus the best reply of the opponent: a chance that we open, or what is there already.
        const auto chances = board.chances(s);
        int reply = 0;
        for (Segment t : chances) reply = std::max(reply, board.triangles(t) + 1);
        for (const auto& [other, t] : best_first) {
            if (other <= reply) break;
            const bool same = t.i == s.i && t.j == s.j;
            if (!same && !board.cross(t, s)) reply = other;
        }
        // Between equals, many chances for both have proved better than few.
        const std::pair<int, int> merit{worth - reply, int(chances.size())};
        if (merit > best_merit) {
            best_merit = merit;
            best = s;
        }
    }
    return best;
}

// ---------------------------------------------------------------- the protocol

Board board;
long time_left = 0;

// Carries out one command and returns the text of the answer. What it throws is answered with `?`.
std::string answer(const std::string& command, std::istream& arguments) {
    if (command == "set_points") {
        std::vector<Point> points;
        int count;
        arguments >> count;
        for (Point p; arguments >> p.x >> p.y;) points.push_back(p);
        board = Board(points);
    } else if (command == "time_left") {
        arguments >> time_left;
    } else if (command == "play") {
        Segment s{};
        arguments >> s.i >> s.j;
        board.draw(s);
    } else if (command == "gen_move") {
        if (board.legal.empty()) throw std::invalid_argument("nothing can be drawn");
        const Segment s = decide(board, time_left);
        board.draw(s);
        return std::to_string(s.i) + ' ' + std::to_string(s.j);
    } else if (command != "quit") {
        throw std::invalid_argument("unknown command");
    }
    return "";
}

int main() {
    std::string line, command;
    while (command != "quit" && std::getline(std::cin, line)) {  // getline fails when the match is over
        std::istringstream words(line.substr(0, line.find('#')));
        if (!(words >> command)) continue;  // empty lines have no meaning
        try {
            const std::string text = answer(command, words);
            std::cout << (text.empty() ? "=" : "= " + text);
        } catch (const std::invalid_argument& why) {
            std::cout << "? " << why.what();
        }
        std::cout << "\n\n" << std::flush;  // the empty line ends the answer
    }
}
