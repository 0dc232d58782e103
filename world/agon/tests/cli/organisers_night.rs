//! Tests the night of an organiser: folders as they were handed in, some of them broken, and a tournament in which everything happens
//! that happens on such a night.

use crate::{
    agon::{Done, Place, python},
    builds::bot,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::Stdio,
};

/// A bot of Grid that passes, in Python.
const PYTHON: &str =
    "import sys\nfor line in sys.stdin:\n    if line.strip() == '.':\n        print('.', flush=True)\n";
/// The same as a shell script.
const SHELL: &str = "#!/bin/sh\nwhile read -r line; do [ \"$line\" = . ] && echo .; done\n";
/// What one bot tells its author.
const SECRET: &str = "my idea: pass always";

/// Returns the folders, each with its file. Those in the second list cannot be built or started.
fn handed_in() -> (Vec<(&'static str, &'static str, String)>, [&'static str; 4]) {
    let lines = |text: &str| text.replace('\n', "\r\n");
    let folders = vec![
        ("anna", "bot.py", PYTHON.to_owned()),
        ("ben", "run.sh", SHELL.to_owned()),
        ("carla", "main.py", format!("import helper\n{PYTHON}")),
        ("dora", "run.sh", lines(SHELL)),
        ("emil", "run.sh", SHELL.replace("/bin/sh", "/usr/bin/no-such-shell")),
        ("fritz", "run.sh", "#!/bin/sh\nread -r line\necho 'it broke' >&2\nexit 3\n".to_owned()),
        ("gina", "run.sh", "#!/bin/sh\nexec sleep 60\n".to_owned()),
        ("hugo", "run.sh", "#!/bin/sh\nwhile read -r line; do echo hello; done\n".to_owned()),
        ("ida", "notes.txt", "it will be there tomorrow\n".to_owned()),
        ("jan", "bot.py", PYTHON.replace("for", "fro")),
        ("kim", "bot.py", format!("import no_such_module\n{PYTHON}")),
        ("lea", "bot.py", PYTHON.replace("print('.', flush=True)", "sys.stdout.write('.\\n')")),
        ("max", "first.py", PYTHON.to_owned()),
        ("nina", "bot.py", PYTHON.replace("for line", &format!("print({SECRET:?}, file=sys.stderr)\nfor line"))),
        ("otto", "run.sh", SHELL.to_owned()),
    ];
    (folders, ["dora", "emil", "ida", "max"])
}

fn hand_in(place: &Place, folders: &[(&str, &str, String)]) {
    let mut file = "game = \"grid\"\nsandbox = \"none\"\nlimit = 4\nseatings = \"one\"\nmaps = [\"gen:4x4\"]\n\
                    clock = \"greeting=2s,move=900ms\"\nwithdrawn = \"void\"\n"
        .to_owned();
    for (name, start, text) in folders {
        let folder = format!("handed-in/{name}");
        bot(place, &folder, &[(*start, text.as_str())]);
        let mode = std::fs::Permissions::from_mode(if start.ends_with(".sh") { 0o755 } else { 0o644 });
        std::fs::set_permissions(place.path(&format!("{folder}/{start}")), mode).expect("it is ours");
        file.push_str(&format!("[[bot]]\nname = \"{name}\"\nrun = \"{folder}\"\n"));
    }
    bot(place, "handed-in/carla", &[("helper.py", "x = 1\n")]);
    // Nothing says which of these starts.
    bot(place, "handed-in/max", &[("second.py", PYTHON)]);
    place.write("cup.toml", file);
}

/// Runs a subcommand of `agon tournament` on the cup, which must succeed.
fn cup(place: &Place, command: &str, more: &[&str]) -> Done {
    let done = place.run(&[&["tournament", command, "cup.toml"], more].concat());
    assert_eq!(done.code, 0, "{command} {more:?}: {done:?}");
    done
}

/// Begins a run, and interrupts it after some matches.
fn interrupted_run(place: &Place, after: usize) {
    let args = ["tournament", "run", "cup.toml", "--without-broken", "--format", "json-lines", "--at-once", "2"];
    let mut child =
        place.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let is_match = |line: &String| line.contains("\"event\":\"match\"");
    assert_eq!(lines.by_ref().map_while(Result::ok).filter(is_match).take(after).count(), after);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    lines.for_each(drop);
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!(done.code, 130, "{done:?}");
    assert!(done.err.contains("`agon tournament run cup.toml` continues it"), "{done:?}");
}

/// Returns what each bot has by the matches of an export: the points of 2/1/0, and the number of matches that count.
fn counted(export: &Value) -> BTreeMap<String, (i64, u64)> {
    let mut sums: BTreeMap<String, (i64, u64)> = BTreeMap::new();
    for one in export["matches"].as_array().expect("a list").iter().filter(|one| one["counts"] == true) {
        let seats = one["seats"].as_array().expect("a list");
        let firsts = seats.iter().filter(|seat| seat["place"] == 1).count();
        for seat in seats {
            let points = match (seat["place"] == 1, firsts) {
                _ if one["double_forfeit"] == true => 0,
                (true, 1) => 2,
                (true, _) => 1,
                (false, _) => 0,
            };
            let (sum, played) = sums.entry(seat["bot"].as_str().expect("a name").to_owned()).or_default();
            (*sum, *played) = (*sum + points, *played + 1);
        }
    }
    sums
}

#[test]
fn a_night_ends_with_the_right_table() {
    if python("").is_none() {
        return;
    }
    let place = Place::new();
    let (folders, broken) = handed_in();
    hand_in(&place, &folders);

    // Before the night: everything that is wrong is told at once.
    let refused = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!(refused.code, 20, "{refused:?}");
    for name in broken {
        assert!(refused.err.contains(&format!("{name}: ")), "{name}: {refused:?}");
    }
    for why in ["line ends of Windows", "no-such-shell", "`first.py`, `second.py`"] {
        assert!(refused.err.contains(why), "{why}: {refused:?}");
    }
    assert!(!refused.err.contains("`run`: anna") && !place.path("cup.agon").exists(), "{refused:?}");

    // It begins without them, and somebody presses Ctrl-C.
    interrupted_run(&place, 9);
    let export = || place.json(&["tournament", "export", "cup.toml"]);
    let before = export();
    let of_otto =
        |one: &&Value| one["seats"].as_array().is_some_and(|seats| seats.iter().any(|it| it["bot"] == "otto"));
    let mut others = before["matches"].as_array().expect("a list").iter().filter(|one| !of_otto(one));
    let first = others.next().and_then(|one| one["id"].as_u64()).expect("a match").to_string();

    // One sends a new version; one has found an editor for his line ends; one goes home; one has a better name.
    place.write("handed-in/ben/run.sh", format!("{SHELL}# better\n"));
    place.write("handed-in/dora/run.sh", SHELL);
    let readmitted = cup(&place, "readmit", &["dora", "--why", "she has found an editor"]);
    assert!(readmitted.err.contains("`dora` plays again"), "{readmitted:?}");
    cup(&place, "withdraw", &["otto", "--why", "he went home"]);
    cup(&place, "rename", &["carla", "Carla the Great", "--why", "she asked for it"]);
    cup(&place, "void", &[&first, "--why", "somebody tripped over the cable"]);
    cup(&place, "rerun", &[&first, "--why", "the cable is back"]);
    let played = cup(&place, "run", &["-q"]);
    assert!(played.err.is_empty() || !played.err.contains("error"), "{played:?}");

    // The table is that of the matches.
    let export = export();
    let out = ["emil", "ida", "max", "otto"];
    let playing = folders.len() as u64 - out.len() as u64;
    let counted = counted(&export);
    assert_eq!(counted.len() as u64, playing, "{counted:?}");
    assert!(counted.values().all(|(_, played)| *played == playing - 1), "each meets each once: {counted:?}");
    for row in export["standings"].as_array().expect("a table") {
        let name = row["bot"].as_str().expect("a name");
        let (points, played) = counted.get(name).copied().unwrap_or_default();
        assert_eq!((&row["points"], &row["played"]), (&points.into(), &played.into()), "{name}");
    }
    let bots = |key: &str| -> Vec<(String, Value)> {
        let bots = export["bots"].as_array().expect("a list").iter();
        bots.map(|bot| (bot["name"].as_str().expect("a name").to_owned(), bot[key].clone())).collect()
    };
    let withdrawn: Vec<String> =
        bots("withdrawn").into_iter().filter(|(_, out)| *out == true).map(|(bot, _)| bot).collect();
    assert_eq!(withdrawn, out);
    let versions = |name: &str| {
        let all = bots("versions");
        all.iter().find(|(bot, _)| bot == name).and_then(|(_, versions)| versions.as_array().map(Vec::len))
    };
    assert_eq!([versions("anna"), versions("ben"), versions("dora")], [Some(1), Some(2), Some(1)]);
    assert!(bots("name").iter().any(|(bot, _)| bot == "Carla the Great"));
    assert_eq!(export["earlier"].as_array().map(Vec::len), Some(1), "the match that was played again");

    // Everybody fails in the way that his bot fails.
    let fault = |name: &str| {
        let seats = export["matches"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|one| one["seats"].as_array().expect("a list"));
        let mut kinds: Vec<String> = seats
            .filter(|seat| seat["bot"] == name)
            .filter_map(|seat| seat["fault"].as_str().map(str::to_owned))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.join(", ")
    };
    for (name, kind) in [
        ("anna", ""),
        ("ben", ""),
        ("Carla the Great", ""),
        ("dora", ""),
        ("fritz", "crashed"),
        ("gina", "late"),
        ("hugo", "nonsense"),
        ("jan", "crashed"),
        ("kim", "crashed"),
        ("nina", ""),
    ] {
        assert_eq!(fault(name), kind, "{name}");
    }

    // What the organiser has decided is told, and everything agrees.
    let reasons =
        ["she has found an editor", "he went home", "she asked for it", "over the cable", "the cable is back"];
    for shown in [cup(&place, "status", &[]).out, cup(&place, "report", &[]).out] {
        assert!(reasons.iter().all(|why| shown.contains(why)), "{shown}");
    }
    let verified = place.json(&["tournament", "verify", "cup.toml", "--format", "json"]);
    assert_eq!(
        (&verified["findings"], &verified["standings"]),
        (&serde_json::json!([]), &"agree".into()),
        "{verified:#}"
    );
    assert_eq!(verified["seeds"], "agree");
    assert!(verified["replays"].as_u64() >= Some(50), "{verified:#}");

    // Each author gets his own log, and the page is for all.
    let logs = cup(&place, "logs", &["nina", "for-nina"]);
    assert!(logs.err.contains("logs of `nina` to `for-nina`"), "{logs:?}");
    let written: Vec<_> = std::fs::read_dir(place.path("for-nina")).expect("a folder").collect();
    assert!(written.len() as u64 >= playing - 1, "one for each match: {}", written.len());
    for log in written {
        let text = std::fs::read_to_string(log.expect("a file").path()).expect("text");
        assert_eq!(text, format!("{SECRET}\n"));
    }
    cup(&place, "report", &["--dir", "public", "--pages", "none"]);
    for entry in ["replays", "."] {
        for file in std::fs::read_dir(place.path("public").join(entry)).expect("a folder") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(!text.contains(SECRET) && !text.contains("it broke"), "{}", path.display());
        }
    }
    let again = cup(&place, "run", &["-q"]);
    assert!(!again.err.contains("error"), "nothing is left to play: {again:?}");
}
