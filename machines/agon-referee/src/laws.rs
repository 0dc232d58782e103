//! Laws of the machine that hold for every game. The tests of `agon-games` check them with each game.
//!
//! Each law plays whole matches of built-in bots behind their wire protocol, without processes: the bot's half of the
//! protocol answers the referee's half directly.

use crate::{
    AnyReferee, Branch, Decision, Do, EntryRecord, In, JsonList, Mark, MatchEvent, PlyRecord, Recording, Rerun,
    SeatKind, SeekError, Settings, open,
};
use agon_core::{Asked, Bot, Client, Contest, Seat, Standing};
use agon_spec::MatchSpec;
use std::time::Duration;

/// How many turns of a match a law plays at most.
const PLIES: u32 = 200;

/// How the answers of several bots to simultaneous questions arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrival {
    /// Whole answers arrive, the one of seat 1 first.
    Ascending,
    /// Whole answers arrive, the one of seat 1 last.
    Descending,
    /// Portions of this many bytes arrive, one seat after the other.
    Portions(usize),
}

/// Tests all laws.
///
/// # Panics
/// Panics if a law is broken.
pub fn all<C: Contest>(spec: &MatchSpec) {
    arrival_is_irrelevant::<C>(spec);
    a_rerun_reproduces_the_match::<C>(spec);
    the_first_death_does_not_decide::<C>(spec);
    a_rerun_goes_to_every_turn::<C>(spec);
    turns_played_by_hand_are_those_of_the_match::<C>(spec);
}

/// Tests that the order in which simultaneous answers arrive does not matter, nor how they are split.
pub fn arrival_is_irrelevant<C: Contest>(spec: &MatchSpec) {
    let expected = turns(&play::<C>(spec, Arrival::Ascending));
    assert!(!expected.is_empty(), "a match has turns");
    for arrival in [Arrival::Descending, Arrival::Portions(1), Arrival::Portions(7)] {
        assert_eq!(turns(&play::<C>(spec, arrival)), expected, "{arrival:?} differs from whole answers in order");
    }
}

