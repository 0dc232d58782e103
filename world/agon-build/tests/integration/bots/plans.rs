use super::place::Place;
use agon_build::{Plan, Run, Tools};
use std::{os::unix::fs::PermissionsExt, time::Duration};

const MAIN: &str = "int main() {}";

fn plan(files: &[(&str, &str)], tools: &[&str], node: &str) -> (Place, Plan) {
    let place = Place::new();
    files.iter().for_each(|(name, text)| place.write(name, text));
    let plan = place.plan(&place.tools(tools, node)).unwrap_or_else(|e| panic!("{files:?}: {e}"));
    (place, plan)
}

/// The command of a plan, with `T/` for where the tools of the test are.
fn words(place: &Place, plan: &Plan) -> String {
    let Run::Words(words) = &plan.run else { panic!("{:?}", plan.run) };
    words.join(" ").replace(&place.path("installed/bin").display().to_string(), "T")
}

#[test]
fn every_language_has_its_lines_and_its_command() {
    let java = "package a;\npublic class Bot { Map map; public static void main(String[] x) {} }";
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str], &'a str);
    let cases: &[Case<'_>] = &[
        (
            &[
                ("bot.c", "int main() { read(); score(); }"),
                ("map.c", "int read() {}"),
                ("tester.c", MAIN),
                ("tests/x.c", MAIN),
                ("-x.c", "int score() {}"),
            ],
            &["gcc"],
            &["gcc -std=gnu17 -O2 -pthread -I. -o agon-bot ./-x.c bot.c map.c -lm"],
            "./agon-bot",
        ),
        (
            &[
                ("bot.cpp", "int main() { read(); score(); }"),
                ("src/a b.cc", "int score() {}"),
                ("map.c", "int read() {}"),
            ],
            &["gcc", "g++"],
            &[
                "gcc -std=gnu17 -O2 -pthread -I. -Isrc -c map.c -o agon-bot-0.o",
                "g++ -std=gnu++20 -O2 -pthread -I. -Isrc -o agon-bot bot.cpp 'src/a b.cc' agon-bot-0.o -lm",
            ],
            "./agon-bot",
        ),
        (
            &[("main.rs", "fn main() {}")],
            &["rustc", "cc"],
            &["rustc --edition 2024 -O -o agon-bot main.rs"],
            "./agon-bot",
        ),
        (
            &[("a/Bot.java", java), ("a/Map.java", "package a; class Map {}"), ("lib/x.jar", "PK")],
            &["java", "javac"],
            &[
                "javac -J-Xmx512m -J-XX:+UseSerialGC -encoding UTF-8 -cp agon-bot:.:lib/x.jar -sourcepath . -d agon-bot a/Bot.java a/Map.java",
            ],
            "T/java -cp agon-bot:.:lib/x.jar a.Bot",
        ),
        (&[("bot.jar", "PK")], &["java"], &[], "T/java -jar bot.jar"),
        (&[("main.py", "")], &["python3"], &[], "T/python3 main.py"),
        (&[("__main__.py", "")], &["python3"], &[], "T/python3 ."),
        (&[("bot.js", "")], &["node"], &[], "T/node bot.js"),
        (&[("bot.ts", "")], &["node"], &[], "T/node bot.ts"),
        (&[("Bot.cs", "")], &["mcs", "mono"], &["mcs -optimize+ -out:agon-bot.exe Bot.cs"], "T/mono agon-bot.exe"),
        (
            &[("My.csproj", ""), ("Bot.cs", "")],
            &["mcs", "mono", "dotnet"],
            &["dotnet build --configuration Release --output agon-bot My.csproj"],
            "T/dotnet agon-bot/My.dll",
        ),
        (&[("go.mod", ""), ("main.go", "")], &["go"], &["go build -o agon-bot ."], "./agon-bot"),
        (
            &[("bot.go", ""), ("a.go", ""), ("a_test.go", "")],
            &["go"],
            &["go build -o agon-bot a.go bot.go"],
            "./agon-bot",
        ),
        (
            &[("bot.ml", "Map.read ()"), ("map.ml", "")],
            &["ocamlfind", "ocamlopt"],
            &[
                "ocamlfind ocamlopt -package unix,str -a -o agon-bot.cmxa $(ocamldep -sort map.ml)",
                "ocamlfind ocamlopt -package unix,str -linkpkg -o agon-bot agon-bot.cmxa $(ocamldep -sort bot.ml)",
            ],
            "./agon-bot",
        ),
        (
            &[("Main.hs", ""), ("Map.hs", "")],
            &["ghc"],
            &["ghc -O2 -threaded -i.:src:app -outputdir \"$TMPDIR/ghc\" -o agon-bot Main.hs"],
            "./agon-bot",
        ),
        (&[("play", "\x7fELF"), ("net.bin", "")], &[], &[], "./play"),
    ];
    for (files, tools, lines, command) in cases {
        let (place, plan) = plan(files, tools, "v24.1.0");
        assert_eq!(plan.lines, *lines);
        assert_eq!(words(&place, &plan), *command);
        assert!(plan.read().iter().all(|path| *path == place.path("installed")), "{:?}", plan.read());
    }
}

