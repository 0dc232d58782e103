//! Tests of Grid with its referee, without processes.

mod closed_input;
mod in_turn;
mod text;

use agon_core::Seed;
use agon_games::AnyGame;
use agon_referee::{AnyReferee, SeatKind, Settings};
use agon_spec::{MatchSpec, SeatSpec};

fn grid() -> &'static dyn AnyGame {
    agon_games::find("grid").expect("it is there")
}

/// Opens a match of five turns between two processes that are never late.
fn open(rules: &str) -> Box<dyn AnyReferee> {
    open_with(rules, Settings::default())
}

fn open_with(rules: &str, settings: Settings) -> Box<dyn AnyReferee> {
    let map = grid().generate("10x10", Seed(1), 2).expect("a map");
    let seats = ["one", "two"].map(SeatSpec::of_words);
    let rules = grid().rules(rules).expect("a rule set");
    let spec = MatchSpec { limit: Some(5), ..MatchSpec::new("grid", rules, map, seats) };
    grid().referee(&spec, &[SeatKind::Process; 2], settings).expect("it can be opened")
}
