//! The dump and the binary replay of Portals.

use super::Format;
use crate::record::{Recorder, each_position, foreign_spec};
use agon_core::{Contest, Flaw, Game, RuleSet, Seat};
use agon_portals::{Order, Participant, Position, Record, Rules, Turn, binary, dump};
use agon_replay::Replay;

pub(super) const DUMP: Format = Format {
    game: <Position as Game>::NAME,
    name: "dump",
    about: "the dump of the contest's server, the state after every turn, which its viewers read",
    ending: "json",
    export: |replay| {
        let (record, rules) = record(replay)?;
        dump::write(&record, rules).map(String::into_bytes)
    },
    import: Some(|bytes, rules| import(rules, "dump", |rules| dump::read(bytes, rules))),
};

pub(super) const REPLAY: Format = Format {
    game: <Position as Game>::NAME,
    name: "replay",
    about: "the binary replay of the contest's server",
    ending: "replay",
    export: |replay| {
        let (record, rules) = record(replay)?;
        binary::write(&record, rules)
    },
    import: Some(|bytes, rules| import(rules, "binary replay", |rules| binary::read(bytes, rules))),
};

/// Converts a replay into what the original's formats hold: for each turn, the actions that had an effect.
fn record(replay: &Replay) -> Result<(Record, Rules), Flaw> {
    let mut turns = Vec::new();
    let mut before: Option<Position> = None;
    let spec = each_position::<Position>(replay, |position, orders, record| {
        if let (Some(before), Some(record)) = (&before, record) {
            // A failure makes the turn void, and a refused action changes nothing.
            let acting = record.entries.first().filter(|entry| entry.failure.is_none());
            turns.push(acting.map_or_else(Vec::new, |entry| done(before, entry.seat, &orders[entry.seat.index()])));
        }
        before = Some(position.clone());
    })?;
    let name = |i: usize| spec.seats.get(i).map_or_else(String::new, |seat| seat.name.clone());
    let rounds = spec.limit.or(Position::INFO.limit.map(|limit| limit.default)).unwrap_or_default();
    let players = [Participant::player(0, name(0)), Participant::player(1, name(1))];
    let rules = agon_core::rules::parse::<Rules>(&spec.rules)?;
    Ok((Record { map: spec.map, rounds, players, spectators: Vec::new(), turns }, rules))
}

/// Returns the actions that have an effect, without the refused ones.
fn done(position: &Position, seat: Seat, orders: &[Order]) -> Vec<Order> {
    let mut turn = Turn::open(position, seat);
    for action in orders {
        // A refused action changes nothing, and the turn does not list it.
        let _ = turn.act(*action);
    }
    turn.actions().to_vec()
}

fn import(rules: Option<&str>, format: &str, read: impl Fn(Rules) -> Result<Record, Flaw>) -> Result<Replay, Flaw> {
    let sets = rules.map_or_else(|| Rules::SETS.to_vec(), |rules| vec![rules]);
    let mut first_flaw = None;
    for set in sets {
        let rules = agon_core::rules::parse::<Rules>(set)?;
        match read(rules).and_then(|record| replay(&record, format, agon_core::rules::print(&rules))) {
            Ok(replay) => return Ok(replay),
            Err(flaw) => first_flaw = first_flaw.or(Some(flaw)),
        }
    }
    Err(first_flaw.unwrap_or_else(|| Flaw::new("no rule set explains the record")))
}

fn replay(record: &Record, format: &str, rules: String) -> Result<Replay, Flaw> {
    let mut spec = foreign_spec::<Position>(format, record.map.clone(), rules, Some(record.rounds));
    for (seat, player) in spec.seats.iter_mut().zip(&record.players) {
        seat.name.clone_from(&player.name);
    }
    let mut recorder = Recorder::<Position>::new(spec)?;
    for (turn, actions) in record.turns.iter().enumerate() {
        if recorder.position().over() {
            return Err(Flaw::new(format!("turn {}: by the rules the match ends before this turn", turn + 1)));
        }
        recorder.turn(|_| (actions.clone(), None));
    }
    Ok(recorder.finish())
}
