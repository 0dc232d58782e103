//! The rounds of a recorded match, where its game counts any.

use agon_games::AnyGame;
use agon_referee::{FaultRecord, MatchEvent, turn_name};
use agon_replay::{Line, Replay};

/// The round of each turn, the first turn first. Empty where the game counts none, and as long as the replay reproduces.
pub struct Rounds(Vec<Option<u32>>);

impl Rounds {
    /// Those of a replay.
    pub fn of(game: &dyn AnyGame, replay: &Replay) -> Self {
        let mut rounds = Vec::new();
        let changed = |line: &Line| matches!(line, Line::Event(MatchEvent::Rewound { .. } | MatchEvent::Edited { .. }));
        if let Ok(mut rerun) = game.rerun(&replay.header.spec)
            && rerun.round().is_some()
            // A number of a turn that was taken back names two turns.
            && !replay.lines.iter().any(changed)
        {
            for record in replay.plies() {
                let round = rerun.round();
                // Why it does not reproduce is for `agon replay verify` to tell.
                if rerun.step(record).is_err() {
                    break;
                }
                rounds.push(round);
            }
            // A match may be broken off in the next turn.
            rounds.push(rerun.round());
        }
        Self(rounds)
    }

    /// `turn 39`, or `round 20, turn 39`.
    pub fn turn(&self, ply: u32) -> String {
        turn_name(ply, self.round(ply))
    }

    /// The fault with its round.
    pub fn fault(&self, fault: &FaultRecord) -> FaultRecord {
        FaultRecord { round: self.round(fault.ply), ..fault.clone() }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn round(&self, ply: u32) -> Option<u32> {
        *self.0.get(ply.checked_sub(1)? as usize)?
    }
}
