//! Tests the other commands: games, maps, built-in bots, kits, manuals.

use crate::agon::{Done, Place, games, python};
use serde_json::Value;
use std::{io::Write, process::Stdio};

#[test]
fn every_game_is_described_for_programs() {
    let list = Place::new().json(&["games", "--format", "json"]);
    let list = list.as_array().expect("an array");
    assert_eq!(list.len(), 5);
    for game in list {
        for key in ["name", "title", "about", "clock"] {
            assert!(!game[key].as_str().expect(key).is_empty(), "{key}: {game}");
        }
        let seats: Vec<u64> = game["seats"].as_array().expect("seats").iter().filter_map(Value::as_u64).collect();
        assert!(seats.len() == 2 && 1 <= seats[0] && seats[0] <= seats[1], "{game}");
        assert_eq!(game["rules"][0], "spec", "{game}");
        assert_eq!(game["bots"][0], "random", "the weakest comes first: {game}");
        assert!(!game["maps"].as_array().expect("maps").is_empty(), "{game}");
    }
    let place = Place::new();
    for game in games() {
        assert_eq!(place.json(&["games", &game, "--format", "json"])["name"], game.as_str());
        let told = place.run(&["games", &game]);
        assert!(told.code == 0 && told.out.contains("@random") && told.out.contains("rule sets"), "{told:?}");
    }
    let table = place.run(&["games"]);
    assert!(games().iter().all(|g| table.out.lines().any(|l| l.starts_with(g.as_str()))), "{}", table.out);
}

#[test]
fn a_generated_map_is_the_same_again_and_can_be_played() {
    for game in games() {
        let place = Place::new();
        let new = |file: &str| place.run(&["map", "new", &game, "--seed", "9", "--output", file]);
        assert_eq!(new("a.map").code, 0, "{game}");
        assert_eq!(new("b.map").code, 0, "{game}");
        assert_eq!(place.read("a.map"), place.read("b.map"), "{game}");
        let printed = place.run(&["map", "new", &game, "--seed", "9"]);
        assert_eq!(printed.out, place.read("a.map"), "{game}");
        assert!(printed.err.starts_with("gen:") && printed.err.contains(":9 for"), "{printed:?}");
        let check = place.run(&["map", "check", &game, "a.map"]);
        assert!(check.code == 0 && check.out.starts_with("a.map is a map of"), "{game}: {check:?}");
        place.write("bom.map", format!("\u{feff}{}", place.read("a.map")));
        assert_eq!(place.run(&["map", "check", &game, "bom.map"]).code, 0, "{game}: a byte order mark is no flaw");
        let show = place.run(&["map", "show", &game, "a.map"]);
        assert!(show.code == 0 && show.out.lines().count() > 3, "{game}: {show:?}");
        assert!(show.out.lines().all(|l| l.chars().count() <= 100), "{game}: {}", show.out);
        let document = place.json(&["map", "show", &game, "a.map", "--format", "json"]);
        assert_eq!(document["text"], place.read("a.map").as_str(), "{game}");
    }
}

