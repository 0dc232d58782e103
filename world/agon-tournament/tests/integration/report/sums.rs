//! What a report says.

use super::made::{Made, bots, won_by};
use agon_spec::{ReportScore, TournamentResult};
use agon_store::{Ending, Memory, RecordedFault, RecordedResult};
use agon_tournament::{Tournament, report, report_csv, report_html, report_markdown, sections};
use agon_tourney::{Entrant, MatchId, Pairing};

const HEAD: &str = "game = \"grid\"\nseed = 3\n";

/// The bot with the smaller number always wins.
fn by_number(pairing: &Pairing) -> RecordedResult {
    won_by(pairing, pairing.seats.iter().min().copied())
}

#[test]
fn sums_are_those_of_the_matches() {
    let made = Made::new(&format!("{HEAD}rounds = 3\n{}", bots(4))).play(by_number);
    let found = report(&made.store).expect("it has begun");
    assert_eq!((found.complete, found.matches.counted, found.matches.planned), (true, 36, Some(36)));
    let points: Vec<i64> = found.standings.iter().map(|row| row.points).collect();
    assert_eq!(points, [36, 24, 12, 0]);
    for (row, cross) in found.cross.iter().enumerate() {
        for (column, score) in cross.against.iter().enumerate() {
            let expected = match row.cmp(&column) {
                std::cmp::Ordering::Less => Some(ReportScore { won: 6, ..ReportScore::default() }),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(ReportScore { lost: 6, ..ReportScore::default() }),
            };
            assert_eq!(*score, expected, "{row} {column}");
        }
    }
    let played: Vec<u64> = found.bot_scores.iter().map(|bot| bot.seats.iter().map(|seat| seat.count()).sum()).collect();
    assert_eq!(played, [18; 4]);
    let map = &found.map_scores[0];
    assert_eq!((map.matches, map.seats[0].count(), map.seats[0].won), (36, 36, map.seats[1].lost));
    assert_eq!(found.standings[0].share, Some(1.0));
    let [low, high] = found.standings[0].interval.expect("opponents do not depend on results");
    assert!(low > 0.5 && low < 1.0 && high >= 1.0, "{low} {high}");
}

/// Returns the built-in bots of the game, which are all different, for the file of a tournament.
fn different() -> String {
    let bot = |(number, run)| format!("[[bot]]\nname = \"bot {number}\"\nrun = \"@{run}\"\n");
    ["random", "greedy", "frontier", "warden"].into_iter().enumerate().map(bot).collect()
}

