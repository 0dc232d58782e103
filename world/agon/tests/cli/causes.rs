//! Tests what Agon says about bots that fail in the usual ways. The bots are in `tests/misled`, one for each case.

use crate::agon::{Done, Place, python};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

/// What must be said about a bot.
struct Case {
    game: &'static str,
    /// The command, with `bots` for the folder of the bots.
    command: &'static str,
    more: &'static [&'static str],
    /// The cause in the document. Empty for `null`.
    cause: &'static str,
    /// Texts that people must see.
    said: &'static [&'static str],
    /// Texts that they must not see, because they mislead.
    unsaid: &'static [&'static str],
}

const WARS: &str = "planet-wars";
/// The options that the sandbox can be the reason of.
const SANDBOXED: &[&str] = &["--read", "--processes", "--bot-dir", "network"];
const OTHER_RULES: &[&str] = &["--rules"];
const STDERR: &[&str] = &["perhaps it wrote text for people", "debug output belongs on stderr"];
const HELLO: &[&str] = &["debug output belongs on stderr", "heard `hello`"];
/// A limit for bots that wait for input until it is over.
const SHORT: &[&str] = &["--time", "move=1500ms,first=+500ms"];
const RESTRICTED: &[&str] = &["--sandbox", "restricted", "--time", "move=20s,greeting=20s"];
const READ_ONLY: &[&str] = &["only for reading", "$TMPDIR"];
const LONG: &[&str] = &["--time", "move=20s,greeting=20s"];

const fn case(command: &'static str, cause: &'static str, said: &'static [&'static str]) -> Case {
    Case { game: WARS, command, more: LONG, cause, said, unsaid: &["did you forget to flush"] }
}

