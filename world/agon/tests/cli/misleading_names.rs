//! Names that people read as another one are told wherever a bot gets a name.

use crate::{
    agon::Place,
    builds::{installed, sandboxed},
};

/// A bot of Grid that passes.
const PASSES: &str = "while read -r line; do [ \"$line\" = . ] && echo .; done\n";

#[test]
fn every_command_tells_of_names_that_look_alike() {
    let place = Place::new();
    place.write("bot.sh", PASSES);
    for (one, other, told) in [
        ("rage", "r\u{430}ge", "`r\u{430}ge` looks like `rage`: it has `\u{430}` (U+0430)"),
        ("bot", "b\u{3bf}t", "`b\u{3bf}t` looks like `bot`: it has `\u{3bf}` (U+03BF)"),
        ("Bill", "BilI", "`BilI` looks like `Bill`: it has `I` (U+0049)"),
    ] {
        let (first, second) = (format!("{one}=@random"), format!("{other}=@greedy"));
        let file = format!(
            "game = \"grid\"\nlimit = 20\nrounds = 1\n[[bot]]\nname = \"{one}\"\nrun = \"@random\"\n[[bot]]\nname = \"{other}\"\n\
             run = \"@greedy\"\n"
        );
        place.write("cup.toml", file);
        for arguments in [
            &["match", "grid", &first, &second][..],
            &["match", "grid", &first, &second, "--games", "2"],
            &["test", "grid", &first, &second, "--max-matches", "4"],
            &["tournament", "check", "cup.toml"],
            &["tournament", "run", "cup.toml", "--restart"],
        ] {
            let done = place.run(arguments);
            assert!(done.err.contains(told), "{arguments:?}: {done:?}");
        }
    }
    let alone = place.run(&["check", "grid", "r\u{430}ge=sh bot.sh"]);
    assert!(alone.err.contains("`r\u{430}ge` looks like `rage`"), "{alone:?}");
    let plain = place.run(&["match", "grid", "rage=@random", "range=@random"]);
    assert!(!plain.err.contains("looks like"), "{plain:?}");
}

#[test]
fn every_command_tells_of_a_file_whose_name_ends_in_a_dot_or_blank() {
    if !sandboxed() || !installed(&["python3", "tar"]) {
        return;
    }
    let place = Place::new();
    std::fs::create_dir(place.path("bot")).expect("a folder");
    place.write("bot/bot.py", "import sys\nfor line in sys.stdin:\n    if line == '.\\n': print('.', flush=True)\n");
    for name in ["bot.tar.", "bot.tar ", "bot .tar", "bot..tar", "bot."] {
        let made = if name.ends_with(['.', ' ']) && !name.contains("tar") {
            std::process::Command::new("cp").args(["-r", "bot", name]).current_dir(place.path("")).status()
        } else {
            std::process::Command::new("tar")
                .args(["-cf", name, "-C", "bot", "bot.py"])
                .current_dir(place.path(""))
                .status()
        };
        assert!(made.expect("it is installed").success());
        let quoted = format!("mine='./{name}'");
        place.write(
            "cup.toml",
            format!(
                "game = \"grid\"\nlimit = 20\nrounds = 1\n[[bot]]\nname = \"mine\"\nrun = \"'./{name}'\"\n[[bot]]\nname = \"other\"\n\
                 run = \"@random\"\n"
            ),
        );
        for arguments in [
            &["match", "grid", &quoted, "@random"][..],
            &["check", "grid", &quoted],
            &["tournament", "check", "cup.toml"],
            &["build", name],
        ] {
            let done = place.run(arguments);
            assert!(done.err.contains("loses the dot or blank at its end"), "{name:?} {arguments:?}: {done:?}");
        }
    }
}
