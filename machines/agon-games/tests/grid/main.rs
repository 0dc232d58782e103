//! Tests of Grid with its referee, without processes.

mod closed_input;
mod in_turn;
mod text;

use agon_core::{ClockPolicy, Seed};
use agon_games::AnyGame;
use agon_referee::{AnyReferee, SeatKind, Settings};
use agon_spec::{Limits, MatchSpec, SeatSpec};

fn grid() -> &'static dyn AnyGame {
    agon_games::find("grid").expect("it is there")
}

/// Opens a match of five turns between two processes that are never late.
fn open(rules: &str) -> Box<dyn AnyReferee> {
    open_with(rules, Settings::default())
}

fn open_with(rules: &str, settings: Settings) -> Box<dyn AnyReferee> {
    let seat = |name: &str| SeatSpec { name: name.into(), bot: name.into(), ..SeatSpec::default() };
    let spec = MatchSpec {
        game: "grid".into(),
        rules: grid().rules(rules).expect("a rule set"),
        map_name: "generated".into(),
        map: grid().generate("10x10", Seed(1), 2).expect("a map"),
        state: agon_core::State::default(),
        seed: Seed(1),
        limit: Some(5),
        seats: vec![seat("one"), seat("two")],
        clock: ClockPolicy::OFF,
        limits: Limits::default(),
    };
    grid().referee(&spec, &[SeatKind::Process; 2], settings).expect("it can be opened")
}