const CASES: &[Case] = &[
    Case {
        more: SHORT,
        unsaid: &["Java", "System.out", "--read"],
        ..case(
            "python3 bots/no_flush.py",
            "no_flush",
            &["did you forget to flush?", "in Python, after each answer: `print(…, flush=True)`", "told was `go`"],
        )
    },
    Case {
        more: SHORT,
        ..case("python3 bots/extra_read.py", "extra_read", &["reads a line too many", "told was `go`"])
    },
    Case { more: SHORT, ..case("python3 -u bots/extra_read_unbuffered.py", "extra_read", &["reads a line too many"]) },
    Case { more: SHORT, ..case("node bots/extra_read.js", "extra_read", &["JavaScript writes at once"]) },
    Case {
        more: SHORT,
        unsaid: &["waits for input", "forget to flush"],
        ..case("python3 bots/sleeps.py", "", &["late"])
    },
    // In Triangles the answers to the commands before are complete.
    Case {
        game: "triangles",
        more: SHORT,
        unsaid: &["empty line", "forget to flush"],
        ..case(
            "python3 bots/triangles_extra_read.py",
            "extra_read",
            &["nothing of its last answer", "told was `gen_move`"],
        )
    },
    Case {
        game: "triangles",
        more: &["--time", "greeting=1500ms"],
        unsaid: &["the end of its line", "forget to flush"],
        ..case(
            "python3 bots/no_empty_line.py",
            "no_end_of_answer",
            &["`=\\n` arrived", "an empty line ends each answer"],
        )
    },
    Case { more: LONG, ..case("sh bots/never_reads.sh", "never_reads", &["without reading", "answer once"]) },
    Case { game: "grid", ..case("sh bots/hello.sh ''", "prose", &["nonsense: an empty line", "no empty line among"]) },
    Case { unsaid: OTHER_RULES, ..case("sh bots/hello.sh 3", "prose", STDERR) },
    Case { unsaid: OTHER_RULES, ..case("sh bots/hello.sh '{ planets: 3 }'", "prose", STDERR) },
    Case {
        more: &["--processes", "16", "--time", "move=1500ms,first=+500ms"],
        unsaid: &["nothing was heard"],
        ..case(
            "sh bots/not_a_command.sh",
            "no_end_of_answer",
            &["only empty lines were heard", "on stderr it wrote `", "compute_moves"],
        )
    },
    Case {
        more: SHORT,
        unsaid: &["nothing arrived", "nothing was heard", "forget to flush"],
        ..case("python3 bots/no_go.py", "no_end_of_answer", &["`1 2 1\\n` arrived", "the line `go` is missing"])
    },
    Case {
        more: SHORT,
        unsaid: &["nothing arrived", "nothing was heard"],
        ..case(
            "perl bots/no_line_end.pl",
            "no_end_of_answer",
            &["`go` arrived", "the end of the line is missing", "`$| = 1;`"],
        )
    },
    Case {
        more: SHORT,
        unsaid: &["nothing arrived", "nothing was heard"],
        ..case("node bots/no_line_end.js", "no_end_of_answer", &["the end of the line is missing"])
    },
    Case {
        more: SHORT,
        unsaid: &["nothing arrived", "nothing was heard"],
        ..case("python3 bots/carriage_return.py", "line_ends", &["`go\\r`", "end each line with `\\n`"])
    },
    case("sh bots/chatty.sh", "prose", &["debug output belongs on stderr", "heard `Now thinking about turn`"]),
    // The rules of the contest skip both lines, but the bot would have said nothing by them.
    Case { unsaid: OTHER_RULES, ..case("sh bots/hello.sh hello", "prose", HELLO) },
    Case { unsaid: OTHER_RULES, ..case("sh bots/hello.sh 'turn 3'", "prose", STDERR) },
    Case { game: "grid", ..case("sh bots/hello.sh hello", "prose", HELLO) },
    Case { game: "lighthouses", ..case("sh bots/hello.sh hello", "prose", HELLO) },
    Case { game: "portals", ..case("sh bots/hello.sh hello", "prose", HELLO) },
    Case { game: "triangles", ..case("sh bots/hello.sh hello", "prose", HELLO) },
    case("sh bots/virtual_machine.sh", "prose", &["Java virtual machine", "-XX:+DisplayVMOutputToStderr"]),
    Case {
        game: "lighthouses",
        ..case(
            "python3 bots/quotes.py",
            "quotes",
            &["single quotes", "double quotes", "json.dumps", "in the greeting the last line told was `{"],
        )
    },
    case("python3 bots/bom.py", "bom", &["byte order mark", "without a BOM"]),
    case("python3 bots/python2.py", "python2", &["written in Python 2", "2to3"]),
    case("python3 bots/raw_input.py", "python2", &["written in Python 2", "2to3"]),
    Case {
        more: &["--time", "move=20s", "--memory", "90"],
        ..case("python3 bots/memory.py", "out_of_memory", &["90 MiB", "--memory"])
    },
    case("python3 bots/hidden_file.py", "hidden_file", &["did not find `data/book.txt`", "the file exists", "--read "]),
    case("sh bots/hidden_home.sh", "hidden_file", &["the file exists", "`$HOME` is an empty folder"]),
    case("python3 bots/read_only.py", "read_only", &["log.txt`", "only for reading", "$TMPDIR"]),
    // It is started from the folder around its own, as people do, and its log is not in its own folder.
    Case {
        more: RESTRICTED,
        unsaid: &["$TMPDIR"],
        ..case(
            "sh bots/log_here.sh",
            "read_only",
            &["`log.txt`", "only for reading", "belongs on stderr", "may write no file"],
        )
    },
    // SQLite does not say why it cannot open a file.
    case("python3 bots/database.py", "read_only", &["perhaps it could not make its database", "$TMPDIR"]),
    case("python3 bots/database_here.py", "read_only", &["it wrote to `games.db`", "only for reading", "$TMPDIR"]),
    // Without a sandbox it fails as well.
    Case { unsaid: READ_ONLY, ..case("python3 bots/database_nowhere.py", "", &["unable to open database file"]) },
    Case {
        unsaid: &["--read ", "sandbox does not show"],
        ..case(
            "python3 bots/wrong_folder.py",
            "wrong_folder",
            &[
                "did not find `openings.txt`",
                "it starts in `",
                "after `cd /",
                "/bots`; or ",
                "in Python `os.path.dirname(",
            ],
        )
    },
    Case {
        more: &["--sandbox", "none", "--time", "move=20s,greeting=20s"],
        ..case("perl bots/wrong_folder.pl", "wrong_folder", &["after `cd /", "in Perl `$FindBin::Bin`"])
    },
    Case {
        unsaid: &["only for reading", "another user", "--read "],
        ..case(
            "sh bots/not_executable.sh",
            "rights",
            &["perhaps it tried to execute `bots/helper.sh`", "perhaps `chmod +x "],
        )
    },
    // Its traceback names a file of Python, and its error none.
    Case {
        unsaid: &["only for reading", "wrote to"],
        ..case("python3 bots/shared_memory.py", "processes", &["`multiprocessing`", "shared memory", "use threads"])
    },
    case("python3 bots/network.py", "no_network", &["used the network"]),
    case("python3 bots/resolver.py", "no_network", &["used the network"]),
    Case {
        more: &["--processes", "1"],
        ..case("python3 bots/processes.py", "processes", &["started another process", "--processes 16"])
    },
    Case {
        // By CPU time it is late on a busy host, too.
        more: &["--time", "move=2s,first=+8s,policy=cpu"],
        unsaid: &["take long to start", "forget to flush"],
        ..case("python3 bots/endless.py", "endless_loop", &["perhaps an endless loop", "time of your own"])
    },
    Case {
        more: SHORT,
        unsaid: &["endless", "forget to flush"],
        ..case("python3 bots/slow_start.py", "slow_start", &["perhaps it takes long to start", "--time first=+10s"])
    },
    case(
        "python3 bots/nowhere.py",
        "no_module",
        &["module `agon_has_no_such_module`", "neither its folder nor this system", "pip install --target"],
    ),
    Case {
        more: &["--sandbox", "none"],
        ..case("python3 bots/nowhere.py", "no_module", &["neither its folder nor this system"])
    },
    case("sh bots/no_version.sh", "no_interpreter", &["version 3.1.4", "`pyenv install 3.1.4`", "/usr/bin/python3"]),
    case("bots/above", "hidden_file", &["outside of its folder", "put what it reads into its folder"]),
    Case {
        more: &["--processes", "1"],
        ..case("sh bots/processes.sh", "processes", &["started another process", "--processes 16"])
    },
    Case {
        more: &["--processes", "1"],
        ..case("timeout 10 python3 bots/no_go.py", "processes", &["started another process", "--processes 16"])
    },
    Case {
        more: &["--processes", "1"],
        ..case("node bots/processes.js", "processes", &["started another process", "--processes 16"])
    },
    case(
        "python3 bots/packages.py",
        "user_packages",
        &["module `only_mine`", "only your own packages", "pip install --target"],
    ),
    Case {
        game: "grid",
        ..case(
            "python3 bots/chat.py",
            "other_rules",
            &["`--rules original` does not enforce", "written for the contest", "heard `S hello to everybody`"],
        )
    },
    Case { unsaid: SANDBOXED, ..case("python3 bots/key_error.py", "", &["KeyError", "agon check"]) },
    Case { unsaid: SANDBOXED, ..case("node bots/thrown.js", "", &["Cannot read properties of undefined", " more"]) },
    // What is not there at all is no matter of the sandbox.
    Case {
        unsaid: &["--read ", "--processes", "the file exists"],
        ..case("sh -c 'exec cat nowhere.txt'", "", &["nowhere.txt"])
    },
];

