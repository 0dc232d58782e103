//! The same tournament in whatever order its matches end, and wherever it is interrupted.

use super::*;
use crate::{Field, TournamentFile, outcome::is_left_out};
use agon_core::{Rng, Seed};
use agon_far_store::Far;
use agon_play::{CorePlacement, Helper};
use agon_store::{Memory, RecordedFault, RecordedSeat, Records};
use agon_tourney::Standings;
use std::num::NonZeroUsize;

/// Bots 1 and 4 fail in some matches, so that their faults in a row depend on the order of these. Bot 3 always fails.
pub(super) fn played(planned: &PlannedMatch) -> Played {
    let fails = |(seat, bot): (usize, &u32)| match bot {
        1 | 4 => seat == 0 || planned.id.is_multiple_of(5),
        bot => *bot == 3,
    };
    let faults: Vec<bool> = planned.bots.iter().enumerate().map(fails).collect();
    let best = planned.bots.iter().zip(&faults).filter(|(_, failed)| !**failed).map(|(bot, _)| *bot).min();
    let seat = |(bot, failed): (&u32, &bool)| RecordedSeat {
        place: if Some(*bot) == best { 1 } else { 2 },
        fault: failed.then(|| RecordedFault { kind: "crashed".to_owned(), ..RecordedFault::default() }),
        ..RecordedSeat::default()
    };
    let seats = planned.bots.iter().zip(&faults).map(seat).collect();
    Played { result: RecordedResult { seats, ..RecordedResult::default() }, blobs: Vec::new(), spoilt: Vec::new() }
}

pub(super) fn open<S: Store>(store: S, text: &str) -> Tournament<S> {
    let file = TournamentFile::parse(text).expect("it is a tournament");
    let cancel = Cancel::new().expect("a flag");
    let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ()).expect("bots of our own");
    Tournament::open(store, text, file, field).expect("it is new, or continues")
}

/// Plays up to `at_once` matches at the same time, until `most` have begun. `pick` says which running one ends next.
pub(super) fn play<S: Store>(
    tournament: &mut Tournament<S>,
    at_once: usize,
    most: usize,
    mut pick: impl FnMut(usize) -> usize,
) {
    let cancel = Cancel::new().expect("a flag");
    let at_once = NonZeroUsize::new(at_once).expect("not zero");
    let options = RunOptions { at_once, cancel: cancel.clone(), placement: CorePlacement::Anywhere };
    let mut ignored = |_: TournamentEvent| ();
    let mut load = Load::new(tournament, &options, 1, false, None, &mut ignored);
    let (mut running, mut begun) = (Vec::new(), 0);
    loop {
        while running.len() < at_once.get()
            && let Some(lease) = load.next()
        {
            running.push(lease);
            begun += 1;
            if begun == most {
                cancel.finish();
            }
        }
        if running.is_empty() {
            break;
        }
        let lease = running.swap_remove(pick(running.len()));
        let result = played(&lease.planned);
        load.done((lease, Ok(Some(result))));
        load.collected();
    }
    let (left, _, failed) = load.end();
    assert!(failed.is_none(), "{failed:?}");
    unless_lost(tournament.store.release(&left)).expect("it can be written");
}

/// Returns the table and the results, without the times. Matches that are left out may have been played before.
pub(super) fn outcome(tournament: &Tournament<impl Store>) -> (Standings, Vec<(u64, Vec<u32>, RecordedResult)>) {
    let matches = tournament.store.matches(0, usize::MAX).expect("it can be read").into_iter();
    let results = matches.filter_map(|stored| {
        let result = stored.result.filter(|result| !is_left_out(result))?;
        Some((stored.planned.id, stored.planned.bots, RecordedResult { started_ms: 0, ..result }))
    });
    (tournament.standings(), results.collect())
}

#[test]
fn the_order_in_which_matches_end_never_matters() {
    for keys in [
        "rounds = 2",
        "withdrawn = \"lose\"",
        "kind = \"swiss\"\nrounds = 5",
        "kind = \"ladder\"\nrounds = 30\nwindow = 6",
        "kind = \"groups\"\ngroups = 2\nrounds = 2",
    ] {
        let bots: String = (0..5).map(|bot| format!("[[bot]]\nname = \"bot {bot}\"\nrun = \"@random\"\n")).collect();
        let text = format!("game = \"grid\"\nlimit = 30\nseed = 11\n{keys}\nwithdraw-after = 2\n{bots}");
        let mut whole = open(Memory::new(), &text);
        play(&mut whole, 1, usize::MAX, |_| 0);
        assert!(whole.is_complete());
        let wanted = outcome(&whole);
        assert!(wanted.0.rows.iter().filter(|row| row.withdrawn).count() >= 2, "{keys}: {wanted:?}");
        let mut kept = 0;
        for seed in 0..200 {
            let mut rng = Rng::new(Seed(seed));
            let at_once = 2 + rng.below(4) as usize;
            let mut part = open(Memory::new(), &text);
            let mut runs = 0;
            while !part.is_complete() {
                runs += 1;
                assert!(runs < 100, "{keys}, seed {seed}: it never ends");
                let most = if seed % 2 == 0 { usize::MAX } else { 1 + rng.below(12) as usize };
                kept += u32::from(part.kept > 0);
                part.kept_from = 1 + u64::from(rng.below(9));
                play(&mut part, at_once, most, |running| rng.below(running as u32) as usize);
                if !part.is_complete() {
                    part = open(part.into_store(), &text);
                }
            }
            assert_eq!(outcome(&part), wanted, "{keys}, seed {seed}, {at_once} at once, {runs} runs");
        }
        // Some runs begin with the schedule that was kept, if their kind has one.
        let has_it = !keys.contains("swiss") && !keys.contains("groups");
        assert_eq!(kept > 20, has_it, "{keys}: {kept}");
    }
}

/// The connection to the store breaks again and again, and nobody knows of two writes in three whether they were made.
#[test]
fn writes_whose_answers_get_lost_are_made_once() {
    let bots: String = (0..4).map(|bot| format!("[[bot]]\nname = \"bot {bot}\"\nrun = \"@random\"\n")).collect();
    let text = format!("game = \"grid\"\nlimit = 30\nseed = 11\nkind = \"swiss\"\nrounds = 3\n{bots}");
    let mut near = open(Memory::new(), &text);
    play(&mut near, 1, usize::MAX, |_| 0);
    let mut far = open(Far::new(Memory::new(), false), &text);
    play(&mut far, 2, usize::MAX, |running| running - 1);
    assert!(far.is_complete() && far.store.calls() > 10);
    assert_eq!(outcome(&far), outcome(&near));
    let over = far.store.over_since(0, 99).expect("it can be read");
    assert_eq!(over.len() as u64, far.progress().expect("it can be read").over(), "each is stored once");
}
