//! The laws that every game must obey, as one generic test.
//!
//! A game's `tests/laws.rs` calls [`all`] with a few cases (maps, rule sets, numbers of seats), and
//! [`allocates_nothing`] with the [`CountingAllocator`] installed:
//!
//! ```text
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! #[test]
//! fn laws() {
//!     let case = Case { map: Map::Generated("island", 7), rules: "spec", seats: 3, limit: Some(60), seed: 1 };
//!     laws::all::<Position>(&case);
//!     laws::allocates_nothing::<Position>(&case);
//! }
//! ```
//!
//! A function of a law panics if the game breaks the law. The message says what is wrong, and in which ply.

mod allocator;
mod frames;
pub mod hostile;
mod line;
mod lists;
mod protocol;
mod states;
mod walk;

use crate::{Contest, Entry, Flaw, Joint, LawHooks, Rng, RuleSet, Seat, Seats, Seed, State, Terms, judge, rules};
use alloc::{format, string::String, vec::Vec};
pub use allocator::CountingAllocator;
pub use frames::{
    every_position_can_be_drawn, frames_show_no_hidden_fact, incidents_name_things_on_the_board,
    incidents_tell_no_hidden_fact,
};
use line::Line;
pub use lists::{
    generators_make_maps_that_can_be_played, rule_sets_survive_print_and_parse, seat_counts, the_lists_are_complete,
};
pub use protocol::lines_begin_with_words_of_the_protocol;
pub use states::{maps_and_states_are_the_whole_position, wrong_states_are_flaws};
use walk::{PLIES, begin, judge_all, play, resolve, sampled, walk};

/// A match on which to test the laws.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The map of the match.
    pub map: Map<'a>,
    /// The rule set, written as on the command line.
    pub rules: &'a str,
    /// The number of seats.
    pub seats: usize,
    /// The limit in rounds or turns. `None` means the game's default.
    pub limit: Option<u32>,
    /// The seed of the random play.
    pub seed: u64,
}

/// The source of a case's map.
#[derive(Clone, Copy, Debug)]
pub enum Map<'a> {
    /// The text of a map file.
    Text(&'a str),
    /// The text of a map file, and what the position has beyond it.
    Position(&'a str, &'a State),
    /// The kind and the seed of a generated map.
    Generated(&'a str, u64),
}

impl Case<'_> {
    /// Returns the position from which the case starts.
    ///
    /// # Errors
    /// Fails if the map, the rules or the number of seats do not fit.
    pub fn start<C: Contest>(&self) -> Result<C, Flaw> {
        let map = match self.map {
            Map::Text(text) => C::parse_map(text.as_bytes())?,
            Map::Generated(kind, seed) => C::generate(kind, Seed(seed), self.seats)?,
            Map::Position(text, state) => {
                return C::from_state(C::parse_map(text.as_bytes())?, &self.terms(), state);
            }
        };
        C::from_map(map, &self.terms()).map_err(|flawed| flawed.flaw)
    }

    /// Returns the terms of the match.
    ///
    /// # Panics
    /// Panics if the rule set is unknown.
    fn terms<R: RuleSet>(&self) -> Terms<R> {
        let rules = rules::parse(self.rules).unwrap_or_else(|why| panic!("{}: {why}", self.rules));
        Terms { rules, seats: self.seats, limit: self.limit }
    }
}

/// Tests all laws except [`allocates_nothing`].
///
/// # Panics
/// Panics if the game breaks a law.
pub fn all<C: Contest + LawHooks>(case: &Case<'_>) {
    the_lists_are_complete::<C>();
    rule_sets_survive_print_and_parse::<C>();
    generators_make_maps_that_can_be_played::<C>(case.seed);
    maps_and_states_are_the_whole_position::<C>(case);
    wrong_states_are_flaws::<C>(case);
    hold_from_the_start::<C>(case);
    for (map, state) in positions_on_the_way::<C>(case) {
        hold_from_the_start::<C>(&Case { map: Map::Position(&map, &state), ..*case });
    }
}

