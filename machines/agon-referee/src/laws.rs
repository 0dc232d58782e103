//! Laws of the machine that hold for every game: in `agon-games`' tests they are run on each.
//!
//! Each plays whole matches of built-in bots behind their own wire protocol, without a process: a bot's half of the
//! protocol answers the bytes that the referee's half says.

use crate::{AnyReferee, AnyRerun, Do, In, Mark, MatchEvent, PlyRecord, SeatKind, Settings, TypedRerun, open};
use agon_core::{Asked, Bot, Client, Contest, Seat, Standing};
use agon_spec::MatchSpec;
use std::time::Duration;

/// The most turns of a match that a law plays.
const PLIES: u32 = 200;

/// How bytes of bots that were asked side by side arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrival {
    /// Whole answers, seat 1 first.
    Ascending,
    /// Whole answers, seat 1 last.
    Descending,
    /// So many bytes of each seat in turn.
    Portions(usize),
}

/// All laws.
///
/// # Panics
/// If one is broken.
pub fn all<C: Contest>(spec: &MatchSpec) {
    arrival_is_irrelevant::<C>(spec);
    a_rerun_reproduces_the_match::<C>(spec);
    the_first_death_does_not_decide::<C>(spec);
}

/// The order in which simultaneous answers arrive, and how they are cut into portions, changes nothing.
pub fn arrival_is_irrelevant<C: Contest>(spec: &MatchSpec) {
    let expected = turns(&play::<C>(spec, Arrival::Ascending));
    assert!(!expected.is_empty(), "a match has turns");
    for arrival in [Arrival::Descending, Arrival::Portions(1), Arrival::Portions(7)] {
        assert_eq!(turns(&play::<C>(spec, arrival)), expected, "{arrival:?} differs from whole answers in order");
    }
}

/// The recorded orders lead to the recorded fingerprints, and the built-in bots play the same without a wire.
pub fn a_rerun_reproduces_the_match<C: Contest>(spec: &MatchSpec) {
    let events = play::<C>(spec, Arrival::Ascending);
    let mut rerun = TypedRerun::<C>::new(spec).expect("the spec was opened before");
    for event in &events {
        if let MatchEvent::Ply(record) = event {
            let text = serde_json::to_string(record).expect("records can be written");
            let read: PlyRecord = serde_json::from_str(&text).expect("and read back");
            rerun.step(&read).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    if let Some(MatchEvent::Finished { standing, .. }) = events.last() {
        assert_eq!(&rerun.standing(), standing);
        assert!(rerun.over());
    }
    let kinds = vec![SeatKind::Builtin(C::BOTS[0].name); spec.seats.len()];
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

/// If all seats die, whichever death is heard of first, the result is the same.
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

/// The turns alone.
fn turns(events: &[MatchEvent]) -> Vec<PlyRecord> {
    let turn = |event: &MatchEvent| match event {
        MatchEvent::Ply(record) => Some(record.clone()),
        _ => None,
    };
    events.iter().filter_map(turn).collect()
}

/// A bot behind its half of the protocol.
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

/// A match of the weakest bots, each behind its wire.
fn play<C: Contest>(spec: &MatchSpec, arrival: Arrival) -> Vec<MatchEvent> {
    let kinds = vec![SeatKind::Process; spec.seats.len()];
    let mut machine = open::<C>(spec, &kinds, Settings::default()).expect("the spec fits");
    let mut bots: Vec<WiredBot<C>> = (0..spec.seats.len())
        .map(|i| WiredBot {
            client: C::client(&spec.seats[i].name),
            bot: C::bot(C::BOTS[0].name, spec.seed.for_bot(Seat::new(i))).expect("a listed bot exists"),
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
        assert!(!silent, "somebody is asked and nobody speaks");
    }
}
