//! Tests folders as people keep their bots: what is chosen of them, what is said about that, and that it plays.

use crate::{
    agon::{Done, Place},
    builds::{bot, installed, json, run, sandboxed},
};
use std::{os::unix::fs::PermissionsExt, process::Command};

/// A bot of Planet Wars in Python that passes. It says on stderr what it was started with.
const PASSES: &str = "import sys\nsys.stderr.write('arguments %s\\n' % sys.argv[1:])\nfor line in sys.stdin:\n    \
    if line == 'go\\n':\n        print('go', flush=True)\n";

fn plays(place: &Place, folder: &str) -> Done {
    let args = ["match", "planet-wars", folder, "@random", "--seed", "1", "--time", "off", "--format", "json"];
    let done = run(place, &args);
    let played = json(&done);
    assert!(played["seats"][0]["fault"].is_null(), "{folder}: {played:#}");
    done
}

#[test]
fn the_choice_is_told() {
    if !installed(&["python3"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "lazy", &[("bot.py", "class Bot: pass\n"), ("randbot.py", PASSES), ("other.py", "import bot\n")]);
    bot(&place, "lazy", &[("randbot.py", &format!("from bot import Bot\n{PASSES}"))]);
    let done = run(&place, &["build", "lazy", "--format", "json"]);
    assert_eq!(done.code, 20, "{done:?}");
    let document: serde_json::Value = serde_json::from_str(&done.out).expect("a document");
    assert!(document["start"].is_null(), "{document:#}");
    assert_eq!(document["candidates"], serde_json::json!(["other.py", "randbot.py", "bot.py"]));
    for args in [&["build", "lazy"][..], &["match", "planet-wars", "lazy", "@random"]] {
        let done = run(&place, args);
        assert!(done.code == 20 && done.out.is_empty(), "{done:?}");
        assert!(done.err.contains("`other.py`, `randbot.py`, `bot.py`") && done.err.contains("main = \""), "{done:?}");
    }
    std::fs::rename(place.path("lazy"), place.path("RandBot")).expect("it is ours");
    let built = json(&run(&place, &["build", "RandBot", "--format", "json"]));
    assert_eq!((&built["start"], &built["left_out"]), (&"randbot.py".into(), &serde_json::json!([])));
    assert_eq!(built["candidates"][0], "randbot.py");
    assert!(built["why"].as_str().is_some_and(|why| why.contains("named like the folder")), "{built:#}");
    let done = plays(&place, "RandBot");
    assert!(done.err.contains("RandBot: Python: `randbot.py` is named like the folder; others: other.py"), "{done:?}");
}

#[test]
fn other_programs_are_not_compiled() {
    if !sandboxed() || !installed(&["javac", "gcc", "g++"]) {
        return;
    }
    let place = Place::new();
    let java = "import java.util.Scanner;\npublic class MyBot {\n    public static void main(String[] a) {\n        \
        Scanner in = new Scanner(System.in);\n        while (in.hasNextLine()) if (PlanetWars.ends(in.nextLine())) \
        System.out.println(\"go\");\n    }\n}\n";
    let planets = "class PlanetWars { static boolean ends(String line) { return line.equals(\"go\"); } }\n";
    let broken = "public class BullyBot { public static void main(String[] a) { PlanetWars w = 1; } }\n";
    bot(
        &place,
        "contest",
        &[("MyBot.java", java), ("PlanetWars.java", planets), ("example_bots/BullyBot.java", broken)],
    );
    let main = "#include \"pass.h\"\n#include <stdio.h>\nint main(void) {\n    char line[999];\n    \
        while (fgets(line, sizeof line, stdin)) if (is_go(line)) puts(\"go\"), fflush(stdout);\n}\n";
    let pass =
        "#include <string.h>\n#include \"pass.h\"\nint is_go(const char *line) { return !strcmp(line, \"go\\n\"); }\n";
    bot(
        &place,
        "dead",
        &[
            ("src/bot.c", main),
            ("src/pass.h", "int is_go(const char *line);\n"),
            ("src/rules.c", pass),
            ("src/tester.c", "int main(void) { return broken; }\n"),
            ("src/Makefile", "all:\n\tfalse\n"),
        ],
    );
    for (folder, left_out) in [("contest", "example_bots/BullyBot.java"), ("dead", "src/tester.c")] {
        let built = json(&run(&place, &["build", folder, "--format", "json"]));
        assert_eq!(built["left_out"], serde_json::json!([left_out]), "{built:#}");
        let done = plays(&place, folder);
        assert!(done.err.contains("left out: "), "{done:?}");
        assert_eq!(done.err.contains("`src/Makefile` is not used"), folder == "dead", "{done:?}");
    }
}

/// A module acts when its program starts, so another bot in the folder must not be linked.
#[test]
fn a_module_of_ocaml_that_nothing_names_does_not_play() {
    if !sandboxed() || !installed(&["ocamlopt"]) {
        return;
    }
    let place = Place::new();
    let rules = "let run answer =\n  try\n    while true do\n      if input_line stdin = \"go\" then print_endline answer\n    \
        done\n  with End_of_file -> ()\n";
    let another = "let answer = \"broken\"\nlet () = Rules.run answer\n";
    bot(
        &place,
        "several",
        &[
            ("bot.ml", "(* Not Another's answer. *)\nlet () = Rules.run Answer.text\n"),
            ("rules.ml", rules),
            ("answer.mli", "val text : string\n"),
            ("answer.ml", "let text = \"go\"\n"),
            ("another.ml", another),
            ("dead.ml", "let x : int = \"broken\"\n"),
        ],
    );
    let built = json(&run(&place, &["build", "several", "--format", "json"]));
    assert_eq!(built["left_out"], serde_json::json!(["another.ml", "dead.ml"]), "{built:#}");
    let done = plays(&place, "several");
    assert!(done.err.contains("because nothing names it: `another.ml`, `dead.ml`;"), "{done:?}");
}

#[test]
fn a_run_script_says_what_is_played() {
    if !installed(&["python3"]) {
        return;
    }
    let place = Place::new();
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec python3 -u player.py --depth 3 \"$@\"\n";
    bot(&place, "scripted", &[("run.sh", script), ("bot.py", "import no_such_thing\n"), ("player.py", PASSES)]);
    let built = json(&run(&place, &["build", "scripted", "--format", "json"]));
    assert_eq!((&built["start"], &built["run"][2]), (&"player.py".into(), &"player.py".into()), "{built:#}");
    assert!(plays(&place, "scripted").err.contains("`run.sh` starts `player.py`"));
}

#[test]
#[cfg(target_os = "linux")]
fn packages_in_the_folder_are_found_and_others_are_told() {
    if !installed(&["python3"]) {
        return;
    }
    let place = Place::new();
    let asked = Command::new("python3").args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).output();
    let version = String::from_utf8(asked.expect("it is there").stdout).expect("a version").trim().to_owned();
    let packages = format!(".venv/lib/python{version}/site-packages");
    let uses = format!("import only_mine\n{PASSES}");
    bot(
        &place,
        "mine",
        &[
            ("bot.py", &uses),
            (".venv/pyvenv.cfg", "home = /nowhere\n"),
            (&format!("{packages}/only_mine/__init__.py"), ""),
            (&format!("{packages}/pip/__init__.py"), "broken"),
            ("requirements.txt", "only-mine==1.0\nagon-no-such-package>=2 # needed\n"),
        ],
    );
    std::os::unix::fs::symlink("/usr/bin/python3", place.path("mine/.venv/python")).expect("a link");
    std::os::unix::fs::symlink("lib", place.path("mine/.venv/lib64")).expect("a link");
    let done = plays(&place, "mine");
    for text in ["asks for `agon-no-such-package`", "pip install --target . -r requirements.txt"] {
        assert!(done.err.contains(text), "{text}: {done:?}");
    }
    assert!(!done.err.contains("only-mine"), "{done:?}");
    bot(&place, "mine", &[("agon.toml", "run = [\".venv/bin/python\", \"-u\", \"bot.py\"]\n")]);
    plays(&place, "mine");
    bot(&place, "node", &[("bot.js", ""), ("package.json", "{\"dependencies\": {\"left-pad\": \"1\"}}")]);
    if installed(&["node"]) {
        let built = run(&place, &["build", "node"]);
        assert!(built.err.contains("`left-pad`") && built.err.contains("npm install --omit=dev"), "{built:?}");
    }
}

#[test]
fn a_script_that_cannot_be_taken_apart_is_played_itself() {
    if !installed(&["python3"]) || !sandboxed() {
        return;
    }
    let place = Place::new();
    let script = "#!/bin/sh\nDEPTH=3\nif [ -n \"$DEPTH\" ]; then exec python3 \"${0%/*}/player.py\" $DEPTH; fi\n";
    bot(&place, "scripted", &[("run.sh", script), ("player.py", PASSES)]);
    for mode in [0o644, 0o755] {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(place.path("scripted/run.sh"), mode).expect("it is ours");
        plays(&place, "scripted");
    }
}
