//! The replay text of Grid.

use super::Format;
use crate::record::{Recorder, each_position, foreign_spec};
use agon_core::{Contest, Flaw, Game, RuleSet, Setup};
use agon_grid::{Position, Rules, replay_text};
use agon_replay::Replay;

pub(super) const TEXT: Format = Format {
    game: <Position as Game>::NAME,
    name: "text",
    about: "the replay text of the contest, maps and orders turn by turn",
    ending: "txt",
    export,
    import: Some(import),
};

fn export(replay: &Replay) -> Result<Vec<u8>, Flaw> {
    let mut out = Vec::new();
    let mut recorded = None;
    each_position::<Position>(replay, |position, orders, _| {
        // A turn that ends in a fault, or with the judge's late elimination, is not played and has no record.
        if recorded.replace(position.turn().0) == Some(position.turn().0) {
            return;
        }
        let of = |i: usize| orders.get(i).map_or(&[][..], Vec::as_slice);
        replay_text::write_record(position.board(), [of(0), of(1)], &mut out);
    })?;
    Ok(out)
}

fn import(bytes: &[u8], rules: Option<&str>) -> Result<Replay, Flaw> {
    let (map, records) = replay_text::read(bytes)?;
    let map = Position::print_map(&map);
    let sets = rules.map_or_else(|| Rules::SETS.to_vec(), |rules| vec![rules]);
    let mut first_flaw = None;
    for set in sets {
        match replay(&map, &records, set) {
            Ok(replay) => return Ok(replay),
            Err(flaw) => first_flaw = first_flaw.or(Some(flaw)),
        }
    }
    Err(first_flaw.unwrap_or_else(|| Flaw::new("no rule set explains the replay")))
}

fn replay(map: &str, records: &[replay_text::Record], rules: &str) -> Result<Replay, Flaw> {
    let rules = agon_core::rules::print(&agon_core::rules::parse::<Rules>(rules)?);
    let limit = u32::try_from(records.len()).unwrap_or(u32::MAX).max(1);
    let spec = foreign_spec::<Position>("replay text", map.to_owned(), rules, Some(limit));
    let mut recorder = Recorder::<Position>::new(spec)?;
    for (turn, record) in records.iter().enumerate() {
        if recorder.position().over() {
            return Err(Flaw::new(format!("turn {}: by the rules the match ends before this turn", turn + 1)));
        }
        recorder.turn(|seat| (record[seat].clone(), None));
        // Only turns that were played have records, so the rules cannot refuse an order of a recorded turn.
        if recorder.position().turn().0 as usize != turn + 1 {
            return Err(Flaw::new(format!("turn {}: the rules refuse an order", turn + 1)));
        }
        if recorder.position().to_map() != record.map {
            return Err(Flaw::new(format!("turn {}: the orders do not lead to the recorded map", turn + 1)));
        }
    }
    Ok(recorder.finish())
}
