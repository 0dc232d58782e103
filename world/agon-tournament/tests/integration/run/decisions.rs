//! What the organiser decides about matches and bots, and takes back.

use super::{HEAD, bots, exported, open, play, results};
use agon_spec::{DecisionKind, StandingsCheck};
use agon_store::{Ending, Memory, RecordedResult, Records, StoreError};
use agon_tournament::{RunEnd, Tournament, TournamentError, TournamentFile, decisions, rename, verify_table};

fn result(tournament: &Tournament<Memory>, id: u64) -> Option<RecordedResult> {
    tournament.store().find(id).expect("it can be read").expect("it is there").result
}

#[test]
fn a_match_is_played_again_and_its_old_result_stays() {
    let text = format!("{HEAD}rounds = 2\n{}", bots(&["@random", "@greedy", "@frontier"]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    let (table, before) = (tournament.standings(), result(&tournament, 2).expect("it is over"));
    tournament.void(5, "the wrong map").expect("it is over");
    for (id, why) in [(2, "the disk was full"), (5, "it was the right one")] {
        tournament.rerun(id, why).expect("it is over");
        assert_eq!(result(&tournament, id), None);
        assert!(tournament.rerun(id, why).is_err(), "it is to be played");
    }
    assert!(tournament.rerun(99, "").is_err());
    assert!(!tournament.is_complete());
    assert_eq!(verify_table(tournament.store()).expect("it can be read"), StandingsCheck::Agree);

    let mut again = open(tournament.into_store(), &text).expect("it continues");
    let (end, told) = play(&mut again, 1, usize::MAX);
    assert_eq!(end, RunEnd::Complete);
    assert_eq!(told.iter().filter(|event| event.name() == "match").count(), 2);
    assert_eq!(again.standings(), table, "the same bots play the same matches");
    assert!(result(&again, 2).is_some_and(|now| now.agrees(&before)));
    let earlier = again.store().earlier().expect("it can be read");
    let kept = |at: usize| earlier[at].stored.result.clone().expect("it was over");
    assert_eq!((earlier.len(), kept(0), kept(1).ending), (2, before, Ending::Void));
    let told = decisions(again.store()).expect("they can be read");
    let told: Vec<_> = told.iter().map(|one| (one.decision, one.id, one.why.as_str())).collect();
    assert_eq!(
        told,
        [
            (DecisionKind::Void, Some(5), "the wrong map"),
            (DecisionKind::Rerun, Some(2), "the disk was full"),
            (DecisionKind::Rerun, Some(5), "it was the right one"),
        ]
    );
    assert_eq!(exported(again.store())["earlier"].as_array().map(Vec::len), Some(2));
    let anew = open(again.into_store(), &text).expect("it continues");
    assert_eq!((anew.is_complete(), anew.standings()), (true, table));
}

#[test]
fn a_bot_that_comes_back_plays_what_it_has_missed() {
    let fails = "sh -c 'exit 3'";
    for (keys, of) in [("withdraw-after = 2", fails), ("", "@random")] {
        let text = format!("{HEAD}rounds = 2\n{keys}\n{}", bots(&["@greedy", of, "@frontier"]));
        let mut tournament = open(Memory::new(), &text).expect("it is new");
        if keys.is_empty() {
            play(&mut tournament, 1, 3);
            tournament.withdraw(1, "its author asked for it").expect("it plays");
        }
        let mut tournament = open(tournament.into_store(), &text).expect("it continues");
        assert_eq!(play(&mut tournament, 2, usize::MAX).0, RunEnd::Complete);
        assert!(tournament.standings().rows.iter().any(|row| row.withdrawn));
        let left_out = results(tournament.store()).into_iter().find(|stored| {
            stored.planned.bots.contains(&1)
                && stored.result.as_ref().is_some_and(|result| result.ending == Ending::Void)
        });
        let left_out = left_out.expect("some were drawn").planned.id;
        assert!(tournament.rerun(left_out, "").is_err(), "a bot of it is withdrawn");
        let missed = tournament.readmit(1, "its author has mended it").expect("it is withdrawn");
        assert!(missed > 0);
        assert!(tournament.readmit(1, "").is_err());
        // A process that is killed here has lost nothing.
        let mut again = open(tournament.into_store(), &text).expect("it continues");
        let (end, told) = play(&mut again, 1, usize::MAX);
        assert_eq!((end, told.iter().filter(|event| event.name() == "match").count()), (RunEnd::Complete, missed));
        assert!(
            results(again.store())
                .iter()
                .all(|stored| { stored.result.as_ref().is_some_and(|result| result.ending == Ending::Finished) })
        );
        let bots = again.store().bots().expect("it can be read");
        assert_eq!(
            bots.iter().map(|bot| (bot.totals.played, bot.withdrawn.is_some())).collect::<Vec<_>>(),
            [(8, false); 3]
        );
        // It may be withdrawn once more, which is noted once more.
        again.withdraw(1, "it was not mended").expect("it plays");
        let mut anew = open(again.into_store(), &text).expect("it continues");
        anew.withdraw(1, "twice").expect_err("it is withdrawn");
        let told: Vec<_> =
            decisions(anew.store()).expect("they can be read").into_iter().map(|one| one.decision).collect();
        assert_eq!(told, [DecisionKind::Withdrawn, DecisionKind::Readmitted, DecisionKind::Withdrawn]);
    }
}

#[test]
fn the_past_of_a_bot_follows_its_new_name() {
    let text = format!("{HEAD}{}", bots(&["@random", "@greedy"]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    let store = tournament.into_store();
    let taken = rename(&store, 1, "bot 0", "a joke").expect_err("it is the name of another");
    assert!(matches!(taken, TournamentError::Store(StoreError::SameName(_))), "{taken}");
    rename(&store, 1, "Rusty", "its author asked for it").expect("it is free");
    let old = open(store, &text).map(|_| ()).expect_err("the file has the old name");
    assert!(old.to_string().contains("bot `Rusty` becomes `bot 1`"), "{old}");
}

#[test]
fn a_file_with_the_new_name_continues() {
    let text = format!("{HEAD}{}", bots(&["@random", "@greedy"]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, 1);
    let store = tournament.into_store();
    rename(&store, 1, "Rusty", "its author asked for it").expect("it is free");
    let text = TournamentFile::renamed(&text, 1, "Rusty").expect("it can have this name");
    let mut again = open(store, &text).expect("it continues");
    play(&mut again, 1, usize::MAX);
    let bots = again.store().bots().expect("it can be read");
    assert_eq!((bots.len(), bots[1].name.as_str(), bots[1].totals.played, bots[1].versions.len()), (2, "Rusty", 2, 1));
    let told = decisions(again.store()).expect("they can be read");
    assert_eq!(told[0].why, "its name was `bot 1`: its author asked for it");
    assert_eq!(told[0].bot.as_deref(), Some("Rusty"));
}
