//! A position from a map, and from what fits it of a state.

use agon_core::{Flaw, State};
use agon_games::AnyGame;
use agon_referee::Rerun;
use agon_replay::STATE_LIMIT;
use agon_spec::MatchSpec;

/// How many items are left out one by one. After that the whole list or object of an item that does not fit is left out, so
/// that a map that is quite another one is not tried too often.
const ONE_BY_ONE: usize = 64;

/// A position that was set up.
pub(crate) struct Fitted {
    pub rerun: Rerun,
    /// What the position has beyond its map. It is empty if the map is everything.
    pub state: State,
    /// What of the state does not fit, in words. It begins anew.
    pub begun_anew: Vec<String>,
}

/// Sets a position up. The state must fit.
pub(crate) fn whole(game: &dyn AnyGame, spec: &MatchSpec, map: &str, state: State) -> Result<Fitted, Flaw> {
    let mut spec = MatchSpec { map: map.to_owned(), state, ..spec.clone() };
    let rerun = game.rerun(&spec)?;
    let mut state = game.state(rerun.board())?;
    spec.state = State::default();
    // Most positions that were edited are starts of matches, and other programs know those.
    if game.rerun(&spec).is_ok_and(|start| start.board().fingerprint() == rerun.board().fingerprint()) {
        state = State::default();
    }
    if state.size() > STATE_LIMIT {
        let flaw = Flaw::new(format!("the position has {} values beyond its map, too many for a replay", state.size()));
        return Err(flaw.hint(format!("at most {STATE_LIMIT} fit; `edit state {{}}` begins anew from the map")));
    }
    Ok(Fitted { rerun, state, begun_anew: Vec::new() })
}

/// Sets a position up. What does not fit of the state is left out.
pub(crate) fn fitting_part(game: &dyn AnyGame, spec: &MatchSpec, map: &str, mut state: State) -> Result<Fitted, Flaw> {
    let mut begun_anew = Vec::new();
    loop {
        let flaw = match whole(game, spec, map, state.clone()) {
            Ok(fitted) => return Ok(Fitted { begun_anew, ..fitted }),
            Err(flaw) => flaw,
        };
        let Some(item) = flaw.item.as_deref() else { return Err(flaw) };
        let path = if begun_anew.len() < ONE_BY_ONE { item } else { item.split(['.', '[']).next().unwrap_or(item) };
        if state.leave_out(path).is_none() {
            return Err(flaw);
        }
        begun_anew.push(flaw.what);
    }
}
