//! The playback string of Planet Wars.

use super::{Format, saved_game::SavedGame};
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

/// Reads a playback string, or a file that has one. It holds no orders, so they come from its fleets. The rule set is the
/// given one, or the first one that reproduces the frames. If the string ends within a frame, the match is as long as its
/// whole frames, and has no end.
fn import(bytes: &[u8], rules: Option<&str>) -> Result<Replay, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|_| Flaw::new("a playback string must be ASCII").at(1, 1))?;
    let saved = SavedGame::find(text);
    let (playback, cut) = Playback::parse_whole_frames(saved.playback).map_err(|flaw| saved.in_file(flaw))?;
    let sets: Vec<String> = match rules {
        Some(rules) => vec![agon_core::rules::print(&agon_core::rules::parse::<Rules>(rules)?)],
        None => explaining_sets(&playback),
    };
    let flaw = match explained(&playback, &sets, &saved, cut)? {
        Ok(replay) => return Ok(replay),
        Err(flaw) => flaw,
    };
    // A number at the end may lack digits.
    if !cut && !saved.playback.ends_with(':') && playback.frames().len() > 1 {
        let shorter = playback.without_last_frame();
        if let Ok(replay) = explained(&shorter, &sets, &saved, true)? {
            return Ok(replay);
        }
    }
    Err(flaw.hint("a playback has neither the orders nor the map's fleets, so some matches cannot be imported from it"))
}

/// Returns the replay by the first rule set that explains the playback, or why the first one does not.
fn explained(
    playback: &Playback,
    sets: &[String],
    saved: &SavedGame<'_>,
    cut: bool,
) -> Result<Result<Replay, Flaw>, Flaw> {
    let mut first_flaw = None;
    for set in sets {
        match playback.verify(agon_core::rules::parse::<Rules>(set)?) {
            Ok(()) => return replay(playback, set.clone(), saved, cut).map(Ok),
            Err(flaw) => first_flaw = first_flaw.or(Some(flaw)),
        }
    }
    Ok(Err(first_flaw.unwrap_or_else(|| Flaw::new("no rule set explains the playback"))))
}

/// Returns all rule sets. Those that write this form of the string come first.
fn explaining_sets(playback: &Playback) -> Vec<String> {
    let mut sets: Vec<&str> = Rules::SETS.to_vec();
    sets.sort_by_key(|set| Rules::named(set).is_none_or(|rules| rules.playback != playback.form()));
    sets.into_iter().map(str::to_owned).collect()
}

fn replay(playback: &Playback, rules: String, saved: &SavedGame<'_>, cut: bool) -> Result<Replay, Flaw> {
    let map = Position::print_map(&playback.map());
    let mut limit = playback.limit(&agon_core::rules::parse::<Rules>(&rules)?);
    if cut {
        // Nobody knows how long the match was.
        let usual = Position::INFO.limit.map_or(0, |limit| limit.default);
        limit = usual.max(limit.saturating_add(1));
    }
    let mut spec = foreign_spec::<Position>("playback string", map, rules, Some(limit));
    for (seat, name) in spec.seats.iter_mut().zip(saved.players) {
        seat.name = name.map_or_else(|| std::mem::take(&mut seat.name), str::to_owned);
    }
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
