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
mod protocol;
mod states;

use crate::{
    Contest, Entry, Failure, Flaw, Joint, LawHooks, Rng, RuleSet, Seat, Seats, Seed, Setup, State, Terms, judge, rules,
};
use alloc::{string::String, vec::Vec};
pub use allocator::CountingAllocator;
pub use frames::{
    every_position_can_be_drawn, frames_show_no_hidden_fact, incidents_name_things_on_the_board,
    incidents_tell_no_hidden_fact,
};
use line::Line;
pub use protocol::lines_begin_with_words_of_the_protocol;
pub use states::{maps_and_states_are_the_whole_position, wrong_states_are_flaws};

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

/// Returns the numbers of seats with which to test the laws: the fewest, the most, the default, and some in between.
#[must_use]
pub fn seat_counts<C: Contest>() -> Vec<usize> {
    let (least, most) = (*C::INFO.seats.start(), *C::INFO.seats.end());
    let mut counts = alloc::vec![least, (least + 1).min(most), C::INFO.default_seats, least.midpoint(most), most];
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Tests that a game's facts are complete and that the names in each list are unique.
pub fn the_lists_are_complete<C: Contest>() {
    let info = C::INFO;
    assert!(!info.title.is_empty() && !info.about.is_empty(), "a game has a title and says what it is about");
    assert!(!info.map_kinds.is_empty(), "a game generates maps");
    assert!(info.bots.len() >= 4 && info.bots[0].name == "random", "there are four bots, the weakest is `random`");
    assert!(
        *info.seats.start() >= 1 && *info.seats.end() <= crate::MAX_SEATS && info.seats.contains(&info.default_seats)
    );
    assert!(info.dialect.iter().all(|option| !option.values.is_empty()), "an option has values");
    let differ = |mut names: Vec<&str>| {
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a list of {} has a name twice: {names:?}", C::NAME);
    };
    differ(info.map_kinds.iter().map(|kind| kind.name).collect());
    differ(info.bots.iter().map(|bot| bot.name).collect());
    differ(info.dialect.iter().map(|option| option.name).collect());
    differ(info.clocks.iter().map(|(name, _)| *name).collect());
    differ(<C as Setup>::Rules::SETS.to_vec());
    differ(<C as Setup>::Rules::POINTS.iter().map(|point| point.name).collect());
}

/// Tests that every rule set prints as its name, and that every point accepts and keeps each of its values.
pub fn rule_sets_survive_print_and_parse<C: Contest>() {
    for set in <C as Setup>::Rules::SETS {
        let parsed: <C as Setup>::Rules = rules::parse(set).expect("a listed set exists");
        assert_eq!(rules::print(&parsed), *set, "a set prints as its name");
        for point in <C as Setup>::Rules::POINTS {
            for value in point.values {
                let mut changed = parsed.clone();
                changed.set(point.name, value);
                assert_eq!(changed.get(point.name), *value, "point {} takes value {value}", point.name);
                let printed = rules::print(&changed);
                assert_eq!(rules::parse(&printed).as_ref(), Ok(&changed), "`{printed}` parses back");
            }
        }
    }
}

/// Tests the generators. Every kind of map must exist for some number of seats, and the default kind for the default
/// number. A map must depend only on its kind, seed and number of seats, and a match must be able to start from it.
pub fn generators_make_maps_that_can_be_played<C: Contest>(seed: u64) {
    for kind in C::INFO.map_kinds {
        let mut playable = Vec::new();
        for seats in C::INFO.seats.clone() {
            let Ok(map) = C::generate(kind.name, Seed(seed), seats) else { continue };
            let again = C::generate(kind.name, Seed(seed), seats);
            assert_eq!(again.as_ref(), Ok(&map), "map kind {} depends on its seed and seats alone", kind.name);
            let terms =
                Terms { rules: rules::parse("").expect("every game has a default rule set"), seats, limit: None };
            if let Err(flawed) = C::from_map(map, &terms) {
                panic!("gen:{}:{seed} cannot be played by {seats}: {}", kind.name, flawed.flaw);
            }
            playable.push(seats);
        }
        assert!(!playable.is_empty(), "gen:{}:{seed} is made for no number of seats", kind.name);
        if kind == &C::INFO.map_kinds[0] {
            let seats = C::INFO.default_seats;
            assert!(playable.contains(&seats), "the default map gen:{}:{seed} has no room for {seats}", kind.name);
        }
    }
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
            lines.push(Line::open(&start, seat, split));
        }
        walk::<C>(case, |game, _, ply, seat, orders| {
            let heard = lines[seat.index()].exchange(game, seat, |_, out| out.extend_from_slice(orders));
            assert_eq!(heard, orders, "ply {ply}: seat {seat}'s orders arrive as they were written");
        });
    }
}

