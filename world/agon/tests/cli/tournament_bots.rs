//! Tests what `agon tournament` does with bots that cannot be built or started, and with those that fail.

use crate::{agon::Place, builds};
use serde_json::Value;
use std::fs;

/// A sound bot of Grid in a folder of its own.
fn sound(place: &Place) {
    fs::create_dir_all(place.path("bots")).expect("a folder");
    place.write("bots/bot.sh", "while read -r line; do [ \"$line\" = . ] && echo .; done\n");
}

fn bot(name: &str, run: &str) -> String {
    format!("[[bot]]\nname = \"{name}\"\nrun = \"{run}\"\n")
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn broken_bots_are_listed_together_before_anything_is_played() {
    let place = Place::new();
    sound(&place);
    fs::create_dir_all(place.path("bots/empty")).expect("a folder");
    let bots = [
        bot("sound", "sh bots/bot.sh"),
        bot("no program", "./none"),
        bot("no script", "python3 bots/none.py"),
        bot("no bot in it", "bots/empty"),
        bot("built in", "@random"),
    ];
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{}", bots.concat()));
    let names = ["no program", "no script", "no bot in it"];
    let refused = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!((refused.code, refused.out.as_str()), (20, ""), "{refused:?}");
    for name in names {
        assert!(refused.err.contains(name), "{name}: {refused:?}");
    }
    assert!(refused.err.contains("--without-broken") && !refused.err.contains("sound:"), "{refused:?}");
    for place in [" --> cup.toml:8:7", " --> cup.toml:11:7", " --> cup.toml:14:7", "error: `run`: no program: "] {
        assert!(refused.err.contains(place), "{place}: {refused:?}");
    }
    assert!(!place.path("cup.agon").exists(), "nothing is stored");

    let played = place.run(&["tournament", "run", "cup.toml", "--without-broken", "--format", "json-lines"]);
    assert_eq!(played.code, 0, "{played:?}");
    let told = events(&played.out);
    let withdrawn: Vec<&Value> =
        told.iter().filter(|event| event["event"] == "withdrawn").map(|it| &it["bot"]).collect();
    assert_eq!(withdrawn, names);
    assert_eq!(told.iter().filter(|event| event["event"] == "match").count(), 2);
    let exported = place.json(&["tournament", "export", "cup.toml"]);
    let flags: Vec<&Value> = exported["bots"].as_array().expect("a list").iter().map(|bot| &bot["withdrawn"]).collect();
    assert_eq!(flags, [false, true, true, true, false]);
    let status = place.run(&["tournament", "status", "cup.toml"]);
    assert!(status.out.starts_with("2 of 2 matches finished\n"), "what is left out is not to be played: {status:?}");
    assert!(status.out.contains("no script (withdrawn)"), "{status:?}");
    assert!(status.out.contains("no script is withdrawn: there is no file `bots/none.py`"), "{status:?}");
    // A bot that is withdrawn stops nobody, and stays withdrawn.
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    place.write("bots/none.py", "");
    let again = place.run(&["tournament", "run", "cup.toml", "--format", "json-lines"]);
    assert_eq!((again.code, events(&again.out).len()), (0, 1), "{again:?}");
}

#[test]
fn a_bot_that_breaks_between_two_runs_stops_the_second() {
    let place = Place::new();
    sound(&place);
    let bots = [bot("mine", "sh bots/bot.sh"), bot("r", "@random"), bot("g", "@greedy")];
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\nrounds = 1\n{}", bots.concat()));
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    place.write("cup.toml", place.read("cup.toml").replace("rounds = 1", "rounds = 2"));
    fs::rename(place.path("bots/bot.sh"), place.path("bots/away.sh")).expect("it is there");
    place.fails(20, &["tournament", "run", "cup.toml"], &["mine", "bots/bot.sh", "--without-broken"]);
    let stored = |what: &str| place.json(&["tournament", "status", "cup.toml", "--format", "json"])[what].clone();
    assert_eq!((stored("finished"), stored("waiting")), (6.into(), 0.into()), "nothing was played");
    assert_eq!(stored("planned"), 6, "nor was the second round taken into the schedule");
    let played = place.run(&["tournament", "run", "cup.toml", "--without-broken"]);
    assert_eq!(played.code, 0, "{played:?}");
    assert_eq!((stored("finished"), stored("planned")), (8.into(), 8.into()), "the others play on");
    // Decisions about what was played need no bots.
    assert_eq!(place.run(&["tournament", "void", "cup.toml", "1", "--why", "a test"]).code, 0);
}

#[test]
fn one_bot_alone_is_no_tournament() {
    let place = Place::new();
    place.write("cup.toml", format!("game = \"grid\"\n{}{}", bot("x", "./none"), bot("r", "@random")));
    for more in [&[][..], &["--without-broken"]] {
        let args = [&["tournament", "run", "cup.toml"], more].concat();
        place.fails(20, &args, &["x", "none", "relative to its folder"]);
    }
    fs::create_dir(place.path("bad")).expect("a folder");
    place.write("bad/agon.toml", "build = [\"false\"]\nrun = [\"./bot\"]\n");
    place.write("cup.toml", format!("game = \"grid\"\n{}{}", bot("x", "bad"), bot("r", "@random")));
    let built = place.run(&["tournament", "run", "cup.toml"]);
    assert!(built.code == 20 && !built.err.contains("relative to its folder"), "a build has failed: {built:?}");
    assert!(
        built.err.contains("its log has the reason; `agon build ") && built.err.contains("/bad` shows it"),
        "{built:?}"
    );
    assert!(!place.path("cup.agon").exists());
}

#[test]
fn a_check_lists_all_failures_together() {
    let place = Place::new();
    sound(&place);
    place.write("bots/rude.sh", "while read -r line; do [ \"$line\" = . ] && echo pardon; done\n");
    let bots = [
        bot("sound", "sh bots/bot.sh"),
        bot("rude", "sh bots/rude.sh"),
        bot("gone", "./none"),
        bot("built in", "@random"),
    ];
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{}", bots.concat()));
    let checked = place.run(&["tournament", "check", "cup.toml", "--format", "json"]);
    assert_eq!(checked.code, 20, "{checked:?}");
    let found: Value = serde_json::from_str(&checked.out).expect("JSON");
    crate::schemas::assert_valid(&place, "tournament-check", &found);
    let names = |key: &str| {
        let rows = found[key].as_array().expect("a list").iter();
        let mut names: Vec<String> = rows.map(|row| row["bot"].as_str().expect("a name").to_owned()).collect();
        names.dedup();
        names
    };
    assert_eq!(names("broken"), ["gone"]);
    assert_eq!((&found["broken"][0]["line"], &found["broken"][0]["key"]), (&11.into(), &"run".into()));
    assert_eq!(names("failed_checks"), ["rude"], "a bot that cannot play is not told twice");
    assert!(names("faults").contains(&"rude".to_owned()), "its trial match fails too: {found}");
    assert_eq!(found["matches_most"], 12);
    let words = place.run(&["tournament", "check", "cup.toml"]);
    for text in [
        "12 matches",
        "expected",
        "worst",
        "replays",
        "1 core each",
        "gone cannot play (cup.toml:11, `run`)",
        "rude fails `agon check`",
    ] {
        assert!(words.out.contains(text), "{text}: {words:?}");
    }
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{}{}{}", bots[0], bots[1], bots[3]));
    assert_eq!(place.run(&["tournament", "check", "cup.toml"]).code, 1);
    assert!(!place.path("cup.agon").exists(), "a check stores nothing");
}

#[test]
fn an_absurd_schedule_is_refused_with_its_number_and_a_way_out() {
    let place = Place::new();
    let bots: String = (0..40).map(|i| bot(&format!("b{i}"), "@random")).collect();
    place.write("cup.toml", format!("game = \"lighthouses\"\nseats = 8\nseatings = \"all\"\n{bots}"));
    for action in ["check", "run"] {
        place.fails(1, &["tournament", action, "cup.toml"], &["matches", "hint", "swiss"]);
    }
}

#[test]
fn a_build_that_differs_each_time_is_one_version() {
    if !builds::sandboxed() {
        return;
    }
    let place = Place::new();
    let manifest = "build = [\"sh\", \"make.sh\"]\nrun = [\"sh\", \"bot.sh\"]\n";
    let program = "while read -r line; do [ \"$line\" = . ] && echo .; done\n";
    let make = "head -c 16 /dev/urandom > stamp\n";
    builds::bot(&place, "made", &[("agon.toml", manifest), ("bot.sh", program), ("make.sh", make)]);
    let run = |rounds: u32| {
        let bots = [bot("made", "./made"), bot("other", "@random")].concat();
        place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\nrounds = {rounds}\n{bots}"));
        let done = builds::run(&place, &["tournament", "run", "cup.toml", "-q"]);
        assert_eq!(done.code, 0, "{done:?}");
        let exported = builds::json(&builds::run(&place, &["tournament", "export", "cup.toml"]));
        let versions = exported["bots"][0]["versions"].as_array().expect("a list").len();
        (versions, exported["matches"].as_array().expect("a list").len())
    };
    assert_eq!([run(1), run(2)], [(1, 2), (1, 4)], "what was built is kept");
    builds::json(&builds::run(&place, &["build", "--clean", "--format", "json"]));
    assert_eq!(run(3), (1, 6), "a bot is what was handed in, whatever a compiler makes of it");
}

#[test]
fn main_and_dir_say_where_a_bot_starts() {
    let place = Place::new();
    sound(&place);
    fs::create_dir_all(place.path("bots/two/src")).expect("a folder");
    let passes = place.read("bots/bot.sh");
    // Two programs of which nothing says which one plays, and one that finds its file only in its own folder.
    place.write("bots/two/a.sh", "#!/bin/sh\nexit 3\n");
    place.write("bots/two/src/b.sh", format!("#!/bin/sh\n{passes}"));
    for file in ["bots/two/a.sh", "bots/two/src/b.sh"] {
        fs::set_permissions(place.path(file), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    }
    fs::create_dir_all(place.path("bots/own")).expect("a folder");
    place.write("bots/own/data.txt", ".");
    place.write(
        "bots/own/play.sh",
        "read -r dot < data.txt; while read -r line; do [ \"$line\" = . ] && echo $dot; done\n",
    );
    let file = |two: &str, own: &str| {
        let bots = bot("two", "bots/two") + two + &bot("own", "sh play.sh") + own + &bot("built in", "@random");
        place.write("cup.toml", format!("game = \"grid\"\nlimit = 4\n{bots}"));
    };
    file("main = \"src/b.sh\"\n", "dir = \"bots/own\"\n");
    let played = place.run(&["tournament", "run", "cup.toml", "--format", "json-lines"]);
    assert_eq!(played.code, 0, "{played:?}");
    let matches: Vec<Value> = events(&played.out).into_iter().filter(|event| event["event"] == "match").collect();
    assert!(matches.len() > 2 && !played.out.contains("\"fault\":{"), "{played:?}");
    for (two, own, said) in [
        ("main = \"c.sh\"\n", "dir = \"bots/own\"\n", "its `main` names the file `c.sh`, which is not there"),
        ("", "dir = \"bots/none\"\n", "there is no folder `bots/none`, its `dir`"),
        ("dir = \"bots\"\n", "dir = \"bots/own\"\n", "`dir` is where a command starts"),
        ("", "dir = \"bots/own\"\nmain = \"play.sh\"\n", "`main` names a file in a folder or an archive"),
    ] {
        file(two, own);
        let refused = place.run(&["tournament", "check", "cup.toml"]);
        assert!(refused.code == 20 && refused.out.contains(said), "{said}: {refused:?}");
    }
    for (run, said) in [
        ("./none", "in its `dir`: "),
        ("no-such-program play.sh", "in its `dir`: "),
        ("sh none.sh", "there is no file `none.sh` in `bots/own`, its `dir`"),
    ] {
        let bots = bot("it", run) + "dir = \"bots/own\"\n" + &bot("a", "@random") + &bot("b", "@greedy");
        place.write("cup.toml", format!("game = \"grid\"\nlimit = 4\n{bots}"));
        let refused = place.run(&["tournament", "check", "cup.toml"]);
        assert!(refused.code == 20 && refused.out.contains(said), "{run}: {refused:?}");
    }
    place.write("cup.toml", "game = \"grid\"\n[[bot]]\nrun = \"@random\"\ndir = \"\"\n");
    place.fails(1, &["tournament", "check", "cup.toml"], &["this must not be empty", " --> cup.toml:4:7"]);
}

#[test]
fn a_check_for_workers_says_what_travels() {
    let place = Place::new();
    sound(&place);
    for folder in ["bots/other", "data"] {
        fs::create_dir_all(place.path(folder)).expect("a folder");
    }
    place.write("bots/other/bot.sh", place.read("bots/bot.sh"));
    place.write("data/book", "x");
    let bots = [bot("sound", "sh bots/bot.sh"), bot("other", "sh bots/other/bot.sh"), bot("built in", "@random")];
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{}", bots.concat()));
    let args = ["tournament", "check", "cup.toml", "--for-workers"];
    let check = || {
        let checked = place.run(&[&args[..], &["--format", "json"]].concat());
        let found: Value = serde_json::from_str(&checked.out).unwrap_or_else(|why| panic!("{why}: {checked:?}"));
        crate::schemas::assert_valid(&place, "tournament-check", &found);
        (checked.code, found)
    };
    let (code, found) = check();
    let row = |at: usize, key: &str| &found["bundles"][at][key];
    assert_eq!((code, &found["cannot_travel"]), (0, &Value::Array(Vec::new())), "{found}");
    let rows = |key: &str| (0..3).map(|at| row(at, key).clone()).collect::<Vec<_>>();
    assert_eq!(rows("bot"), ["sound", "other", "built in"]);
    // The first one sees its folder, and what is in it.
    assert_eq!(
        (rows("files"), rows("bytes")),
        (vec![2.into(), 1.into(), 0.into()], vec![3072.into(), 2048.into(), 1024.into()])
    );
    assert!(row(0, "hash").as_str().is_some_and(|hash| hash.starts_with("sha256:") && hash.len() == 71));
    assert_eq!(found["bundles"], check().1["bundles"], "they are the same each time");
    let words = place.run(&args);
    assert!(words.out.contains("travels   sound: 3.1 kB in 2 files, sha256:"), "{words:?}");
    assert!(words.out.contains("travels   built in: nothing"), "{words:?}");
    let without = place.json(&["tournament", "check", "cup.toml", "--format", "json"]);
    assert_eq!(without["bundles"], Value::Array(Vec::new()), "nobody has asked");

    let reader = format!("{}read = [\"data\"]\n", bots[0]);
    let whole = bot("whole", &format!("sh {}", place.path("bots/other/bot.sh").display()));
    place
        .write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{reader}{whole}{}{}", bots[2], bot("gone", "./none")));
    let (code, found) = check();
    assert_eq!(code, 20, "a bot that cannot play is worse: {found}");
    let row = |at: usize, key: &str| &found["cannot_travel"][at][key];
    assert_eq!((row(0, "bot"), row(0, "line"), row(0, "key")), (&"sound".into(), &6.into(), &"read".into()), "{found}");
    assert_eq!((row(1, "bot"), row(1, "line"), row(1, "key")), (&"whole".into(), &9.into(), &"run".into()), "{found}");
    assert!(row(1, "hint").as_str().is_some_and(|hint| hint.contains("write `bots/other/bot.sh`")), "{found}");
    assert_eq!(found["cannot_travel"].as_array().map(Vec::len), Some(2), "{found}");
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{reader}{}{}", bots[1], bots[2]));
    let words = place.run(&args);
    assert_eq!(words.code, 1, "{words:?}");
    for text in ["sound cannot play on other machines (cup.toml:6, `read`): it may read `data`", "take `read` away"] {
        assert!(words.out.contains(text), "{text}: {words:?}");
    }
    assert_eq!(place.run(&["tournament", "check", "cup.toml"]).code, 0, "here it can play");
}