/// Tests the laws of the matches that start from the position of the case.
fn hold_from_the_start<C: Contest + LawHooks>(case: &Case<'_>) {
    maps_survive_print_and_parse::<C>(case);
    checks_agree_with_samples_and_options::<C>(case);
    clones_are_equal_and_independent::<C>(case);
    the_same_orders_give_the_same_fingerprints::<C>(case);
    hidden_facts_stay_hidden::<C>(case);
    frames_show_no_hidden_fact::<C>(case);
    every_position_can_be_drawn::<C>(case);
    incidents_name_things_on_the_board::<C>(case);
    incidents_tell_no_hidden_fact::<C>(case);
    exchanged_seats_play_the_exchanged_game::<C>(case);
    failures_never_break_a_position::<C>(case);
    lines_begin_with_words_of_the_protocol::<C>(case);
    wire_is_the_identity::<C>(case);
    bots_play_the_same_over_the_wire::<C>(case);
}

/// Returns a few positions of a random match, as maps with states.
fn positions_on_the_way<C: Contest>(case: &Case<'_>) -> Vec<(String, State)> {
    let mut positions = Vec::new();
    play::<C>(case, |game, ply| {
        if [9, 40].contains(&ply) && !game.over() {
            positions.push((C::print_map(&game.to_map()), game.state()));
        }
    });
    positions
}

/// Tests that `parse(print(map)) == map`.
pub fn maps_survive_print_and_parse<C: Contest>(case: &Case<'_>) {
    let start: C = begin(case);
    let map = start.to_map();
    let text = C::print_map(&map);
    let again = C::parse_map(text.as_bytes()).unwrap_or_else(|e| panic!("a printed map must parse: {e}\n{text}"));
    assert_eq!(C::print_map(&again), text, "printing a parsed map gives the same text");
    assert_eq!(again, map, "parsing a printed map gives the same map");
}

/// Tests that sampled decisions and listed options are lawful, and that checking them changes nothing.
pub fn checks_agree_with_samples_and_options<C: Contest>(case: &Case<'_>) {
    let mut options = Vec::new();
    walk::<C>(case, |game, tmp, ply, seat, orders| {
        let before = game.fingerprint();
        if let Err((k, why)) = game.check(seat, orders, tmp) {
            panic!("ply {ply}: a sampled decision of seat {seat} is refused at order {k}: {why}");
        }
        options.clear();
        if game.options(seat, tmp, &mut options) {
            for option in options.iter().take(40) {
                // An option is lawful as the *first* order, but the decision may need more orders.
                if let Err((k, why)) = game.check(seat, core::slice::from_ref(option), tmp) {
                    assert!(k >= 1, "ply {ply}: option {option:?} of seat {seat} is refused: {why}");
                }
            }
        } else {
            assert!(options.is_empty(), "no options are listed where there are too many");
        }
        assert_eq!(game.fingerprint(), before, "ply {ply}: check and options change nothing");
    });
}

/// Tests that a clone has the same fingerprint and views, that playing on a clone does not change the original, and
/// that `clone_from` gives the same as `clone`.
pub fn clones_are_equal_and_independent<C: Contest>(case: &Case<'_>) {
    let start: C = begin(case);
    let mut other = start.clone();
    let end = play::<C>(case, |_, _| {});
    other.clone_from(&end);
    assert_eq!(other.fingerprint(), end.fingerprint(), "clone_from gives the same position");
    for seat in Seats::first(end.seats()).iter() {
        assert_eq!(other.view(seat), end.view(seat), "clone_from gives the same views");
    }
    assert_eq!(other.standing(), end.standing());
    other.clone_from(&start);
    assert_eq!(other.fingerprint(), start.fingerprint(), "a used position can be reset");
    assert_eq!(begin::<C>(case).fingerprint(), start.fingerprint(), "the same case starts from the same position");
}

/// Tests that the same decisions give the same fingerprints, and that playing changes the fingerprint.
pub fn the_same_orders_give_the_same_fingerprints<C: Contest>(case: &Case<'_>) {
    let mut first = Vec::new();
    play::<C>(case, |game, _| first.push(game.fingerprint()));
    let mut second = Vec::new();
    play::<C>(case, |game, _| second.push(game.fingerprint()));
    assert_eq!(first, second, "a replay reproduces every fingerprint");
    if first.len() >= 4 {
        assert!(first.windows(2).any(|w| w[0] != w[1]), "a fingerprint changes with the position");
    }
}

