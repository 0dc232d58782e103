//! Matches that are spoilt again and again: the others do not wait for them, nobody loses, and their bots are marked.

use super::{orders::open, *};
use crate::{Status, report, report::spoilt::Spoilt};
use agon_play::CorePlacement;
use agon_store::{MatchQueue, Memory, RecordedSeat};
use std::num::NonZeroUsize;

const WHY: &str = "the host kept a bot from a core";

/// What came of a turn to play a match: four attempts were spoilt, or it was won by seat 0.
fn played(planned: &PlannedMatch, is_spoilt: bool) -> Played {
    let seat = |place| RecordedSeat { place, ..RecordedSeat::default() };
    let result = if is_spoilt {
        RecordedResult { ending: Ending::Spoilt, reason: WHY.to_owned(), ..RecordedResult::default() }
    } else {
        RecordedResult { seats: (1..).take(planned.bots.len()).map(seat).collect(), ..RecordedResult::default() }
    };
    let spoilt = if is_spoilt { vec![WHY.to_owned(); 3] } else { Vec::new() };
    Played { result, blobs: Vec::new(), spoilt }
}

fn tournament(keys: &str) -> (String, Tournament<Memory>) {
    let bots: String = (0..4).map(|bot| format!("[[bot]]\nname = \"bot {bot}\"\nrun = \"@random\"\n")).collect();
    let text = format!("game = \"grid\"\nlimit = 30\nseed = 11\n{keys}\n{bots}");
    let tournament = open(Memory::new(), &text);
    (text, tournament)
}

/// Plays at most `most` matches, one after the other. `spoils` says of a match and the number of its turn whether it is spoilt.
/// Returns the matches in the order of their turns.
fn play(
    tournament: &mut Tournament<Memory>,
    most: usize,
    mut spoils: impl FnMut(&PlannedMatch, usize) -> bool,
) -> Vec<PlannedMatch> {
    let cancel = Cancel::new().expect("a flag");
    let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Anywhere };
    let mut ignored = |_: TournamentEvent| ();
    let mut load = Load::new(tournament, &options, 1, false, None, &mut ignored);
    let mut turns: Vec<PlannedMatch> = Vec::new();
    while turns.len() < most
        && let Some(lease) = load.next()
    {
        let turn = turns.iter().filter(|earlier| earlier.id == lease.planned.id).count();
        turns.push(lease.planned.clone());
        let result = played(&lease.planned, spoils(&lease.planned, turn));
        load.done((lease, Ok(Some(result))));
        load.collected();
    }
    let (left, _, failed) = load.end();
    assert!(failed.is_none(), "{failed:?}");
    tournament.store.release(&left).expect("it can be written");
    turns
}

#[test]
fn a_match_that_is_always_spoilt_is_played_behind_all_others_and_has_no_result() {
    let (_, mut tournament) = tournament("rounds = 2");
    let turns = play(&mut tournament, usize::MAX, |planned, _| planned.bots.contains(&0));
    assert!(tournament.is_complete());
    let last_of_others = turns.iter().rposition(|planned| !planned.bots.contains(&0)).expect("they meet");
    let ids: BTreeSet<u64> = turns.iter().filter(|planned| planned.bots.contains(&0)).map(|one| one.id).collect();
    assert_eq!(ids.len(), 12);
    for id in &ids {
        let at: Vec<usize> = (0..turns.len()).filter(|at| turns[*at].id == *id).collect();
        assert!(at.len() == 2 && at[1] > last_of_others, "match {id} had its turns at {at:?}, others {last_of_others}");
    }
    let standings = tournament.standings();
    let row = |bot: u32| standings.rows.iter().find(|row| row.entrant == Entrant(bot)).expect("it takes part");
    assert_eq!([0, 1, 2, 3].map(|bot| row(bot).spoilt), [12, 4, 4, 4]);
    assert_eq!((row(0).played, row(0).losses, row(0).points, row(0).withdrawn), (0, 0, 0, false));
    assert!(tournament.spoilt().iter().map(|(id, _)| *id).eq(ids));
    let counted = Spoilt::of_events(&tournament.store).expect("it can be read").rows(|bot| bot.to_string());
    let counted: Vec<_> = counted.iter().map(|row| (row.bot.as_str(), row.count, row.matches)).collect();
    // Two turns of four attempts each.
    assert_eq!(counted, [("0", 96, 12), ("1", 32, 4), ("2", 32, 4), ("3", 32, 4)]);
    let text = crate::report_markdown(&report::report(&tournament.store).expect("it can be made"));
    assert!(text.contains("bot 0 (12 spoilt)") && text.contains("bot 3 (4 spoilt)"), "{text}");
}

#[test]
fn a_match_that_was_spoilt_has_its_result_once_the_host_is_quiet() {
    for keys in ["rounds = 2", "kind = \"swiss\"\nrounds = 3", "kind = \"ladder\"\nrounds = 12\nwindow = 3"] {
        let (_, mut tournament) = tournament(keys);
        let turns = play(&mut tournament, usize::MAX, |_, turn| turn == 0);
        assert!(tournament.is_complete(), "{keys}");
        let ids: BTreeSet<u64> = turns.iter().map(|planned| planned.id).collect();
        assert_eq!(turns.len(), 2 * ids.len(), "{keys}: each has two turns");
        assert!(
            tournament.spoilt().is_empty() && tournament.standings().rows.iter().all(|row| row.spoilt == 0),
            "{keys}"
        );
        let counted = Status::read(&tournament.store).expect("it can be read").spoilt;
        assert!(counted.len() == 4 && counted.iter().all(|row| row.cause == WHY), "{keys}: {counted:?}");
    }
}

#[test]
fn a_run_that_ends_in_between_and_a_bot_that_is_withdrawn_leave_nothing_behind() {
    let (text, mut tournament) = tournament("rounds = 1");
    play(&mut tournament, 3, |_, _| true);
    let mut tournament = open(tournament.into_store(), &text);
    play(&mut tournament, 2, |_, _| true);
    let mut tournament = open(tournament.into_store(), &text);
    tournament.withdraw(0, "its matches are spoilt").expect("it can be withdrawn");
    let turns = play(&mut tournament, usize::MAX, |planned, _| planned.bots.contains(&1));
    assert!(tournament.is_complete() && turns.iter().all(|planned| !planned.bots.contains(&0)));
    assert!(tournament.spoilt().iter().all(|(_, bots)| bots.contains(&1)));
    let (id, bots) = tournament.spoilt().remove(0);
    let marks =
        |tournament: &Tournament<Memory>| -> u32 { tournament.standings().rows.iter().map(|row| row.spoilt).sum() };
    let (before, over) = (marks(&tournament), tournament.over);
    tournament.void(id, "nobody can play it here").expect("it can be declared void");
    assert_eq!((marks(&tournament), tournament.over), (before - bots.len() as u32, over));
    let tournament = open(tournament.into_store(), &text);
    assert_eq!(marks(&tournament), before - bots.len() as u32, "also when it is read again");
    assert!(tournament.is_complete());
}
