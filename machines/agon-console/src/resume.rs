//! A session that begins with the turns of a replay.

use crate::console::Console;
use agon_core::Flaw;
use agon_referee::{Mark, MatchEvent};
use agon_replay::{Line, Replay};

/// The most turns that are played again because turns were taken back. Going somewhere else counts as one turn, and as one
/// more for each [`PART`] bytes of a map and values of a state that are read, and for each [`PART`] turns among which a known one is looked for.
const TAKEN_BACK: u64 = 2_000_000;
/// The number of bytes or of known turns that take about as long to read as a turn takes to play.
const PART: u64 = 64;

impl Console {
    /// Plays the turns of a replay, so that the session begins with its last position, and with every branch that it has.
    /// With `ply` it then goes back to the position after that turn of the last line of play; 0 is its start, and a redo leads
    /// on. Each event of the replay is an [`Effect::Record`](crate::Effect::Record), as if it had happened now.
    ///
    /// The console must be new, and its description of the match must have the game, the rules, the map, the limit and the
    /// number of seats of the replay. What bots said, and their faults, are not taken over: in a console nobody fails. The
    /// turns in which bots failed stay as they were.
    ///
    /// # Errors
    /// Says where the replay contradicts the rules, or that it has no turn `ply`.
    pub fn resume(mut self, replay: Replay, ply: Option<u32>) -> Result<Self, Flaw> {
        self.compare(replay.header.fingerprint, "the match begins")?;
        let mut taken_back = 0_u64;
        for (known, line) in (0_u64..).zip(replay.lines) {
            let event = match line {
                Line::Ply(record) => MatchEvent::Ply(self.tree.follow(record)?),
                Line::Event(event) => event,
                Line::Footer(_) => continue,
                Line::Cut(_) => break,
            };
            match &event {
                MatchEvent::Rewound { ply, fingerprint } => {
                    taken_back += 1 + u64::from(*ply) + known / PART;
                    self.tree.go_back(*ply)?;
                    self.compare(*fingerprint, "turns are taken back")?;
                }
                MatchEvent::Edited { map, state, fingerprint } => {
                    taken_back += 1 + ((map.len() + state.size()) as u64 + known) / PART;
                    self.tree.follow_edit(map, state, *fingerprint)?;
                    self.compare(*fingerprint, "the position is edited")?;
                }
                MatchEvent::Ply(_) => {}
                // What else is in a replay is about bots that are no longer here.
                _ => continue,
            }
            if taken_back > TAKEN_BACK {
                return Err(Flaw::new("turns are taken back too often to play them all again"));
            }
            self.record(event);
        }
        if let Some(ply) = ply.filter(|ply| *ply != self.tree.ply()) {
            self.tree.go_back(ply)?;
            let fingerprint = self.position().fingerprint();
            self.record(MatchEvent::Rewound { ply, fingerprint });
        }
        Ok(self)
    }

    /// Compares the position with the recorded one.
    fn compare(&self, recorded: Mark, event: &str) -> Result<(), Flaw> {
        let played = self.position().fingerprint();
        if played == recorded {
            return Ok(());
        }
        Err(Flaw::new(format!("{event} with the position {recorded} in the replay, but with {played} by the rules")))
    }
}
