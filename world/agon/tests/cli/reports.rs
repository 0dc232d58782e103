//! Tests `agon tournament report`.

use crate::agon::Place;

/// Plays a short tournament in which a bot fails.
fn played(place: &Place, more: &[&str]) {
    std::fs::create_dir(place.path("bad")).expect("a folder");
    place.write("bad/bot.sh", "read -r line; echo '<b>|\u{202e}nonsense'\n");
    let bots = "@random,@greedy,bad=sh bad/bot.sh";
    let args = ["tournament", "new", "--game", "grid", "--bots", bots, "--seed", "11", "-o", "cup.toml"];
    assert_eq!(place.run(&[&args[..], more].concat()).code, 0);
    let done = place.run(&["tournament", "run", "cup.toml", "-q"]);
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn a_report_in_every_form() {
    let place = Place::new();
    played(&place, &["--rounds", "2"]);
    let void = ["tournament", "void", "cup.toml", "2", "--why", "the wrong map"];
    assert_eq!(place.run(&void).code, 0);
    let document = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    crate::schemas::assert_valid(&place, "tournament-report", &document);
    let exported = place.json(&["tournament", "export", "cup.toml"]);
    let of = |document: &serde_json::Value| -> Vec<(String, i64, u64)> {
        let rows = document["standings"].as_array().expect("a table").iter();
        let row = |row: &serde_json::Value| {
            let number = |key: &str| row[key].as_u64().expect("a number");
            (row["bot"].as_str().expect("a name").to_owned(), row["points"].as_i64().expect("points"), number("played"))
        };
        rows.map(row).collect()
    };
    assert_eq!(of(&document), of(&exported), "one table");
    assert_eq!(document["matches"]["void"], 1);
    for (format, words) in [
        ("text", &["Standings", "Cross table", "the wrong map", "\\u{202e}"][..]),
        ("markdown", &["## Standings", "| bad |", "the wrong map", "\\<b\\>\\|"]),
        ("csv", &["place,bot,points", "1,greedy,"]),
    ] {
        let done = place.run(&["tournament", "report", "cup.toml", "--format", format]);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{done:?}");
        for word in words {
            assert!(done.out.contains(word), "{format} has no {word}: {}", done.out);
        }
        assert!(!done.out.contains('\u{202e}'), "{format}");
    }
}

#[test]
fn a_report_of_a_store_that_cannot_be_written() {
    let place = Place::new();
    played(&place, &[]);
    let files = || ["cup.agon", "cup.toml"].map(|name| std::fs::read(place.path(name)).expect("a file"));
    let before = files();
    let text = place.run(&["tournament", "report", "cup.toml"]).out;
    assert!(files() == before, "a report changes neither");
    // Nobody but root could write now.
    let lock = |locked: bool| {
        for name in ["cup.agon", "."] {
            let mut rights = std::fs::metadata(place.path(name)).expect("it is there").permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut rights, if locked { 0o555 } else { 0o755 });
            std::fs::set_permissions(place.path(name), rights).expect("it is ours");
        }
    };
    lock(true);
    let done = place.run(&["tournament", "report", "cup.toml"]);
    lock(false);
    assert_eq!((done.code, done.out), (0, text));
}

#[test]
fn a_report_needs_a_tournament() {
    let place = Place::new();
    place.fails(1, &["tournament", "report", "none.toml"], &["there is no store"]);
}
