//! One turn, in the order of the specification's "Game State Update": departure, advancement, arrival, and the end of
//! the game.

use crate::{
    fleets::{Launch, muster},
    order::{Event, Order, check_one, ships_lost},
    position::{Position, Scratch},
    rules::{Forfeit, ZeroShips},
};
use agon_core::{Ending, Failure, Game, Joint, Seat, Sink};

/// Plays one turn.
#[inline]
pub(crate) fn play(game: &mut Position, joint: Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    if game.over() {
        return;
    }
    let mut failed = [false; 2];
    for entry in joint.entries() {
        if let Some(failed) = failed.get_mut(entry.seat.index()) {
            *failed = entry.failure.is_some();
        }
    }
    if failed != [false; 2] {
        return play_with_forfeits(game, joint, failed, tmp, out);
    }
    depart(game, joint, tmp, out);
    game.planets.grow();
    advance(game);
    arrive(game, out);
    conclude(game);
}

#[cold]
fn play_with_forfeits(
    game: &mut Position,
    joint: Joint<'_, Order>,
    failed: [bool; 2],
    tmp: &mut Scratch,
    out: &mut impl Sink<Event>,
) {
    let losers = || [0, 1].into_iter().filter(|i| failed[*i]).map(Seat::new);
    game.forfeited = failed;
    losers().for_each(|seat| out.put(Event::Forfeited { seat }));
    if game.rules().forfeit == Forfeit::Ends {
        // Specification "Bot Orders": "instantly loses the game".
        game.ending = Ending::Forfeit;
        return;
    }
    depart(game, joint, tmp, out);
    losers().for_each(|seat| disband(game, seat));
    game.planets.grow();
    advance(game);
    arrive(game, out);
    conclude(game);
}

/// Specification "Departure": executes the orders in the order in which they were given.
fn depart(game: &mut Position, joint: Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    for entry in joint.entries() {
        let lawful = match entry.failure {
            Some(Failure::Unlawful(index)) => entry.orders.len().min(index as usize),
            _ => entry.orders.len(),
        };
        for (index, order) in entry.orders[..lawful].iter().enumerate() {
            launch(game, entry.seat, index, order, tmp, out);
        }
        if let Some((source, ships)) = entry.orders.get(lawful).and_then(|order| ships_lost(game, entry.seat, order)) {
            game.planets.ships[source] -= ships;
        }
    }
    let rules = *game.rules();
    if let Some(fleets) = &mut game.fleets
        && !tmp.muster.launches.is_empty()
    {
        muster(fleets, &mut tmp.muster, &rules);
    }
}

/// Executes one order. An unlawful order does nothing; [`judge`](agon_core::judge) lets none through.
#[inline]
fn launch(game: &mut Position, seat: Seat, index: usize, order: &Order, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    let Ok([source, destination]) = check_one(game, seat, order, |source| game.planets.ships[source]) else { return };
    let trip = game.chart().trip(source, destination);
    let ships = order.ships;
    if game.fleets.is_some() {
        // This includes orders of zero ships: the official server's order of fleets depends on them.
        tmp.muster.launches.push(Launch::new(seat.index(), index, ships, [source, destination], trip));
    }
    if ships == 0 && game.rules().zero_ships == ZeroShips::Nothing {
        return;
    }
    game.planets.ships[source] -= ships;
    game.arrivals.add(seat.index(), destination, ships, trip);
    let (source, destination) = (source as u16, destination as u16);
    out.put(Event::Departed { seat, source, destination, ships, trip });
}

/// Plays a forfeit that lets the turn go on: the player's planets become neutral and keep their ships, and its fleets
/// vanish, including those of this turn.
fn disband(game: &mut Position, seat: Seat) {
    while let Some(planet) = game.planets.next_owned(seat.index(), 0) {
        game.planets.give(planet, 0);
    }
    game.arrivals.remove(seat.index());
    if let Some(fleets) = &mut game.fleets {
        fleets.retain(|f| f.owner != seat.number());
    }
}

/// Specification "Advancement": the remaining time of every fleet falls by one turn.
#[inline]
fn advance(game: &mut Position) {
    if let Some(fleets) = &mut game.fleets {
        fleets.iter_mut().for_each(|f| f.remaining -= 1);
    }
}

/// Specification "Arrival": at each planet the forces of the garrison and the arriving fleets are combined by owner.
/// The largest force wins and loses as many ships as the second largest had. If the two largest are equal, the owner
/// stays and has no ships left.
#[inline]
fn arrive(game: &mut Position, out: &mut impl Sink<Event>) {
    game.planets.meet(&mut game.arrivals, |planet, (before, docked), [first, second], (after, left)| {
        let mut forces = [0, first, second];
        forces[before as usize] += docked;
        let (planet, before, after) = (planet as u16, before as u8, after as u8);
        out.put(Event::Arrived { planet, forces, before, after, left });
    });
    if let Some(fleets) = &mut game.fleets {
        fleets.retain(|f| f.remaining > 0);
    }
    game.arrivals.advance();
    game.turn += 1;
}

