//! Tests the files of `agon tournament`: where their paths lead, and what is written into them.

use crate::agon::Place;
use std::fs;

/// A bot that answers nothing in time, and needs no program but a shell.
const SILENT: &str = "while read -r line; do echo .; done\n";

#[test]
fn paths_are_relative_to_the_folder_of_the_file() {
    let place = Place::new();
    for folder in ["cup/bots", "cup/maps", "elsewhere"] {
        fs::create_dir_all(place.path(folder)).expect("a folder");
    }
    place.write("cup/bots/bot.sh", SILENT);
    let map = place.run(&["map", "new", "grid", "-o", "cup/maps/one.txt", "--seed", "1"]);
    assert_eq!(map.code, 0, "{map:?}");
    let bots = "[[bot]]\nname = \"x\"\nrun = \"sh bots/bot.sh\"\n[[bot]]\nrun = \"@random\"\n";
    place.write("cup/cup.toml", format!("game = \"grid\"\nmaps = [\"maps/*.txt\"]\n{bots}"));
    // From above the folder, and from beside it.
    assert_eq!(place.run(&["tournament", "run", "cup/cup.toml", "-q"]).code, 0);
    assert!(place.path("cup/cup.agon").exists(), "the store is beside the file");
    let inside = |args: &[&str]| {
        let done = place.command(args).current_dir(place.path("elsewhere")).output().expect("it starts");
        assert_eq!(done.status.code(), Some(0), "{args:?}: {done:?}");
        String::from_utf8(done.stdout).expect("text")
    };
    let again = inside(&["tournament", "run", "../cup/cup.toml", "--format", "json-lines"]);
    assert_eq!(again.lines().count(), 1, "nothing has changed and nothing is left: {again}");
    assert!(inside(&["tournament", "replay", "../cup/cup.toml", "1"]).contains("the same match"));
    assert!(inside(&["tournament", "status", "../cup/cup.toml"]).contains("2 matches finished"));
    let again = place.run(&["tournament", "replay", "cup/cup.toml", "1"]);
    assert!(again.code == 0 && again.out.contains("the same match"), "{again:?}");
    let void = place.run(&["tournament", "void", "cup/cup.toml", "2", "--why", "the network was down"]);
    assert_eq!(void.code, 0, "{void:?}");
    let exported = place.json(&["tournament", "export", "cup/cup.toml"]);
    assert_eq!(exported["matches"][1]["result"], "void");
    assert_eq!(exported["matches"][0]["map"], "maps/one.txt", "the name is that of the file");
    assert_eq!(exported["bots"][0]["versions"].as_array().map(Vec::len), Some(1), "one content, one version");

    let broken = "game = \"grid\"\nmaps = [\"none/*.txt\"]\n[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    place.write("cup/broken.toml", broken);
    place.fails(1, &["tournament", "check", "cup/broken.toml"], &["none/*.txt", "relative to its folder"]);
}

#[test]
fn a_new_file_names_its_bots_from_its_folder() {
    let place = Place::new();
    for folder in ["cups", "bots/mine"] {
        fs::create_dir_all(place.path(folder)).expect("a folder");
    }
    place.write("bots/bot.sh", SILENT);
    let new = |bots: &str, file: &str| {
        let done = place.run(&["tournament", "new", "--game", "grid", "--bots", bots, "--seed", "1", "-o", file]);
        assert_eq!(done.code, 0, "{done:?}");
        place.read(file)
    };
    let text = new("a=sh bots/bot.sh,b=sh ./bots/bot.sh -v,@random", "cups/cup.toml");
    assert!(text.contains("run = \"sh ../bots/bot.sh\"") && text.contains("run = \"sh ../bots/bot.sh -v\""), "{text}");
    assert_eq!(place.run(&["tournament", "run", "cups/cup.toml", "-q"]).code, 0);
    let text = new("a=sh bots/bot.sh,@random", "here.toml");
    assert!(text.contains("run = \"sh bots/bot.sh\""), "{text}");
    let text = new("a=sh bots/bot.sh,@random", "bots/inside.toml");
    assert!(text.contains("run = \"sh bot.sh\""), "{text}");
    place.write("bot.py", "");
    let args = ["tournament", "new", "--game", "grid", "--bots", "a=python3 -m bot,@random", "-o", "cups/module.toml"];
    place.fails(1, &args, &["names a module", "folder of the module"]);
    assert!(!place.path("cups/module.toml").exists());
}

#[test]
fn maps_that_no_round_reaches_are_told() {
    let place = Place::new();
    for seed in ["1", "2", "3"] {
        let map = place.run(&["map", "new", "grid", "-o", &format!("{seed}.txt"), "--seed", seed]);
        assert_eq!(map.code, 0, "{map:?}");
    }
    let file = |rounds: u32| {
        let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
        place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\nrounds = {rounds}\nmaps = [\"*.txt\"]\n{bots}"));
        let checked = place.run(&["tournament", "check", "cup.toml"]);
        assert_eq!(checked.code, 0, "{checked:?}");
        checked.err
    };
    let told = file(1);
    assert!(told.contains("2 of 3 maps are never played") && told.contains("`rounds = 3` plays every map"), "{told}");
    assert_eq!(place.json(&["tournament", "check", "cup.toml", "--format", "json"])["unplayed_maps"], 2);
    assert!(!file(3).contains("never played"));
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let exported = place.json(&["tournament", "export", "cup.toml"]);
    for row in exported["matches"].as_array().expect("a list") {
        assert_eq!(row["map"], format!("{}.txt", row["round"]), "round N is on map N");
    }
}

