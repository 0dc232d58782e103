//! What `agon rate` makes of a tournament.

use super::made::{Made, won_by};
use agon_spec::{RateDocument, TournamentDocument, TournamentResult};
use agon_store::{RecordedResult, Records};
use agon_tournament::{RateOptions, export, rate, report, report_markdown};
use agon_tourney::{Entrant, Pairing};

const HEAD: &str = "game = \"grid\"\nseed = 3\n";

/// Returns the file of a tournament in which no bot is a copy of another one.
fn file(keys: &str, bots: usize) -> String {
    let names = ["random", "greedy", "frontier", "warden"];
    let bot = |number| format!("[[bot]]\nname = \"{}\"\nrun = \"@{}\"\n", ["a", "b", "c", "d"][number], names[number]);
    format!("{HEAD}{keys}\n{}", (0..bots).map(bot).collect::<String>())
}

fn rated(document: &TournamentDocument) -> RateDocument {
    rate(document, &RateOptions::default()).expect("there are matches")
}

/// A place with its bot, and the rating with its interval.
type Row = (u32, String, i64, i64, i64);

/// Returns everything that is said of bots.
fn said(rated: &RateDocument) -> (Vec<Row>, Option<f64>, Option<bool>, String) {
    let round = |value: f64| (1e6 * value).round() as i64;
    let bot = |bot: &agon_spec::RatedBot| {
        let (low, high) = (bot.low.expect("an end"), bot.high.expect("an end"));
        (bot.place, bot.bot.clone(), round(bot.rating), round(low), round(high))
    };
    (rated.bots.iter().map(bot).collect(), rated.prior, rated.lottery_unique, rated.errors.clone())
}

/// Draws most matches; the others are won by the first bot of the list, or lost in some rounds.
fn mostly_drawn(pairing: &Pairing) -> RecordedResult {
    match pairing.id.0 % 10 {
        0 | 3 | 6 => won_by(pairing, pairing.seats.iter().min().copied()),
        5 | 8 => won_by(pairing, pairing.seats.iter().max().copied()),
        _ => won_by(pairing, None),
    }
}

#[test]
fn a_bot_that_has_not_played_changes_nothing() {
    let made = Made::new(&file("rounds = 20", 2)).play(mostly_drawn);
    let document = export(&made.store).expect("it has begun");
    let alone = rated(&document);
    assert_eq!((alone.errors.as_str(), alone.prior), ("adjusted-sandwich", None));
    let mut more = document;
    let unplayed = agon_spec::TournamentBotRow { name: "unplayed".to_owned(), ..more.bots[0].clone() };
    more.bots.push(agon_spec::TournamentBotRow { versions: Vec::new(), ..unplayed });
    assert_eq!(said(&rated(&more)), said(&alone));

    // In a circle too, whose lottery is the only one.
    let circle = |pairing: &Pairing| {
        let (one, other) = (pairing.seats[0], pairing.seats[1]);
        won_by(pairing, Some(if (one.0 + 1) % 3 == other.0 { one } else { other }))
    };
    let mut document = export(&Made::new(&file("rounds = 4", 3)).play(circle).store).expect("it has begun");
    let alone = rated(&document);
    assert_eq!((alone.lottery_unique, alone.cycles.len()), (Some(true), 1));
    document.bots.push(more.bots[2].clone());
    assert_eq!(said(&rated(&document)), said(&alone));
}

#[test]
fn draws_alone_leave_intervals_open() {
    let drawn = |pairing: &Pairing| won_by(pairing, None);
    let found = rated(&export(&Made::new(&file("rounds = 1", 2)).play_some(1, drawn).store).expect("it has begun"));
    let [one, other] = &found.bots[..] else { panic!("{found:?}") };
    for bot in [one, other] {
        let (low, high) = (bot.low.expect("an end"), bot.high.expect("an end"));
        assert!(low < -300.0 && high > 300.0, "{bot:?}");
        assert_eq!(bot.place, 1, "they share it");
    }
    assert_eq!((&found.survival, found.survival_searched), (&None, false), "a shared place needs no match to fall");
}

