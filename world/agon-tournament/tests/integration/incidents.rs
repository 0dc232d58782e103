//! What has gone wrong at other arenas, and what shows that it does not go wrong here.
//!
//! | what went wrong | tests |
//! | --- | --- |
//! | one bot stretched every match to its limit, so that all others waited | `a_bot_that_hangs_holds_nobody_up`, `nobody_starves`, `the_status_needs_no_count` |
//! | workers were killed, and their matches counted as running for months | `claims_run_out`, `nothing_that_was_acknowledged_is_lost`, `every_shown_match_survives_a_kill` |
//! | the judge was killed, and nobody took the match up again | `an_interrupted_tournament_ends_like_an_undisturbed_one`, `matches_are_claimed_in_order` |
//! | a dead bot starved a ladder | `nobody_starves`, `a_bot_that_fails_comes_last_and_is_withdrawn` |
//! | a bot that failed a health check was never tried again | `a_bot_that_works_again_is_played_again` |
//! | two hosts built a bot differently, and judged it again for ever | `a_built_bot_is_not_built_again`, `a_build_that_differs_each_time_is_one_version`, `a_changed_bot_is_a_new_version` |
//! | the history of ratings was too expensive, and all matches came at once | `the_table_of_a_ladder_verifies`, `the_window_bounds_what_runs_at_once` |
//! | a match with a crash was not stored, so nothing was played any more | `a_bot_that_fails_comes_last_and_is_withdrawn`, `faults_and_times_are_summed_by_bot` |
//! | the queue took seconds to find the next match | `the_status_needs_no_count`, `matches_are_claimed_in_order`; `cargo xtask bench tournament` measures it |
//! | matches that the system had spoilt counted as losses | `a_spoilt_match_is_played_again`, `trouble_of_a_host_is_tried_again_and_an_error_if_it_has_never_played`, `matches_that_do_not_count_are_listed_with_their_reason` |
//! | the winner was killed with the loser, and never learnt that it had won | `the_winner_hears_the_end` |
//! | a ranking lost data on its way to the screen | `sums_are_those_of_the_matches`, `everything_that_was_played_is_exported` |
//!
//! Two more cannot happen to a tournament whose organiser names the bots: an account that floods the queue, and copies
//! of a bot that lift one another.

use agon_play::{Cancel, CorePlacement, Helper};
use agon_store::{Memory, Records, StoredMatch};
use agon_tournament::{Field, RunEnd, RunOptions, Tournament, TournamentEvent, TournamentFile};
use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// A folder for the programs of bots and what they write.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("agon-incidents-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// Writes the program of a bot. Returns the words that start it.
    fn bot(&self, name: &str, program: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, program).expect("it can be written");
        format!("sh {}", path.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Plays a tournament of these bots, one match after the other.
fn played(head: &str, bots: &[(&str, &str)]) -> (Tournament<Memory>, Vec<TournamentEvent>) {
    let bots: String =
        bots.iter().map(|(name, run)| format!("[[bot]]\nname = \"{name}\"\nrun = \"{run}\"\n")).collect();
    let text = format!("sandbox = \"none\"\nseed = 11\n{head}\n{bots}");
    let file = TournamentFile::parse(&text).unwrap_or_else(|flaw| panic!("{flaw}: {text}"));
    let cancel = Cancel::new().expect("a flag");
    let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ()).expect("sound bots");
    let mut tournament = Tournament::open(Memory::new(), &text, file, field).expect("it is new");
    let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Anywhere };
    let mut events = Vec::new();
    let end = tournament.run(&options, &mut |event| events.push(event)).expect("it can be played");
    assert_eq!(end, RunEnd::Complete);
    (tournament, events)
}

fn matches(tournament: &Tournament<Memory>) -> Vec<StoredMatch> {
    tournament.store().matches(0, usize::MAX).expect("it can be read")
}

/// Returns for each match that began, in this order, whether bot 0 took part.
fn order(events: &[TournamentEvent]) -> Vec<bool> {
    let begun = events.iter().filter_map(|event| match event {
        TournamentEvent::Start { bots, .. } => Some(bots.contains(&0)),
        _ => None,
    });
    begun.collect()
}