#[test]
fn older_versions_of_node_need_more_for_typescript() {
    let files = [("src/bot.ts", ""), ("src/map.ts", "")];
    let (place, older) = plan(&files, &["node"], "v22.7.0");
    assert_eq!(words(&place, &older), "T/node --experimental-strip-types src/bot.ts");
    let (place, old) = plan(&files, &["node", "tsc"], "v20.20.2");
    assert_eq!(old.lines, ["tsc --outDir agon-bot --rootDir . --target es2022 --module commonjs src/bot.ts"]);
    assert_eq!(words(&place, &old), "T/node agon-bot/src/bot.js");
    let package = ("package.json", "{\"type\": \"module\", \"scripts\": {\"start\": \"tsx src/bot.ts\"}}");
    for (files, line) in [
        (vec![("src/bot.ts", ""), package], "--module es2022 --moduleResolution node src/bot.ts"),
        (vec![("bot.mts", "")], "--module es2022 --moduleResolution node bot.mts"),
        (vec![("bot.cts", ""), package], "--module commonjs bot.cts"),
    ] {
        let (_, modules) = plan(&files, &["node", "tsc"], "v20.20.2");
        assert_eq!(modules.lines, [format!("tsc --outDir agon-bot --rootDir . --target es2022 {line}")]);
    }
    let project = [("tsconfig.json", "{}"), ("bot.mts", "")];
    let (place, old) = plan(&project, &["node", "tsc"], "v18.0.0");
    assert_eq!(old.lines, ["tsc -p . --outDir agon-bot --rootDir . --noEmit false"]);
    assert_eq!(words(&place, &old), "T/node agon-bot/bot.mjs");
}

#[test]
fn cargo_builds_outside_the_folder_and_its_programs_are_found_by_name() {
    let files = [("Cargo.toml", "[package]\nname = 'mine'\n"), ("src/main.rs", "fn main() {}")];
    let (_, plan) = plan(&files, &["cargo", "rustc", "cc"], "");
    assert!(plan.lines[0].starts_with("cargo build --release --offline --target-dir \"$TMPDIR/"), "{:?}", plan.lines);
    assert_eq!(plan.run, Run::Made(["mine", "bot", "main", "MyBot"].map(str::to_owned).into()));
    assert_eq!((plan.wall, plan.memory_mib), (Duration::from_secs(180), 2048));
}

#[test]
fn the_author_has_the_last_word() {
    let tools = ["gcc", "make", "python3"];
    // A build and a command: nothing is guessed, a word that is no tool stays what it is.
    let text = "build = [['./configure', 'a b'], ['make']]\nrun = ['./out/bot', '-x']\n[limits]\nbuild-seconds = 5\n\
        build-memory-mib = 70\n";
    let (place, own) = plan(&[("agon.toml", text), ("a.py", ""), ("b.c", "")], &tools, "");
    assert_eq!(own.lines, ["./configure 'a b'", "make"]);
    assert_eq!(words(&place, &own), "./out/bot -x");
    assert_eq!((own.language, own.wall, own.memory_mib), (None, Duration::from_secs(5), 70));
    // A tool is written out wherever it is, so that it is found inside a sandbox.
    let (place, own) = plan(&[("agon.toml", "run = ['python3', '-u', 'a.py']"), ("a.py", "")], &tools, "");
    assert_eq!((words(&place, &own).as_str(), own.lines.len()), ("T/python3 -u a.py", 0));
    // A build alone: the program that it makes is played, and no tool of ours is needed.
    let (_, own) = plan(&[("agon.toml", "build = ['sh', 'make.sh']"), ("a.c", MAIN), ("make.sh", "")], &[], "");
    assert_eq!(own.lines, ["sh make.sh"]);
    assert!(matches!(own.run, Run::Made(_)), "{:?}", own.run);
    // Several starts, one of them named, whatever it looks like.
    let files = [("agon.toml", "main = 'b.c'"), ("a.c", MAIN), ("b.c", "MAIN_MACRO"), ("Makefile", "")];
    let (_, own) = plan(&files, &tools, "");
    assert_eq!(own.lines, ["gcc -std=gnu17 -O2 -pthread -I. -o agon-bot b.c -lm"]);
}

