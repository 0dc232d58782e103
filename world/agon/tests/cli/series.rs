//! Tests `agon match --games`: many games in one table.

use crate::agon::{Done, Place};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
    time::Duration,
};

/// Bots of Planet Wars that give no order.
const IDLE: &str = "while read -r line; do [ \"$line\" != go ] || echo go; done\n";
const SLOW: &str = "while read -r line; do [ \"$line\" != go ] || { sleep 0.2; echo go; }; done\n";

fn verified(place: &Place, game: u32) -> Value {
    place.json(&["replay", "verify", &format!("all/{game}.jsonl.zst"), "--format", "json"])
}

fn sums(document: &Value) -> Vec<[u64; 4]> {
    let bots = document["bots"].as_array().expect("bots");
    let of = |bot: &Value| ["wins", "draws", "losses", "faults"].map(|key| bot[key].as_u64().expect("a number"));
    bots.iter().map(of).collect()
}

#[test]
fn the_table_is_the_same_however_many_games_run_at_once() {
    let place = Place::new();
    let play = |at_once: &str| {
        let args = ["match", "grid", "@random", "@frontier", "--games", "30", "--seed", "5", "--format", "json"];
        let mut document = place.json(&[&args[..], &["--at-once", at_once]].concat());
        for bot in document["bots"].as_array_mut().expect("bots") {
            bot.as_object_mut().expect("an object").remove("time").expect("times");
        }
        document
    };
    let one = play("1");
    assert_eq!(one, play("3"));
    let keys: Vec<&str> = one.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected =
        "schema agon game rules seed games repeats planned spoilt double_forfeits bots fault_count faults".split(' ');
    let expected: Vec<&str> = expected.collect();
    assert_eq!(keys, expected);
    assert_eq!((&one["games"], &one["planned"], &one["spoilt"]), (&30.into(), &30.into(), &0.into()));
    for bot in one["bots"].as_array().expect("bots") {
        let [low, points, high] = ["low", "points", "high"].map(|key| bot[key].as_f64().expect("a number"));
        assert!(0.0 <= low && low <= points && points <= high && high <= 30.0, "{bot}");
    }
    let [random, frontier] = sums(&one)[..] else { panic!("two bots") };
    assert_eq!(random[..3].iter().sum::<u64>(), 30);
    assert!(frontier[0] > random[0] && random[0] == frontier[2], "{random:?} {frontier:?}");
}

#[test]
fn games_that_repeat_others_count_once() {
    let place = Place::new();
    place.write("still.sh", "while read -r line; do [ \"$line\" != . ] || echo .; done\n");
    let args =
        ["match", "grid", "a=sh still.sh", "b=sh still.sh", "--games", "20", "--rounds", "3", "--map", "gen:10x10"];
    let document = place.json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!((&document["games"], &document["repeats"], &document["planned"]), (&20.into(), &18.into(), &20.into()));
    for bot in document["bots"].as_array().expect("bots") {
        let [low, high] = ["low", "high"].map(|key| bot[key].as_f64().expect("a number"));
        assert!(low < 0.5 && high > 1.5, "one pair says little: {bot}");
        assert_eq!(["wins", "draws", "losses"].map(|key| bot[key].as_u64().expect("a number")).iter().sum::<u64>(), 2);
    }
    let text = place.run(&args);
    assert!(text.out.contains("played  20 games, 2 of them different"), "{text:?}");
    assert!(text.err.contains("`--map gen`"), "{text:?}");
    let varied = [&args[..9], &["gen", "--seed", "5"]].concat();
    let varied = place.json(&[&varied[..], &["--format", "json"]].concat());
    assert_eq!((&varied["games"], &varied["repeats"]), (&20.into(), &0.into()), "the usual maps differ: {varied}");
}

