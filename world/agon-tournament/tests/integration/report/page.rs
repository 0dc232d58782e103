//! The page of a report.

use super::made::{Made, won_by};
use agon_core::{Rng, Seed};
use agon_store::{Ending, RecordedFault, RecordedResult};
use agon_tournament::{Archive, report, report_html};
use agon_tourney::Pairing;
use std::collections::BTreeSet;

/// Bots whose names and words try to leave their place.
const HOSTILE: &str = "</bdi><script>alert(1)</script>\u{202e}\"'&";
/// A bot's words, which may have anything in them.
const WORDS: &str = "</td><img src=x onload=1>\u{202e}\u{1b}[31m\"'&";

fn names(count: usize) -> Vec<String> {
    let name = |number: usize| match number {
        0 => HOSTILE.to_owned(),
        1 => "日本語のボット名前がとても長いので切り詰められる".repeat(3),
        number => format!("bot {number} of the long evening"),
    };
    (0..count).map(name).collect()
}

fn file(head: &str, count: usize) -> String {
    let mut text = format!("name = {:?}\ngame = \"grid\"\nseed = 3\n{head}", "Spring <cup>");
    for name in names(count) {
        let quoted: String =
            name.chars().flat_map(|c| format!("\\U{:08X}", c as u32).chars().collect::<Vec<_>>()).collect();
        text.push_str(&format!("[[bot]]\nname = \"{quoted}\"\nrun = \"@random\"\n"));
    }
    text
}

/// Returns results in which better bots win more often, some fail, and the host spoils a few.
fn results(seed: u64) -> impl FnMut(&Pairing) -> RecordedResult {
    let mut rng = Rng::new(Seed(seed));
    move |pairing| {
        if rng.below(60) == 0 {
            let reason = format!("no memory {WORDS}");
            return RecordedResult { ending: Ending::Spoilt, reason, ..RecordedResult::default() };
        }
        let strength = |bot: u32| 1.0 / (1.0 + f64::from(bot) / 4.0);
        let (one, other) = (pairing.seats[0], pairing.seats[1]);
        let chance = strength(one.0) / (strength(one.0) + strength(other.0));
        let winner = match rng.unit() {
            draw if draw < 0.1 => None,
            _ if rng.unit() < chance => Some(one),
            _ => Some(other),
        };
        let mut result = won_by(pairing, winner);
        result.plies = 40 + rng.below(60);
        for (seat, bot) in pairing.seats.iter().enumerate() {
            let own = &mut result.seats[seat];
            own.decisions = u64::from(result.plies) / 2;
            own.max_us = 1 << (4 + bot.0 % 14 + rng.below(3));
            own.time_us = own.decisions * own.max_us / 3;
            if bot.0 % 5 == 0 && rng.below(6) == 0 {
                let kind = ["late", "crashed", "nonsense", "unlawful"][rng.index(4)].to_owned();
                own.fault = Some(RecordedFault { kind, ply: 7, text: WORDS.repeat(50), cause: None });
            }
        }
        result
    }
}

