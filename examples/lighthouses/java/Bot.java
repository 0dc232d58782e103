import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** A bot for Lighthouses: it walks from lighthouse to lighthouse, takes them and joins them into triangles. */
public class Bot {
    static final String NAME = "Keeper";
    static final int NOBODY = -1; // the owner of a lighthouse that has none
    static final int[][] DIRECTIONS = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

    /** A cell of the map; (0, 0) is at its lower left corner. */
    record Cell(int x, int y) {
        Cell plus(int[] direction) {
            return new Cell(x + direction[0], y + direction[1]);
        }
    }

    /** A lighthouse; {@code connections} are the positions of those at the other ends. */
    record Lighthouse(Cell position, int owner, int energy, List<Cell> connections, boolean haveKey) {}

    /** What a turn begins with; {@code view} is the free energy around me, lowest row first, my cell in the middle. */
    record Turn(Cell position, int energy, int[][] view, List<Lighthouse> lighthouses) {}

    /**
     * What stays the same for the whole match: {@code map[y][x]} is 1 on the island, and for each lighthouse there is
     * the number of steps to it from every cell of the island.
     */
    record Game(int me, int[][] map, Map<Cell, int[][]> steps) {
        int steps(Lighthouse to, Cell from) {
            return steps.get(to.position)[from.y][from.x];
        }
    }

    // ---------------------------------------------------------------- your strategy goes here

    /** Less energy than this is not worth putting into a lighthouse: each loses 10 per round. */
    static final int ENOUGH = 30;

    /** Returns the command of this turn: one of pass(), move(), attack() and connect(). */
    static String decide(Game game, Turn turn) {
        Lighthouse here = null;
        for (Lighthouse l : turn.lighthouses) {
            if (l.position.equals(turn.position)) {
                here = l;
            }
        }
        if (here != null && here.owner == game.me) {
            Lighthouse link = null;
            for (Lighthouse other : heldKeys(game, turn)) {
                if (joinable(turn, here, other) && (link == null || newArea(here, other) > newArea(here, link))) {
                    link = other;
                }
            }
            if (link != null) {
                return connect(link.position);
            }
        }
        if (here != null && turn.energy > here.energy + ENOUGH) {
            return attack(turn.energy); // takes the lighthouse, or recharges it if it is ours
        }

        // Go where each step promises the most; if no step promises anything, gather energy.
        Lighthouse goal = null;
        double most = 0;
        for (Lighthouse l : turn.lighthouses) {
            if (l != here) {
                double promised = (double) promise(game, turn, l) / game.steps(l, turn.position);
                if (promised > most) {
                    most = promised;
                    goal = l;
                }
            }
        }
        return walk(game, turn, goal);
    }

    /** What a visit to a lighthouse is worth to us, in a unit of our own. */
    static long promise(Game game, Turn turn, Lighthouse goal) {
        boolean strongEnough = turn.energy > goal.energy + ENOUGH;
        if (goal.owner != game.me && !strongEnough) {
            return 0;
        }
        long worth = strongEnough ? 10 : 0;
        for (Lighthouse other : heldKeys(game, turn)) {
            if (joinable(turn, goal, other)) {
                worth += 30 + newArea(goal, other);
            }
        }
        return worth;
    }

    /** The lighthouses of ours whose keys we hold: to them we can connect another one. */
    static List<Lighthouse> heldKeys(Game game, Turn turn) {
        return turn.lighthouses.stream().filter(l -> l.haveKey && l.owner == game.me).toList();
    }

    /** The area of the triangles that a connection between two lighthouses would close. */
    static long newArea(Lighthouse a, Lighthouse b) {
        return a.connections.stream()
            .filter(b.connections::contains)
            .mapToLong(c -> Math.abs(side(a.position, b.position, c)) / 2)
            .sum();
    }

