//! Tests that what plays is what was prepared: a command whose file changes meanwhile plays no more.

use crate::agon::{Done, Place};
use serde_json::Value;

/// A bot that does something at its third start, and then plays.
fn ground(at_third: &str) -> Place {
    let place = Place::new();
    let counts = "n=$(cat count 2>/dev/null || echo 0)\necho $((n + 1)) > count\n";
    place.write("a.sh", format!("{counts}[ $n = 2 ] && {{ {at_third}; }}\nexec agon bot grid random\n"));
    place.write("other.sh", "exec agon bot grid random\n");
    place
}

/// Replaces the file of the bot, as an editor does.
const REPLACE: &str = "cp other.sh new.sh; mv new.sh a.sh";
/// Writes the same bytes again.
const TOUCH: &str = "cp a.sh new.sh; mv new.sh a.sh";

const SERIES: [&str; 11] =
    ["match", "grid", "me=sh a.sh", "@random", "--games", "9", "--at-once", "1", "--rounds", "2", "--sandbox"];

fn series(place: &Place) -> Done {
    place.run(&[&SERIES[..], &["none"]].concat())
}

#[test]
fn a_series_ends_with_the_games_before_a_change() {
    let place = ground(REPLACE);
    let done = series(&place);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.err.contains("error: me has changed since it was prepared: `") && done.err.contains("/a.sh`"),
        "{done:?}"
    );
    assert!(done.err.contains("hint: leave its files alone while it plays"), "{done:?}");
    let counted = ["of 2 points", "after 2 games"].iter().any(|words| done.out.contains(words));
    assert!(counted, "the games before it count: {done:?}");
    assert_eq!(series(&place).code, 0, "the new one does not change");
}

#[test]
fn a_game_in_which_a_file_was_only_touched_is_played_again() {
    let place = ground(TOUCH);
    let done = series(&place);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(place.read("count").trim() == "10", "one game was played twice: {}", place.read("count"));
}

#[test]
fn a_single_match_tells_of_a_change() {
    let place = ground("true");
    place.write("a.sh", "cp other.sh new.sh; mv new.sh a.sh; exec agon bot grid random\n");
    let done = place.run(&["match", "grid", "me=sh a.sh", "@random", "--rounds", "2", "--sandbox", "none"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("was written or replaced while me played"), "{done:?}");
}

#[test]
fn a_test_never_mixes_two_versions() {
    let place = ground(REPLACE);
    let test = ["test", "grid", "@random", "me=sh a.sh", "--store", "t.agon", "--rounds", "2", "--max-matches", "40"];
    let test = [&test[..], &["--at-once", "1", "--sandbox", "none"]].concat();
    let done = place.run(&test);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
    assert!(done.err.contains("me has changed since it was prepared"), "{done:?}");
    let again = place.run(&test);
    assert_eq!((again.code, again.out.as_str()), (1, ""), "the store is of another version: {again:?}");
}

#[test]
fn a_tournament_goes_on_without_a_changed_bot_and_then_with_its_new_version() {
    let place = ground(REPLACE);
    let head = "game = \"grid\"\nsandbox = \"none\"\nlimit = 2\nrounds = 4\nmaps = [\"gen\"]\n";
    let bots = [("a", "sh a.sh"), ("b", "@random"), ("c", "@greedy")]
        .map(|(name, run)| format!("[[bot]]\nname = \"{name}\"\nrun = \"{run}\"\n"))
        .concat();
    place.write("cup.toml", format!("{head}{bots}"));
    let done = place.run(&["tournament", "run", "cup.toml", "--at-once", "1", "--format", "json-lines"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("bots have changed while they played: a; their matches wait"), "{done:?}");
    let events: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).cloned().collect::<Vec<_>>();
    let changed = of("changed");
    assert!(changed.len() == 1 && changed[0]["bot"] == "a", "{changed:?}");
    let with = |bot: &str, events: &[Value]| {
        let has =
            |event: &&Value| event["seats"].as_array().is_some_and(|seats| seats.iter().any(|it| it["bot"] == bot));
        events.iter().filter(has).count()
    };
    let matches = of("match");
    let without = matches.len() - with("a", &matches);
    let again = place.run(&["tournament", "run", "cup.toml", "--at-once", "1"]);
    assert_eq!(again.code, 0, "{again:?}");
    let all = place.json(&["tournament", "export", "cup.toml"]);
    let all = all["matches"].as_array().expect("an array");
    assert_eq!(all.len() - with("a", all), without, "the others have played all of theirs before");
    let versions: Vec<u64> = all
        .iter()
        .flat_map(|it| it["seats"].as_array().expect("an array"))
        .filter(|seat| seat["bot"] == "a")
        .map(|seat| seat["version"].as_u64().expect("a number"))
        .collect();
    let old = versions.iter().filter(|version| **version == 1).count();
    assert_eq!(old, with("a", &matches), "those before the change, and no other");
    assert!(versions.contains(&2) && versions.iter().all(|version| *version < 3), "{versions:?}");
}

#[test]
fn a_check_says_what_the_hash_leaves_out() {
    let place = Place::new();
    std::fs::create_dir(place.path("me")).expect("a folder");
    for name in ["me/bot.sh", "me/book.txt", "me/helper.sh"] {
        place.write(name, "exec agon bot grid random\n");
    }
    let check = |bot: &str| place.run(&["check", "grid", bot, "--sandbox", "none"]);
    let done = check("sh me/bot.sh");
    let said = "covers me/bot.sh, not book.txt and helper.sh beside it";
    assert!(done.err.replace('\n', " ").contains(said), "{done:?}");
    assert!(!check("sh me/bot.sh me").err.contains("beside it"), "all of them are covered");
}
