//! The report of a match as a document for programs.

use super::Report;
use crate::clean::{clean, clean_lines};
use agon_play::{BotSpec, ContentHash, PreparedBot};
use agon_referee::{Fault, FaultRecord};
use agon_replay::SeatTime;
use agon_spec::{DecisionTime, MatchDocument, MatchOutcome, MatchSeat, SeatBotKind, SeatFault};
use std::time::Duration;

impl Report<'_> {
    /// Returns the document of `--format json`. `bots` has one entry for each seat; `replay_hash` is the hash of the
    /// whole file.
    pub fn document(&self, bots: &[PreparedBot], replay_hash: Option<ContentHash>) -> MatchDocument {
        let seats = self.spec.seats.iter().enumerate().map(|(i, seat)| MatchSeat {
            name: seat.name.clone(),
            bot: seat.bot.clone(),
            kind: bots.get(i).map(|bot| seat_kind(bot.spec())),
            hash: bots.get(i).and_then(PreparedBot::hash).map(|hash| hash.to_string()),
            score: self.standing.scores.get(i).copied(),
            place: self.place(i),
            fault: self.fault(i).map(seat_fault),
            refused: self.refused(i),
            greeted_as: self.greeted_as.get(i).cloned().flatten(),
            time: decision_time(self.time(i), self.limit(i)),
        });
        MatchDocument {
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            game: self.spec.game.clone(),
            rules: self.spec.rules.clone(),
            seed: self.spec.seed,
            map: self.spec.map_name.clone(),
            map_hash: ContentHash::of(self.spec.map.as_bytes()).to_string(),
            clock: self.spec.clock,
            seats: seats.collect(),
            result: if self.footer.spoilt.is_some() { MatchOutcome::Spoilt } else { MatchOutcome::Finished },
            spoilt: self.footer.spoilt,
            plies: self.footer.plies,
            reason: self.standing.ending,
            isolation: self.spec.limits.isolation,
            replay: self.replay.map(|path| path.display().to_string()),
            replay_hash: replay_hash.map(|hash| hash.to_string()),
        }
    }
}

/// Returns the fault as data: its kind as in replays, its turn, and its reason in words.
pub fn seat_fault(fault: &FaultRecord) -> SeatFault {
    let written = serde_json::to_value(&fault.fault).unwrap_or_default();
    SeatFault {
        kind: written["kind"].as_str().unwrap_or_default().to_owned(),
        ply: fault.ply,
        text: clean(&fault.fault.to_string()),
        stderr: match &fault.fault {
            Fault::Crashed { stderr, .. } => Some(clean_lines(stderr)),
            _ => None,
        },
        cause: None,
        hint: None,
    }
}

fn decision_time(time: SeatTime, limit: Option<Duration>) -> DecisionTime {
    DecisionTime {
        p50_us: time.p50_us,
        p99_us: time.p99_us,
        max_us: time.max_us,
        total_us: time.total_us,
        limit_us: limit.map(|limit| limit.as_micros() as u64),
        decisions: time.count,
        soft_late: time.soft_late,
        certificate: time.certificate,
    }
}

/// Returns the kind of a bot, as documents name it.
pub fn seat_kind(bot: &BotSpec) -> SeatBotKind {
    match bot {
        BotSpec::Builtin(_) => SeatBotKind::Builtin,
        BotSpec::Command(_) => SeatBotKind::Command,
        BotSpec::Folder(_) => SeatBotKind::Folder,
        BotSpec::Archive(_) => SeatBotKind::Archive,
        BotSpec::Wasm(_) => SeatBotKind::Wasm,
        BotSpec::Champion(_) => SeatBotKind::Champion,
        BotSpec::Human => SeatBotKind::Human,
    }
}