    /** A step to the cell with the most energy; with a goal (or null), only towards it. */
    static String walk(Game game, Turn turn, Lighthouse goal) {
        int[] best = null;
        for (int[] d : DIRECTIONS) {
            Cell cell = turn.position.plus(d);
            if (game.map[cell.y][cell.x] == 0
                || goal != null && game.steps(goal, cell) >= game.steps(goal, turn.position)) {
                continue;
            }
            if (best == null || freeEnergy(turn.view, d) > freeEnergy(turn.view, best)) {
                best = d;
            }
        }
        return best == null ? pass() : move(best);
    }

    // ---------------------------------------------------------------- the rules

    static String pass() {
        return "{\"command\": \"pass\"}";
    }

    /** To one of the eight cells around, if it is part of the island. */
    static String move(int[] d) {
        return "{\"command\": \"move\", \"x\": " + d[0] + ", \"y\": " + d[1] + "}";
    }

    /** Puts energy into the lighthouse under our feet, against its owner or, if we own it, for it. */
    static String attack(int energy) {
        return "{\"command\": \"attack\", \"energy\": " + energy + "}";
    }

    /** Joins the lighthouse under our feet to another one. Both must be ours, and we need the key of the other one. */
    static String connect(Cell to) {
        return "{\"command\": \"connect\", \"destination\": [" + to.x + ", " + to.y + "]}";
    }

    /** Is there room for a connection between two lighthouses? */
    static boolean joinable(Turn turn, Lighthouse a, Lighthouse b) {
        if (a.position.equals(b.position) || a.connections.contains(b.position)) {
            return false;
        }
        return turn.lighthouses.stream().noneMatch(c -> between(a.position, c.position, b.position)
            || c.connections.stream().anyMatch(d -> cross(a.position, b.position, c.position, d)));
    }

    /** Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line. */
    static long side(Cell a, Cell b, Cell c) {
        return (long) (b.x - a.x) * (c.y - a.y) - (long) (b.y - a.y) * (c.x - a.x);
    }

    /** Does c lie on the way from a to b, excluding the ends? */
    static boolean between(Cell a, Cell c, Cell b) {
        boolean inBox = (c.x - a.x) * (c.x - b.x) <= 0 && (c.y - a.y) * (c.y - b.y) <= 0;
        return inBox && side(a, b, c) == 0 && !c.equals(a) && !c.equals(b);
    }

    /** Do two connections cross? Sharing an end is not crossing. */
    static boolean cross(Cell a, Cell b, Cell c, Cell d) {
        return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
    }

    /** The free energy on a cell near us; 0 if it is too far away to see. */
    static int freeEnergy(int[][] view, int[] d) {
        int row = view.length / 2 + d[1];
        int column = view.length / 2 + d[0];
        boolean seen = 0 <= row && row < view.length && 0 <= column && column < view.length;
        return seen ? view[row][column] : 0;
    }

    /** The number of steps to a lighthouse from every cell of the island; -1 elsewhere. */
    static int[][] stepsTo(int[][] map, Cell lighthouse) {
        int[][] steps = new int[map.length][map[0].length];
        for (int[] row : steps) {
            Arrays.fill(row, -1);
        }
        steps[lighthouse.y][lighthouse.x] = 0;
        Queue<Cell> queue = new ArrayDeque<>(List.of(lighthouse)); // of a breadth-first search
        while (!queue.isEmpty()) {
            Cell from = queue.remove();
            for (int[] d : DIRECTIONS) {
                Cell to = from.plus(d); // still on the map, as its border is never part of the island
                if (map[to.y][to.x] == 1 && steps[to.y][to.x] < 0) {
                    steps[to.y][to.x] = steps[from.y][from.x] + 1;
                    queue.add(to);
                }
            }
        }
        return steps;
    }

    // ---------------------------------------------------------------- reading JSON

    /** Turns a line of JSON into Map, List, String, Double, Boolean and null. */
    static class JsonReader {
        private final String line;
        private int at = 0;

        JsonReader(String line) {
            this.line = line;
        }