/// Returns whether a program is there. In CI it must be.
fn have(program: &str) -> bool {
    let there = program.contains('/') || Command::new(program).arg("--version").output().is_ok();
    assert!(there || std::env::var_os("CI").is_none() || program == "perl", "there is no `{program}`");
    there
}

/// Makes a folder with the bots, a file beside them, and a home with a file and a module.
fn ground() -> Place {
    let place = Place::new();
    for folder in ["bots", "bots/above", "data", "home"] {
        fs::create_dir(place.path(folder)).expect("a folder");
    }
    place.write("bots/above/bot.py", "print(open('../data/book.txt').read())\n");
    let bots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/misled");
    for bot in fs::read_dir(bots).expect("the folder is there").flatten() {
        fs::copy(bot.path(), place.path("bots").join(bot.file_name())).expect("it can be copied");
    }
    place.write("data/book.txt", "e4\n");
    place.write("home/book.txt", "e4\n");
    let packages = place.path("home/.local/lib/python3.11/site-packages");
    fs::create_dir_all(&packages).expect("a folder");
    fs::write(packages.join("only_mine.py"), "").expect("a file");
    place
}

fn play(place: &Place, case: &Case, format: &str) -> Done {
    let bot = format!("me={}", case.command);
    let mut args = vec!["match", case.game, &bot, "@random", "--seed", "1", "--format", format];
    args.extend(case.more);
    let mut command = place.command(&args);
    command.env("HOME", place.path("home"));
    Done::from(command.output().expect("agon can be started"))
}

