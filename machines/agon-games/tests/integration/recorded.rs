//! Tests with recorded matches of every game: a bot is led through them, and they are written in the formats of other
//! programs and read back.

use agon_core::{Seat, Seed};
use agon_games::{AnyGame, Attending, Reply};
use agon_referee::{Do, In, MatchEvent, Recording, SeatKind, Settings};
use agon_replay::{Replay, VerifyError, Writer, verify};
use agon_spec::{MatchSpec, SeatSpec};
use proptest::prelude::*;
use std::time::Duration;

/// Plays a match of one built-in bot against itself and records it.
fn played(game: &dyn AnyGame, bot: &'static str, rules: &str, seed: u64, limit: u32) -> Replay {
    let seats = game.info().default_seats;
    let map = game.generate(game.info().map_kinds[0].name, Seed(seed), seats).expect("the default map");
    let seat = |i: usize| SeatSpec { name: format!("{bot}#{i}"), bot: format!("@{bot}"), ..SeatSpec::default() };
    let rules = game.rules(rules).expect("a rule set");
    let spec = MatchSpec {
        seed: Seed(seed),
        limit: game.info().limit.map(|_| limit),
        ..MatchSpec::new(game.name(), rules, map, (0..seats).map(seat))
    };
    let settings = Settings { recording: Recording::Orders, ..Settings::default() };
    let mut machine = game.referee(&spec, &vec![SeatKind::Builtin(bot); seats], settings).expect("it can be opened");
    let mut writer = Writer::new(Vec::new(), "test");
    machine.feed(Duration::ZERO, In::Begin);
    loop {
        match machine.next() {
            Some(Do::Think { seat }) => {
                machine.feed(Duration::ZERO, In::Think { seat });
                machine.feed(Duration::ZERO, In::Thought { seat });
            }
            Some(Do::Record(event)) => {
                writer.write(&event).expect("a vector takes everything");
                if matches!(*event, MatchEvent::Finished { .. }) {
                    break;
                }
            }
            Some(_) => {}
            None => panic!("the match stands still"),
        }
    }
    Replay::read(&*writer.finish().expect("a vector takes everything")).expect("it is a replay")
}

fn verified(replay: &Replay) -> Result<agon_replay::Verified, VerifyError> {
    let mut bytes = Vec::new();
    agon_replay::write_replay(replay, &mut bytes).expect("a vector takes everything");
    verify(&*bytes, |spec| agon_games::find(&spec.game).expect("its game is there").rerun(spec))
}

/// The law behind `agon replay ask`: a built-in bot that played a match gives the same answers when it is led through
/// it.
#[test]
fn a_bot_that_is_led_through_its_own_match_decides_the_same() {
    for game in agon_games::all() {
        let replay = played(*game, "random", "spec", 5, 12);
        assert!(verified(&replay).is_ok(), "{}", game.name());
        for seat in (0..replay.header.spec.seats.len()).map(Seat::new) {
            let mut interview = game.interview(&replay.header.spec, seat).expect("the seat is there");
            let mut bot = game.wire_bot("random", replay.header.spec.bot_seed(seat)).expect("there is a random bot");
            let (mut told, mut said, mut asked) = (Vec::new(), Vec::new(), 0);
            let mut answer = |told: &mut Vec<u8>, said: &mut Vec<u8>, interview: &mut dyn agon_games::AnyInterview| loop {
                let attending = bot.hear(told, said).expect("it knows the protocol");
                assert_eq!(attending, Attending::Yes);
                told.clear();
                let (used, heard) = interview.hear(said, false, told);
                said.drain(..used);
                match heard {
                    Reply::More => assert!(!told.is_empty() || used > 0, "{}: no answer", game.name()),
                    heard => return heard,
                }
            };
            if interview.greet(&mut told) {
                assert_eq!(answer(&mut told, &mut said, &mut *interview), Reply::Ready, "{}", game.name());
            }
            for record in replay.plies() {
                if interview.is_awaited() {
                    interview.prompt(&mut told);
                    let entry = record.entries.iter().find(|e| e.seat == seat).expect("it was awaited");
                    let heard = answer(&mut told, &mut said, &mut *interview);
                    assert_eq!(
                        heard,
                        Reply::Decision { orders: entry.orders.clone(), refusal: None },
                        "{}",
                        game.name()
                    );
                    asked += 1;
                }
                interview.step(record, &mut told).expect("it reproduces");
            }
            assert!(asked > 0, "{}: seat {seat} was never asked", game.name());
            assert!(said.is_empty(), "{}: the bot writes only when it is asked", game.name());
        }
    }
}