/// Tests that every built-in bot plays the same match in the process and over the wire.
pub fn bots_play_the_same_over_the_wire<C: Contest>(case: &Case<'_>) {
    for kind in C::INFO.bots {
        let mut game: C = begin(case);
        let mut tmp = C::Scratch::default();
        let mut wired: Vec<_> = Vec::new();
        let mut inside: Vec<_> = Vec::new();
        for seat in Seats::first(game.seats()).iter() {
            let bot = || C::bot(kind.name, Seed(case.seed).for_bot(seat)).expect("a listed bot exists");
            wired.push((Line::open(&game, seat, usize::MAX), bot()));
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

/// How many plies of a match a law plays at most.
const PLIES: usize = 400;

fn begin<C: Contest>(case: &Case<'_>) -> C {
    case.start().unwrap_or_else(|e| panic!("the case {case:?} cannot start: {e}"))
}

/// Returns a random lawful decision for every awaited seat.
fn sampled<C: Contest>(game: &C, rng: &mut Rng, tmp: &mut C::Scratch) -> Vec<(Seat, Vec<C::Order>)> {
    let decide = |seat| {
        let mut orders = Vec::new();
        game.sample(seat, rng, tmp, &mut orders);
        (seat, orders)
    };
    game.awaiting().iter().map(decide).collect()
}

fn resolve<C: Contest>(game: &mut C, decisions: &[(Seat, Vec<C::Order>)], tmp: &mut C::Scratch) {
    let entries = judge_all(game, decisions, &[], tmp);
    game.resolve(Joint::new(&entries), tmp, &mut ());
}

/// Judges the decisions of a turn. `failures` has how their seats broke down; none did if it is shorter.
fn judge_all<'a, C: Contest>(
    game: &C,
    decisions: &'a [(Seat, Vec<C::Order>)],
    failures: &[Option<Failure>],
    tmp: &mut C::Scratch,
) -> Vec<Entry<'a, C::Order>> {
    let failures = failures.iter().copied().chain(core::iter::repeat(None));
    let judged = |((seat, orders), failure): (&'a (Seat, Vec<C::Order>), _)| judge(game, *seat, orders, failure, tmp).0;
    decisions.iter().zip(failures).map(judged).collect()
}

/// Plays random lawful decisions. Before each ply it calls `each` for every awaited seat with the position and its
/// decision.
fn walk<C: Contest>(case: &Case<'_>, mut each: impl FnMut(&C, &mut C::Scratch, usize, Seat, &[C::Order])) {
    let mut game: C = begin(case);
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed).derive("walk", 0));
    for ply in 0..PLIES {
        if game.over() {
            break;
        }
        let decisions = sampled(&game, &mut rng, &mut tmp);
        for (seat, orders) in &decisions {
            each(&game, &mut tmp, ply, *seat, orders);
        }
        resolve(&mut game, &decisions, &mut tmp);
    }
}

/// Plays random lawful decisions. It calls `each` with every position and returns the last one.
fn play<C: Contest>(case: &Case<'_>, mut each: impl FnMut(&C, usize)) -> C {
    let mut game: C = begin(case);
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed).derive("play", 0));
    for ply in 0..PLIES {
        each(&game, ply);
        if game.over() {
            break;
        }
        let decisions = sampled(&game, &mut rng, &mut tmp);
        resolve(&mut game, &decisions, &mut tmp);
    }
    game
}
