import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A bot for Planet Wars: it gathers ships for the planets that repay them soonest and rescues its own ones. */
public class Bot {
    static final int NEUTRAL = 0; // owners, in each bot's own view
    static final int ME = 1;
    static final int ENEMY = 2;

    /** A planet; {@code growth} is its new ships a turn while somebody owns it. */
    record Planet(int id, double x, double y, int owner, int ships, int growth) {
        /** The number of turns that a fleet needs from here to another planet. */
        int distance(Planet to) {
            return (int) Math.ceil(Math.sqrt((x - to.x) * (x - to.x) + (y - to.y) * (y - to.y)));
        }

        /** The number of turns in which the planet grows as many ships as it has. */
        double turnsToRepay() {
            return (double) ships / growth;
        }
    }

    /** A fleet in flight; {@code total} and {@code remaining} are in turns. */
    record Fleet(int owner, int ships, int source, int destination, int total, int remaining) {}

    record Order(int source, int destination, int ships) {}

    // ---------------------------------------------------------------- your strategy goes here

    /** A neutral planet must repay its ships within this many turns, including the trip. */
    static final double PATIENCE = 20;

    /** Returns this turn's orders. */
    static List<Order> decide(List<Planet> planets, List<Fleet> fleets) {
        // For each planet our strength there once all fleets have arrived; below zero it belongs to another player.
        int[] strength = planets.stream().mapToInt(p -> p.owner == ME ? p.ships : -p.ships).toArray();
        for (Fleet f : fleets) {
            strength[f.destination] += f.owner == ME ? f.ships : -f.ships;
        }

        // The ships that our planets can send without being lost.
        int[] spare = planets.stream()
            .mapToInt(p -> p.owner == ME ? Math.max(0, Math.min(p.ships, strength[p.id])) : 0)
            .toArray();

        // Planets to take and planets of ours to rescue, those first that repay the ships soonest.
        List<Planet> targets = planets.stream()
            .filter(p -> p.growth > 0 && (p.owner != ME || strength[p.id] < 0))
            .sorted(Comparator.comparingDouble(Planet::turnsToRepay))
            .toList();

        List<Order> orders = new ArrayList<>();
        for (Planet target : targets) {
            for (Order order : gather(target, strength[target.id], spare, planets)) {
                spare[order.source] -= order.ships;
                orders.add(order);
            }
        }
        return orders;
    }

    /** Who sends how many ships to the target, the nearest first; empty if they are too few. */
    static List<Order> gather(Planet target, int strength, int[] spare, List<Planet> planets) {
        List<Order> party = new ArrayList<>();
        int gathered = 0;
        for (Planet source : planets.stream().sorted(Comparator.comparingInt(p -> p.distance(target))).toList()) {
            int turns = source.distance(target);
            boolean tooSlow = target.owner == NEUTRAL && turns + target.turnsToRepay() > PATIENCE;
            if (spare[source.id] == 0 || tooSlow) {
                continue;
            }
            int need = 1 - strength;
            if (target.owner == ENEMY) {
                need += target.growth * turns; // it grows until the last of us is there
            }
            int ships = Math.min(spare[source.id], need - gathered);
            if (ships > 0) {
                party.add(new Order(source.id, target.id, ships));
                gathered += ships;
            }
            if (gathered >= need) {
                return party;
            }
        }
        return List.of();
    }

    // ---------------------------------------------------------------- the protocol

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        List<Planet> planets = new ArrayList<>(); // what has arrived of this turn's message
        List<Fleet> fleets = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) { // null when the match is over
            String[] w = line.replaceFirst("#.*", "").strip().split("\\s+");
            switch (w[0]) {
                case "P" -> planets.add(new Planet(planets.size(), Double.parseDouble(w[1]), Double.parseDouble(w[2]),
                    number(w[3]), number(w[4]), number(w[5])));
                case "F" -> fleets.add(
                    new Fleet(number(w[1]), number(w[2]), number(w[3]), number(w[4]), number(w[5]), number(w[6])));
                case "go" -> {
                    StringBuilder answer = new StringBuilder();
                    for (Order o : decide(planets, fleets)) {
                        answer.append(o.source + " " + o.destination + " " + o.ships + "\n");
                    }
                    System.out.print(answer.append("go\n"));
                    System.out.flush(); // otherwise the referee might never see the orders
                    planets.clear();
                    fleets.clear();
                }
                default -> { } // comments and blank lines have no meaning
            }
        }
    }

    static int number(String word) {
        return Integer.parseInt(word);
    }
}
