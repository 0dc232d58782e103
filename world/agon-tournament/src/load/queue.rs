//! What waits to be played, and when it is told.

use super::{orders::open, *};
use agon_play::CorePlacement;
use agon_store::Memory;
use std::{cell::RefCell, num::NonZeroUsize};

/// Returns how many matches of a long tournament wait, first those that are played in their turn, then those that are
/// played last. Bots with these numbers have failed.
fn waiting(failed: &[usize]) -> (usize, usize) {
    let bots: String = (0..3).map(|bot| format!("[[bot]]\nname = \"bot {bot}\"\nrun = \"@random\"\n")).collect();
    let mut tournament = open(Memory::new(), &format!("game = \"grid\"\nlimit = 30\nrounds = 60000\n{bots}"));
    for bot in failed {
        tournament.streaks[*bot] = LAST_AFTER;
    }
    let cancel = Cancel::new().expect("a flag");
    let at_once = NonZeroUsize::new(4).expect("not zero");
    let options = RunOptions { at_once, cancel, placement: CorePlacement::Anywhere };
    let mut ignored = |_: TournamentEvent| ();
    let mut load = Load::new(&mut tournament, &options, 1, true, None, &mut ignored);
    // Each worker has as many matches ahead as it may.
    load.match_us = 1;
    load.claim().expect("it can be written");
    load.waiting.counts()
}

#[test]
fn the_waiting_matches_are_bounded() {
    let (first, last) = waiting(&[]);
    assert!(last == 0 && (8_000..20_000).contains(&first), "{first}");
    assert_eq!(waiting(&[0, 1, 2]), (0, LAST_AT_MOST), "all are played last");
    let (first, last) = waiting(&[0]);
    assert!(last == LAST_AT_MOST && first > 1_000, "{first}");
}

#[test]
fn a_match_that_waits_for_a_worker_has_not_begun() {
    let bots = "[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@random\"\n";
    let mut tournament = open(Memory::new(), &format!("game = \"grid\"\nrounds = 9\n{bots}"));
    let cancel = Cancel::new().expect("a flag");
    let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Anywhere };
    let told = RefCell::new(Vec::new());
    let mut tell = |event: TournamentEvent| match event {
        TournamentEvent::Start { worker, id, .. } => told.borrow_mut().push((worker, id)),
        TournamentEvent::Match { .. } | TournamentEvent::Standing { .. } => {}
        other => panic!("{other:?}"),
    };
    let mut load = Load::new(&mut tournament, &options, 1, true, None, &mut tell);
    let begins = load.begins();
    let leases: Vec<Lease> = std::iter::from_fn(|| load.next()).take(3).collect();
    load.tick();
    assert_eq!((leases.len(), told.borrow().len()), (3, 0));
    for lease in leases {
        let PlannedMatch { id, bots, .. } = lease.planned.clone();
        begins.send(TournamentEvent::Start { worker: 7, id, bots }).expect("it is there");
        load.done((lease, Ok(None)));
        assert_eq!(told.borrow().last(), Some(&(7, id)));
    }
    assert!(load.end().2.is_none());
}
