//! Tests the ways in which people start their bots: scripts, wrappers, variables, streams by their paths, names.

use crate::{
    agon::{Done, Place},
    builds::installed,
};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt};

/// A bot of Grid that passes. It imports a module beside it, and fails unless the variable `DEPTH` is what its argument says.
const PASSES: &str = "import os, sys, part\nif len(sys.argv) > 1 and os.environ.get('DEPTH') != sys.argv[1]:\n    \
    sys.exit('DEPTH is %s' % os.environ.get('DEPTH'))\nwhile True:\n    if input() == '.':\n        print('.', flush=True)\n";

/// A way to start a bot.
struct Case {
    bot: &'static str,
    more: &'static [&'static str],
    /// The name that it gets.
    name: &'static str,
    programs: &'static [&'static str],
}

const fn case(bot: &'static str, name: &'static str) -> Case {
    Case { bot, more: &[], name, programs: &["python3"] }
}

const CASES: &[Case] = &[
    case("bots/run.sh", "run"),
    case("bash bots/run.sh", "run"),
    Case { more: &["--bot-dir", "bots"], ..case("sh -c 'python3 bots/mine.py'", "mine") },
    case("sh -c 'cd bots; python3 mine.py; true' sh bots", "mine"),
    case("bash -c 'cd bots && exec python3 -u mine.py' bash bots", "mine"),
    case("timeout 100 python3 bots/mine.py", "mine"),
    case("nice -n 5 python3 -u bots/mine.py", "mine"),
    case("env DEPTH=3 python3 bots/mine.py 3", "mine"),
    case("env DEPTH=WHERE/data python3 bots/mine.py WHERE/data", "mine"),
    Case { more: &["--env", "DEPTH=3"], ..case("python3 bots/mine.py 3", "mine") },
    Case { more: &["--env", "DEPTH=3", "--seat", "1:env=DEPTH=4"], ..case("python3 bots/mine.py 4", "mine") },
    case("python3 start.py bots/mine.py", "start"),
    case("python3 bots/streams.py", "streams"),
    Case { programs: &["python3", "bash"], ..case("bash bots/streams.sh", "streams") },
    case("python3 bots/children.py", "children"),
    case("Équipe 3=python3 bots/mine.py", "Équipe 3"),
    case("日本 チーム=python3 bots/mine.py", "日本 チーム"),
    Case { programs: &["java"], ..case("java -cp bots Starts", "Starts") },
    Case { programs: &["escript"], ..case("escript bots/passes.escript", "passes") },
];

const STREAMS: &str = "import part\nwith open('/dev/stdin') as told, open('/dev/stdout', 'w') as said, open('/dev/stderr', 'w') as log:\n    \
    open('/dev/fd/1', 'w').close()\n    log.write('here\\n')\n    for line in told:\n        if line == '.\\n':\n            \
    said.write('.\\n')\n            said.flush()\n";
const CHILDREN: &str = "import part, subprocess, multiprocessing\nassert subprocess.run(['true']).returncode == 0\n\
    while True:\n    if input() == '.':\n        print('.', flush=True)\n";
const STARTS: &str = "import java.util.Scanner;\npublic class Starts {\n    public static void main(String[] a) throws Exception {\n        \
    if (new ProcessBuilder(\"true\").start().waitFor() != 0) throw new Exception();\n        \
    Scanner in = new Scanner(System.in);\n        while (in.hasNextLine()) if (in.nextLine().equals(\".\")) System.out.println(\".\");\n    }\n}\n";
const ESCRIPT: &str = "#!/usr/bin/env escript\nmain(_) -> loop(io:get_line(\"\")).\nloop(eof) -> ok;\nloop(\".\\n\") -> \
    io:put_chars(\".\\n\"), loop(io:get_line(\"\"));\nloop(_) -> loop(io:get_line(\"\")).\n";

fn ground() -> Place {
    let place = Place::new();
    for folder in ["bots", "data"] {
        fs::create_dir(place.path(folder)).expect("a folder");
    }
    for (name, text) in [
        ("bots/mine.py", PASSES),
        ("bots/part.py", ""),
        ("bots/streams.py", STREAMS),
        ("bots/streams.sh", "while read -r line; do [ \"$line\" = . ] && echo . > /dev/stdout; done < /dev/stdin\n"),
        ("bots/children.py", CHILDREN),
        ("bots/run.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")\"\npython3 -u mine.py\n"),
        ("bots/Starts.java", STARTS),
        ("bots/passes.escript", ESCRIPT),
        (
            "start.py",
            "import runpy, sys\nsys.path.insert(0, 'bots')\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n",
        ),
    ] {
        place.write(name, text);
    }
    fs::set_permissions(place.path("bots/run.sh"), PermissionsExt::from_mode(0o755)).expect("it is ours");
    place
}

fn play(place: &Place, bot: &str, more: &[&str]) -> Done {
    let bot = bot.replace("WHERE", &place.path("").display().to_string());
    let args = ["match", "grid", &bot, "@random", "--seed", "1", "--rounds", "4", "--time", "off", "--format", "json"];
    place.run(&[&args[..], more].concat())
}

/// Returns whether bots may have several processes here without `--processes`: control groups must hold all of them.
fn several(place: &Place) -> bool {
    let doctor = place.json(&["doctor", "--format", "json"]);
    let holds = doctor["level"] == "full"
        && doctor["protections"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|row| row["name"] == "control groups" && row["state"] == "active");
    if !holds {
        eprintln!("SKIPPED: no control group holds several processes of a bot here");
    }
    holds
}

#[test]
#[cfg(target_os = "linux")]
fn bots_start_as_people_start_them() {
    let place = ground();
    if installed(&["javac"]) {
        let made = std::process::Command::new("javac").arg(place.path("bots/Starts.java")).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    let usual = if several(&place) { &[][..] } else { &["--processes", "16"] };
    for case in CASES {
        if !installed(case.programs) {
            continue;
        }
        let done = play(&place, case.bot, &[case.more, usual].concat());
        assert_eq!(done.code, 0, "{}: {done:?}", case.bot);
        let document: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
        let seat = &document["seats"][0];
        assert!(seat["fault"].is_null(), "{}: {seat:#}", case.bot);
        assert_eq!(seat["name"], case.name, "{}", case.bot);
    }
}

#[test]
fn variables_that_load_code_are_refused() {
    let place = ground();
    for (args, said) in [
        (&["--env", "LD_PRELOAD=./x.so"][..], "`LD_PRELOAD` makes programs load code from elsewhere"),
        (&["--env", "PYTHONPATH=lib"], "`PYTHONPATH` makes programs load code"),
        (&["--env", "DEPTH"], "KEY=VALUE"),
        (&["--seat", "1:env=NODE_OPTIONS=-r ./x"], "`NODE_OPTIONS` makes programs load code"),
        (&["--seat", "2:env=A=1"], "no process"),
    ] {
        let done = place.run(&[&["match", "grid", "python3 bots/mine.py", "@random"], args].concat());
        assert!(done.code != 0 && done.out.is_empty() && done.err.contains(said), "{args:?}: {done:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn one_process_is_still_to_be_had() {
    let place = ground();
    if !installed(&["python3"]) {
        return;
    }
    let done = play(&place, "python3 bots/children.py", &["--processes", "1"]);
    assert!(done.out.contains("\"processes\"") && done.out.contains("--processes 16"), "{done:?}");
    let done = play(&place, "sh -c 'python3 bots/mine.py; true' sh bots/part.py", &["--sandbox", "restricted"]);
    assert!(done.out.contains("--sandbox full --processes 16") || done.code == 40, "{done:?}");
}