/// Fights the battle at one planet. Takes the owner and ships before, and the arriving ships of players 1 and 2.
/// Returns the owner and ships after.
#[inline]
#[must_use]
pub fn battle(owner: i32, ships: i32, first: i32, second: i32) -> (i32, i32) {
    let one = first + (ships & -i32::from(owner == 1));
    let two = second + (ships & -i32::from(owner == 2));
    let neutral = ships & -i32::from(owner == 0);
    let (high, low) = (one.max(two), one.min(two));
    let top = high.max(neutral);
    let runner_up = low.max(high.min(neutral));
    let winner = (1 & -i32::from(one == top)) | (2 & -i32::from(two == top));
    let left = top - runner_up;
    // Specification "Arrival": "if forces completely cancel out then the original owner retains the planet".
    (if left == 0 { owner } else { winner }, left)
}

/// Checks specification "Endgame Conditions", after each turn and before the first.
#[inline]
pub(crate) fn conclude(game: &mut Position) {
    let [first, second] = game.alive();
    if game.forfeited != [false; 2] {
        game.ending = Ending::Forfeit;
    } else if !(first && second) {
        game.ending = Ending::Elimination;
    } else if game.turn >= game.limit() {
        game.ending = Ending::Limit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map, rules::Rules};
    use agon_core::{Setup, Standing, Terms};
    use alloc::vec::Vec;

    fn start(text: &str, rules: Rules, limit: u32) -> Position {
        let terms = Terms { rules, seats: 2, limit: Some(limit) };
        Position::from_map(map::parse(text.as_bytes()).unwrap(), &terms).unwrap()
    }

    fn order(source: i32, destination: i32, ships: i32) -> Order {
        Order { source, destination, ships }
    }

    /// Plays one turn with these orders and failures.
    fn turn(game: &mut Position, orders: [&[Order]; 2], failures: [Option<Failure>; 2]) -> Vec<Event> {
        let mut tmp = Scratch::default();
        let entries =
            [0, 1].map(|side| agon_core::judge(game, Seat::new(side), orders[side], failures[side], &mut tmp).0);
        let mut events = Vec::new();
        game.resolve(Joint::new(&entries), &mut tmp, &mut events);
        events
    }

    fn pass(game: &mut Position) {
        turn(game, [&[], &[]], [None; 2]);
    }

    fn places(standing: &Standing) -> (u8, u8) {
        (standing.places[0], standing.places[1])
    }

    #[test]
    fn a_planet_of_player_1_with_4_ships_and_growth_2_next_has_6() {
        let mut game = start("P 0 0 1 4 2\nP 9 9 2 4 2\nP 5 5 0 4 2\n", Rules::SPEC, 9);
        pass(&mut game);
        assert_eq!((game.ships(0), game.owner(0)), (6, 1));
        // "Had the planet been owned by neutral instead, its population would not have grown."
        assert_eq!((game.ships(2), game.owner(2)), (4, 0));
    }

    #[test]
    fn battles_of_the_specification() {
        // One force: "that is the new occupation of the planet".
        assert_eq!(battle(1, 5, 6, 0), (1, 11));
        // "11 ships" against "10 ships".
        assert_eq!(battle(1, 5, 6, 10), (1, 1));
        // "If both forces are the same size, then the winner is the original owner", with zero ships.
        assert_eq!(battle(2, 10, 10, 0), (2, 0));
        // "Player 1 has a force of 5 ships, player 2 has a force of 4 ships, and neutral has a force of 3".
        assert_eq!(battle(0, 3, 5, 4), (1, 1));
        // "If the top two forces are the same size, the original owner retains ownership".
        assert_eq!(battle(0, 4, 10, 10), (0, 0));
        assert_eq!(battle(0, 10, 10, 4), (0, 0));
        // Point W22: one ship takes a neutral planet with 0 ships, and fleets of 0 ships change nothing.
        assert_eq!(battle(0, 0, 1, 0), (1, 1));
        assert_eq!(battle(0, 0, 0, 0), (0, 0));
    }

    #[test]
    fn a_fleet_fights_when_its_trip_is_over_after_the_defender_has_grown() {
        let mut game = start("P 0 0 1 50 0\nP 3 0 2 20 2\n", Rules::SPEC, 9);
        turn(&mut game, [&[order(0, 1, 26)], &[]], [None; 2]);
        pass(&mut game);
        assert_eq!(game.ships(1), 24);
        pass(&mut game);
        // 20 ships and three times a growth of 2 make 26: a tie keeps the owner.
        assert_eq!((game.owner(1), game.ships(1)), (2, 0));
    }

    #[test]
    fn the_player_with_the_most_ships_in_planets_and_fleets_wins_at_the_limit() {
        let mut game = start("P 0 0 1 50 0\nP 30 0 2 49 0\n", Rules::SPEC, 2);
        turn(&mut game, [&[order(0, 1, 50)], &[]], [None; 2]);
        pass(&mut game);
        let standing = game.standing();
        assert_eq!((standing.ending, places(&standing)), (Ending::Limit, (1, 2)));
        assert_eq!(standing.scores, [50, 49]);
    }

    #[test]
    fn by_the_specification_a_player_is_out_without_ships_and_by_the_engines_without_planets() {
        let map = "P 0 0 1 10 0\nP 5 0 2 30 0\nP 0 1 0 100 0\n";
        for (rules, ending) in [(Rules::SPEC, Ending::Elimination), (Rules::ORIGINAL, Ending::Unfinished)] {
            let mut game = start(map, rules, 9);
            turn(&mut game, [&[order(0, 2, 10)], &[]], [None; 2]);
            assert_eq!(game.standing().ending, ending);
            assert_eq!(places(&game.standing()), (2, 1));
        }
    }

    #[test]
    fn by_the_specification_a_forfeit_ends_the_game_before_the_turn_is_carried_out() {
        let map = "P 0 0 1 50 2\nP 5 0 2 10 2\n";
        for failure in [Failure::Late, Failure::Gone, Failure::Nonsense] {
            let mut game = start(map, Rules::SPEC, 9);
            let events = turn(&mut game, [&[order(0, 1, 9)], &[order(1, 0, 9)]], [Some(failure), None]);
            assert_eq!(events, [Event::Forfeited { seat: Seat::new(0) }]);
            assert_eq!((game.turn(), game.ships(0), game.ships(1)), (0, 50, 10));
            assert_eq!((game.standing().ending, places(&game.standing())), (Ending::Forfeit, (2, 1)));
        }
        let mut game = start(map, Rules::SPEC, 9);
        turn(&mut game, [&[order(0, 0, 1)], &[order(1, 0, 11)]], [None; 2]);
        assert_eq!((game.standing().ending, places(&game.standing())), (Ending::Forfeit, (1, 1)));
    }

    #[test]
    fn by_the_engines_a_forfeit_turns_planets_neutral_and_plays_the_turn() {
        for rules in [Rules::ORIGINAL, Rules::PLAYGAME] {
            let mut game = start("P 0 0 1 50 2\nP 5 0 2 10 2\nP 9 9 1 7 1\n", rules, 9);
            turn(&mut game, [&[order(0, 1, 9), order(0, 1, 99)], &[]], [None; 2]);
            assert_eq!([0, 1, 2].map(|p| (game.owner(p), game.ships(p))), [(0, 41), (2, 12), (0, 7)]);
            assert_eq!(game.fleets(), Some(&[][..]));
            assert_eq!((game.standing().ending, places(&game.standing())), (Ending::Forfeit, (2, 1)));
        }
    }

    #[test]
    fn the_last_player_wins_also_without_ships_but_not_on_the_ladder() {
        // In the turn in which player 2 fails, player 1 loses its last ships to a neutral planet and keeps an empty one.
        let map = "P 0 0 1 10 0\nP 9 0 2 30 0\nP 0 1 0 10 0\n";
        for (rules, expected) in [(Rules::SPEC, (1, 2)), (Rules::PLAYGAME, (1, 2)), (Rules::ORIGINAL, (1, 1))] {
            let mut game = start(map, rules, 9);
            turn(&mut game, [&[order(0, 2, 10)], &[]], [None, Some(Failure::Late)]);
            assert_eq!((game.standing().ending, places(&game.standing())), (Ending::Forfeit, expected));
        }
    }

    #[test]
    fn two_planets_at_one_position_are_refused_by_the_specification() {
        let map = map::parse(b"P 0 0 1 5 1\nP 1 1 2 5 1\nP -0 0.0 0 5 1\n").unwrap();
        let terms = |rules| Terms { rules, seats: 2, limit: None };
        let flawed = Position::from_map(map.clone(), &terms(Rules::SPEC)).unwrap_err();
        assert!(flawed.flaw.what.contains("planets 0 and 2"), "{}", flawed.flaw);
        assert_eq!(flawed.map, map);
        let game = Position::from_map(map, &terms(Rules::ORIGINAL)).unwrap();
        assert_eq!(game.chart().trip(0, 2), 0);
    }

    #[test]
    fn more_ships_than_32_bits_can_count_are_refused_at_the_start() {
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(1_000) };
        for text in ["P 0 0 1 2147483646 1\nP 9 9 2 5 1\n", "P 0 0 1 5 2147483646\nP 9 9 2 5 1\n"] {
            let map = map::parse(text.as_bytes()).unwrap();
            let flawed = Position::from_map(map, &terms).unwrap_err();
            assert!(flawed.flaw.what.contains("player 1 could have"), "{}", flawed.flaw);
        }
        // A neutral planet may hold that many.
        let map = map::parse(b"P 0 0 1 5 0\nP 9 9 2 5 0\nP 3 3 0 2147483646 0\n").unwrap();
        assert!(Position::from_map(map, &terms).is_ok());
    }
}