#[test]
fn tools_are_asked_where_no_bot_has_files() {
    let place = Place::new();
    place.write("bot.js", "");
    // This node says that it is a program below the folder that it was started in.
    let tools = place.tools(&["node"], "");
    std::fs::write(place.path("installed/bin/node"), "#!/bin/sh\necho \"$(pwd)usr/bin/env\"\n").expect("it is ours");
    let Run::Words(words) = place.plan(&tools).expect("it is there").run else { panic!("a command") };
    assert_eq!(words, ["/usr/bin/env", "bot.js"]);
}

#[test]
fn a_script_says_each_line_and_takes_it_as_it_is() {
    let (_, plan) = plan(&[("agon.toml", "build = ['echo', '$HOME', \"it's\"]\nrun = ['./x']"), ("x", "")], &[], "");
    let output = std::process::Command::new("/bin/sh").args(["-c", &plan.script()]).output().expect("there is a shell");
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert_eq!(said.lines().last(), Some("$HOME it's"), "{said}");
    assert!(said.starts_with("$ echo "), "{said}");
}

#[test]
fn more_sources_than_a_command_can_name_are_refused() {
    let place = Place::new();
    for i in 0..900 {
        place.write(&format!("{}/{i}.c", "deep".repeat(35)), format!("int f{i}(void) {{}}"));
    }
    let calls: Vec<String> = (0..900).map(|i| format!("f{i}();")).collect();
    place.write("bot.c", format!("int main() {{ {} }}", calls.join("\n")));
    let flaw = place.plan(&Tools::in_folders(vec!["/usr/bin".into()])).expect_err("it must be refused");
    assert!(flaw.what.contains("too many source files") || flaw.what.contains("`gcc`"), "{flaw}");
}

#[test]
fn the_python_of_an_environment_is_played_only_if_it_works() {
    const PACKAGE: (&str, &str) = (".venv/lib/python3.77/site-packages/net.py", "");
    let run = ("agon.toml", "run = ['.venv/bin/python', 'main.py']");
    for files in [&[("main.py", ""), PACKAGE][..], &[("main.py", ""), PACKAGE, run]] {
        let place = Place::new();
        place.write(".venv/pyvenv.cfg", "");
        files.iter().for_each(|(name, text)| place.write(name, text));
        let tools = place.tools(&["python3"], "");
        let (bin, own) = (place.path("installed/bin"), place.path("installed/bin/python3.77"));
        let write = |text: &str| {
            std::fs::write(&own, text).expect("it can be written");
            std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        };
        // As of a version manager, if another version is active.
        write("#!/bin/sh\nexit 127\n");
        let plan = place.plan(&tools).expect("there is another Python");
        assert_eq!(words(&place, &plan), "T/python3 main.py");
        assert!(plan.notes.iter().any(|note| note.contains("for Python 3.77")), "{:?}", plan.notes);
        let here = place.path("installed").display().to_string();
        write(&format!("#!/bin/sh\nprintf 'agon:%s\\n' {here}/bin/python3.77 {here} {here}\n"));
        let plan = place.plan(&Tools::in_folders(vec![bin])).expect("it is there");
        assert_eq!((words(&place, &plan).as_str(), plan.notes.len()), ("T/python3.77 main.py", 0));
    }
}

#[test]
fn a_path_names_only_a_python_that_the_user_has_under_that_name() {
    let place = Place::new();
    place.write("main.py", "");
    let tools_of = |python: &str| {
        let python = place.path(python).display().to_string();
        place.write("agon.toml", format!("run = ['{python}', 'main.py']"));
        place.plan(&place.tools(&["python3"], "")).expect("it is a bot").tools.len()
    };
    assert_eq!(tools_of("installed/bin/python3"), 1);
    // A file with another name, a copy elsewhere, and what is not there.
    std::fs::create_dir_all(place.path("other/bin")).expect("a folder");
    std::fs::copy("/bin/true", place.path("other/bin/python3")).expect("every system has it");
    std::os::unix::fs::symlink("python3", place.path("installed/bin/mine")).expect("links can be made");
    for python in ["installed/bin/mine", "other/bin/python3", "missing/python3"] {
        assert_eq!(tools_of(python), 0, "{python}");
    }
    // One of an environment has packages that the real one does not have.
    std::fs::write(place.path("installed/pyvenv.cfg"), "").expect("the folder for tests can be written to");
    assert_eq!(tools_of("installed/bin/python3"), 0);
}