#[test]
fn ratings_are_those_of_the_matches_that_count() {
    // Bots 0, 1 and 2 beat each other in a circle, more often than not, and all of them beat bot 3, which bot 0 always does.
    let mut played = 0;
    let circle = |pairing: &Pairing| {
        let (one, other) = (pairing.seats[0], pairing.seats[1]);
        played += 1;
        let ahead = other.0 == 3 || (one.0 != 3 && (one.0 + 1) % 3 == other.0);
        let turned = played % 5 == 0 && !(pairing.seats.contains(&Entrant(0)) && pairing.seats.contains(&Entrant(3)));
        won_by(pairing, Some(if ahead != turned { one } else { other }))
    };
    let made = Made::new(&format!("{HEAD}rounds = 20\n{}", different())).play(circle);
    let found = report(&made.store).expect("it has begun");
    let ratings = found.ratings.as_ref().expect("matches were played");
    assert_eq!((ratings.model.as_str(), ratings.matches, ratings.bots.len()), ("bt", found.matches.counted, 4));
    assert_eq!(ratings.bots[3].bot, "bot 3");
    assert!(ratings.bots.windows(2).all(|pair| pair[0].rating >= pair[1].rating));
    for bot in &ratings.bots {
        assert!(bot.low.expect("an end") < bot.rating && bot.rating < bot.high.expect("an end"), "{bot:?}");
    }
    assert_eq!(ratings.cycles, [["bot 0", "bot 1", "bot 2"]]);
    assert!(ratings.survival_searched && ratings.survival.is_some());
    let text = report_markdown(&found);
    for told in ["## Ratings", "in a circle: bot 0 beats bot 1 beats bot 2 beats bot 0", "would be first"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(report_html(&found, None).contains("id=\"ratings\""));
    // The matches of a bot that was withdrawn early do not count, and are not rated either.
    let ahead = |pairing: &Pairing| won_by(pairing, Some(pairing.seats[0]));
    let mut made = Made::new(&format!("{HEAD}rounds = 20\n{}", different())).play_some(20, ahead);
    made.withdraw(3, "it failed");
    let found = report(&made.play(ahead).store).expect("it has begun");
    let ratings = found.ratings.expect("matches were played");
    assert!(found.matches.not_counted > 0);
    assert_eq!(ratings.matches, found.matches.counted);
    assert!(ratings.bots.iter().all(|bot| bot.bot != "bot 3"), "{:?}", ratings.bots);
}

#[test]
fn nothing_is_rated_before_the_first_match() {
    let found = report(&Made::new(&format!("{HEAD}{}", different())).store).expect("it has begun");
    assert_eq!(found.ratings, None);
    assert!(!report_markdown(&found).contains("Ratings"));
}

#[test]
fn a_tie_says_what_decided_and_between_whom() {
    // Everybody wins at home, but bot 2 also beats bot 1 away, and bot 0 beats bot 3 away.
    let home = |pairing: &Pairing| {
        let away = [(1, 2), (3, 0)].contains(&(pairing.seats[0].0, pairing.seats[1].0));
        won_by(pairing, pairing.seats.get(usize::from(away)).copied())
    };
    let found = report(&Made::new(&format!("{HEAD}{}", bots(4))).play(home).store).expect("it has begun");
    let places: Vec<(u32, &str, i64)> =
        found.standings.iter().map(|row| (row.place, row.bot.as_str(), row.points)).collect();
    assert_eq!(places, [(1, "bot 0", 8), (1, "bot 2", 8), (3, "bot 1", 4), (3, "bot 3", 4)]);
    assert_eq!(found.ties.len(), 2);
    assert_eq!((found.ties[0].tiebreak.as_deref(), found.ties[0].place), (None, 1));
    let standings = &sections(&found)[1];
    assert_eq!(standings.remarks[0], "bot 0 and bot 2 share place 1: nothing separates them");

    // Three bots beat each other in a circle, and all of them beat the last one.
    let direct = |pairing: &Pairing| match (pairing.seats[0].0, pairing.seats[1].0) {
        (0, 1) | (1, 0) => won_by(pairing, Some(Entrant(0))),
        (1, 2) | (2, 1) => won_by(pairing, Some(Entrant(1))),
        (0, 2) | (2, 0) => won_by(pairing, Some(Entrant(2))),
        _ => won_by(pairing, pairing.seats.iter().min().copied()),
    };
    let found = report(&Made::new(&format!("{HEAD}{}", bots(4))).play(direct).store).expect("it has begun");
    assert_eq!(found.standings.iter().map(|row| row.points).collect::<Vec<_>>(), [8, 8, 8, 0]);
    assert!(found.ties.iter().all(|tie| tie.tiebreak.is_none()), "a circle: {:?}", found.ties);

    // Bot 1 beats bot 0, which has as many points from its matches with bot 2.
    let equal = |pairing: &Pairing| match (pairing.seats[0].0, pairing.seats[1].0) {
        (1, 0) => won_by(pairing, Some(Entrant(1))),
        (0, 1) => won_by(pairing, None),
        (0, 2) | (2, 0) => won_by(pairing, Some(Entrant(0))),
        _ => won_by(pairing, None),
    };
    let found = report(&Made::new(&format!("{HEAD}{}", bots(3))).play(equal).store).expect("it has begun");
    let decided: Vec<String> = sections(&found)[1].remarks.clone();
    assert_eq!(found.standings.iter().map(|row| row.points).collect::<Vec<_>>(), [5, 5, 2], "{decided:?}");
    assert_eq!(decided, ["bot 1 is before bot 0 by direct encounter: 1.5 to 0.5"]);
    let csv = report_csv(&found);
    assert!(
        csv.lines().nth(2).is_some_and(|line| line.contains("bot 0") && line.contains("direct encounter")),
        "{csv}"
    );
}

#[test]
fn matches_that_do_not_count_are_listed_with_their_reason() {
    let text = format!("{HEAD}rounds = 4\n{}", bots(3));
    let mut made = Made::new(&text);
    made = made.play_some(6, |pairing| match pairing.id {
        MatchId(2) => RecordedResult { ending: Ending::Spoilt, reason: "no memory".to_owned(), ..Default::default() },
        _ => {
            let mut result = by_number(pairing);
            for (seat, bot) in pairing.seats.iter().enumerate().filter(|(_, bot)| bot.0 == 2) {
                let fault = RecordedFault { kind: "late".to_owned(), ply: 1, text: format!("{bot:?}"), cause: None };
                result.seats[seat].fault = Some(fault);
            }
            result
        }
    });
    made.withdraw(2, "it failed 5 times in a row");
    let made = made.play(by_number);
    let mut tournament = made.tournament(&text);
    let id = made_id(&tournament, &[0, 1]);
    tournament.void(id, "the wrong map").expect("it counts");
    let found = report(tournament.store()).expect("it has begun");
    assert_eq!((found.matches.spoilt, found.matches.void), (1, 1));
    assert!(found.matches.left_out > 0 && found.matches.not_counted > 0, "{:?}", found.matches);
    assert_eq!(found.standings.iter().map(|row| u64::from(row.played)).sum::<u64>(), 2 * found.matches.counted);
    let of = |result| found.not_counted.iter().filter(move |one| one.result == result);
    assert_eq!(of(TournamentResult::Spoilt).map(|one| one.reason.as_str()).collect::<Vec<_>>(), ["no memory"]);
    let void: Vec<_> = of(TournamentResult::Void).map(|one| (one.id, one.reason.as_str())).collect();
    assert_eq!(void, [(id, "the wrong map")]);
    assert!(of(TournamentResult::Finished).all(|one| one.reason.contains("bot 2 is withdrawn (it failed 5 times")));
    let faults: Vec<_> = found.faults.iter().map(|row| (row.bot.as_str(), row.count)).collect();
    assert_eq!(faults, [("bot 2", found.matches.not_counted)], "why it was withdrawn can be read");
    let markdown = report_markdown(&found);
    for words in ["the wrong map", "no memory", "bot 2 is withdrawn: it failed 5 times in a row", "left out"] {
        assert!(markdown.contains(words), "{words}: {markdown}");
    }
}

#[test]
fn a_match_that_was_undone_is_listed_once() {
    let text = format!("{HEAD}rounds = 4\n{}", bots(3));
    let mut made = Made::new(&text).play_some(9, by_number);
    let undone = made.withdraw_after(2, MatchId(3));
    assert!(!undone.is_empty(), "it has played after it");
    let stored = agon_store::Records::find(&made.store, undone[0].0).expect("it can be read").expect("it is there");
    assert!(!stored.result.expect("it was played").seats.is_empty(), "what was played is kept");
    let mut tournament = made.play(by_number).tournament(&text);
    tournament.void(made_id(&tournament, &[0, 1]), "the wrong map").expect("it counts");
    let found = report(tournament.store()).expect("it has begun").matches;
    let parts = [found.counted, found.not_counted, found.spoilt, found.void, found.left_out, found.waiting];
    assert_eq!(Some(parts.iter().sum::<u64>()), found.planned, "{found:?}");
    assert_eq!(found.void, 1, "{found:?}");
}

/// Returns the first match of these bots that counts.
fn made_id(tournament: &Tournament<Memory>, pair: &[u32]) -> u64 {
    let matches = agon_store::Records::matches(tournament.store(), 0, 1000).expect("it can be read");
    let finished = |stored: &&agon_store::StoredMatch| {
        stored.planned.bots == pair && stored.result.as_ref().is_some_and(|result| result.ending == Ending::Finished)
    };
    matches.iter().find(finished).expect("they have met").planned.id
}

#[test]
fn faults_and_times_are_summed_by_bot() {
    let made = Made::new(&format!("{HEAD}clock = \"move=100ms\"\nrounds = 4\n{}", bots(2))).play(|pairing| {
        let mut result = by_number(pairing);
        for (seat, bot) in pairing.seats.iter().enumerate() {
            (result.seats[seat].decisions, result.seats[seat].time_us) = (10, if bot.0 == 0 { 1_000 } else { 3_000 });
            result.seats[seat].max_us = 200 + pairing.id.0;
            if bot.0 == 1 {
                let kind = if pairing.id.0 < 7 { "late" } else { "crashed" };
                let text = format!("\u{1b}[31m<b>|`{}", pairing.id);
                result.seats[seat].fault = Some(RecordedFault { kind: kind.to_owned(), ply: 3, text, cause: None });
            }
        }
        result
    });
    let found = report(&made.store).expect("it has begun");
    let faults: Vec<_> = found.faults.iter().map(|row| (row.bot.as_str(), row.kind.as_str(), row.count)).collect();
    assert_eq!(faults, [("bot 1", "late", 6), ("bot 1", "crashed", 2)]);
    assert_eq!(found.faults[0].examples.len(), 5, "not all of them");
    let time = &found.time_used[1];
    assert_eq!((time.mean_us, time.longest_us, time.longest_id), (Some(300), Some(208), Some(8)));
    assert_eq!((time.limit_us, time.share), (Some(100_000), 0.75));
    assert_eq!(time.longest_by_size.iter().map(|bin| (bin.below_us, bin.matches)).collect::<Vec<_>>(), [(256, 8)]);
    let markdown = report_markdown(&found);
    assert!(markdown.contains("\\\\x1b\\[31m\\<b\\>\\|\\`1"), "{markdown}");
    assert!(!markdown.contains('\u{1b}'));
}

#[test]
fn a_bracket_is_drawn() {
    let text = format!("{HEAD}kind = \"single-elimination\"\n{}", bots(4));
    let found = report(&Made::new(&text).play(by_number).store).expect("it has begun");
    assert_eq!(found.bracket.len(), 2);
    let last = &found.bracket[1].encounters[0];
    assert_eq!((last.winner.as_deref(), last.for_place), (Some("bot 0"), Some(1)));
    let drawn = sections(&found).into_iter().find(|section| section.title == "Bracket").expect("there is one").drawing;
    assert!(drawn.contains("bot 0") && drawn.contains("for place 1"), "{drawn}");
    assert!(found.ties.is_empty(), "who is out is no tie");
    assert!(report_markdown(&found).contains("    round 1\n"));
}

#[test]
fn a_group_says_who_was_before_whom() {
    let text = format!("{HEAD}kind = \"groups\"\nadvance = 1\n{}", bots(6));
    let found = report(&Made::new(&text).play(|pairing| won_by(pairing, None)).store).expect("it has begun");
    assert_eq!((found.groups.len(), found.groups[0].len()), (2, 3));
    for (number, group) in (1..).zip(&found.groups) {
        let ties: Vec<_> = found.ties.iter().filter(|tie| tie.group == Some(number)).collect();
        assert_eq!(ties.len(), 2, "{ties:?}");
        assert!(ties.iter().all(|tie| tie.tiebreak.is_none() && tie.place == 1), "{ties:?}");
        assert!(
            group.iter().all(|row| row.points == 4 && row.share.is_none()),
            "the matches of the knockout are not theirs"
        );
    }
    let knockout: Vec<&str> =
        found.bracket[0].encounters[0].sides.iter().filter_map(|side| side.bot.as_deref()).collect();
    let whole: Vec<_> = found.ties.iter().filter(|tie| tie.group.is_none()).collect();
    assert!(whole.iter().all(|tie| !knockout.contains(&tie.ahead.as_str())), "the knockout decided there: {whole:?}");
    let group = sections(&found).into_iter().find(|section| section.title == "Group 2").expect("there is one");
    assert_eq!(group.remarks.len(), 2, "{group:?}");
}

/// Both bots fail in every match between bots 0 and 1, which the game calls a draw. Else the smaller number wins.
fn two_fail(pairing: &Pairing) -> RecordedResult {
    if pairing.seats.iter().any(|bot| bot.0 > 1) {
        return by_number(pairing);
    }
    let mut result = won_by(pairing, None);
    for seat in &mut result.seats {
        seat.fault = Some(RecordedFault { kind: "crashed".to_owned(), ..RecordedFault::default() });
    }
    result
}

#[test]
fn double_forfeits_are_losses_and_shown() {
    let text = format!("{HEAD}rounds = 2\n{}", different());
    let found = report(&Made::new(&text).play(two_fail).store).expect("it has begun");
    assert_eq!((found.matches.counted, found.matches.double_forfeits), (24, 4));
    let rows: Vec<_> = found
        .standings
        .iter()
        .map(|row| (row.bot.as_str(), row.points, row.draws, row.losses, row.double_forfeits))
        .collect();
    assert_eq!(rows, [("bot 0", 16, 0, 4, 4), ("bot 1", 16, 0, 4, 4), ("bot 2", 8, 0, 8, 0), ("bot 3", 0, 0, 12, 0)]);
    assert_eq!(found.cross[0].against[1], Some(ReportScore { lost: 4, ..ReportScore::default() }));
    assert_eq!(found.cross[1].against[0], found.cross[0].against[1]);
    let ratings = found.ratings.as_ref().expect("others were decided");
    assert_eq!((ratings.matches, ratings.left_out, ratings.double_forfeits), (20, 4, 4));
    let csv = report_csv(&found);
    assert!(csv.lines().next().is_some_and(|line| line.ends_with(",double_forfeits")), "{csv}");
    assert!(csv.lines().nth(1).is_some_and(|line| line.ends_with(",4")), "{csv}");
    let (markdown, page) = (report_markdown(&found), report_html(&found, None));
    for text in [&markdown, &page] {
        assert!(text.contains("double forfeits") && text.contains("forfeited by all"), "{text}");
        assert!(text.contains("4 matches left out"), "{text}");
    }
    let without = report(&Made::new(&text).play(by_number).store).expect("it has begun");
    assert!(!report_markdown(&without).contains("forfeit") && !report_html(&without, None).contains("forfeit"));
}

#[test]
fn an_older_store_keeps_what_its_table_has_said() {
    let text = format!("{HEAD}rounds = 2\n{}", different());
    let found = report(&Made::new(&text).without_note_of_forfeits().play(two_fail).store).expect("it has begun");
    assert_eq!((found.matches.counted, found.matches.double_forfeits), (24, 0));
    let rows: Vec<_> = found.standings.iter().map(|row| (row.bot.as_str(), row.points, row.draws)).collect();
    assert_eq!(rows[..2], [("bot 0", 20, 4), ("bot 1", 20, 4)]);
    assert_eq!(found.cross[0].against[1], Some(ReportScore { level: 4, ..ReportScore::default() }));
    // Whatever the table says, such a match tells nothing about strength.
    assert_eq!(found.ratings.map(|rated| (rated.matches, rated.double_forfeits)), Some((20, 4)));
}