#[test]
fn a_bot_that_hangs_holds_nobody_up() {
    let folder = Folder::new("hangs");
    let hangs = folder.bot("hangs.sh", "while read -r line; do :; done\n");
    let head = "game = \"grid\"\nlimit = 20\nrounds = 5\nclock = \"greeting=20ms,move=20ms\"";
    let (tournament, events) = played(head, &[("hangs", &hangs), ("one", "@random"), ("two", "@greedy")]);
    let order = order(&events);
    let last_without = order.iter().rposition(|hangs| !hangs).expect("the others meet");
    let before = order[..last_without].iter().filter(|hangs| **hangs).count();
    let after = order[last_without..].iter().filter(|hangs| **hangs).count();
    assert!(after > before, "from its fifth fault on, its matches come last: {order:?}");
    for stored in matches(&tournament).iter().filter(|stored| stored.planned.bots.contains(&0)) {
        let result = stored.result.as_ref().expect("it is over");
        let seat = stored.planned.bots.iter().position(|bot| *bot == 0).expect("it takes part");
        assert_eq!(result.seats[seat].fault.as_ref().map(|fault| fault.kind.as_str()), Some("late"));
    }
}

#[test]
fn a_bot_that_works_again_is_played_again() {
    let folder = Folder::new("works-again");
    let starts = folder.0.join("starts");
    // Its first six starts fail, as if its server were down.
    let program = format!(
        "echo >> {0}; [ $(wc -l < {0}) -le 6 ] && exit 3\nwhile read -r line; do [ \"$line\" = . ] && echo .; done\n",
        starts.display()
    );
    let mends = folder.bot("mends.sh", &program);
    let head = "game = \"grid\"\nlimit = 20\nrounds = 8";
    let (tournament, _) = played(head, &[("mends", &mends), ("one", "@random"), ("two", "@greedy")]);
    let totals = tournament.store().bots().expect("it can be read")[0].totals;
    assert_eq!((totals.played, totals.faults), (32, 6), "it comes last, and is still played");
    assert!(tournament.standings().rows.iter().all(|row| !row.withdrawn));
}

#[test]
fn the_winner_hears_the_end() {
    let folder = Folder::new("winner");
    let heard = folder.0.join("heard");
    let program = format!(
        "while read -r line; do case $line in init) echo ready;; go) echo end;; over) echo >> {};; esac; done\n",
        heard.display()
    );
    let listens = folder.bot("listens.sh", &program);
    let crashes = folder.bot("crashes.sh", "exit 3\n");
    let head = "game = \"portals\"\nlimit = 3\nrounds = 6";
    let (tournament, _) = played(head, &[("listens", &listens), ("crashes", &crashes)]);
    for stored in matches(&tournament) {
        let result = stored.result.expect("it is over");
        let faults = stored.planned.bots.iter().zip(&result.seats).map(|(bot, seat)| (*bot, seat.fault.is_some()));
        assert!(faults.clone().all(|(bot, failed)| failed == (bot == 1)), "{:?}", result.seats);
        assert_eq!(result.plies, 6, "it was played to its end");
    }
    // A busy host may end the bot before it has read everything, but not in all matches.
    assert!(fs::read_to_string(&heard).is_ok_and(|heard| !heard.is_empty()), "it has never heard of an end");
}

/// Every file of Rust code below a folder.
fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("the sources are here").map(|entry| entry.expect("it can be read")) {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && name != "target" {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push_str(&fs::read_to_string(&path).expect("it can be read"));
        }
    }
}

#[test]
fn every_test_of_the_list_exists() {
    let mut all = String::new();
    for ring in ["machines", "world"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(ring), &mut all);
    }
    let rows = include_str!("incidents.rs").lines().filter_map(|line| line.strip_prefix("//! | "));
    let tests = |row: &str| -> Vec<String> {
        let quoted = row.split('`').skip(1).step_by(2).filter(|word| !word.contains(' '));
        quoted.map(str::to_owned).collect()
    };
    let rows: Vec<Vec<String>> = rows.skip(2).map(tests).collect();
    assert!(rows.len() > 10 && rows.iter().all(|tests| !tests.is_empty()), "{rows:?}");
    for test in rows.iter().flatten() {
        // Conformance tests are functions that take a store.
        let (plain, of_store) = (format!("fn {test}()"), format!("fn {test}(store: &impl Store)"));
        let in_proptest = format!("fn {test}(\n");
        assert!([plain, of_store, in_proptest].iter().any(|head| all.contains(head)), "there is no test `{test}`");
    }
}