#[test]
fn an_interview_needs_a_seat_of_the_match() {
    let game = agon_games::find("grid").expect("it is there");
    let replay = played(game, "random", "spec", 1, 2);
    assert!(game.interview(&replay.header.spec, Seat::new(2)).is_err());
}

/// Exporting, importing and exporting again gives the same file and the same ending.
#[test]
fn foreign_formats_go_both_ways() {
    let mut tried = 0;
    for game in agon_games::all() {
        for format in game.formats() {
            for (i, rules) in game.rule_sets().iter().enumerate() {
                for seed in 0..3 {
                    let bot = game.info().bots[(i + seed as usize) % game.info().bots.len().min(3)].name;
                    let replay = played(*game, bot, rules, seed, 40);
                    let place = format!("{} {} {rules} @{bot} {seed}", game.name(), format.name);
                    let exported = (format.export)(&replay).unwrap_or_else(|flaw| panic!("{place}: {flaw}"));
                    let Some(import) = format.import else { continue };
                    let read = import(&exported, Some(rules)).unwrap_or_else(|flaw| panic!("{place}: {flaw}"));
                    let verified = verified(&read).unwrap_or_else(|why| panic!("{place}: {why:?}"));
                    assert_eq!(verified.plies as usize, replay.plies().count(), "{place}");
                    let standing = replay.footer.as_ref().and_then(|f| f.standing.clone()).expect("a result");
                    assert_eq!(verified.standing.scores, standing.scores, "{place}");
                    let end = |replay: &Replay| replay.footer.as_ref().map(|footer| footer.end);
                    assert_eq!(end(&read), end(&replay), "{place}");
                    let again = (format.export)(&read).expect("it was read");
                    // The original of Planet Wars lists the fleets in the order of a dictionary of the orders. After
                    // the import the same fleets come in another order.
                    let same = if i == 0 { again == exported } else { pieces(&again) == pieces(&exported) };
                    assert!(same, "{place}: exported again it is another match");
                    assert!(import(&exported, None).is_ok(), "{place}: no rule set explains it");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 15, "{tried}");
}

/// Returns the items of a text in sorted order.
fn pieces(text: &[u8]) -> Vec<&[u8]> {
    let mut pieces: Vec<&[u8]> = text.split(|b| b",:\n".contains(b)).collect();
    pieces.sort_unstable();
    pieces
}

#[test]
fn a_replay_that_does_not_reproduce_is_not_exported() {
    let game = agon_games::find("grid").expect("it is there");
    let mut replay = played(game, "random", "spec", 1, 9);
    replay.header.spec.map = replay.header.spec.map.replacen('2', "-", 1).replacen('-', "2", 1);
    for format in game.formats() {
        assert!((format.export)(&replay).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_read_as_any_format_without_a_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..80),
        at in any::<prop::sample::Index>(),
        drop in 0usize..20,
    ) {
        for game in agon_games::all() {
            for format in game.formats() {
                let Some(import) = format.import else { continue };
                let _ = import(&bytes, None);
                let mut spoilt = (format.export)(&played(*game, "random", "spec", 2, 4)).expect("it can be written");
                let at = at.index(spoilt.len());
                let end = (at + drop).min(spoilt.len());
                spoilt.splice(at..end, bytes.iter().copied());
                if let Ok(replay) = import(&spoilt, None) {
                    prop_assert!(verified(&replay).is_ok());
                }
            }
        }
    }
}