/// Tests that the view of a seat does not depend on facts hidden from it.
pub fn hidden_facts_stay_hidden<C: Contest + LawHooks>(case: &Case<'_>) {
    let mut rng = Rng::new(Seed(case.seed).derive("hidden", 0));
    play::<C>(case, |game, ply| {
        for seat in Seats::first(game.seats()).iter() {
            if let Some(other) = game.with_hidden_change(seat, &mut rng) {
                assert_eq!(game.view(seat), other.view(seat), "ply {ply}: seat {seat} sees a hidden fact");
            }
        }
    });
}

/// Tests the symmetry of every pair of seats: exchanging them and then playing must give the same position as playing
/// and then exchanging them.
pub fn exchanged_seats_play_the_exchanged_game<C: Contest + LawHooks>(case: &Case<'_>) {
    let seats = begin::<C>(case).seats();
    for (a, b) in (1..seats).flat_map(|b| (0..b).map(move |a| (Seat::new(a), Seat::new(b)))) {
        exchanged::<C>(case, a, b);
    }
}

fn exchanged<C: Contest + LawHooks>(case: &Case<'_>, a: Seat, b: Seat) {
    let mut game: C = begin(case);
    let exchange = |seat: Seat| match seat {
        seat if seat == a => b,
        seat if seat == b => a,
        seat => seat,
    };
    let Some(mut mirror) = game.with_seats_exchanged(a, b) else { return };
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed).derive("exchange", 0));
    for ply in 0..PLIES {
        if game.over() {
            break;
        }
        let decisions = sampled(&game, &mut rng, &mut tmp);
        let mut mirrored: Vec<_> = decisions.iter().map(|(s, o)| (exchange(*s), o.clone())).collect();
        mirrored.sort_by_key(|(s, _)| *s);
        resolve(&mut game, &decisions, &mut tmp);
        resolve(&mut mirror, &mirrored, &mut tmp);
        let expected = game.with_seats_exchanged(a, b).expect("it could be exchanged a ply ago");
        assert_eq!(mirror.fingerprint(), expected.fingerprint(), "ply {ply}: seats {a} and {b} are not symmetric");
        mirror.clone_from(&expected);
    }
}

/// Tests that the match goes on and the standing stays complete, whichever seats fail and however they fail.
pub fn failures_never_break_a_position<C: Contest>(case: &Case<'_>) {
    use crate::Failure::{Gone, Late, Nonsense};
    for round in 0..4 {
        let mut game: C = begin(case);
        let mut tmp = C::Scratch::default();
        let mut rng = Rng::new(Seed(case.seed).derive("failures", round));
        for _ in 0..PLIES {
            if game.over() {
                break;
            }
            let awaited = game.awaiting();
            let decisions: Vec<_> = awaited
                .iter()
                .map(|seat| {
                    let mut orders = Vec::new();
                    game.sample(seat, &mut rng, &mut tmp, &mut orders);
                    let failure = [Late, Gone, Nonsense][rng.index(3)];
                    (seat, orders, rng.one_in(8).then_some(failure))
                })
                .collect();
            let entries: Vec<_> =
                decisions.iter().map(|(seat, orders, f)| judge(&game, *seat, orders, *f, &mut tmp).0).collect();
            game.resolve(Joint::new(&entries), &mut tmp, &mut ());
            let standing = game.standing();
            assert_eq!((standing.scores.len(), standing.places.len()), (game.seats(), game.seats()));
            assert!(standing.places.iter().all(|p| *p >= 1 && usize::from(*p) <= game.seats()));
            assert_eq!(game.over(), standing.ending != crate::Ending::Unfinished, "an end has a reason");
        }
    }
}

/// Tests that dialogue and client together change nothing. The client must show the view that the dialogue got, and the
/// orders must arrive as the client wrote them. How the bytes are split must not matter.
pub fn wire_is_the_identity<C: Contest>(case: &Case<'_>) {
    for split in [usize::MAX, 1, 7] {
        let mut lines: Vec<Line<C>> = Vec::new();
        let start: C = begin(case);
        for seat in Seats::first(start.seats()).iter() {
            lines.push(Line::open(&start, seat, split, &[]));
        }
        walk::<C>(case, |game, _, ply, seat, orders| {
            let heard = lines[seat.index()].exchange(game, seat, |_, out| out.extend_from_slice(orders));
            assert_eq!(heard, orders, "ply {ply}: seat {seat}'s orders arrive as they were written");
        });
    }
}

