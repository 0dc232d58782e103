//! What a back end keeps in memory while it writes: the matches that are to be played, who has claimed them, and the sums of the
//! open group. It says which rows have changed, and a back end writes them.

mod claim_rows;
mod own;
mod sums;
pub mod text;
mod waiting;

pub use claim_rows::{ClaimRow, ClaimRows};
pub use own::Own;
pub use sums::{OfBot, Sums};
pub use waiting::{Row, Waiting};

use crate::{Ending, MatchState};

/// Returns the number of a state, as tables have it.
#[must_use]
pub fn state_number(state: MatchState) -> u8 {
    match state {
        MatchState::Ready => 0,
        MatchState::Over(Ending::Finished) => 1,
        MatchState::Over(Ending::Spoilt) => 2,
        MatchState::Over(Ending::Void) => 3,
    }
}

/// Returns the state with this number. `None` if there is none.
#[must_use]
pub fn state_of(number: u8) -> Option<MatchState> {
    Some(match number {
        0 => MatchState::Ready,
        1 => MatchState::Over(Ending::Finished),
        2 => MatchState::Over(Ending::Spoilt),
        3 => MatchState::Over(Ending::Void),
        _ => return None,
    })
}
