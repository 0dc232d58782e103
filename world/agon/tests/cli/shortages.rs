//! Tests that a shortage of the host is never a result, whatever is played.
#![cfg(target_os = "linux")]

use crate::agon::{Done, Place, path_with_agon};
use serde_json::Value;
use std::process::{Command, Stdio};

/// Runs a command under limits of the shell, which `ulimit` sets.
fn limited(place: &Place, limits: &str, words: &str) -> Done {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits}; exec agon {words}")]).stdin(Stdio::null());
    shell.env("PATH", path_with_agon()).current_dir(place.path(""));
    let done = Done::from(shell.output().expect("there is a shell"));
    assert!(!done.err.contains("internal error"), "{limits}: {words}: {done:?}");
    done
}

/// A bot of Grid that captures nothing.
const PASSES: &str = "while read -r line; do [ \"$line\" = . ] && echo .; done\n";

fn passes(place: &Place) -> &'static str {
    place.write("bot.sh", PASSES);
    "'sh bot.sh'"
}

/// The same bot in a folder of its own, so that it does not see what is written beside that.
fn passes_in_folder(place: &Place) -> &'static str {
    std::fs::create_dir_all(place.path("bots")).expect("a folder");
    place.write("bots/bot.sh", PASSES);
    "'sh bots/bot.sh'"
}

/// The faults of a series as its document counts them, and its games with a result.
fn of_series(done: &Done) -> (u64, u64) {
    let Ok(document) = serde_json::from_str::<Value>(&done.out) else { return (0, 0) };
    (document["fault_count"].as_u64().expect("a number"), document["games"].as_u64().unwrap_or_default())
}

#[test]
fn too_few_open_files_are_no_faults_of_bots_in_a_series() {
    let place = Place::new();
    let bot = passes(&place);
    let (mut played, mut refused) = (0, 0);
    for level in ["auto", "restricted", "none"] {
        for files in [12, 16, 20, 24, 28, 32, 40, 48, 64, 96] {
            let words = format!(
                "match grid {bot} {bot} --rounds 3 --games 6 --at-once 6 --sandbox {level} --format json --quiet"
            );
            let done = limited(&place, &format!("ulimit -n {files}"), &words);
            let (faults, games) = of_series(&done);
            assert_eq!(faults, 0, "{level}, {files}: {done:?}");
            match done.code {
                0 => played += 1,
                22 => assert!(games < 6, "{level}, {files}: {done:?}"),
                40 => refused += u32::from(games == 0),
                _ => panic!("{level}, {files}: {done:?}"),
            }
        }
    }
    assert!(played > 6 && refused > 3, "{played} {refused}");
}

#[test]
fn a_single_match_has_a_result_or_is_an_error() {
    let place = Place::new();
    let bot = passes(&place);
    for level in ["auto", "restricted", "none"] {
        for files in [8, 14, 17, 18, 19, 20, 21, 22, 26, 30] {
            let words = format!("match grid {bot} {bot} --rounds 3 --sandbox {level}");
            let done = limited(&place, &format!("ulimit -n {files}"), &words);
            let is_result = done.code == 0 && !done.out.contains("late") && !done.out.contains("crashed");
            let is_error = matches!(done.code, 22 | 40) && done.out.is_empty() && done.err.contains("error: ");
            assert!(is_result || is_error, "{level}, {files}: {done:?}");
        }
    }
}

#[test]
fn the_soft_limit_is_raised_and_bots_keep_it() {
    let place = Place::new();
    place.write("tells.sh", format!("ulimit -Sn >&2\n{PASSES}"));
    let done = limited(
        &place,
        "ulimit -Sn 24; ulimit -Hn 400",
        "match grid 'sh tells.sh' 'sh tells.sh' --rounds 2 --sandbox none --stderr",
    );
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(done.err.lines().filter(|line| line.trim_end().ends_with("24")).count(), 2, "{done:?}");
    for level in ["auto", "restricted"] {
        let words = format!("match grid 'sh tells.sh' @random --rounds 2 --sandbox {level} --stderr");
        let done = limited(&place, "ulimit -Sn 24; ulimit -Hn 400", &words);
        // Where a bot may be several processes, each may open fewer files.
        let own = |line: &str| ["| 256", "| 64"].iter().any(|limit| line.trim_end().ends_with(limit));
        assert!(done.code == 0 && done.err.lines().any(own), "{level}: {done:?}");
    }
}

#[test]
fn matches_at_once_are_bounded_by_the_room_for_them() {
    let place = Place::new();
    let bot = passes(&place);
    for command in [
        format!("match grid {bot} {bot} --rounds 2 --games 8 --at-once 8"),
        format!("test grid {bot} {bot} --rounds 2 --max-matches 8 --at-once 8"),
        format!("climb grid {bot} --rounds 2 --max-matches 8 --at-once 8"),
    ] {
        let done = limited(&place, "ulimit -n 100", &format!("{command} --sandbox none"));
        assert!(!matches!(done.code, 22 | 40), "{command}: {done:?}");
        assert!(done.err.contains("at once instead of 8: each takes") && done.err.contains("open files"), "{done:?}");
    }
}