/// Tests that every built-in bot plays the same match in the process and over the wire, with every option of the dialogue, and
/// that every line to it that begins with a letter begins with a word of
/// [`GameInfo::protocol_words`](crate::GameInfo::protocol_words).
pub fn bots_play_the_same_over_the_wire<C: Contest>(case: &Case<'_>) {
    let dialects = protocol::dialects::<C>();
    for (kind, dialect) in C::INFO.bots.iter().flat_map(|kind| dialects.iter().map(move |dialect| (kind, dialect))) {
        let mut game: C = begin(case);
        let mut tmp = C::Scratch::default();
        let mut wired: Vec<_> = Vec::new();
        let mut inside: Vec<_> = Vec::new();
        for seat in Seats::first(game.seats()).iter() {
            let bot = || C::bot(kind.name, Seed(case.seed).for_bot(seat)).expect("a listed bot exists");
            wired.push((Line::open(&game, seat, usize::MAX, dialect), bot()));
            inside.push(bot());
        }
        for ply in 0..PLIES / 4 {
            if game.over() {
                break;
            }
            let decisions: Vec<(Seat, Vec<C::Order>)> = game
                .awaiting()
                .iter()
                .map(|seat| {
                    let mut orders = Vec::new();
                    inside[seat.index()].decide(game.view(seat), &mut orders);
                    let (line, bot) = &mut wired[seat.index()];
                    let heard = line.exchange(&game, seat, |view, out| bot.decide(view, out));
                    assert_eq!(heard, orders, "ply {ply}: @{} differs over the wire at seat {seat}", kind.name);
                    if let Err((k, why)) = game.check(seat, &orders, &mut tmp) {
                        panic!("ply {ply}: @{} is refused at order {k}: {why}", kind.name);
                    }
                    (seat, orders)
                })
                .collect();
            resolve(&mut game, &decisions, &mut tmp);
        }
        for (seat, (line, _)) in Seats::first(game.seats()).iter().zip(wired) {
            protocol::check_words::<C>(&line.end(&game, seat), &format!("@{} at seat {seat}, {dialect:?}", kind.name));
        }
    }
}

/// Tests that a match allocates nothing once its buffers have their size: neither the reset by `clone_from` nor the
/// turns. The test must install the [`CountingAllocator`].
pub fn allocates_nothing<C: Contest>(case: &Case<'_>) {
    let count = CountingAllocator::count;
    let installed = count();
    drop(core::hint::black_box(alloc::boxed::Box::new(case.seed)));
    assert!(count() > installed, "the counting allocator is not installed");
    let start: C = begin(case);
    let mut game = start.clone();
    let mut tmp = C::Scratch::default();
    let mut orders: Vec<Vec<C::Order>> = (0..start.seats()).map(|_| Vec::new()).collect();
    // The first two matches bring every reused buffer to its size.
    for warm in [true, true, false] {
        let mut rng = Rng::new(Seed(case.seed).derive("allocations", 0));
        let before = count();
        game.clone_from(&start);
        let mut plies = 0;
        while !game.over() && plies < PLIES {
            let awaited = game.awaiting();
            for seat in awaited.iter() {
                game.sample(seat, &mut rng, &mut tmp, &mut orders[seat.index()]);
                let _ = game.check(seat, &orders[seat.index()], &mut tmp);
            }
            let mut entries = [Entry { seat: Seat::new(0), orders: &[][..], failure: None }; crate::MAX_SEATS];
            for (entry, seat) in entries.iter_mut().zip(awaited.iter()) {
                *entry = Entry { seat, orders: &orders[seat.index()], failure: None };
            }
            game.resolve(Joint::new(&entries[..awaited.len()]), &mut tmp, &mut ());
            plies += 1;
        }
        let spent = count() - before;
        assert!(warm || spent == 0, "a reset and {plies} plies allocated {spent} times");
    }
}