#[test]
fn a_new_file_has_the_rules_and_the_clock_of_the_game() {
    let place = Place::new();
    let new = ["tournament", "new", "--game", "grid", "--bots", "@random,@greedy", "--seed", "1", "-o", "cup.toml"];
    assert_eq!(place.run(&new).code, 0);
    let text = place.read("cup.toml");
    for line in ["rules = \"spec\"", "clock = \"off,move=1s,policy=fair\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Both are the default, so what was played stays true without them.
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("rules") && !line.starts_with("clock")).collect();
    place.write("cup.toml", lines.join("\n"));
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    let about = &place.json(&["tournament", "export", "cup.toml"])["tournament"];
    assert_eq!((&about["rules"], &about["clock"]), (&"spec".into(), &"off,move=1s,policy=fair".into()));
}

#[test]
fn a_preset_is_written_and_compared_with_its_contest() {
    let place = Place::new();
    let bots = ["--bots", "a=@random,b=@greedy"];
    let new = ["tournament", "new", "--preset", "itpw-2008", "--seed", "1", "-o", "cup.toml"];
    assert_eq!(place.run(&[&new[..], &bots].concat()).code, 0);
    let text = place.read("cup.toml");
    for line in ["preset = \"itpw-2008\"", "game = \"triangles\"", "memory = 400", "clock = \"bank=180s\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let check = ["tournament", "check", "cup.toml", "--format", "json"];
    let found = place.json(&check);
    assert_eq!(found["contest_differences"], serde_json::json!([]));
    // 3 configurations, both seatings, two banks of 180 s: 6 matches of 6 minutes, divided by those that run at once.
    let at_once = found["at_once"].as_u64().expect("a number");
    assert_eq!(found["seconds_worst"].as_f64(), Some((6_u64.div_ceil(at_once) * 360) as f64));
    place.write("cup.toml", text.replace("points = \"2/1/0\"", "points = \"3/1/0\""));
    let told = &place.json(&check)["contest_differences"][0];
    assert_eq!((&told["key"], &told["contest"], &told["file"]), (&"points".into(), &"2/1/0".into(), &"3/1/0".into()));
    let words = place.run(&check[..3]);
    assert!(words.out.contains("`points` is 3/1/0 here, and 2/1/0 in the contest"), "{words:?}");
    let other =
        ["tournament", "new", "--game", "grid", "--preset", "euskal", "--bots", "@random,@greedy", "-o", "x.toml"];
    place.fails(1, &other, &["`euskal` is the format of a contest in `lighthouses`", "leave out `--game`"]);
}

#[test]
fn an_earlier_store_seeds_and_unknown_bots_are_listed() {
    let place = Place::new();
    let two = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    place.write("league.toml", format!("game = \"grid\"\nlimit = 20\n{two}"));
    let cup = "game = \"grid\"\nlimit = 20\nkind = \"single-elimination\"\nseeding = \"league.agon\"\n";
    place.write("cup.toml", format!("{cup}{two}[[bot]]\nname = \"new one\"\nrun = \"@warden\"\n"));
    place.fails(1, &["tournament", "run", "cup.toml"], &["`seeding`", "league.agon", "relative to its folder"]);
    assert!(!place.path("cup.agon").exists(), "a refusal leaves no store");
    assert_eq!(place.run(&["tournament", "run", "league.toml", "-q"]).code, 0);
    let checked = place.run(&["tournament", "check", "cup.toml"]);
    assert!(checked.code == 0 && checked.out.contains("unseeded  new one"), "{checked:?}");
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let swiss = place.read("cup.toml").replace("single-elimination", "swiss");
    place.write("swiss.toml", &swiss);
    assert_eq!(place.run(&["tournament", "run", "swiss.toml", "-q"]).code, 0);
    fs::remove_file(place.path("league.agon")).expect("it is there");
    place.write("swiss.toml", format!("{}[[bot]]\nrun = \"@frontier\"\n", swiss.replace("limit", "rounds = 2\nlimit")));
    let more = place.run(&["tournament", "run", "swiss.toml"]);
    assert!(more.code == 0 && more.out.contains("frontier"), "a new bot is last in the seeding: {more:?}");
    for action in ["run", "status", "export", "verify"] {
        assert_eq!(place.run(&["tournament", action, "cup.toml"]).code, 0, "{action} needs the earlier result no more");
    }
}

#[test]
fn a_tournament_begins_anew_with_its_own_result() {
    let place = Place::new();
    let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    let cup = "game = \"grid\"\nlimit = 20\nkind = \"single-elimination\"\n";
    place.write("cup.toml", format!("{cup}{bots}"));
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    place.write("cup.toml", format!("{cup}seeding = \"cup.agon\"\n{bots}"));
    let anew = place.run(&["tournament", "run", "cup.toml", "--restart"]);
    assert!(anew.code == 0 && place.path("cup.agon.1").exists(), "{anew:?}");
    assert_eq!(place.run(&["tournament", "verify", "cup.toml"]).code, 0, "the order is kept");
}
