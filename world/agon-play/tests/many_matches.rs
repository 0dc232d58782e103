//! Plays many matches at the same time from one process: half of them with built-in bots, half of them with processes
//! in a sandbox. One match is cancelled with stage one and one with stage two. None of the matches leaves anything
//! behind.

use agon_core::Seed;
use agon_games::AnyGame;
use agon_play::{
    Cancel, Event, Helper, MatchPlan, MatchResult, MatchTerms, NamedBot, NotStarted, Outcome, PlayOptions, PreparedBot,
    Preparer, ReplaySink, SandboxOptions, TranscriptSink, play,
};
use agon_referee::MatchEvent;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Barrier,
    thread,
};

const BOT: &str = env!("CARGO_BIN_EXE_agon-play-bot");
/// The number of simultaneous matches of each sort.
const EACH: usize = 32;

/// Returns the numbers of our open files, except that of the folder that this function reads.
fn descriptors() -> BTreeSet<PathBuf> {
    let open = fs::read_dir("/proc/self/fd").expect("Linux").filter_map(Result::ok);
    let targets = open.filter_map(|entry| Some((entry.file_name(), fs::read_link(entry.path()).ok()?)));
    targets.filter(|(_, target)| !target.ends_with("fd")).map(|(number, _)| number.into()).collect()
}

/// Returns every descendant of this process, including those that have ended and are not yet reaped.
fn descendants() -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("Linux").filter_map(Result::ok);
    let stats: Vec<(String, String)> = processes
        .filter_map(|entry| {
            let pid = entry.file_name().into_string().ok().filter(|name| name.bytes().all(|b| b.is_ascii_digit()))?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name may contain any character. After it come a letter and the number of the parent.
            Some((pid, stat.rsplit_once(") ")?.1.split(' ').nth(1)?.to_owned()))
        })
        .collect();
    let mut found = vec![std::process::id().to_string()];
    let mut at = 0;
    while let Some(parent) = found.get(at).cloned() {
        found.extend(stats.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| pid.clone()));
        at += 1;
    }
    found.split_off(1)
}

/// Returns the temporary files of this process, which have its number in their names.
fn leftovers() -> BTreeSet<PathBuf> {
    let number = std::process::id().to_string();
    let entries = fs::read_dir(std::env::temp_dir()).expect("there is one").filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(&number)).collect()
}

/// A match that waits for all others before it begins.
struct Seated<'a> {
    game: &'static dyn AnyGame,
    plan: &'a MatchPlan,
    bots: &'a [PreparedBot],
    number: usize,
    folder: &'a Path,
    together: &'a Barrier,
}

/// What happens to a match after its first turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    PlayedOut,
    CancelledSoftly,
    CancelledHard,
}

impl Seated<'_> {
    fn play(&self, fate: Fate, cancel: &Cancel) -> MatchResult {
        let mut spec = self.plan.spec(self.bots);
        spec.seed = Seed(self.number as u64);
        let file = |ending: &str| self.folder.join(format!("{}{ending}", self.number));
        let options = PlayOptions {
            cancel: Some(cancel.clone()),
            replay: Some(ReplaySink::File(file(".jsonl"))),
            transcript: Some(TranscriptSink::File(file(".transcript"))),
            ..PlayOptions::default()
        };
        self.together.wait();
        play(self.game, &spec, self.bots, options, &mut |event| {
            if let Event::Match(MatchEvent::Ply(record)) = event
                && record.ply == 1
            {
                match fate {
                    Fate::PlayedOut => {}
                    Fate::CancelledSoftly => cancel.finish(),
                    Fate::CancelledHard => cancel.kill(),
                }
            }
        })
        .expect("it begins")
    }
}

#[test]
fn sixty_four_matches_at_once_leave_nothing() {
    let folder = std::env::temp_dir().join(format!("many-{}", std::process::id()));
    // The process that starts programs in the sandbox for a thread ends with that thread. When this thread has ended,
    // nothing of it may be left.
    let play = |name: &str| {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        thread::spawn(move || play_all(&folder)).join()
    };
    // What this process opens only once for all matches is open after the first ones.
    play("first").expect("every match came to its end");
    let (files, open) = (leftovers(), descriptors());
    let played = play("second");
    let (left, still_open) = (descendants(), descriptors());
    let left_files = leftovers();
    fs::remove_dir_all(&folder).expect("it is ours");
    played.expect("every match came to its end");
    assert_eq!(left, Vec::<String>::new(), "processes");
    assert_eq!(still_open, open, "descriptors");
    assert_eq!(left_files, files, "folders");
}

