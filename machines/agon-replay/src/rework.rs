//! What a replay may ask for beside its turns.

use agon_core::{Flaw, State};

/// The most that a replay may ask for, in turns played again.
const MOST: u64 = 2_000_000;
/// The number of bytes of a map or of values of a state that cost as much as a turn.
const PART: u64 = 64;
/// The number of lines among which looking for a known position costs as much as a turn.
const LOOKED_AT: u64 = 1024;

/// Adds up what it costs to take turns back and to edit the position, so that a small file cannot keep a reader busy for
/// hours. All readers that follow a replay count this alike. How much of a replay may be held in memory is another matter: who
/// reads it whole, as [`Replay::read`](crate::Replay::read) does, holds all its lines, and [`verify`](crate::verify()) only
/// those of the current line of play.
#[derive(Clone, Debug)]
pub struct Rework {
    /// The length of the map from which turns count now.
    map: u64,
    /// The number of lines so far. Who keeps all positions looks for a known one among them.
    lines: u64,
    spent: u64,
}

impl Rework {
    /// Begins with the map of the replay's header.
    #[must_use]
    pub fn new(map: &str) -> Self {
        Self { map: map.len() as u64, lines: 0, spent: 0 }
    }

    /// Counts a turn or an event. Call it for each one, before the other methods.
    pub fn line(&mut self) {
        self.lines += 1;
    }

    /// Counts that turns are taken back to turn `ply`: these are played again, from a position that is copied and about as
    /// large as its map.
    ///
    /// # Errors
    /// Fails if the replay asks for too much in all.
    pub fn go_back(&mut self, ply: u32) -> Result<(), Flaw> {
        self.spend(u64::from(ply) + self.map / PART, "turns are taken back too often to play them all again")
    }

    /// Counts that the position is edited: its map and its state are read.
    ///
    /// # Errors
    /// Fails if the replay asks for too much in all.
    pub fn edit(&mut self, map: &str, state: &State) -> Result<(), Flaw> {
        self.map = map.len() as u64;
        self.spend((self.map + state.size() as u64) / PART, "the position is edited too often to read it each time")
    }

    fn spend(&mut self, cost: u64, too_often: &str) -> Result<(), Flaw> {
        self.spent += 1 + cost + self.lines / LOOKED_AT;
        if self.spent <= MOST { Ok(()) } else { Err(Flaw::new(too_often)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how often something can be done.
    fn times(map: &str, mut act: impl FnMut(&mut Rework) -> Result<(), Flaw>) -> u64 {
        let mut rework = Rework::new(map);
        (0..=MOST).find(|_| act(&mut rework).is_err()).expect("there is a limit")
    }

    #[test]
    fn a_replay_that_takes_long_is_refused_early() {
        let (small, large) = ("heap 9\n", "#\n".repeat(1 << 15));
        let state = State::list((0..6400).collect::<Vec<i32>>());
        assert_eq!(times(small, |rework| rework.go_back(0)), MOST);
        assert_eq!(times(small, |rework| rework.go_back(999)), MOST / 1000);
        assert_eq!(times(&large, |rework| rework.go_back(0)), MOST / 1025);
        assert_eq!(times(small, |rework| rework.edit(&large, &State::default())), MOST / 1025);
        assert_eq!(times(small, |rework| rework.edit(small, &state)), MOST / 101);
        // After an edit, another map is copied.
        let edited = |rework: &mut Rework| rework.edit(small, &State::default()).and_then(|()| rework.go_back(0));
        assert_eq!(times(&large, edited), MOST / 2);
        let many_lines = |rework: &mut Rework| {
            (0..LOOKED_AT).for_each(|_| rework.line());
            rework.go_back(0)
        };
        assert!(times(small, many_lines) < 2_000);
    }
}
