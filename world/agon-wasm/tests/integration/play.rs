//! A match that is played in the page is a replay like any other.
#![cfg(feature = "play")]

use agon_core::{Seat, Seed};
use agon_games::playable;
use agon_replay::{End, Replay, verify};
use agon_wasm::{Encoder, Engine, Failed};

/// Begins a match of every game between two of its weaker bots.
fn matches() -> impl Iterator<Item = (&'static str, Engine)> {
    playable::all().iter().map(|game| {
        let bots = game.info().bots;
        let seats: Vec<_> = (0..game.info().default_seats)
            .map(|seat| format!(r#"{{"name":"seat {seat}","bot":"@{}"}}"#, bots[seat % 2].name))
            .collect();
        let terms = format!(r#"{{"game":"{}","seed":3,"seats":[{}]}}"#, game.name(), seats.join(","));
        (game.name(), Engine::start(terms.as_bytes()).unwrap_or_else(|why| panic!("{}: {why:?}", game.name())))
    })
}

/// Lets bots decide a turn at the end of the match. Returns `false` if the match is over.
fn turn(engine: &mut Engine, bot: &str) -> bool {
    engine.seek(engine.plies()).expect("the end is there");
    let mut standing = Encoder::default();
    engine.write_standing(&mut standing);
    if standing.bytes()[0] == 1 {
        return false;
    }
    let mut awaited = Encoder::default();
    engine.write_awaited(&mut awaited);
    let seats = awaited.bytes()[4..].iter().map(|number| Seat::from_number(*number).expect("a seat"));
    let decide = |seat| format!(r#"{{"seat":{seat},"orders":{}}}"#, engine.decide(seat, bot, Seed(9)).expect("a bot"));
    let decisions = format!("[{}]", seats.map(decide).collect::<Vec<_>>().join(","));
    engine.write_given(decisions.as_bytes(), &mut Encoder::default()).expect("bots keep to the rules");
    true
}

#[test]
fn turns_that_were_taken_back_leave_no_trace_in_what_is_shown() {
    for (name, mut engine) in matches() {
        let mut marks = vec![engine.fingerprint()];
        while marks.len() <= 40 && turn(&mut engine, "random") {
            marks.push(engine.fingerprint());
        }
        // Another line of play, long enough for snapshots of its own.
        engine.rewind(5).expect("a turn that was played");
        let other = playable::find(name).expect("a game").info().bots[1].name;
        while engine.plies() < 35 && turn(&mut engine, other) {}
        engine.rewind(5).expect("a turn that was played");
        for mark in &marks[6..] {
            turn(&mut engine, "random");
            assert_eq!(engine.fingerprint(), *mark, "{name}");
        }
        for ply in (0..marks.len()).rev() {
            engine.seek(ply as u32).expect("a turn");
            assert_eq!(engine.fingerprint(), marks[ply], "{name}: turn {ply}");
        }
        let verified = verify(&*engine.record().expect("it was played"), |spec| {
            playable::find(&spec.game).expect("a game").rerun(spec)
        });
        assert_eq!(verified.unwrap_or_else(|why| panic!("{name}: {why:?}")).plies as usize, marks.len() - 1);
    }
}

#[test]
fn charts_follow_what_was_taken_back() {
    for (name, mut engine) in matches() {
        let numbers = |engine: &mut Engine| {
            let mut out = Encoder::default();
            engine.survey(None, u32::MAX).expect("a match that is open");
            engine.write_series(&mut out);
            out.bytes().to_vec()
        };
        for _ in 0..4 {
            turn(&mut engine, "random");
        }
        let before = numbers(&mut engine);
        turn(&mut engine, "random");
        assert_ne!(numbers(&mut engine), before, "{name}");
        engine.rewind(4).expect("a turn that was played");
        assert_eq!(numbers(&mut engine), before, "{name}");
    }
}

#[test]
fn a_decision_that_the_rules_refuse_is_not_played() {
    let (_, mut engine) = matches().find(|(name, _)| *name == "triangles").expect("the game");
    let before = (engine.fingerprint(), engine.record());
    let refused = engine.write_given(br#"[{"seat":1,"orders":[[2,2]]}]"#, &mut Encoder::default());
    assert!(matches!(refused, Err(Failed { why, .. }) if why.contains("from point 2 to itself")));
    assert!(engine.write_given(br#"[{"seat":2,"orders":[[1,2]]}]"#, &mut Encoder::default()).is_err(), "not its turn");
    assert!(engine.rewind(1).is_err(), "there is no turn to go back to");
    assert_eq!((engine.fingerprint(), engine.record()), before);
}

#[test]
fn a_refused_decision_leaves_the_branch_that_is_shown() {
    for (name, mut engine) in matches() {
        turn(&mut engine, "random");
        engine.seek(0).expect("the start");
        engine.branch();
        let mut awaited = Encoder::default();
        engine.write_awaited(&mut awaited);
        let seat = Seat::from_number(awaited.bytes()[4]).expect("a seat");
        let orders = engine.decide(seat, "random", Seed(4)).expect("a bot");
        let decisions = format!(r#"[{{"seat":{seat},"orders":{orders}}}]"#);
        engine.write_applied(decisions.as_bytes(), None, &mut Encoder::default()).expect("bots keep to the rules");
        let shown = (engine.ply(), engine.fingerprint(), engine.plies());
        for refused in
            [&br#"[{"seat":9,"orders":[]}]"#[..], br#"[{"seat":1,"orders":["?"]},{"seat":2,"orders":["?"]}]"#]
        {
            assert!(engine.write_given(refused, &mut Encoder::default()).is_err(), "{name}");
            assert_eq!((engine.ply(), engine.fingerprint(), engine.plies()), shown, "{name}");
        }
        assert!(engine.undo(), "{name}: the branch is still there");
    }
}

#[test]
fn rollouts_are_the_same_for_the_same_seed() {
    for (name, engine) in matches() {
        let seats = playable::find(name).expect("a game").info().default_seats;
        let bots = format!("[{}]", vec![r#""random""#; seats].join(","));
        let play = |seed, bots: &str| {
            let mut out = Encoder::default();
            engine.write_rollouts(bots.as_bytes(), Seed(seed), 4, &mut out).map(|()| out.bytes().to_vec())
        };
        assert_eq!(play(1, &bots), play(1, &bots), "{name}");
        assert_ne!(play(1, &bots), play(2, &bots), "{name}");
        assert!(play(1, "[]").is_err() && play(1, r#"["nobody"]"#).is_err(), "{name}");
    }
}

#[test]
fn a_match_that_is_saved_says_how_it_ended_and_can_go_on() {
    for (name, mut engine) in matches() {
        let saved = |engine: &mut Engine| {
            let record = engine.record().expect("it was played");
            let verified = verify(&*record, |spec| playable::find(&spec.game).expect("a game").rerun(spec));
            let verified = verified.unwrap_or_else(|why| panic!("{name}: {why:?}"));
            assert!(!verified.cut_off, "{name}: it has a footer");
            (Replay::read(&*record).expect("it was verified").footer.expect("it has one"), record)
        };
        turn(&mut engine, "random");
        let (footer, middle) = saved(&mut engine);
        assert_eq!((footer.end, footer.plies, footer.standing), (End::Aborted, 1, None), "{name}");
        // The same match goes on, and so does the saved one.
        let mut again = Engine::open(&middle).expect("it verifies");
        for engine in [&mut engine, &mut again] {
            while turn(engine, "random") {}
            engine.seek(0).expect("the start");
            let (footer, record) = saved(engine);
            assert_eq!((footer.end, footer.plies), (End::Finished, engine.plies()), "{name}");
            assert!(footer.standing.is_some(), "{name}");
            assert_eq!(engine.ply(), 0, "{name}: saving does not move what is shown");
            let mut over = Engine::open(&record).expect("it verifies");
            assert_eq!(over.record().expect("it is whole"), record, "{name}");
            over.rewind(2).expect("a turn that was played");
            turn(&mut over, "random");
            let (footer, record) = saved(&mut over);
            assert_eq!((footer.end, footer.plies), (End::Aborted, 3), "{name}");
            assert_eq!(Engine::open(&record).expect("it opens again").plies(), 3, "{name}");
        }
    }
}

/// A match of Triangles after at most so many turns: its lines before the footer, and the footer.
fn played(plies: u32) -> (String, String) {
    let (_, mut engine) = matches().find(|(name, _)| *name == "triangles").expect("the game");
    while engine.plies() < plies && turn(&mut engine, "random") {}
    let mut record = String::from_utf8(engine.record().expect("it was played")).expect("text");
    let footer = record.split_off(record.trim_end().rfind('\n').expect("a line before the footer") + 1);
    (record, footer)
}

#[test]
fn a_replay_from_which_turns_were_left_out_is_not_played_on() {
    let ((lines, _), (_, footer)) = (played(4), played(u32::MAX));
    let cut = format!("{{\"event\":\"cut\",\"plies\":4,\"bytes\":{}}}\n", lines.len());
    let mut engine = Engine::open(format!("{lines}{cut}{footer}").as_bytes()).expect("it opens");
    let described = |engine: &mut Engine| {
        let mut out = Encoder::default();
        engine.write_match(&mut out);
        (out.bytes().to_vec(), engine.ply(), engine.record())
    };
    let before = described(&mut engine);
    let left_out = |done: Result<(), Failed>| matches!(done, Err(Failed { why, .. }) if why.contains("left out"));
    assert!(left_out(engine.write_given(b"[]", &mut Encoder::default())));
    assert!(left_out(engine.rewind(2)));
    assert_eq!(described(&mut engine), before);
}

#[test]
fn a_replay_that_ends_within_a_line_is_saved_whole_and_can_go_on() {
    let (lines, _) = played(3);
    let last = lines.trim_end().rfind('\n').expect("a line before the last turn") + 1;
    for (end, plies) in [(last, 2), (last + 1, 2), (lines.len() - 2, 2), (lines.len() - 1, 3), (lines.len(), 3)] {
        let mut engine = Engine::open(&lines.as_bytes()[..end]).expect("it opens");
        assert_eq!(engine.plies(), plies);
        let saved = |engine: &mut Engine| {
            let record = engine.record().expect("it was played");
            let verified = verify(&*record, |spec| playable::find(&spec.game).expect("a game").rerun(spec));
            let verified = verified.unwrap_or_else(|why| panic!("{end}: {why:?}"));
            assert!(!verified.cut_off, "{end}: it has a footer");
            verified.plies
        };
        assert_eq!(saved(&mut engine), plies, "{end}");
        assert!(turn(&mut engine, "random"), "{end}");
        assert_eq!(saved(&mut engine), plies + 1, "{end}");
    }
}