fn play_all(folder: &Path) {
    let game = agon_play::find_game("grid").expect("a game");
    let named = |words: [String; 2]| words.map(|words| NamedBot::parse(game, &words).expect("a bot"));
    let all = Cancel::new().expect("descriptors");
    let mut preparer = Preparer::new(Helper::Program(BOT.into()), SandboxOptions::default(), all.clone());
    let mut ready = |bots: &[NamedBot]| -> Vec<PreparedBot> {
        bots.iter().map(|bot| preparer.prepare(game, bot, &mut |_| ()).expect("it can be started")).collect()
    };
    let builtin = named(["@greedy".into(), "two=@random".into()]);
    let process = named([format!("me={BOT} grid frontier 1"), "@random".into()]);
    // Without a clock: the test measures what is left, and 64 matches on a few cores would make bots late.
    let terms = MatchTerms { time: Some("off".into()), ..MatchTerms::default() };
    let plans = [&builtin, &process].map(|bots| terms.plan(game, bots).expect("a match"));
    let prepared = [ready(&builtin), ready(&process)];
    assert_eq!(prepared[0][0].isolation(), None);
    assert!(prepared[1][0].isolation().is_some());

    let together = Barrier::new(2 * EACH);
    let (soft, hard) = (Cancel::new().expect("descriptors"), Cancel::new().expect("descriptors"));
    let results: Vec<(Fate, bool, MatchResult)> = thread::scope(|scope| {
        let start = |number: usize| {
            let (sort, together, folder) = (usize::from(number >= EACH), &together, folder);
            let (plan, bots) = (&plans[sort], &prepared[sort]);
            // The last two are processes.
            let (fate, cancel) = match 2 * EACH - number {
                1 => (Fate::CancelledHard, &hard),
                2 => (Fate::CancelledSoftly, &soft),
                _ => (Fate::PlayedOut, &all),
            };
            let seated = Seated { game, plan, bots, number, folder, together };
            scope.spawn(move || (fate, sort == 1, seated.play(fate, cancel)))
        };
        let threads: Vec<_> = (0..2 * EACH).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no match panics")).collect()
    });

    assert_eq!(results.len(), 2 * EACH);
    for (fate, is_process, result) in &results {
        assert!(result.seats.iter().all(|seat| seat.fault.is_none()), "{:?}", result.seats);
        match fate {
            Fate::CancelledHard => assert!(matches!(result.outcome, Outcome::Aborted), "{:?}", result.outcome),
            _ => assert!(matches!(result.outcome, Outcome::Finished(_)), "{:?}", result.outcome),
        }
        assert!(result.plies > 0);
        assert!(!is_process || result.seats[0].times.count() > 0);
        // The replay is on disk, with its last line.
        let replay = result.replay.as_ref().expect("it was asked for");
        let text = fs::read(replay.path.as_ref().expect("a file")).expect("it is there");
        assert_eq!(agon_play::ContentHash::of(&text), *replay.written.as_ref().expect("it is whole"));
        let last = text.strip_suffix(b"\n").and_then(|text| text.rsplit(|b| *b == b'\n').next());
        assert!(last.expect("lines").starts_with(b"{\"end\":"));
        assert!(result.transcript.as_ref().is_some_and(|transcript| transcript.written.is_ok()));
    }
    // After stage one, the running match is played to its end and the next one is not started.
    let next = PlayOptions { cancel: Some(soft), ..PlayOptions::default() };
    let next = play(game, &plans[1].spec(&prepared[1]), &prepared[1], next, &mut |_| ()).expect("it is a match");
    assert!(matches!(next.outcome, Outcome::NotStarted(NotStarted::Cancelled)), "{:?}", next.outcome);
}
