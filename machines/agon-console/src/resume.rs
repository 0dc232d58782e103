//! A session that begins with the turns of a replay.

use crate::console::Console;
use agon_core::Flaw;
use agon_referee::{Mark, MatchEvent};
use agon_replay::{Line, Replay, Rework};

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
        let mut rework = Rework::new(&replay.header.spec.map);
        for line in replay.lines {
            let event = match line {
                Line::Ply(record) => MatchEvent::Ply(self.tree.follow(record)?),
                Line::Event(event) => event,
                Line::Footer(_) => continue,
                Line::Cut(_) => break,
            };
            rework.line();
            match &event {
                MatchEvent::Rewound { ply, fingerprint } => {
                    rework.go_back(*ply)?;
                    self.tree.go_back(*ply)?;
                    self.compare(*fingerprint, "turns are taken back")?;
                }
                MatchEvent::Edited { map, state, fingerprint } => {
                    rework.edit(map, state)?;
                    self.tree.follow_edit(map, state, *fingerprint)?;
                    self.compare(*fingerprint, "the position is edited")?;
                }
                MatchEvent::Ply(_) => {}
                // What else is in a replay is about bots that are no longer here.
                _ => continue,
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