#[test]
fn a_flaw_of_a_map_is_shown_where_it_is() {
    let place = Place::new();
    place.write("bad.map", "1--\n-x-\n--2\n");
    place.fails(1, &["map", "check", "grid", "bad.map"], &["bad.map:2:2", "2 | -x-", "  |  ^"]);
    let done = place.run(&["map", "check", "grid", "bad.map", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&done.out).expect("one document");
    assert_eq!((done.code, done.err.as_str(), &document["fingerprint"]), (1, "", &serde_json::Value::Null));
    assert_eq!((&document["flaw"]["line"], &document["flaw"]["column"]), (&2.into(), &2.into()));
    assert!(document["flaw"]["text"].as_str().is_some_and(|text| text.contains("`x`")), "{document}");
    place.write("good.map", "1--\n---\n--2\n");
    assert_eq!(place.json(&["map", "check", "grid", "good.map", "--format", "json"])["flaw"], serde_json::Value::Null);
    place.write("latin.map", b"1--\n\xe9--\n--2\n");
    place.fails(1, &["map", "check", "grid", "latin.map"], &["latin.map:2:1", "UTF-8"]);
    place.fails(1, &["map", "check", "grid", "none.map"], &["no such file"]);
    place.fails(1, &["map", "new", "grid", "--seats", "3"], &["played by 2 bots, not by 3"]);
    place.write("esc.map", "1\x1b[2J-\n");
    let done = place.run(&["map", "check", "grid", "esc.map"]);
    assert!(done.code == 1 && !done.err.contains('\x1b'), "{done:?}");
}

#[test]
fn a_built_in_bot_speaks_the_protocol_of_its_seat() {
    let place = Place::new();
    let mut child = place
        .command(&["bot", "planet-wars", "rage", "--seed", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"P 0 0 1 50 5\nP 5 0 2 10 5\ngo\n").expect("it reads");
    drop(input);
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{done:?}");
    assert!(done.out.ends_with("go\n"), "{}", done.out);
    place.fails(1, &["bot", "planet-wars", "rambo"], &["no built-in bot `rambo`", "random"]);
    place.fails(1, &["bot", "chess", "random"], &["no game `chess`"]);
    place.fails(1, &["bot", "planet-wars", "rage", "--seat", "3"], &["--seat 3: Planet Wars is played by 2 bots"]);
}

#[test]
fn the_rules_of_a_game_can_be_read_and_searched() {
    let place = Place::new();
    let whole = place.run(&["rules", "grid"]);
    assert!(whole.code == 0 && whole.out.starts_with("# Grid\n") && whole.out.contains("## Points"), "{whole:?}");
    let point = place.run(&["rules", "grid", "g12"]);
    assert!(point.out.contains("stays as step 1\n   left it (G12)") && !point.out.contains("| G13 |"), "{point:?}");
    place.fails(1, &["rules", "grid", "fleet"], &["no paragraph about Grid has `fleet`", "`agon rules grid`"]);
    place.fails(1, &["rules", "gird"], &["no game `gird`", "did you mean `grid`"]);
}

#[test]
fn first_attempts_are_answered_with_what_works() {
    let place = Place::new();
    place.write("bot.py", b"print()\n");
    place.fails(
        20,
        &["match", "grid", "bot.py", "@greedy"],
        &["no program `bot.py`", "did you mean `python3 bot.py`?"],
    );
    let more = ["match", "grid", "me=bot.py --aggr '0 5'", "@greedy"];
    place.fails(20, &more, &["did you mean `python3 bot.py --aggr '0 5'`?"]);
    place.fails(20, &["match", "grid", "bot2.py", "@greedy"], &["no program `bot2.py`", "a BOT is a command line"]);
    let plain = ["match", "grid", "@random", "@greedy", "--time", "1s"];
    place.fails(1, &plain, &["`1s` is not a part of a clock", "did you mean `move=1s`?"]);
}

#[test]
fn a_transcript_replaces_nothing_but_a_transcript() {
    let place = Place::new();
    place.write("notes.txt", b"my notes\n");
    let args =
        |file| ["match", "planet-wars", "agon bot planet-wars rage", "@random", "--rounds", "3", "--transcript", file];
    place.fails(1, &args("notes.txt"), &["--transcript `notes.txt`", "no transcript"]);
    assert_eq!(place.read("notes.txt"), "my notes\n");
    for _ in 0..2 {
        let done = place.run(&args("talk.jsonl"));
        assert!(done.code == 0 && place.read("talk.jsonl").starts_with("{\"ply\":"), "{done:?}");
    }
}

#[test]
fn a_starter_kit_is_written_into_an_empty_folder_only() {
    let place = Place::new();
    let done = place.run(&["new", "planet-wars", "python", "kit"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(place.read("kit/README.md").contains("agon match planet-wars"), "it says how to play");
    place.fails(1, &["new", "planet-wars", "cpp", "kit"], &["not an empty folder"]);
    place.fails(1, &["new", "planet-wars", "cobol", "kit2"], &["no starter kit in `cobol`", "python"]);
    place.fails(1, &["new", "py", "grid", "kit2"], &["no game `py`", "did you mean `agon new grid py kit2`?"]);
    assert!(!place.path("kit2").exists());
    if python("").is_some() {
        let bot = format!("python3 {}", place.path("kit/bot.py").display());
        let done = place.run(&["match", "planet-wars", &bot, "@random", "--rounds", "10", "--fail-on-forfeit"]);
        assert_eq!(done.code, 0, "{done:?}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::new();
    let help = |path: &[String]| {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let done = place.run(&args);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{path:?}");
        done.out
    };
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let text = help(&path);
        let commands: Vec<String> = text
            .lines()
            .skip_while(|l| *l != "Commands:")
            .skip(1)
            .take_while(|l| !l.is_empty())
            .filter_map(|l| l.strip_prefix("  ")?.split(' ').next())
            .filter(|name| !name.is_empty() && *name != "help")
            .map(str::to_owned)
            .collect();
        assert!(text.contains("\nExamples:\n"), "{path:?} has no examples:\n{text}");
        for name in commands {
            open.push([path.clone(), vec![name]].concat());
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen} commands");
}

#[test]
fn words_in_a_wrong_place_lead_to_the_command() {
    let place = Place::new();
    place.fails(2, &["planet-wars", "@random", "@random"], &["`agon match planet-wars BOT…` plays a match"]);
    place.fails(2, &["replay", "game.jsonl.zst"], &["`agon replay show FILE` shows a recorded match"]);
    place.fails(1, &["match", "@random", "planet-wars", "@random"], &["the game comes first"]);
    assert!(!place.run(&["chess", "@random"]).err.contains("agon match"));
}

#[test]
fn scripts_and_manuals_are_generated() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = place.run(&["completions", shell]);
        assert!(done.code == 0 && done.out.contains("exit-codes"), "{shell}");
        if ["bash", "zsh"].contains(&shell) {
            for words in ["planet-wars triangles grid", "auto none restricted full", "java javascript python"] {
                assert!(done.out.contains(words), "{shell}: {words}");
            }
        }
    }
    let zsh = place.run(&["completions", "zsh"]).out;
    assert!(zsh.contains("]:N\\:KEY=VALUE:") && !zsh.contains(":N:KEY"), "zsh would run `KEY=VALUE`");
    let man = place.run(&["man"]);
    assert!(man.out.contains(".SH \"EXIT STATUS\"") && man.out.contains(".B 30"), "{}", man.out);
    place.fails(1, &["man", "--dir", "man"], &["`man` is not a folder", "mkdir -p man"]);
    assert!(!place.path("man").exists());
    std::fs::create_dir(place.path("man")).expect("a new folder");
    assert_eq!(place.run(&["man", "--dir", "man"]).code, 0);
    let ask = place.read("man/agon-replay-ask.1");
    assert!(
        ask.contains(".TH") && ask.contains(".SH EXAMPLES\n.nf\n  agon replay ask game.jsonl \\-\\-ply 40"),
        "{ask}"
    );
    assert!(!ask.contains("EXIT STATUS") && place.read("man/agon.1").contains("EXIT STATUS"));
    assert_eq!(place.run(&["--version"]).out, format!("agon {}\n", env!("CARGO_PKG_VERSION")));
}

/// The script of bash in bash itself, which takes words apart at `@` and `=`.
#[test]
fn bash_completes_bots_and_rule_sets() {
    let place = Place::new();
    let script = place.path("agon.bash");
    std::fs::write(&script, place.run(&["completions", "bash"]).out).expect("a new file");
    // The second text is what bash replaces. With `shopt -u hostcomplete` that begins after an `@`.
    for (line, current, offered) in [
        ("agon match grid @ra", "@ra", "@random"),
        ("agon match grid @ra", "ra", "random"),
        ("agon match grid me=@wa", "@wa", "@warden"),
        ("agon match portals --rules ", "", "original spec"),
        ("agon match portals --rules=or", "or", "original"),
        ("agon match planet-wars --map gen:fi", "fi", "final first"),
        ("agon exit-co", "exit-co", "exit-codes"),
    ] {
        let ask = format!(
            "source {}; PATH={}:$PATH; COMP_LINE='{line}'; COMP_POINT={}; COMP_WORDS=({line}); \
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _agon_values agon '{current}' ''; echo \"${{COMPREPLY[*]}}\"",
            script.display(),
            std::path::Path::new(env!("CARGO_BIN_EXE_agon")).parent().expect("a folder").display(),
            line.len(),
        );
        let Ok(said) = std::process::Command::new("bash").args(["--norc", "-c", &ask]).output() else {
            return eprintln!("SKIPPED: there is no `bash`, which this test needs");
        };
        assert_eq!(
            String::from_utf8_lossy(&said.stdout).trim(),
            offered,
            "{line}: {}",
            String::from_utf8_lossy(&said.stderr)
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn data_that_cannot_be_printed_is_an_error() {
    let place = Place::new();
    for args in [&["games"][..], &["--help"], &["help", "match"], &["--version"], &["match", "--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let done = Done::from(place.command(args).stdout(full).output().expect("it starts"));
        assert_eq!(done.code, 40, "{done:?}");
        assert!(done.err.starts_with("error: cannot write to stdout: no space left on device\n"), "{done:?}");
    }
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command(&["games", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!((done.code, done.err.as_str()), (0, ""));
}