        Object value() {
            switch (peek()) {
                case '{' -> {
                    Map<String, Object> object = new LinkedHashMap<>();
                    for (at++; peek() != '}'; ) {
                        if (!object.isEmpty()) {
                            expect(',');
                        }
                        String name = string();
                        expect(':');
                        object.put(name, value());
                    }
                    at++;
                    return object;
                }
                case '[' -> {
                    List<Object> array = new ArrayList<>();
                    for (at++; peek() != ']'; ) {
                        if (!array.isEmpty()) {
                            expect(',');
                        }
                        array.add(value());
                    }
                    at++;
                    return array;
                }
                case '"' -> {
                    return string();
                }
                default -> {
                    int start = at;
                    while (at < line.length() && ",]} \t\r".indexOf(line.charAt(at)) < 0) {
                        at++;
                    }
                    String word = line.substring(start, at);
                    return switch (word) {
                        case "null" -> null;
                        case "true", "false" -> Boolean.valueOf(word);
                        default -> Double.valueOf(word);
                    };
                }
            }
        }

        private String string() {
            expect('"');
            StringBuilder text = new StringBuilder();
            for (; line.charAt(at) != '"'; at++) {
                if (line.charAt(at) == '\\') {
                    at++; // of the escapes only what the referee's texts may need is translated
                }
                text.append(line.charAt(at));
            }
            at++;
            return text.toString();
        }

        private void expect(char wanted) {
            if (peek() != wanted) {
                throw new IllegalArgumentException("not JSON: " + line);
            }
            at++;
        }

        /** The next character that is no blank; 0 at the end of the line. */
        private char peek() {
            while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
                at++;
            }
            return at < line.length() ? line.charAt(at) : 0;
        }
    }

    // ---------------------------------------------------------------- the protocol

    static Map<?, ?> object(Object json) {
        return (Map<?, ?>) json;
    }

    static List<?> list(Object json) {
        return (List<?>) json;
    }

    static int integer(Object json) {
        return ((Double) json).intValue();
    }

    static Cell cell(Object json) {
        return new Cell(integer(list(json).get(0)), integer(list(json).get(1)));
    }

    static int[][] rows(Object json) {
        return list(json).stream()
            .map(row -> list(row).stream().mapToInt(Bot::integer).toArray())
            .toArray(int[][]::new);
    }

    static Game readStart(Map<?, ?> message) {
        int[][] map = rows(message.get("map"));
        Map<Cell, int[][]> steps = new HashMap<>();
        for (Object at : list(message.get("lighthouses"))) {
            steps.put(cell(at), stepsTo(map, cell(at)));
        }
        return new Game(integer(message.get("player_num")), map, steps);
    }

    static Turn readTurn(Map<?, ?> message) {
        List<Lighthouse> lighthouses = new ArrayList<>();
        for (Object json : list(message.get("lighthouses"))) {
            Map<?, ?> l = object(json);
            Object owner = l.get("owner"); // null for nobody if the original engine is talking
            lighthouses.add(new Lighthouse(cell(l.get("position")), owner == null ? NOBODY : integer(owner),
                integer(l.get("energy")), list(l.get("connections")).stream().map(Bot::cell).toList(),
                (Boolean) l.get("have_key")));
        }
        int energy = integer(message.get("energy"));
        return new Turn(cell(message.get("position")), energy, rows(message.get("view")), lighthouses);
    }

    static void say(String answer) {
        System.out.println(answer);
        System.out.flush(); // otherwise the referee might never see the answer
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Game game = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) { // null when the match is over
            if (line.isBlank()) {
                continue;
            }
            Map<?, ?> message = object(new JsonReader(line).value());
            if (message.containsKey("player_num")) {
                game = readStart(message); // the first message of the match
                say("{\"name\": \"" + NAME + "\"}");
            } else if (message.containsKey("success")) { // of our last command; the referee expects no answer
                if (message.get("success").equals(false)) {
                    System.err.println("[" + NAME + "] " + message.get("message"));
                }
            } else {
                say(decide(game, readTurn(message)));
            }
        }
    }
}
