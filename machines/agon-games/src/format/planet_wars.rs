//! The playback string of Planet Wars.

use super::Format;
use crate::record::{Recorder, each_position, foreign_spec};
use agon_core::{Contest, Failure, Flaw, Game, Joint, RuleSet, Seat, Setup, judge};
use agon_planet_wars::{Order, Playback, Position, Rules};
use agon_replay::Replay;

pub(super) const PLAYBACK: Format = Format {
    game: <Position as Game>::NAME,
    name: "playback",
    about: "the playback string of the contest, which its visualizers read",
    ending: "txt",
    export,
    import: Some(import),
};

fn export(replay: &Replay) -> Result<Vec<u8>, Flaw> {
    let mut playback: Option<Playback> = None;
    each_position::<Position>(replay, |position, _, _| match &mut playback {
        None => playback = Some(Playback::begin(position)),
        Some(playback) => playback.push(position),
    })?;
    let mut text = playback.map(|p| p.print()).unwrap_or_default();
    text.push('\n');
    Ok(text.into_bytes())
}

/// Reads a playback string. It holds no orders, so they come from its fleets. The rule set is the given one, or the
/// first one that reproduces the frames.
fn import(bytes: &[u8], rules: Option<&str>) -> Result<Replay, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|_| Flaw::new("a playback string must be ASCII").at(1, 1))?;
    let playback = Playback::parse(text)?;
    let sets: Vec<String> = match rules {
        Some(rules) => vec![agon_core::rules::print(&agon_core::rules::parse::<Rules>(rules)?)],
        None => explaining_sets(&playback),
    };
    let mut first_flaw = None;
    for set in sets {
        let rules = agon_core::rules::parse::<Rules>(&set)?;
        match playback.verify(rules) {
            Ok(()) => return replay(&playback, set),
            Err(flaw) => first_flaw = first_flaw.or(Some(flaw)),
        }
    }
    let flaw = first_flaw.unwrap_or_else(|| Flaw::new("no rule set explains the playback"));
    Err(flaw.hint("a playback has neither the orders nor the map's fleets, so some matches cannot be imported from it"))
}

/// Returns all rule sets. Those that write this form of the string come first.
fn explaining_sets(playback: &Playback) -> Vec<String> {
    let mut sets: Vec<&str> = Rules::SETS.to_vec();
    sets.sort_by_key(|set| Rules::named(set).is_none_or(|rules| rules.playback != playback.form()));
    sets.into_iter().map(str::to_owned).collect()
}

fn replay(playback: &Playback, rules: String) -> Result<Replay, Flaw> {
    let map = Position::print_map(&playback.map());
    let limit = playback.limit(&agon_core::rules::parse::<Rules>(&rules)?);
    let spec = foreign_spec::<Position>("playback string", map, rules, Some(limit));
    let mut recorder = Recorder::<Position>::new(spec)?;
    for (turn, frame) in playback.frames().iter().enumerate() {
        if recorder.position().over() {
            return Err(Flaw::new(format!("turn {}: by the rules the match ends before this turn", turn + 1)));
        }
        let orders = playback.orders(turn);
        // A player who forfeits is missing from the last frame, although by the rules planets or fleets would be left.
        let last = turn + 1 == playback.frames().len();
        let forfeits = |seat: Seat| {
            let owner = seat.number();
            let shown = frame.planets.iter().any(|p| p.0 == owner) || frame.fleets.iter().any(|f| f.owner == owner);
            last && !shown && survives(recorder.position(), &orders, seat)
        };
        let failures = [0, 1].map(|side| forfeits(Seat::new(side)).then_some(Failure::Gone));
        recorder.turn(|seat| (orders[seat.index()].clone(), failures[seat.index()]));
    }
    Ok(recorder.finish())
}

/// Returns whether `seat` still has planets or fleets after a turn with these orders.
fn survives(position: &Position, orders: &[Vec<Order>; 2], seat: Seat) -> bool {
    let (mut next, mut scratch) = (position.clone(), <Position as Game>::Scratch::default());
    let entries = [0, 1].map(|side| judge(position, Seat::new(side), &orders[side], None, &mut scratch).0);
    next.resolve(Joint::new(&entries), &mut scratch, &mut ());
    let left = next.to_map();
    let owner = seat.number();
    left.planets.iter().any(|p| p.owner == owner) || left.fleets.iter().any(|f| f.owner == owner)
}