#[test]
fn a_game_of_a_series_is_the_match_with_its_seed_and_seats() {
    let place = Place::new();
    let args = ["match", "planet-wars", "a=@random", "b=@rage", "--games", "4", "--seed", "9", "--replays", "all"];
    assert_eq!(place.run(&args).code, 0);
    let shown: Vec<Value> = (1..=4)
        .map(|game| {
            assert_eq!(verified(&place, game)["reproduces"], true);
            place.json(&["replay", "show", &format!("all/{game}.jsonl.zst"), "--format", "json"])["header"].clone()
        })
        .collect();
    let seats = |game: usize| [0, 1].map(|seat| shown[game]["seats"][seat]["name"].as_str().expect("a name"));
    assert_eq!([seats(0), seats(1), seats(2), seats(3)], [["a", "b"], ["b", "a"], ["a", "b"], ["b", "a"]]);
    let seeds: Vec<&Value> = shown.iter().map(|game| &game["seed"]).collect();
    assert!(*seeds[0] == 9 && seeds[0] == seeds[1] && seeds[2] == seeds[3] && seeds[1] != seeds[2], "{seeds:?}");
    let alone = ["match", "planet-wars", "a=@random", "b=@rage", "--seed", "9", "--format", "json"];
    assert_eq!(place.json(&alone)["plies"], verified(&place, 1)["plies"]);
    let again = place.run(&args);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("would overwrite"), "{again:?}");
}

#[test]
fn faults_are_counted_and_name_their_game() {
    let place = Place::new();
    let args = ["match", "grid", "bad=echo hello", "@random", "--games", "3", "--seed", "1"];
    let document = place.json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(sums(&document), [[0, 0, 3, 3], [3, 0, 0, 0]]);
    let fault = &document["faults"][1];
    assert_eq!((&fault["game"], &fault["bot"], &fault["kind"]), (&2.into(), &"bad".into(), &"nonsense".into()));
    assert_eq!(fault["seating"], serde_json::json!(["random", "bad"]));
    assert_eq!(place.run(&[&args[..], &["--fail-on-forfeit"]].concat()).code, 21);
}

#[test]
fn a_game_that_both_bots_forfeit_is_lost_by_both() {
    let place = Place::new();
    place.write("crash.sh", "exit 3\n");
    for game in ["lighthouses", "planet-wars", "triangles", "grid", "portals"] {
        let args = ["match", game, "a=sh crash.sh", "b=sh crash.sh", "--games", "2", "--seed", "1"];
        let document = place.json(&[&args[..], &["--format", "json"]].concat());
        assert_eq!(sums(&document), [[0, 0, 2, 2], [0, 0, 2, 2]], "{game}: {document}");
        assert_eq!(document["double_forfeits"], 2, "{game}");
        assert!(document["bots"].as_array().expect("bots").iter().all(|bot| bot["points"] == 0.0), "{game}");
        let told = place.run(&args);
        assert!(told.out.contains("forfeits 2 games in which all bots failed: each has lost"), "{told:?}");
    }
}

#[test]
fn options_of_a_seat_stay_with_their_bot() {
    let place = Place::new();
    place.write("slow.sh", SLOW);
    let bot = "slow=sh slow.sh";
    let args = ["match", "planet-wars", bot, "@random", "--games", "2", "--rounds", "1", "--format", "json"];
    // `sleep` is a process of its own.
    let args = [&args[..], &["--sandbox", "none", "-q"]].concat();
    let strict = place.json(&[&args[..], &["--seat", "1:time=move=50ms,first=+0s"]].concat());
    assert_eq!(sums(&strict)[0][3], 2, "it is late in either seat: {strict}");
    let other = place.json(&[&args[..], &["--seat", "2:time=move=50ms"]].concat());
    assert_eq!(sums(&other)[0][3], 0, "{other}");
}

#[test]
fn bad_arguments_are_told_before_a_game() {
    let place = Place::new();
    let base = ["match", "grid", "@random", "@random"];
    for (more, code, words) in [
        (&["--games", "0"][..], 2, "from 1 to 4294967295"),
        (&["--games", "2", "--replay", "r.jsonl"], 2, "`--replays DIR` writes the replay of each game"),
        (&["--games", "2", "--watch"], 2, "cannot be used with"),
        (&["--at-once", "2"], 2, "--games"),
        (&["--games", "2", "--at-once", "0"], 2, "--at-once"),
        (&["--games", "2", "--map", "none.txt"], 1, "none.txt"),
        (&["--games", "2", "--pin", "99999"], 1, "core 99999"),
    ] {
        let done = place.run(&[&base[..], more].concat());
        assert!(done.code == code && done.err.contains(words), "{more:?}: {done:?}");
    }
    let none = place.run(&["match", "grid", "./none", "@random", "--games", "5"]);
    assert_eq!((none.code, none.out.as_str()), (20, ""), "{none:?}");
}