#[test]
#[cfg(target_os = "linux")]
fn the_cause_is_said_in_words_and_in_the_document() {
    let place = ground();
    for case in CASES {
        let program = case.command.split(' ').next().expect("a word");
        if !have(program) {
            eprintln!("SKIPPED: {}: there is no `{program}`", case.command);
            continue;
        }
        let done = play(&place, case, "text");
        let said = format!("{}{}", done.out, done.err);
        for text in case.said {
            assert!(said.contains(text), "{}: `{text}` is not in {said}", case.command);
        }
        for text in case.unsaid {
            assert!(!said.contains(text), "{}: `{text}` misleads in {said}", case.command);
        }
        if !case.cause.is_empty() {
            let lines = said.lines().skip_while(|line| !line.starts_with("hint: me: "));
            let block: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
            assert_eq!(block.len(), 3, "{}: {said}", case.command);
        }
        let done = play(&place, case, "json");
        let document: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
        let fault = &document["seats"][0]["fault"];
        let cause = Some(case.cause).filter(|cause| !cause.is_empty());
        assert_eq!(fault["cause"].as_str(), cause, "{}: {fault:#}", case.command);
        assert_eq!(fault["hint"].is_string(), cause.is_some(), "{}: {fault:#}", case.command);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_bots_may_not_read_is_a_matter_of_rights() {
    let Some(_) = python("pass") else { return };
    let place = ground();
    place.write("bots/key.txt", "secret\n");
    // The bots of root run as another user, and those of another user as that one.
    fs::set_permissions(place.path("bots/key.txt"), PermissionsExt::from_mode(0o000)).expect("it is ours");
    let case = case("python3 bots/rights.py", "rights", &[]);
    let done = play(&place, &case, "text");
    assert!(done.err.contains("may not read") && done.err.contains("`chmod "), "{done:?}");
    let document: Value = serde_json::from_str(&play(&place, &case, "json").out).expect("a document");
    assert_eq!(document["seats"][0]["fault"]["cause"], "rights");
    // The file's mode is open, but not that of its folder.
    fs::create_dir(place.path("bots/closed")).expect("a folder");
    place.write("bots/closed/key.txt", "secret\n");
    place.write("bots/closed.sh", "exec cat bots/closed/key.txt\n");
    fs::set_permissions(place.path("bots/closed"), PermissionsExt::from_mode(0o600)).expect("it is ours");
    let done = play(&place, &Case { command: "sh bots/closed.sh", ..case }, "text");
    assert!(
        done.err.contains("may not enter `") && done.err.contains("`chmod ") && done.err.contains("/bots/closed`"),
        "{done:?}"
    );
    // Else the folder could not be removed.
    fs::set_permissions(place.path("bots/closed"), PermissionsExt::from_mode(0o700)).expect("it is ours");
}

#[test]
#[cfg(target_os = "linux")]
fn a_check_has_the_cause_too() {
    let Some(_) = python("pass") else { return };
    let place = ground();
    let done = place.run(&["check", WARS, "python3 bots/no_flush.py", "--time", "move=1500ms", "--format", "json"]);
    let document: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    let finding = document["steps"].as_array().expect("steps").iter().find_map(|step| step["finding"].as_object());
    let finding = finding.expect("a finding");
    assert_eq!(finding["cause"], "no_flush");
    assert!(finding["hint"].as_str().is_some_and(|hint| hint.contains("flush=True")), "{finding:?}");
    assert!(done.err.contains("did you forget to flush?"), "{done:?}");
}

#[test]
fn every_cause_is_documented() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let docs = fs::read_to_string(docs).expect("it is there");
    for cause in agon_spec::FaultCause::ALL {
        assert!(docs.contains(&format!("| `{cause}` |")), "{cause}");
    }
}
