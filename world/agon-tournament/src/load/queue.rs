//! What waits to be played.

use super::{orders::open, *};
use agon_play::CorePlacement;
use agon_store::Memory;
use std::num::NonZeroUsize;

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
    let mut load = Load::new(&mut tournament, &options, true, &mut ignored);
    // Each worker has as many matches ahead as it may.
    load.match_us = 1;
    load.claim().expect("it can be written");
    let last = load.waiting.values().filter(|(_, last)| *last).count();
    (load.waiting.len() - last, last)
}

#[test]
fn what_waits_is_bounded() {
    let (first, last) = waiting(&[]);
    assert!(last == 0 && (8_000..20_000).contains(&first), "{first}");
    assert_eq!(waiting(&[0, 1, 2]), (0, LAST_AT_MOST), "all are played last");
    let (first, last) = waiting(&[0]);
    assert!(last == LAST_AT_MOST && first > 1_000, "{first}");
}