#[test]
fn missing_parts_of_an_environment_are_told() {
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n. .venv/bin/activate && exec python3 bot.py\n";
    let (_, with_script) = plan(&[("run.sh", script), ("bot.py", ""), (".venv/pyvenv.cfg", "")], &["python3"], "");
    let told = |plan: &Plan, words: &str| plan.notes.iter().any(|note| note.contains(words));
    assert!(
        told(&with_script, "`run.sh` names `activate` in `.venv/bin`, which is not there"),
        "{:?}",
        with_script.notes
    );
    let place = Place::new();
    place.write("bot.py", "");
    std::os::unix::fs::symlink("/somewhere", place.path("bot/.venv")).expect("links can be made");
    let linked = place.plan(&place.tools(&["python3"], "")).expect("it is a bot");
    assert!(told(&linked, "`.venv` is no folder"), "{:?}", linked.notes);
    let within = Place::new();
    within.write("bot.py", "");
    within.write("env/pyvenv.cfg", "");
    within.write("env/lib/python3.77/site-packages/net.py", "");
    std::os::unix::fs::symlink("env", within.path("bot/.venv")).expect("links can be made");
    let here = within.plan(&within.tools(&["python3"], "")).expect("it is a bot");
    assert_eq!(here.packages, ["env/lib/python3.77/site-packages"]);
    assert!(!told(&here, "`.venv`"), "what it leads to is there: {:?}", here.notes);
}

#[test]
fn a_link_to_an_environment_is_another_name_of_it() {
    let place = |file: &str, text: &str| {
        let place = Place::new();
        [("bot.py", ""), ("train.py", ""), (file, text)].iter().for_each(|(name, text)| place.write(name, text));
        std::os::unix::fs::symlink("env", place.path("bot/.venv")).expect("links can be made");
        place.write("env/lib/python3.77/site-packages/net.py", "");
        place
    };
    for (file, text) in [
        ("run.sh", "#!/bin/sh\nexec .venv/bin/python bot.py\n"),
        ("run.sh", "#!/bin/sh\n. .venv/bin/activate\nexec python bot.py\n"),
        ("agon.toml", "run = ['.venv/bin/python', 'bot.py']"),
    ] {
        let place = place(file, text);
        place.write("env/pyvenv.cfg", "");
        let plan = place.plan(&place.tools(&["python3"], "")).expect("it is a bot");
        assert_eq!(words(&place, &plan), "T/python3 bot.py", "{text}");
        assert!(!plan.notes.iter().any(|note| note.contains("`.venv`")), "{text}: {:?}", plan.notes);
    }
    // A folder that is no environment cannot stand for one.
    let place = place("agon.toml", "main = 'bot.py'");
    let plan = place.plan(&place.tools(&["python3"], "")).expect("it is a bot");
    assert!(plan.notes.iter().any(|note| note.contains("`.venv` is no folder")), "{:?}", plan.notes);
}

#[test]
fn a_makefile_that_is_not_used_is_told_apart_from_sources() {
    let files =
        [("src/bot.c", MAIN), ("src/Makefile", "all:\n"), ("old.c", "int old() {}"), ("tests/Makefile", "all:\n")];
    let (_, plan) = plan(&files, &["gcc", "make"], "");
    assert!(plan.left_out.is_empty(), "{:?}", plan.left_out);
    assert_eq!(plan.notes, ["`src/Makefile` is not used: only a makefile in the top folder is"]);
    let files: Vec<(String, &str)> = (0..7).map(|n| (format!("{n}/Makefile"), "")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, *text)).chain([("bot.c", MAIN)]).collect();
    let (_, plan) = self::plan(&files, &["gcc", "make"], "");
    let [note] = &plan.notes[..] else { panic!("{:?}", plan.notes) };
    assert!(note.starts_with("`0/Makefile`, ") && note.contains("and 2 more are not used"), "{note}");
}

#[test]
fn modules_of_ocaml_that_nothing_names_are_left_out_and_told() {
    let files = [
        ("bot.ml", "let () = Registry.run ()"),
        ("bot.mli", ""),
        ("registry.ml", "let all = ref []\nlet add f = all := f :: !all\nlet run () = read_line () |> ignore"),
        ("greedy.ml", "let play () = ()\nlet () = Registry.add play"),
        ("old.ml", "let () = Registry.run ()"),
        ("quiet.ml", "let f () =\n  let () = g () in 1"),
    ];
    let (_, plan) = plan(&files, &["ocamlopt"], "");
    assert_eq!(plan.left_out, ["greedy.ml", "old.ml", "quiet.ml"]);
    assert!(plan.lines[0].ends_with("$(ocamldep -sort registry.ml)"), "{:?}", plan.lines);
    assert!(plan.lines[1].ends_with("agon-bot.cmxa $(ocamldep -sort bot.ml bot.mli)"), "{:?}", plan.lines);
    assert_eq!(plan.notes.len(), 1, "{:?}", plan.notes);
    assert!(plan.notes[0].contains("`greedy.ml`, `old.ml`, `quiet.ml`") && plan.notes[0].ends_with("in `bot.ml`"));
}