/// Fails if the page could load or run anything, or if text of a bot left its place.
fn check(page: &str) {
    for bad in ["<script", "\u{202e}", "\u{1b}", " style=", "http://", "https://", "@import", "url(", "<img"] {
        assert!(!page.contains(bad), "{bad}");
    }
    for needed in
        ["default-src 'none'", "name=\"viewport\"", "@media print", "prefers-color-scheme: dark", "Spring &lt;cup&gt;"]
    {
        assert!(page.contains(needed), "{needed}");
    }
    // Every tag is closed, in the right order.
    let mut open: Vec<&str> = Vec::new();
    let body = &page[page.find("</style>").expect("a style") + 8..];
    for tag in body.split('<').skip(1).map(|rest| &rest[..rest.find('>').expect("tags end")]) {
        let word = tag.split([' ', '/']).find(|word| !word.is_empty()).expect("a name");
        assert!(!tag.split(' ').any(|word| word.starts_with("on") && word.contains('=')), "{tag}");
        assert!(tag.matches(" class=").count() <= 1, "{tag}");
        match (tag.starts_with('/'), ["br", "meta"].contains(&word)) {
            (true, _) => assert!(open.pop() == Some(word) || ["head", "html"].contains(&word), "{word} in {open:?}"),
            (false, false) => open.push(word),
            (false, true) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
    // Every link within the page leads somewhere, and nothing is there twice.
    let values = |name: &str| -> Vec<&str> {
        let key = format!(" {name}=\"");
        let parts = body.match_indices(&key).map(|(at, key)| &body[at + key.len()..]);
        parts.map(|rest| &rest[..rest.find('"').expect("values end")]).collect()
    };
    let ids = values("id");
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(known.len(), ids.len(), "ids are unique");
    let missing: Vec<&str> =
        values("href").into_iter().filter(|to| to.strip_prefix('#').is_some_and(|id| !known.contains(id))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Writes a page where a person can look at it.
fn show(name: &str, page: &str) {
    if let Ok(folder) = std::env::var("AGON_PAGES") {
        std::fs::write(std::path::Path::new(&folder).join(name), page).expect("the folder is there");
    }
}

#[test]
fn forty_bots_have_room_in_two_megabytes() {
    let text = file("rounds = 2\n", 40);
    let mut made = Made::new(&text).play_some(2000, results(1));
    made.withdraw(39, &format!("it failed 5 times in a row {WORDS}"));
    let made = made.play(results(2));
    let found = report(&made.store).expect("it has begun");
    assert!(found.matches.counted > 2500 && found.matches.left_out > 0, "{:?}", found.matches);
    assert!(found.faults.len() > 25, "every kind of fault of every eighth bot");
    let archive = Archive {
        replays: (1..=3120).collect(),
        watched: [17].into(),
        files: vec![("export.json".to_owned(), "all".to_owned())],
    };
    let page = report_html(&found, Some(&archive));
    show("40.html", &page);
    check(&page);
    assert!(page.contains("href=\"#bot-3-7\"") && page.contains("id=\"bot-3-7\""), "fields lead to matches");
    assert!(page.contains("href=\"#bot-39\"") && page.contains("href=\"watch/17.html"), "so do names, and numbers");
    assert!(page.contains("href=\"replays/"), "a match without a page has its replay");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(report_html(&found, None).len() < 1_000_000, "{} bytes without an archive", page.len());
}

#[test]
fn a_page_of_every_kind_of_tournament() {
    for (name, head, count) in [
        ("round-robin", "rounds = 6\nclock = \"move=100ms\"\n", 6),
        ("gauntlet", "kind = \"gauntlet\"\n", 5),
        ("swiss", "kind = \"swiss\"\nrounds = 5\n", 9),
        ("single", "kind = \"single-elimination\"\nbest-of = 3\nthird-place = true\n", 13),
        ("double", "kind = \"double-elimination\"\n", 8),
        ("groups", "kind = \"groups\"\n", 8),
        ("ladder", "kind = \"ladder\"\nrounds = 200\n", 7),
    ] {
        let made = Made::new(&file(head, count)).play(results(7));
        let found = report(&made.store).expect("it has begun");
        assert!(found.complete, "{name}");
        let page = report_html(&found, None);
        show(&format!("{name}.html"), &page);
        check(&page);
        assert_eq!(page.contains("id=\"bracket\""), ["single", "double", "groups"].contains(&name), "{name}");
        assert_eq!(found.standings[0].rating.is_some(), name == "ladder");
    }
}

#[test]
fn a_page_before_the_first_match() {
    let made = Made::new(&file("", 3));
    let page = report_html(&report(&made.store).expect("it has begun"), None);
    show("empty.html", &page);
    check(&page);
}