#[test]
fn groups_have_places_of_their_own() {
    // Two pairs that have met nobody else; in one of them the better bot has always won.
    let result = |pairing: &Pairing| match pairing.seats.contains(&Entrant(0)) {
        true => mostly_drawn(pairing),
        false => won_by(pairing, pairing.seats.iter().min().copied()),
    };
    let made = Made::new(&file("rounds = 20", 4)).play(result);
    let mut document = export(&made.store).expect("it has begun");
    document.matches.retain(|played| {
        let names: Vec<&str> = played.seats.iter().map(|seat| seat.bot.as_str()).collect();
        ["ab", "ba", "cd", "dc"].contains(&&*names.concat())
    });
    let found = rated(&document);
    let places: Vec<(u32, u32)> = found.bots.iter().map(|bot| (bot.group, bot.place)).collect();
    assert_eq!(places, [(1, 1), (1, 2), (2, 1), (2, 2)]);
    assert!(found.prior.is_some(), "one has always won");
    assert_eq!(found.bots[1].superiority, None, "nothing compares it with the first of the other group");
    // Of both groups each is rated as if it were alone.
    for names in [["a", "b"], ["c", "d"]] {
        let mut alone = document.clone();
        alone.matches.retain(|played| played.seats.iter().all(|seat| names.contains(&seat.bot.as_str())));
        let alone = rated(&alone);
        for own in &alone.bots {
            let among = found.bots.iter().find(|bot| bot.bot == own.bot).expect("it has played");
            assert!((among.rating - own.rating).abs() < 1.0, "{among:?} {own:?}");
            assert_eq!((among.place, alone.prior.is_some()), (own.place, names == ["c", "d"]));
        }
    }
}

#[test]
fn only_what_counts_in_the_table_is_rated() {
    let mut made = Made::new(&file("rounds = 6\nwithdrawn = \"void\"", 3)).play_some(20, mostly_drawn);
    made.withdraw(2, "it failed");
    let made = made.play(mostly_drawn);
    let document = export(&made.store).expect("it has begun");
    let finished = |row: &&agon_spec::TournamentMatch| row.result == TournamentResult::Finished;
    let of_withdrawn = |row: &&agon_spec::TournamentMatch| row.seats.iter().any(|seat| seat.bot == "c");
    assert!(document.matches.iter().filter(finished).any(|row| of_withdrawn(&row)), "it has played");
    assert!(document.matches.iter().filter(finished).all(|row| row.counts != of_withdrawn(&row)));
    let found = rated(&document);
    assert!(found.bots.iter().all(|bot| bot.bot != "c"), "{:?}", found.bots);
    assert_eq!(report(&made.store).expect("it has begun").ratings, Some(found));
    // Earlier versions did not say what counts.
    let mut text = serde_json::to_value(&document).expect("JSON");
    for row in text["matches"].as_array_mut().expect("a list") {
        row.as_object_mut().expect("an object").remove("counts");
    }
    let old: TournamentDocument = serde_json::from_value(text).expect("an earlier document");
    assert!(old.matches.iter().all(|row| row.counts));
}