/// Tests that the recorded orders lead to the recorded fingerprints, and that built-in bots play the same without a
/// wire.
pub fn a_rerun_reproduces_the_match<C: Contest>(spec: &MatchSpec) {
    let events = play::<C>(spec, Arrival::Ascending);
    let mut rerun = Rerun::new::<C>(spec).expect("the spec was opened before");
    for event in &events {
        if let MatchEvent::Ply(record) = event {
            let text = serde_json::to_string(record).expect("records can be written");
            let read: PlyRecord = serde_json::from_str(&text).expect("and read back");
            rerun.step(&read).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    if let Some(MatchEvent::Finished { standing, .. }) = events.last() {
        assert_eq!(&rerun.board().standing(), standing);
        assert!(rerun.board().over());
    }
    let kinds = vec![SeatKind::Builtin(C::INFO.bots[0].name); spec.seats.len()];
    let mut machine = open::<C>(spec, &kinds, Settings::default()).expect("built-in bots fit");
    let mut inside = Vec::new();
    machine.feed(Duration::ZERO, In::Begin);
    while let Some(order) = machine.next() {
        match order {
            Do::Think { seat } => {
                machine.feed(Duration::ZERO, In::Think { seat });
                machine.feed(Duration::ZERO, In::Thought { seat });
            }
            Do::Record(event) => inside.push(*event),
            _ => {}
        }
        if machine.plies() >= PLIES {
            break;
        }
    }
    let wired = turns(&events);
    let inside = turns(&inside);
    let both = wired.len().min(inside.len());
    assert_eq!(inside[..both], wired[..both], "a bot plays the same in the process and over the wire");
}

/// Tests that a rerun reaches the recorded position of a turn from any other turn, and that the parts of a turn
/// together are the turn.
pub fn a_rerun_goes_to_every_turn<C: Contest>(spec: &MatchSpec) {
    let turns = turns(&record::<C>(spec, Arrival::Ascending, Recording::Full));
    let turns: Vec<&PlyRecord> = turns.iter().collect();
    let mut rerun = Rerun::new::<C>(spec).expect("the spec was opened before");
    let start = rerun.board().fingerprint();
    for record in &turns {
        let (mut parts, mut standing) = (JsonList::default(), None);
        let mut watched = rerun.clone();
        let shown = watched.step_through(record, &mut |step| {
            parts.append(&step.events());
            standing = Some(step.standing());
            let frame = step.picture();
            assert_eq!(frame.captions.len(), spec.seats.len(), "a position within a turn can be drawn");
            let nameless = frame.items.iter().find(|item| frame.class(item).is_none());
            assert_eq!(nameless, None, "the legend has every class");
        });
        shown.unwrap_or_else(|mismatch| panic!("{mismatch}"));
        rerun.step(record).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        assert_eq!(parts, record.events, "the parts have the events of the turn");
        assert_eq!(watched.board().fingerprint(), rerun.board().fingerprint());
        assert_eq!(standing.as_ref(), Some(&rerun.board().standing()), "the last part ends with the turn");
    }
    let last = turns.len() as u32;
    for ply in (0..=last).rev().step_by(7).chain([last, 0, last / 2, last - 1, 1, last]) {
        let expected = if ply == 0 { start } else { turns[ply as usize - 1].fingerprint };
        assert_eq!(rerun.seek(ply, &turns), Ok(expected), "turn {ply}");
        assert_eq!(rerun.board().plies(), ply);
    }
    // One that has been nowhere goes on from where another one has been, and plays nothing.
    let mut late = Rerun::new::<C>(spec).expect("the spec was opened before");
    late.approach(last, &turns, &[&rerun]);
    assert_eq!((late.board().plies(), late.board().fingerprint()), (last, rerun.board().fingerprint()));
    for ply in [last / 2, 0] {
        late.approach(ply, &turns, &[&rerun]);
        assert!(late.board().plies() <= ply, "turn {}, not beyond {ply}", late.board().plies());
        assert_eq!(
            late.seek(ply, &turns).ok(),
            Some(if ply == 0 { start } else { turns[ply as usize - 1].fingerprint })
        );
    }
    assert_eq!(rerun.seek(last + 1, &turns), Err(SeekError::NoTurn { ply: last + 1, turns: last }));
    assert_eq!(rerun.board().plies(), last);
}

/// Tests that turns played by hand lead to the positions of the match, and that taking them back leads there again.
pub fn turns_played_by_hand_are_those_of_the_match<C: Contest>(spec: &MatchSpec) {
    let turns = turns(&record::<C>(spec, Arrival::Ascending, Recording::Full));
    let mut position = Branch::new::<C>(spec).expect("the spec was opened before");
    let mut marks = vec![position.board().fingerprint()];
    for record in &turns {
        let decision =
            |entry: &EntryRecord| Decision { seat: entry.seat, orders: entry.orders.clone(), failure: entry.failure };
        for entry in record.entries.iter().filter(|entry| entry.failure.is_none() && entry.refusal.is_none()) {
            assert_eq!(position.board().check(entry.seat, &entry.orders), Ok(()));
            let first = entry.orders.texts().next();
            if let (Some(listed), Some(first)) = (position.board().legal(entry.seat), first) {
                assert!(listed.texts().any(|order| order == first), "{first} is not listed as lawful");
            }
        }
        let decisions: Vec<_> = record.entries.iter().map(decision).collect();
        let turn = position.apply(&decisions).unwrap_or_else(|why| panic!("turn {}: {why}", record.ply));
        assert_eq!(turn.events, record.events);
        assert_eq!((position.board().fingerprint(), position.board().plies()), (record.fingerprint, record.ply));
        marks.push(record.fingerprint);
    }
    let copy = position.clone();
    for mark in marks.iter().rev().skip(1) {
        assert!(position.undo());
        assert_eq!(position.board().fingerprint(), *mark);
    }
    assert!(!position.undo(), "there is nothing before the start");
    assert_eq!(Some(&copy.board().fingerprint()), marks.last(), "a copy is not taken back");
}

/// Tests that the result is the same whichever of several deaths the referee notices first.
pub fn the_first_death_does_not_decide<C: Contest>(spec: &MatchSpec) {
    let mut results: Vec<(Standing, Mark)> = Vec::new();
    for backwards in [false, true] {
        let kinds = vec![SeatKind::Process; spec.seats.len()];
        let mut machine = open::<C>(spec, &kinds, Settings::default()).expect("the spec fits");
        machine.feed(Duration::ZERO, In::Begin);
        while machine.next().is_some() {}
        let mut seats: Vec<_> = (0..spec.seats.len()).map(Seat::new).collect();
        if backwards {
            seats.reverse();
        }
        for seat in seats {
            machine.feed(Duration::ZERO, In::Exited { seat, exit: &crate::Exit::Code(1), stderr: "" });
        }
        while !machine.over() && machine.plies() < 100_000 && machine.next().is_some() {}
        assert!(machine.over(), "a match of dead bots ends");
        results.push((machine.standing(), Mark(machine.fingerprint())));
    }
    assert_eq!(results[0], results[1]);
}

/// Returns the turns among the events.
fn turns(events: &[MatchEvent]) -> Vec<PlyRecord> {
    let turn = |event: &MatchEvent| match event {
        MatchEvent::Ply(record) => Some(record.clone()),
        _ => None,
    };
    events.iter().filter_map(turn).collect()
}

/// A built-in bot and its half of the protocol.
struct WiredBot<C: Contest> {
    client: Box<dyn Client<C>>,
    bot: Box<dyn Bot<C>>,
    heard: Vec<u8>,
    says: Vec<u8>,
}

impl<C: Contest> WiredBot<C> {
    fn take_in(&mut self, bytes: &[u8]) {
        self.heard.extend_from_slice(bytes);
        loop {
            let (used, asked) = self.client.read(&self.heard, &mut self.says);
            self.heard.drain(..used);
            match asked {
                Asked::Decide => {
                    let mut orders = Vec::new();
                    self.bot.decide(self.client.view(), &mut orders);
                    self.client.write(&orders, &mut self.says);
                }
                Asked::Noted if used > 0 => {}
                Asked::Noted | Asked::More | Asked::Quit => break,
                Asked::Confused(why) => panic!("the client does not understand the dialogue: {why}"),
            }
        }
    }
}

/// Plays a match of the weakest bots over the wire, and records orders.
fn play<C: Contest>(spec: &MatchSpec, arrival: Arrival) -> Vec<MatchEvent> {
    record::<C>(spec, arrival, Recording::Orders)
}

fn record<C: Contest>(spec: &MatchSpec, arrival: Arrival, recording: Recording) -> Vec<MatchEvent> {
    let kinds = vec![SeatKind::Process; spec.seats.len()];
    let settings = Settings { recording, ..Settings::default() };
    let mut machine = open::<C>(spec, &kinds, settings).expect("the spec fits");
    let mut bots: Vec<WiredBot<C>> = (0..spec.seats.len())
        .map(|i| WiredBot {
            client: C::client(&spec.seats[i].name),
            bot: C::bot(C::INFO.bots[0].name, spec.bot_seed(Seat::new(i))).expect("a listed bot exists"),
            heard: Vec::new(),
            says: Vec::new(),
        })
        .collect();
    let mut events = Vec::new();
    machine.feed(Duration::ZERO, In::Begin);
    loop {
        while let Some(order) = machine.next() {
            match order {
                Do::Say { seat, .. } => {
                    let told = machine.outbox(seat).to_vec();
                    machine.feed(Duration::ZERO, In::Written { seat, bytes: told.len() });
                    bots[seat.index()].take_in(&told);
                }
                Do::Record(event) => events.push(*event),
                _ => {}
            }
        }
        if machine.over() || machine.plies() >= PLIES {
            return events;
        }
        let mut order: Vec<usize> = (0..bots.len()).collect();
        if arrival == Arrival::Descending {
            order.reverse();
        }
        let portion = if let Arrival::Portions(bytes) = arrival { bytes } else { usize::MAX };
        let mut silent = true;
        for i in order {
            let says = &mut bots[i].says;
            if says.is_empty() {
                continue;
            }
            silent = false;
            let bytes: Vec<u8> = says.drain(..portion.min(says.len())).collect();
            machine.feed(Duration::ZERO, In::Bytes { seat: Seat::new(i), bytes: &bytes });
        }
        assert!(!silent, "the match waits for an answer, but no bot writes");
    }
}