fn cup(place: &Place, level: &str) {
    std::fs::create_dir_all(place.path("bots")).expect("a folder");
    place.write("bots/bot.sh", PASSES);
    let bot = |name: &str| format!("[[bot]]\nname = \"{name}\"\nrun = \"sh bots/bot.sh\"\n");
    let bots: String = ["a", "b", "c"].map(bot).concat();
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 3\nrounds = 4\nsandbox = \"{level}\"\n{bots}"));
}

#[test]
fn a_tournament_stores_no_loss_for_lack_of_open_files() {
    for level in ["auto", "restricted", "none"] {
        for files in [20, 28, 32, 40, 64] {
            let place = Place::new();
            cup(&place, level);
            let words = "tournament run cup.toml --at-once 8 --format json-lines --quiet";
            let done = limited(&place, &format!("ulimit -n {files}"), words);
            assert!(matches!(done.code, 0 | 22 | 40), "{level}, {files}: {done:?}");
            assert!(
                !done.out.contains("never started") && !done.out.contains("\"fault\":{"),
                "{level}, {files}: {done:?}"
            );
            // With enough of them, the same command ends it.
            let done = limited(&place, ":", words);
            assert_eq!(done.code, 0, "{level}, {files}: {done:?}");
        }
    }
}

#[test]
fn too_few_threads_are_an_error_and_no_bug() {
    // The system does not limit the processes of root.
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED: only root can become a user who has no other processes");
    }
    let place = Place::new();
    cup(&place, "auto");
    std::fs::set_permissions(place.path(""), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("it is ours");
    // Nobody else has these users.
    for (user, processes) in (1_834_500..).zip([4, 8, 12, 16, 24, 40]) {
        let as_user = format!(
            "exec setpriv --reuid={user} --regid={user} --clear-groups sh -c 'export HOME=$PWD/h{user}; mkdir $HOME; cp -r cup.toml bots \
             $HOME; cd $HOME; exec prlimit --nproc={processes} agon tournament run cup.toml --at-once 8 --quiet'; exec true"
        );
        let done = limited(&place, &as_user, "");
        assert!(matches!(done.code, 0 | 22 | 40), "{processes}: {done:?}");
        assert!(!done.out.contains("never started") && !done.err.contains("panicked"), "{processes}: {done:?}");
        assert!(processes < 40 || done.code == 0, "{processes}: {done:?}");
    }
}

#[test]
fn a_full_disk_is_no_fault_of_a_bot() {
    let place = Place::new();
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED: only root can mount a small disk");
    }
    cup(&place, "auto");
    std::fs::create_dir_all(place.path("bots/a")).expect("a folder");
    place.write("bots/a/bot.py", "while True:\n    if input() == \".\":\n        print(\".\", flush=True)\n");
    std::fs::create_dir(place.path("small")).expect("a folder");
    let small = "exec unshare -m sh -c 'mount -t tmpfs -o size=4k,nr_inodes=3 none small && export TMPDIR=$PWD/small \
                 XDG_CACHE_HOME=$PWD/small && exec agon match grid bots/a @random'; exec true";
    let done = limited(&place, small, "");
    assert!(done.code == 40 && done.out.is_empty(), "{done:?}");
}