#[test]
fn bots_that_are_given_different_things_are_no_copies() {
    let folder = std::env::temp_dir().join(format!("agon-copies-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("bot.sh");
    std::fs::write(&program, "while read -r line; do echo .; done\n").expect("it can be written");
    let bot =
        |name: &str, keys: &str| format!("[[bot]]\nname = \"{name}\"\nrun = \"sh {}\"\n{keys}\n", program.display());
    let read = |path: &str| format!("read = [\"{}\"]", folder.join(path).display());
    for path in ["d1", "d2"] {
        std::fs::create_dir_all(folder.join(path)).expect("a folder");
    }
    let (one, other) = (read("d1"), read("d2"));
    let different = [
        "",
        "clock = \"move=2s\"",
        "memory = 300",
        "env = { DEEP = \"1\" }",
        "env = { memory = \"300\" }",
        &one,
        &other,
    ];
    let all = different.iter().enumerate().map(|(number, keys)| bot(&format!("bot {number}"), keys));
    let text = format!("{HEAD}sandbox = \"none\"\n{}{}", all.collect::<String>(), bot("copy", &one));
    let made = Made::new(&text);
    std::fs::remove_dir_all(&folder).expect("it can be removed");
    let hashes: Vec<_> = made.store.bots().expect("bots").iter().map(|bot| bot.versions[0].hash).collect();
    for (index, hash) in hashes[..different.len()].iter().enumerate() {
        assert!(hash.is_some() && !hashes[..index].contains(hash), "{}", different[index]);
    }
    assert_eq!(hashes[different.len()], hashes[5], "the same program with the same things is a copy");
}

#[test]
fn a_match_that_does_not_count_names_the_bot_that_is_the_reason() {
    // `a` is withdrawn late, so its matches count; `b` early, so that none of its matches does.
    let win = |pairing: &Pairing| won_by(pairing, Some(pairing.seats[0]));
    let mut made = Made::new(&file("rounds = 10", 3)).play_some(6, win);
    made.withdraw(1, "it failed early");
    let mut made = made.play_some(20, win);
    made.withdraw(0, "it failed late");
    let found = report(&made.play(win).store).expect("it has begun");
    assert!(found.not_counted.iter().any(|one| one.bots.contains(&"a".to_owned())), "{:?}", found.not_counted);
    assert!(found.not_counted.iter().all(|one| one.reason.contains("it failed early")), "{:?}", found.not_counted);
    assert!(report_markdown(&found).contains("it failed late"), "it is named as withdrawn");
}

#[test]
fn copies_of_matches_teach_nothing_new() {
    // In each round one of both wins on the map of the round, whoever begins.
    let by_map = |pairing: &Pairing| {
        let winner =
            if !pairing.map_seed.0.is_multiple_of(3) { pairing.seats.iter().min() } else { pairing.seats.iter().max() };
        won_by(pairing, winner.copied())
    };
    let document = export(&Made::new(&file("rounds = 60", 2)).play(by_map).store).expect("it has begun");
    let width = |bootstrap: bool| {
        let found = rate(&document, &RateOptions { bootstrap, ..RateOptions::default() }).expect("there are matches");
        (found.bots[0].high.expect("an end") - found.bots[0].low.expect("an end"), found.errors)
    };
    let ((alone, _), (blocks, errors)) = (width(false), width(true));
    assert_eq!(errors, "bootstrap");
    // Both matches of a map say the same, so half of them are worth nothing.
    assert!((1.25..1.6).contains(&(blocks / alone)), "{blocks} {alone}");
    let few = export(&Made::new(&file("rounds = 3", 2)).play(by_map).store).expect("it has begun");
    let why = rate(&few, &RateOptions { bootstrap: true, ..RateOptions::default() }).expect_err("too few blocks");
    assert!(why.contains("needs 10"), "{why}");
}

#[test]
fn copies_of_matches_teach_nothing_new_about_the_first_seat() {
    // In each round the same seat wins both matches on the map of the round.
    let by_map = |pairing: &Pairing| {
        let winner = usize::from(pairing.map_seed.0.is_multiple_of(3));
        won_by(pairing, Some(pairing.seats[winner]))
    };
    let document = export(&Made::new(&file("rounds = 60", 2)).play(by_map).store).expect("it has begun");
    let error = |bootstrap: bool| {
        let found = rate(&document, &RateOptions { bootstrap, ..RateOptions::default() }).expect("there are matches");
        found.advantages[0].error
    };
    let (alone, blocks) = (error(false), error(true));
    assert!((1.25..1.6).contains(&(blocks / alone)), "{blocks} {alone}");
}
