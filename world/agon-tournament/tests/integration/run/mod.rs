//! Tournaments that are played: the same results whatever happens on the way.

mod decisions;
mod purges;
mod withdrawals;

use agon_core::Flaw;
use agon_play::{Cancel, CorePlacement, Helper};
use agon_spec::StandingsCheck;
use agon_store::{
    BlobStore, EventKind, Memory, RecordedResult, Records, Registry, Snapshot, Sqlite, Store, StoredMatch,
};
use agon_tournament::{
    Field, RunEnd, RunOptions, Status, Tournament, TournamentError, TournamentEvent, TournamentFile, Voided,
};
use std::{collections::BTreeSet, fs, num::NonZeroUsize, path::PathBuf};

const HEAD: &str = "game = \"grid\"\nsandbox = \"none\"\nlimit = 30\nseed = 11\n";

fn bots(words: &[&str]) -> String {
    let bot = |(i, words): (usize, &&str)| format!("[[bot]]\nname = \"bot {i}\"\nrun = \"{words}\"\n");
    words.iter().enumerate().map(bot).collect()
}

fn open<S: Store>(store: S, text: &str) -> Result<Tournament<S>, TournamentError> {
    let file = TournamentFile::parse(text).unwrap_or_else(|Flaw { what, .. }| panic!("{what}: {text}"));
    let cancel = Cancel::new().expect("a flag");
    let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ())?;
    Tournament::open(store, text, file, field)
}

/// Plays until the end, or until `most` matches have begun.
fn play<S: Store>(tournament: &mut Tournament<S>, at_once: usize, most: usize) -> (RunEnd, Vec<TournamentEvent>) {
    let cancel = Cancel::new().expect("a flag");
    let at_once = NonZeroUsize::new(at_once).expect("not zero");
    let options = RunOptions { at_once, cancel: cancel.clone(), placement: CorePlacement::Anywhere };
    let (mut told, mut begun) = (Vec::new(), 0);
    let end = tournament.run(&options, &mut |event| {
        begun += usize::from(event.name() == "start");
        if begun >= most {
            cancel.finish();
        }
        told.push(event);
    });
    let end = end.expect("it can be played");
    let Some(TournamentEvent::End { complete, .. }) = told.last() else { panic!("{told:?}") };
    assert_eq!(*complete, end == RunEnd::Complete);
    (end, told)
}

fn results(store: &impl Records) -> Vec<StoredMatch> {
    store.matches(0, usize::MAX).expect("it can be read")
}

/// Returns what two equal runs have in common.
fn timeless(store: &impl Records) -> Vec<(u64, Vec<u32>, u64, Option<RecordedResult>)> {
    let result = |result: RecordedResult| {
        let seats = result.seats.into_iter().map(|mut seat| {
            (seat.time_us, seat.max_us) = (0, 0);
            seat
        });
        let seats = seats.collect();
        RecordedResult { seats, started_ms: 0, wall_us: 0, replay: None, log: None, ..result }
    };
    let plain =
        |stored: StoredMatch| (stored.planned.id, stored.planned.bots, stored.planned.seed, stored.result.map(result));
    results(store).into_iter().map(plain).collect()
}

