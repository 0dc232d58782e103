//! Matches in which a person takes part.

use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{
    Event, MatchTerms, NamedBot, Outcome, People, PlayOptions, PreparedBot, ReplaySink, open_replay, play,
};
use agon_referee::MatchEvent;
use agon_spec::MatchSpec;
use std::{sync::mpsc::channel, thread};

/// Sets up a person against a built-in bot, for `rounds` turns of Planet Wars. In this game an empty list of orders is
/// a decision.
fn table(rounds: u32) -> (&'static dyn AnyGame, MatchSpec, Vec<PreparedBot>) {
    let game = agon_play::find_game("planet-wars").expect("a game");
    let opponent = game.info().bots[0].name;
    let named = [NamedBot::human("me"), NamedBot::builtin(game, opponent).expect("a bot")];
    let bots = vec![PreparedBot::human("me"), PreparedBot::builtin(game, opponent).expect("a bot")];
    let terms = MatchTerms { rounds: Some(rounds), ..MatchTerms::default() };
    let spec = terms.plan(game, &named).expect("a match").spec(&bots);
    (game, spec, bots)
}

#[test]
fn a_person_decides_takes_turns_back_and_plays_on_from_elsewhere() {
    let (game, spec, bots) = table(5);
    let (handle, people) = People::new().expect("descriptors");
    let replay = std::env::temp_dir().join(format!("agon-play-people-{}.jsonl", std::process::id()));
    let options =
        PlayOptions { people: Some(people), replay: Some(ReplaySink::File(replay.clone())), ..PlayOptions::default() };
    let (mut asked, mut refused, mut heard) = (0, Vec::new(), Vec::new());
    let result = play(game, &spec, &bots, options, &mut |event| match event {
        Event::Asked { seat } => {
            assert_eq!(seat, Seat::new(0));
            asked += 1;
            match asked {
                1 => handle.decide(seat, "no orders"),
                // Instead of the fourth decision, the person takes back two turns.
                4 => handle.undo(2),
                5 => handle.edit(spec.map.clone()),
                _ => handle.decide(seat, "[]"),
            }
            .expect("the match goes on");
        }
        Event::Denied { seat, why } => {
            refused.push((seat, why.to_owned()));
            handle.decide(Seat::new(0), "[]").expect("the match goes on");
        }
        Event::Match(MatchEvent::Rewound { ply, .. }) => heard.push(format!("back to {ply}")),
        Event::Match(MatchEvent::Edited { .. }) => heard.push("elsewhere".to_owned()),
        Event::Match(MatchEvent::Ply(record)) => heard.push(format!("turn {}", record.ply)),
        _ => {}
    });
    let result = result.expect("it is a match");
    assert!(matches!(result.outcome, Outcome::Finished(_)), "{:?}", result.outcome);
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0].0, Some(Seat::new(0)));
    let expected =
        ["turn 1", "turn 2", "turn 3", "back to 1", "elsewhere", "turn 1", "turn 2", "turn 3", "turn 4", "turn 5"];
    assert_eq!(heard, expected);
    // The replay also contains the turns that were taken back.
    let verified = agon_replay::verify(open_replay(&replay).expect("it is there"), |spec| game.rerun(spec));
    std::fs::remove_file(&replay).expect("it is ours");
    assert_eq!(verified.expect("it reproduces").plies, 5);
    assert!(handle.undo(1).is_err(), "the match is over");
}

#[test]
fn a_person_sits_on_another_thread() {
    let (game, spec, bots) = table(3);
    let (handle, people) = People::new().expect("descriptors");
    let (ask, asked) = channel();
    let person = thread::spawn(move || {
        let mut decisions = 0;
        for seat in asked {
            handle.decide(seat, "[]").expect("the match goes on");
            decisions += 1;
        }
        decisions
    });
    let options = PlayOptions { people: Some(people), ..PlayOptions::default() };
    let result = play(game, &spec, &bots, options, &mut |event| {
        if let Event::Asked { seat } = event {
            ask.send(seat).expect("somebody listens");
        }
    });
    drop(ask);
    assert!(matches!(result.expect("it is a match").outcome, Outcome::Finished(_)));
    assert_eq!(person.join().expect("no panic"), 3);
}

#[test]
fn a_match_that_waits_for_nobody_is_broken_off() {
    let (game, spec, bots) = table(3);
    let (handle, people) = People::new().expect("descriptors");
    drop(handle);
    let options = PlayOptions { people: Some(people), ..PlayOptions::default() };
    let result = play(game, &spec, &bots, options, &mut |_| ()).expect("it is a match");
    assert!(matches!(result.outcome, Outcome::Aborted), "{:?}", result.outcome);
    let without = play(game, &spec, &bots, PlayOptions::default(), &mut |_| ());
    assert!(without.is_err(), "a person without a way to decide");
}
