import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A bot for Triangles: it gains what it can and leaves the opponent as little as possible. */
public class Bot {
    record Point(int x, int y) {}

    /** Two point numbers; the protocol counts the points from 1. */
    record Segment(int i, int j) {}

    // ---------------------------------------------------------------- your strategy goes here

    /** A lawful segment and the points that drawing it is worth now. */
    record Offer(Segment segment, int worth) {}

    /**
     * Picks the segment to draw, one of {@code board.legal}.
     *
     * @param timeLeft milliseconds, for the rest of the game
     */
    static Segment decide(Board board, long timeLeft) {
        List<Offer> offers = board.legal.stream().map(s -> new Offer(s, board.triangles(s))).toList();
        List<Offer> bestFirst = offers.stream().sorted(Comparator.comparingInt(o -> -o.worth)).toList();
        Segment best = null;
        int bestMerit = 0;
        int bestChances = 0;
        for (Offer offer : offers) {
            // What we gain, minus the best reply of the opponent: a chance that we open, or what is there
            // already.
            List<Segment> chances = board.chances(offer.segment);
            int reply = chances.stream().mapToInt(s -> board.triangles(s) + 1).max().orElse(0);
            for (Offer other : bestFirst) {
                if (other.worth <= reply) {
                    break;
                }
                if (other != offer && !board.cross(other.segment, offer.segment)) {
                    reply = other.worth;
                }
            }
            int merit = offer.worth - reply;
            // Between equals, many chances for both have proved better than few.
            if (best == null || merit > bestMerit || merit == bestMerit && chances.size() > bestChances) {
                best = offer.segment;
                bestMerit = merit;
                bestChances = chances.size();
            }
        }
        return best;
    }

    // ---------------------------------------------------------------- the board

    /** The points, what has been drawn, and what may still be drawn. */
    static class Board {
        final int count;
        final Point[] points; // points[0] is not used
        final boolean[][] joined; // for each pair of points: is the segment drawn?
        final boolean[][] lawful; // may it be drawn?
        List<Segment> legal = new ArrayList<>(); // every lawful segment once, with i < j

        Board(List<Point> given) {
            count = given.size();
            points = new Point[count + 1];
            joined = new boolean[count + 1][count + 1];
            lawful = new boolean[count + 1][count + 1];
            for (int i = 1; i <= count; i++) {
                points[i] = given.get(i - 1);
            }
            // At first a segment is unlawful only if it passes through a point.
            for (int i = 1; i <= count; i++) {
                for (int j = i + 1; j <= count; j++) {
                    if (!blocked(i, j)) {
                        legal.add(new Segment(i, j));
                        allow(i, j, true);
                    }
                }
            }
        }

        private void allow(int i, int j, boolean yes) {
            lawful[i][j] = yes;
            lawful[j][i] = yes;
        }

        /** Draws a segment, after which segments that cross it are no longer lawful. */
        void draw(int i, int j) {
            if (Math.min(i, j) < 1 || Math.max(i, j) > count || !lawful[i][j]) {
                throw new IllegalArgumentException(i + " " + j + " cannot be drawn");
            }
            Segment drawn = new Segment(Math.min(i, j), Math.max(i, j));
            joined[i][j] = true;
            joined[j][i] = true;
            List<Segment> rest = new ArrayList<>();
            for (Segment s : legal) {
                if (s.equals(drawn) || cross(s, drawn)) {
                    allow(s.i, s.j, false);
                } else {
                    rest.add(s);
                }
            }
            legal = rest;
        }

        /** What drawing a segment is worth now: a point for each empty triangle that it closes. */
        int triangles(Segment s) {
            int sum = 0;
            for (int k = 1; k <= count; k++) {
                if (joined[s.i][k] && joined[s.j][k] && empty(s.i, s.j, k)) {
                    sum++;
                }
            }
            return sum;
        }

        /** The lawful segments that would each be worth one point more once {@code s} is drawn. */
        List<Segment> chances(Segment s) {
            List<Segment> found = new ArrayList<>();
            for (int k = 1; k <= count; k++) {
                if (joined[s.j][k] && lawful[s.i][k] && empty(s.i, s.j, k)) {
                    found.add(new Segment(s.i, k));
                }
                if (joined[s.i][k] && lawful[s.j][k] && empty(s.i, s.j, k)) {
                    found.add(new Segment(s.j, k));
                }
            }
            return found;
        }

        /** Do two segments cross? Sharing an end is not crossing. */
        boolean cross(Segment s, Segment t) {
            return side(s.i, s.j, t.i) * side(s.i, s.j, t.j) < 0 && side(t.i, t.j, s.i) * side(t.i, t.j, s.j) < 0;
        }

        // Geometry. All numbers are small integers, so nothing is rounded.

        /** 1 if c lies to the left of the line from a to b, -1 to the right, 0 on the line. */
        private int side(int a, int b, int c) {
            Point p = points[a];
            Point q = points[b];
            Point r = points[c];
            return Integer.signum((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
        }

        /** Does a third point lie on the segment? */
        private boolean blocked(int a, int b) {
            Point p = points[a];
            Point q = points[b];
            for (int k = 1; k <= count; k++) {
                Point r = points[k];
                boolean inBox = (r.x - p.x) * (r.x - q.x) <= 0 && (r.y - p.y) * (r.y - q.y) <= 0;
                if (k != a && k != b && inBox && side(a, b, k) == 0) {
                    return true;
                }
            }
            return false;
        }

        /** Is no point inside the triangle? */
        private boolean empty(int a, int b, int c) {
            int turn = side(a, b, c);
            for (int k = 1; k <= count; k++) {
                if (side(a, b, k) == turn && side(b, c, k) == turn && side(c, a, k) == turn) {
                    return false;
                }
            }
            return true;
        }
    }

    // ---------------------------------------------------------------- the protocol

    private Board board = new Board(List.of());
    private long timeLeft = 0;

    /** Carries out one command and returns the text of the answer. What it throws is answered with `?`. */
    String answer(String command, int[] numbers) {
        switch (command) {
            case "set_points" -> {
                List<Point> points = new ArrayList<>();
                for (int n = 1; n + 1 < numbers.length; n += 2) {
                    points.add(new Point(numbers[n], numbers[n + 1]));
                }
                board = new Board(points);
            }
            case "time_left" -> timeLeft = numbers[0];
            case "play" -> board.draw(numbers[0], numbers[1]);
            case "gen_move" -> {
                if (board.legal.isEmpty()) {
                    throw new IllegalArgumentException("nothing can be drawn");
                }
                Segment s = decide(board, timeLeft);
                board.draw(s.i, s.j);
                return " " + s.i + " " + s.j;
            }
            case "quit" -> { }
            default -> throw new IllegalArgumentException("unknown command");
        }
        return "";
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Bot bot = new Bot();
        for (String line = in.readLine(); line != null; line = in.readLine()) { // null when the match is over
            String[] words = line.replaceFirst("#.*", "").strip().split("\\s+");
            if (words[0].isEmpty()) {
                continue; // empty lines have no meaning
            }
            String reply;
            try {
                int[] numbers = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
                reply = "=" + bot.answer(words[0], numbers);
            } catch (IllegalArgumentException why) { // a word that is no number is one, too
                reply = "? " + why.getMessage();
            }
            System.out.print(reply + "\n\n"); // the empty line ends the answer
            System.out.flush();
            if (words[0].equals("quit")) {
                return;
            }
        }
    }
}