/// Returns the document of a tournament without the keys that begin with `time`.
fn exported(store: &impl Records) -> serde_json::Value {
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(object) => {
                object.retain(|key, _| !key.starts_with("time") && !key.starts_with("worker"));
                object.values_mut().for_each(strip);
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let document = agon_tournament::export(store).expect("it has begun");
    let lines = agon_tournament::to_csv(&document).lines().count();
    assert_eq!(lines, 1 + document.matches.iter().map(|row| row.seats.len()).sum::<usize>());
    let mut value = serde_json::to_value(document).expect("it is JSON");
    strip(&mut value);
    value
}

#[test]
fn an_interrupted_tournament_ends_like_an_undisturbed_one() {
    let text = format!("{HEAD}rounds = 8\n{}", bots(&["@random", "@greedy", "@frontier"]));
    let mut whole = open(Memory::new(), &text).expect("it is new");
    let (end, told) = play(&mut whole, 1, usize::MAX);
    assert_eq!(end, RunEnd::Complete);
    let starts: Vec<u64> = told
        .iter()
        .filter_map(|event| match event {
            TournamentEvent::Start { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    assert_eq!(starts, (1..=48).collect::<Vec<_>>(), "every pair in both seats, 8 times");

    let folder = std::env::temp_dir().join(format!("agon-tournament-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path: PathBuf = folder.join("t.agon");
    let (mut seen, mut runs) = (BTreeSet::new(), 0);
    loop {
        let mut part = open(Sqlite::open(&path).expect("a store"), &text).expect("it continues");
        let (end, told) = play(&mut part, 1 + runs % 3, 7);
        for event in told {
            if let TournamentEvent::Match { id, .. } = event {
                assert!(seen.insert(id), "match {id} was told twice");
            }
        }
        runs += 1;
        if end == RunEnd::Complete {
            assert_eq!(part.standings(), whole.standings());
            assert_eq!(timeless(part.store()), timeless(whole.store()));
            assert_eq!(exported(part.store()), exported(whole.store()));
            for stored in results(part.store()) {
                let replay = stored.result.and_then(|result| result.replay).expect("every replay is kept");
                assert!(
                    part.store()
                        .get(replay)
                        .expect("it is whole")
                        .is_some_and(|bytes| bytes.starts_with(b"{\"agon\":"))
                );
            }
            break;
        }
    }
    assert!(runs > 3, "{runs}");
    assert_eq!(seen.len(), 48);
    fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn a_bot_that_cannot_start_loses() {
    let text = format!("{HEAD}{}", bots(&["/no/such/program", "@random"]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    for stored in results(tournament.store()) {
        let result = stored.result.expect("it is over");
        let seat = |bot: u32| &result.seats[stored.planned.bots.iter().position(|own| *own == bot).expect("it plays")];
        assert_eq!((seat(0).place, seat(1).place), (2, 1));
        assert_eq!(seat(0).fault.as_ref().map(|fault| fault.kind.as_str()), Some("never started"));
        assert_eq!(seat(1).fault, None);
    }
}

#[test]
fn more_rounds_and_bots_keep_the_past() {
    let short = format!("{HEAD}rounds = 2\n{}", bots(&["@random", "@greedy"]));
    let mut first = open(Memory::new(), &short).expect("it is new");
    play(&mut first, 1, usize::MAX);
    let before = timeless(first.store());
    assert_eq!(before.len(), 4);

    let long = format!("{HEAD}rounds = 3\n{}", bots(&["@random", "@greedy", "@warden"]));
    let mut second = open(first.into_store(), &long).expect("the past stays true");
    assert!(!second.is_complete());
    play(&mut second, 2, usize::MAX);
    let after = timeless(second.store());
    assert_eq!(after[..4], before);
    assert_eq!(after.len(), 3 * 3 * 2);
    let events = second.store().events(9).expect("it can be read");
    assert!(events.iter().any(|event| event.kind == EventKind::FileChanged));

    let other = long.replace("seed = 11", "seed = 12");
    let refused = open(second.into_store(), &other).map(drop);
    let Err(TournamentError::Changed(differences)) = refused else { panic!("{refused:?}") };
    assert_eq!(differences.iter().map(|difference| difference.key).collect::<Vec<_>>(), ["seed"]);
}

#[test]
fn a_changed_bot_is_a_new_version() {
    let folder = std::env::temp_dir().join(format!("agon-tournament-version-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("bot.sh");
    fs::write(&script, "exit 1\n").expect("it can be written");
    let text = format!("{HEAD}rounds = 2\n{}", bots(&["@random", &format!("sh {}", script.display())]));
    let mut first = open(Memory::new(), &text).expect("it is new");
    play(&mut first, 1, 2);
    fs::write(&script, "exit 2\n").expect("it can be written");
    let mut second = open(first.into_store(), &text).expect("it continues");
    play(&mut second, 1, usize::MAX);
    let known = second.store().bots().expect("it can be read");
    assert_eq!(known.iter().map(|bot| bot.versions.len()).collect::<Vec<_>>(), [1, 2]);
    let versions: BTreeSet<u32> = results(second.store())
        .iter()
        .map(|stored| {
            let at = stored.planned.bots.iter().position(|bot| *bot == 1).expect("it plays");
            stored.result.as_ref().expect("it is over").seats[at].version
        })
        .collect();
    assert_eq!(versions, [1, 2].into());
    fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn a_void_match_does_not_count() {
    let text = format!("{HEAD}rounds = 2\n{}", bots(&["@random", "@greedy"]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    let played =
        |tournament: &Tournament<Memory>| tournament.standings().rows.iter().map(|row| row.played).sum::<u32>();
    assert_eq!(played(&tournament), 8);
    let voided = |tournament: &mut Tournament<Memory>, why: &str| tournament.void(2, why).expect("it was played");
    assert_eq!(voided(&mut tournament, "the light went out"), Voided::Now);
    assert_eq!(played(&tournament), 6);
    assert_eq!(voided(&mut tournament, "something else"), Voided::Before("the light went out".to_owned()));
    let reason = |store: &Memory| store.find(2).ok()??.result.map(|result| result.reason);
    assert_eq!(reason(tournament.store()).as_deref(), Some("the light went out"));
    let events = tournament.store().events(usize::MAX).expect("it can be read");
    assert_eq!(events.iter().filter(|event| event.kind == EventKind::Void).count(), 1);
    assert!(tournament.void(99, "").is_err());
    let again = open(tournament.into_store(), &text).expect("it continues");
    assert_eq!(played(&again), 6);
    assert!(again.is_complete());
}

#[test]
fn all_broken_bots_are_listed_together() {
    let text = format!("{HEAD}{}", bots(&["@random", "/", "/proc", "/no/such/program", "@greedy"]));
    let file = TournamentFile::parse(&text).expect("a file");
    let cancel = Cancel::new().expect("a flag");
    let mut field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ()).expect("one bot can play");
    assert_eq!(field.broken().map(|broken| broken.bot.as_str()).collect::<Vec<_>>(), ["bot 1", "bot 2"]);
    field.try_starts(&cancel, &|_| false, &mut |_| ()).expect("it is not cancelled");
    assert_eq!(field.broken().count(), 3, "the program of the last one is not there");
    let bots: Vec<_> = field.broken().cloned().collect();
    assert!(bots.iter().all(agon_tournament::BrokenBot::is_of_bot), "{bots:?}");
    let mut tournament = Tournament::open(Memory::new(), &text, file, field).expect("it is new");
    let cancel = Cancel::new().expect("a flag");
    let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Anywhere };
    let refused = tournament.run(&options, &mut |event| panic!("nothing is played: {event:?}"));
    let Err(TournamentError::Bots(told)) = refused else { panic!("{refused:?}") };
    assert_eq!(told, bots);
    let text = TournamentError::Bots(told).to_string();
    assert!(text.contains("bot 1") && text.contains("bot 2") && text.contains("bot 3"), "{text}");
    assert_eq!(tournament.withdraw_broken().expect("two bots are left").len(), 3);
    assert!(tournament.withdraw_broken().expect("none is broken").is_empty());
    play(&mut tournament, 1, usize::MAX);
    assert_eq!(results(tournament.store()).iter().filter(|stored| stored.planned.bots.contains(&2)).count(), 0);
    assert_eq!(tournament.progress().expect("it can be read").finished, 2);
}

#[test]
fn a_bots_own_limits_are_in_the_header_of_its_replays() {
    let bots = "[[bot]]\nname = \"a\"\nrun = \"sh -c 'exit 3'\"\nmemory = 900\nclock = \"move=3s\"\n[[bot]]\nrun = \"@random\"\n";
    let mut tournament = open(Memory::new(), &format!("{HEAD}memory = 512\n{bots}")).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    for stored in results(tournament.store()) {
        let replay = stored.result.and_then(|result| result.replay).expect("it is kept");
        let bytes = tournament.store().get(replay).expect("it can be read").expect("it is there");
        let text = String::from_utf8(bytes).expect("text");
        let header: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        let own = stored.planned.bots.iter().position(|bot| *bot == 0).expect("it plays");
        let seat = |key: &str, seat: usize| header["seats"][seat][key].clone();
        assert_eq!((seat("memory_mib", own), seat("memory_mib", 1 - own)), (900.into(), serde_json::Value::Null));
        assert!(seat("clock", own).as_str().is_some_and(|clock| clock.contains("move=3s")), "{header}");
        assert_eq!(header["limits"]["memory_mib"], 512);
    }
}

#[test]
fn a_store_in_which_nothing_has_begun_is_no_damaged_one() {
    let why = Status::read(&Memory::new()).expect_err("it is empty");
    assert!(matches!(why, TournamentError::NotBegun) && why.hint().is_some(), "{why}");
}

#[test]
fn the_status_needs_no_count() {
    let text = format!("{HEAD}rounds = 2\n{}", bots(&["@random", "@greedy"]));
    let empty = Memory::new();
    assert!(agon_tournament::Status::read(&empty).is_err() && agon_tournament::export(&empty).is_err());
    let mut tournament = open(empty, &text).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    let status = agon_tournament::Status::read(tournament.store()).expect("it has begun");
    assert_eq!(status.progress.finished, 4);
    assert_eq!(status.table, Some((4, tournament.standings())));
    assert!((status.shares().iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn the_recording_changes_no_result() {
    let file = |replays: &str| {
        format!("{HEAD}rounds = 2\nreplays = \"{replays}\"\n{}", bots(&["@random", "sh -c 'exit 3'", "@greedy"]))
    };
    let mut expected = None;
    for (replays, kept) in [("all", 12), ("faults", 8), ("none", 0)] {
        let mut tournament = open(Memory::new(), &file(replays)).expect("it is new");
        play(&mut tournament, 1, usize::MAX);
        let now = timeless(tournament.store());
        assert_eq!(*expected.get_or_insert_with(|| now.clone()), now, "{replays}");
        for stored in results(tournament.store()) {
            let result = stored.result.expect("it is over");
            let failed = result.seats.iter().any(|seat| seat.fault.is_some());
            assert_eq!(failed, stored.planned.bots.contains(&1));
            assert!(result.fingerprint.is_some() && result.seats.iter().all(|seat| seat.decisions > 0));
            assert_eq!(result.replay.is_some(), replays == "all" || (replays == "faults" && failed), "{replays}");
        }
        let store = tournament.store();
        let verified = agon_tournament::verify(store, &|hash| store.get(hash), &mut |_| true).expect("it is read");
        let table = agon_tournament::verify_table(store).expect("it is read");
        assert_eq!((verified.findings, table), (Vec::new(), StandingsCheck::Agree));
        assert_eq!(verified.replays, kept, "{replays}");
    }
}

#[test]
fn the_table_of_a_ladder_verifies() {
    let text = format!("{HEAD}kind = \"ladder\"\nrounds = 60\n{}", bots(&["@random", "@greedy"].repeat(10)));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, usize::MAX);
    let store = tournament.store();
    let verified = agon_tournament::verify(store, &|hash| store.get(hash), &mut |_| true).expect("it is read");
    assert_eq!((verified.findings, verified.matches), (Vec::new(), 120));
    let compared = || agon_tournament::verify_table(store).expect("it is read");
    assert_eq!(compared(), StandingsCheck::Agree);
    let table = store.snapshot("standings").expect("it can be read").expect("there is a table");
    let older = Snapshot { after: table.after - 1, ..table.clone() };
    store.keep("standings", older).wait().expect("it can be written");
    assert_eq!(compared(), StandingsCheck::NotCompared);
    store.keep("standings", Snapshot { text: "{}".to_owned(), ..table }).wait().expect("it can be written");
    assert_eq!(compared(), StandingsCheck::Differ);
}