/// Runs a command whose folder `small` has no room for more than so much, by a small disk or by a limit of a file's size. `None`
/// if this user cannot have such a disk.
fn cramped(place: &Place, kib: u32, is_disk: bool, words: &str) -> Option<Done> {
    let folder = place.path("small");
    let before: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    if !is_disk {
        before.iter().for_each(|path| drop(std::fs::remove_file(path).or_else(|_| std::fs::remove_dir_all(path))));
        std::fs::create_dir_all(&folder).expect("a folder");
        // `ulimit -f` counts in blocks of 512 bytes.
        return Some(limited(place, &format!("export XDG_STATE_HOME=$PWD/state; ulimit -f {}", 2 * kib), words));
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can mount a small disk");
        return None;
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    let mounted = format!("mount -t tmpfs -o size={kib}k none small && XDG_STATE_HOME=$PWD/state exec agon {words}");
    Some(limited(place, &format!("exec unshare -m sh -c '{}'; exec true", mounted.replace('\'', "'\\''")), ""))
}

#[test]
fn a_full_disk_after_play_is_told_and_is_no_result() {
    let place = Place::new();
    let bot = passes_in_folder(&place);
    let games = "--rounds 30 --at-once 2 --seed 7";
    for (words, kib) in [
        (format!("match grid {bot} {bot} --rounds 300 --replay small/r.jsonl"), 4),
        (format!("match grid {bot} {bot} --rounds 300 --transcript small/t.jsonl"), 4),
        (format!("match grid {bot} @random {games} --games 60 --replays small/all"), 8),
        (format!("test grid {bot} @random {games} --max-matches 400 --store small/t.agon"), 700),
        (format!("tune grid 'sh bots/bot.sh {{x}}' --param x=1..9@5 --games 400 {games} --store small/t.agon"), 700),
    ] {
        for is_disk in [true, false] {
            // Each file is smaller than all of them together.
            let kib = match (is_disk, kib) {
                (false, 8) => 1,
                (false, 700) => 600,
                _ => kib,
            };
            let Some(done) = cramped(&place, kib, is_disk, &words) else { continue };
            assert_eq!(done.code, 22, "{words}, {is_disk}: {done:?}");
            assert!(done.err.contains("error: ") && done.err.contains("hint: "), "{words}, {is_disk}: {done:?}");
            assert!(!words.starts_with("test") || done.out.is_empty(), "{words}, {is_disk}: {done:?}");
        }
    }
}

#[test]
fn a_store_that_cannot_be_made_is_a_shortage() {
    let place = Place::new();
    let bot = passes_in_folder(&place);
    for words in [
        format!("test grid {bot} @random --rounds 3 --max-matches 4 --store small/t.agon"),
        "tune grid 'sh bots/bot.sh {x}' --param x=1..9@5 --games 4 --rounds 3 --store small/t.agon".to_owned(),
    ] {
        for is_disk in [true, false] {
            let Some(done) = cramped(&place, 8, is_disk, &words) else { continue };
            assert!(done.code == 40 && done.out.is_empty(), "{words}, {is_disk}: {done:?}");
            assert!(done.err.contains("cannot grow: the disk"), "{words}, {is_disk}: {done:?}");
        }
    }
}

#[test]
fn a_tournament_on_a_full_disk_keeps_what_it_has_played() {
    let place = Place::new();
    cup(&place, "auto");
    let text = place.read("cup.toml").replace("rounds = 4", "rounds = 150").replace("sh bots/", "sh ../bots/");
    place.write("long.toml", text);
    for is_disk in [true, false] {
        let words = "tournament run small/cup.toml --at-once 2 --quiet";
        std::fs::create_dir_all(place.path("small")).expect("a folder");
        let inside = format!(
            "cp long.toml small/cup.toml; agon {words}; code=$?; agon tournament status small/cup.toml >&2; exit $code"
        );
        let shell = if is_disk {
            if !rustix::process::geteuid().is_root() {
                eprintln!("SKIPPED: only root can mount a small disk");
                continue;
            }
            format!("exec unshare -m sh -c 'mount -t tmpfs -o size=1100k none small && {inside}'; exec true")
        } else {
            format!("ulimit -f 1400; exec sh -c '{inside}'; exec true")
        };
        let done = limited(&place, &shell, "");
        assert_eq!(done.code, 22, "{is_disk}: {done:?}");
        assert!(done.err.contains("the run has ended early, and what was stored is kept"), "{is_disk}: {done:?}");
        assert!(done.err.contains(" of 900 matches finished"), "{is_disk}: {done:?}");
    }
}

#[test]
fn too_few_threads_for_pages_and_consoles_are_an_error_and_no_bug() {
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED: only root can become a user who has no other processes");
    }
    let place = Place::new();
    place.write("bot.sh", PASSES);
    let recorded = place.run(&["match", "grid", "@random", "@random", "--rounds", "3", "--replay", "r.jsonl"]);
    assert_eq!(recorded.code, 0, "{recorded:?}");
    std::fs::set_permissions(place.path(""), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("it is ours");
    let mut user = 1_934_500;
    let (mut short, mut done_well) = (0, 0);
    for words in [
        "console grid @random @random --terminal",
        "console grid @random @random --no-open --until-stdin-ends",
        "console grid \"sh bot.sh\" human --terminal --sandbox none",
        "replay ask r.jsonl --ply 1 --seat 1 \"sh bot.sh\" --sandbox none --wait 100ms",
        "match grid @random @random --rounds 2 --open",
        "replay view r.jsonl --no-open",
        "doctor",
    ] {
        for processes in 1..9 {
            user += 1;
            let served = words.contains("--no-open") || words.contains("--open");
            let bounded = if served { "timeout -s INT 1" } else { "" };
            let as_user = format!(
                "exec setpriv --reuid={user} --regid={user} --clear-groups sh -c 'export HOME=$PWD/h{user}; mkdir $HOME; exec \
                 prlimit --nproc={processes} {bounded} agon {words}'; exec true"
            );
            let done = limited(&place, &as_user, "");
            match done.code {
                40 => short += 1,
                // `timeout` needs a process of its own, and a shell cannot start a program.
                0 | 124 | 125 | 130 | 11 | 1 if !done.err.contains("panicked") => done_well += 1,
                _ => panic!("{words}, {processes}: {done:?}"),
            }
        }
    }
    assert!(short > 8 && done_well > 8, "{short} {done_well}");
}
