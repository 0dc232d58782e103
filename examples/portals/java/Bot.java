import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A bot for Portals: it takes the portal that is cheapest to reach, links it to all it can, and goes to the next. */
public class Bot {
    static final int CAPTURE = 3; // what things cost in action points
    static final int NEUTRALISE = 10;
    static final int NEUTRALISE_SHIELD = 5;
    static final int TURBO = 6;
    static final int NEUTRAL = -1; // the owner of a portal that nobody holds
    static final int OK = 0; // the answer to an action that was carried out

    /** A cell of the map. */
    record Cell(int x, int y) {
        int distance(Cell to) {
            return Math.abs(x - to.x) + Math.abs(y - to.y);
        }
    }

    /** A portal; its owner is 0, 1 or NEUTRAL. */
    record Portal(int owner, int shields) {}

    record Link(Cell end1, Cell end2, int owner) {}

    // ---------------------------------------------------------------- your strategy goes here

    /** Plays one turn: reads {@code turn} and acts through its methods. */
    static void play(Turn turn) {
        while (true) {
            take(turn);
            linkAll(turn);
            Cell goal = turn.portals.keySet().stream()
                .filter(at -> turn.portals.get(at).owner != turn.me && !at.equals(turn.position()))
                .min(Comparator.comparingInt(at -> cost(turn, at)))
                .orElse(null);
            if (goal == null) {
                break;
            }
            if (cost(turn, goal) > turn.actionPoints) {
                turn.move(towards(turn, goal));
                break;
            }
            while (turn.movePoints < turn.position().distance(goal)) {
                turn.turbo();
            }
            turn.move(goal);
        }
        while (turn.shield() == OK) { } // the remaining points protect the portal on which the turn ends
    }

    /** Makes the portal under our feet ours, if there is one and the points suffice. */
    static void take(Turn turn) {
        Portal portal = turn.portals.get(turn.position());
        if (portal == null || portal.owner == turn.me) {
            return;
        }
        if (portal.owner == NEUTRAL || turn.neutralise() == OK) {
            turn.capture();
        }
    }

    /** Links the portal under our feet to ours. The referee refuses what the rules forbid, and that costs nothing. */
    static void linkAll(Turn turn) {
        Cell here = turn.position();
        List<Cell> mine = new ArrayList<>(turn.portals.keySet());
        mine.removeIf(at -> turn.portals.get(at).owner != turn.me);
        if (mine.remove(here)) {
            mine.sort(Comparator.comparingInt(here::distance));
            mine.forEach(turn::link);
        }
    }

    /** The action points needed to go to a portal and capture it. */
    static int cost(Turn turn, Cell goal) {
        Portal portal = turn.portals.get(goal);
        int fight = portal.owner == NEUTRAL ? 0 : NEUTRALISE + NEUTRALISE_SHIELD * portal.shields;
        return TURBO * Math.max(0, turn.position().distance(goal) - turn.movePoints) + fight + CAPTURE;
    }

    /** The cell next to the goal that our move points reach: first sideways, then up or down. */
    static Cell towards(Turn turn, Cell goal) {
        Cell from = turn.position();
        int dx = clamp(goal.x - from.x, turn.movePoints);
        int dy = clamp(goal.y - from.y, turn.movePoints - Math.abs(dx));
        return new Cell(from.x + dx, from.y + dy);
    }

    static int clamp(int steps, int limit) {
        return Math.max(-limit, Math.min(limit, steps));
    }

    // ---------------------------------------------------------------- the game

    /** The state as we know it. Each action asks the referee and returns its code, 0 if it was carried out. */
    static class Turn {
        final int me;
        final int round;
        final Cell[] agents = new Cell[2];
        final long[] scores = new long[2];
        int actionPoints;
        int movePoints;
        final Map<Cell, Portal> portals = new LinkedHashMap<>(); // by x, then by y, as they are sent
        final List<Link> links = new ArrayList<>();

        Turn(int me, int round) {
            this.me = me;
            this.round = round;
        }

        Cell position() {
            return agents[me];
        }

        int move(Cell to) {
            int code = act("move " + to.x + " " + to.y);
            if (code == OK) {
                agents[me] = to;
            }
            return code;
        }

        int turbo() {
            return act("turbo");
        }

        int capture() {
            int code = act("capture");
            if (code == OK) {
                portals.put(position(), new Portal(me, 0));
            }
            return code;
        }

        int neutralise() {
            int code = act("neutralise");
            if (code == OK) {
                portals.put(position(), new Portal(NEUTRAL, 0));
                links.removeIf(l -> l.end1.equals(position()) || l.end2.equals(position()));
            }
            return code;
        }

        int link(Cell to) {
            int code = act("link " + to.x + " " + to.y);
            if (code == OK) {
                links.add(new Link(position(), to, me));
            }
            return code;
        }

        int shield() {
            int code = act("shield");
            if (code == OK) {
                portals.computeIfPresent(position(), (at, portal) -> new Portal(me, portal.shields + 1));
            }
            return code;
        }

        private int act(String line) {
            say(line);
            String[] result = nextLine().split(" ");
            actionPoints = Integer.parseInt(result[2]);
            movePoints = Integer.parseInt(result[3]);
            scores[me] = Long.parseLong(result[4]);
            return Integer.parseInt(result[1]);
        }
    }

    // ---------------------------------------------------------------- the protocol

    static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

    /** The next line of the referee. When the match is over the input ends, and with it the program. */
    static String nextLine() {
        try {
            String line = IN.readLine();
            if (line == null) {
                System.exit(0);
            }
            return line;
        } catch (IOException why) {
            throw new UncheckedIOException(why);
        }
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush(); // otherwise the referee might never see it
    }

    public static void main(String[] args) {
        int me = 0;
        Turn turn = null;
        while (true) {
            String[] words = nextLine().strip().split("\\s+");
            switch (words[0]) {
                case "me" -> me = number(words[1]);
                case "turn" -> turn = new Turn(me, number(words[1])); // the state begins
                case "agent" -> {
                    int player = number(words[1]);
                    turn.agents[player] = new Cell(number(words[2]), number(words[3]));
                    turn.scores[player] = Long.parseLong(words[4]);
                    if (player == me) {
                        turn.actionPoints = number(words[5]);
                        turn.movePoints = number(words[6]);
                    }
                }
                case "portal" -> turn.portals.put(new Cell(number(words[1]), number(words[2])),
                    new Portal(number(words[3]), number(words[4])));
                case "link" -> turn.links.add(new Link(new Cell(number(words[1]), number(words[2])),
                    new Cell(number(words[3]), number(words[4])), number(words[5])));
                case "init" -> say("ready"); // the greeting ends; there is time here to look at the map
                case "go" -> { // the state is complete: our turn
                    play(turn);
                    say("end");
                }
                default -> { } // the rules and what the opponent did: this bot does not need them
            }
        }
    }

    static int number(String word) {
        return Integer.parseInt(word);
    }
}