#[test]
fn a_fault_that_always_comes_in_the_same_way_counts_once() {
    let place = Place::new();
    place.write("island.txt", place.run(&["map", "new", "grid", "--seed", "3"]).out);
    place.write("crashes.sh", "read -r line\nexit 3\n");
    place.write("nonsense.sh", "while read -r line; do [ \"$line\" != . ] || echo nonsense; done\n");
    for bot in ["sh crashes.sh", "sh nonsense.sh"] {
        let args = ["match", "grid", bot, "@greedy", "--games", "20", "--map", "island.txt", "--format", "json"];
        let document = place.json(&args);
        let bots = document["bots"].as_array().expect("an array");
        let wins: Vec<_> = bots.iter().map(|bot| bot["wins"].as_u64()).collect();
        assert_eq!((wins, document["fault_count"].as_u64()), (vec![Some(0), Some(2)], Some(20)), "{bot}: {document}");
    }
    // In every fifth game it crashes: the file counts them.
    let by_chance = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; [ $((n % 5)) != 2 ] || exit 3\n\
                     while read -r line; do [ \"$line\" != . ] || echo .; done\n";
    place.write("by_chance.sh", by_chance);
    place.write("still.sh", "while read -r line; do [ \"$line\" != . ] || echo .; done\n");
    let args = ["match", "grid", "sh by_chance.sh", "sh still.sh", "--games", "20", "--map", "island.txt", "--format"];
    let document = place.json(&[&args[..], &["json", "--sandbox", "none", "--at-once", "1"]].concat());
    let ends = ["wins", "draws", "losses"].map(|key| document["bots"][1][key].as_u64());
    assert_eq!((ends, document["fault_count"].as_u64()), ([4, 2, 0].map(Some), Some(4)), "{document}");
}

#[test]
fn a_long_series_says_how_long_it_takes() {
    let place = Place::new();
    let mut command = place.command(&["match", "grid", "@random", "@random", "--games", "4000000000"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("agon can be started");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let told = lines.map_while(Result::ok).find(|line| line.contains(" games a second: "));
    kill_process(Pid::from_child(&child), Signal::KILL).expect("it lives");
    child.wait().expect("it ends");
    let told = told.expect("it is told before the end");
    assert!(told.starts_with("4000000000 games; at ") && told.contains(": about "), "{told}");
}

#[test]
fn the_first_interrupt_plays_the_running_games_to_their_end() {
    let place = Place::new();
    // The folder of the bot is not that of the replays, which no bot may read.
    fs::create_dir(place.path("bots")).expect("a folder");
    place.write("bots/bot.sh", IDLE);
    let bot = "sh bots/bot.sh";
    let args = ["match", "planet-wars", bot, "@random", "--games", "100000", "--at-once", "2", "--replays", "all"];
    let mut command = place.command(&args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started");
    while !place.path("all/3.jsonl.zst").exists() {
        assert_eq!(child.try_wait().expect("it is ours"), None, "it plays on");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!(done.code, 130, "{done:?}");
    assert!(done.err.contains("were not played"), "{done:?}");
    let files: Vec<_> = fs::read_dir(place.path("all")).expect("a folder").flatten().map(|file| file.path()).collect();
    for file in &files {
        let verified = place.json(&["replay", "verify", &file.display().to_string(), "--format", "json"]);
        assert_eq!((&verified["reproduces"], &verified["aborted"]), (&true.into(), &false.into()), "{verified}");
    }
    let points: f64 = done.out.lines().skip(1).take(2).map(points_of).sum();
    assert!((points - files.len() as f64).abs() < 1e-9, "{} files: {done:?}", files.len());
}

/// Returns the points in a line of the table, which are in the third column.
fn points_of(line: &str) -> f64 {
    line.split_whitespace().nth(2).and_then(|cell| cell.parse().ok()).expect("points")
}
