import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;

/** A bot for the Grid game: it grows towards the enemy and takes its tiles where it can. */
public class Bot {
    static final char EMPTY = '-';

    /** Column and row of a tile, counted from the top left. */
    record Tile(int x, int y) {}

    // ---------------------------------------------------------------- your strategy goes here

    /**
     * Picks the tiles to capture this turn, at most {@code budget} of them. Lawful targets share a side with one of my
     * tiles as the map stands now, whoever owns the target.
     *
     * @param me my id, '1' or '2'
     */
    static List<Tile> decide(char me, int budget, Grid grid) {
        int[][] distance = distanceToEnemy(me, grid);
        List<Tile> targets = new ArrayList<>();
        for (Tile t : grid.tiles()) {
            if (grid.owner(t) != me && grid.sides(t).stream().anyMatch(n -> grid.owner(n) == me)) {
                targets.add(t);
            }
        }
        // Enemy tiles come first (distance 0), then what lies nearest to them. Between equals the tile with the most
        // empty space around it is the better one: a tile without any suffocates.
        Comparator<Tile> nearest = Comparator.comparingInt(t -> distance[t.y][t.x]);
        targets.sort(nearest.thenComparingInt(t -> -grid.emptyAround(t)));
        return targets.subList(0, Math.min(budget, targets.size()));
    }

    /** For each tile the number of side steps to the nearest enemy tile (a large number if he has none). */
    static int[][] distanceToEnemy(char me, Grid grid) {
        int far = grid.width() * grid.height();
        int[][] distance = new int[grid.height()][grid.width()];
        Queue<Tile> queue = new ArrayDeque<>(); // of a breadth-first search
        for (Tile t : grid.tiles()) {
            boolean enemy = grid.owner(t) != me && grid.owner(t) != EMPTY;
            distance[t.y][t.x] = enemy ? 0 : far;
            if (enemy) {
                queue.add(t);
            }
        }
        while (!queue.isEmpty()) {
            Tile t = queue.remove();
            for (Tile n : grid.sides(t)) {
                if (distance[n.y][n.x] == far) {
                    distance[n.y][n.x] = distance[t.y][t.x] + 1;
                    queue.add(n);
                }
            }
        }
        return distance;
    }

    // ---------------------------------------------------------------- the map

    /** The rows from top to bottom; each character is the id of the tile's owner, or EMPTY. */
    record Grid(List<String> rows) {
        int width() {
            return rows.get(0).length();
        }

        int height() {
            return rows.size();
        }

        char owner(Tile t) {
            return rows.get(t.y).charAt(t.x);
        }

        boolean holds(Tile t) {
            return 0 <= t.x && t.x < width() && 0 <= t.y && t.y < height();
        }

        /** All tiles, row by row. */
        List<Tile> tiles() {
            List<Tile> all = new ArrayList<>();
            for (int y = 0; y < height(); y++) {
                for (int x = 0; x < width(); x++) {
                    all.add(new Tile(x, y));
                }
            }
            return all;
        }

        /** The tiles that share a side with {@code t}. */
        List<Tile> sides(Tile t) {
            Tile up = new Tile(t.x, t.y - 1);
            Tile left = new Tile(t.x - 1, t.y);
            Tile right = new Tile(t.x + 1, t.y);
            Tile down = new Tile(t.x, t.y + 1);
            return Stream.of(up, left, right, down).filter(this::holds).toList();
        }

        /** How many of the up to eight tiles around {@code t} are empty. */
        int emptyAround(Tile t) {
            int count = owner(t) == EMPTY ? -1 : 0;
            for (int y = t.y - 1; y <= t.y + 1; y++) {
                for (int x = t.x - 1; x <= t.x + 1; x++) {
                    Tile n = new Tile(x, y);
                    if (holds(n) && owner(n) == EMPTY) {
                        count++;
                    }
                }
            }
            return count;
        }
    }

    // ---------------------------------------------------------------- the protocol

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        List<String> message = new ArrayList<>(); // the lines of the referee's message that have arrived so far
        for (String line = in.readLine(); line != null; line = in.readLine()) { // null when the match is over
            if (!line.strip().equals(".")) {
                message.add(line.strip());
                continue;
            }
            char me = message.get(0).charAt(2); // Y <my id>
            int budget = Integer.parseInt(message.get(1).substring(2).strip()); // E <budget>
            StringBuilder answer = new StringBuilder();
            for (Tile t : decide(me, budget, new Grid(message.subList(2, message.size())))) {
                answer.append("C ").append(t.x).append(' ').append(t.y).append('\n');
            }
            System.out.print(answer.append(".\n"));
            System.out.flush(); // otherwise the referee might never see the answer
            message.clear();
        }
    }
}
