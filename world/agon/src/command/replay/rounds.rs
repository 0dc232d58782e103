//! The rounds of a recorded match, if its game counts rounds.

use agon_games::AnyGame;
use agon_referee::{FaultRecord, MatchEvent, turn_name};
use agon_replay::{Line, Replay};

/// The round of each turn, starting with the first turn. It is empty if the game counts no rounds, and it ends where
/// the replay stops reproducing.
pub struct Rounds(Vec<Option<u32>>);

impl Rounds {
    /// Computes the rounds of a replay.
    pub fn of(game: &dyn AnyGame, replay: &Replay) -> Self {
        let mut rounds = Vec::new();
        let changed = |line: &Line| matches!(line, Line::Event(MatchEvent::Rewound { .. } | MatchEvent::Edited { .. }));
        if let Ok(mut rerun) = game.rerun(&replay.header.spec)
            && rerun.board().round().is_some()
            // If turns were taken back, one number names two turns.
            && !replay.lines.iter().any(changed)
        {
            for record in replay.plies() {
                let round = rerun.board().round();
                // `agon replay verify` says why the replay does not reproduce.
                if rerun.step(record).is_err() {
                    break;
                }
                rounds.push(round);
            }
            // The match may have been aborted in the next turn, so that turn has a round too.
            rounds.push(rerun.board().round());
        }
        Self(rounds)
    }

    /// Returns the turn for people: `turn 39`, or `round 20, turn 39`.
    pub fn turn(&self, ply: u32) -> String {
        turn_name(ply, self.round(ply))
    }

    /// Returns the fault with its round.
    pub fn fault(&self, fault: &FaultRecord) -> FaultRecord {
        FaultRecord { round: self.round(fault.ply), ..fault.clone() }
    }

    /// Returns whether the game counts no rounds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn round(&self, ply: u32) -> Option<u32> {
        *self.0.get(ply.checked_sub(1)? as usize)?
    }
}
