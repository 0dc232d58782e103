//! Whether a bot failed by a rule that another rule set does not have.

use super::Guess;
use agon_games::{AnyGame, Reply};
use agon_referee::{Fault, FaultRecord, PlyRecord};
use agon_spec::{FaultCause, MatchSpec};

/// Tries the answer of the bot by the other rule sets of the game, `original` first. `heard` is its answer.
pub(super) fn find(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    record: &FaultRecord,
    heard: &[u8],
    turns: Option<&[PlyRecord]>,
) -> Option<Guess> {
    let turns = turns?;
    let at = turns.iter().position(|turn| turn.ply >= record.ply);
    let set = match &record.fault {
        Fault::Unlawful { .. } => game.tolerant_rules(spec, &turns[..at? + 1], record.seat)?,
        Fault::Nonsense { .. } if record.ply > 0 => {
            let before = &turns[..at.unwrap_or(turns.len())];
            let mut sets: Vec<&'static str> = game.rule_sets().to_vec();
            sets.sort_by_key(|set| *set != "original");
            sets.into_iter()
                .filter(|set| *set != spec.rules)
                .find(|set| takes(game, spec, set, record, heard, before))?
        }
        _ => return None,
    };
    let what = format!("it lost by a rule that `--rules {set}` does not enforce");
    let hint = match set {
        "original" => "a bot that was written for the contest plays with `--rules original`".to_owned(),
        set => format!("play with `--rules {set}`, or change the bot"),
    };
    Some(Guess::new(FaultCause::OtherRules, what, hint))
}

/// Whether the dialogue of a rule set takes an answer in the same position. `false` if the game wants a greeting to be
/// answered, because that answer is no longer known.
fn takes(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    set: &str,
    record: &FaultRecord,
    heard: &[u8],
    before: &[PlyRecord],
) -> bool {
    let spec = MatchSpec { rules: set.to_owned(), ..spec.clone() };
    let Ok(mut interview) = game.interview(&spec, record.seat) else { return false };
    let mut told = Vec::new();
    if interview.greet(&mut told) {
        return false;
    }
    for turn in before {
        told.clear();
        if interview.step(turn, &mut told).is_err() {
            return false;
        }
    }
    interview.prompt(&mut told);
    let mut used = 0;
    loop {
        let (length, reply) = interview.hear(&heard[used..], false, &mut told);
        used += length;
        match reply {
            Reply::Decision { refusal, .. } => return refusal.is_none(),
            Reply::More if length == 0 || used >= heard.len() => return !heard.is_empty(),
            Reply::More => {}
            Reply::Ready | Reply::Nonsense { .. } => return false,
        }
    }
}
