//! Whether a bot failed by a rule that another rule set does not have.

use super::Guess;
use agon_core::Nonsense;
use agon_games::{AnyGame, AnyInterview, Reply};
use agon_referee::{Fault, FaultRecord, LastWords, PlyRecord};
use agon_spec::{FaultCause, MatchSpec};

/// How much of an answer a rule set takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// The line that the bot failed by. What would follow has not arrived.
    Line,
    /// The whole decision.
    Decision,
}

/// Tries the answer of the bot by the other rule sets of the game, `original` first.
pub(super) fn find(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    record: &FaultRecord,
    words: &LastWords,
    turns: Option<&[PlyRecord]>,
) -> Option<Guess> {
    let turns = turns?;
    let at = turns.iter().position(|turn| turn.ply >= record.ply);
    let (set, taken) = match &record.fault {
        Fault::Unlawful { .. } => (game.tolerant_rules(spec, &turns[..at? + 1], record.seat)?, Taken::Decision),
        Fault::Nonsense { line, .. } if record.ply > 0 && words.is_whole => {
            let before = &turns[..at.unwrap_or(turns.len())];
            let mut sets: Vec<&'static str> = game.rule_sets().to_vec();
            sets.sort_by_key(|set| *set != "original");
            let mut others = sets.into_iter().filter(|set| *set != spec.rules);
            others.find_map(|set| {
                let spec = MatchSpec { rules: set.to_owned(), ..spec.clone() };
                let taken = takes(&mut *game.interview(&spec, record.seat).ok()?, line, &words.heard, before)?;
                Some((set, taken))
            })?
        }
        _ => return None,
    };
    let doubt = if taken == Taken::Line { "perhaps " } else { "" };
    let what = format!("{doubt}it lost by a rule that `--rules {set}` does not enforce");
    let hint = match set {
        "original" => "a bot that was written for the contest plays with `--rules original`".to_owned(),
        set => format!("play with `--rules {set}`, or change the bot"),
    };
    Some(Guess::new(FaultCause::OtherRules, what, hint))
}

/// Returns how much of an answer the dialogue of a rule set takes in the position after the turns `before`. The bot failed by
/// `line`. `None` if it does not take that line, or if the game wants a greeting to be answered, because that answer is no
/// longer known.
fn takes(interview: &mut dyn AnyInterview, line: &str, heard: &[u8], before: &[PlyRecord]) -> Option<Taken> {
    let mut told = Vec::new();
    if interview.greet(&mut told) {
        return None;
    }
    for turn in before {
        told.clear();
        interview.step(turn, &mut told).ok()?;
    }
    interview.prompt(&mut told);
    let mut used = 0;
    loop {
        let (length, reply) = interview.hear(&heard[used..], false, &mut told);
        used += length;
        match reply {
            Reply::Decision { refusal, .. } => return refusal.is_none().then_some(Taken::Decision),
            Reply::More if length > 0 && used < heard.len() => {}
            // A line without its end has been taken by nobody.
            Reply::More => {
                let is_cut = line.chars().count() >= Nonsense::EXCERPT;
                let is_line = |read: &str| read == line || (is_cut && read.starts_with(line));
                let read = String::from_utf8_lossy(&heard[..used]);
                let passed = read.split_inclusive('\n').filter_map(|read| read.strip_suffix('\n')).any(is_line);
                return passed.then_some(Taken::Line);
            }
            Reply::Ready | Reply::Nonsense { .. } => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{ClockPolicy, Seat, Seed};
    use agon_spec::{Limits, SeatSpec};

    #[test]
    fn a_line_counts_as_taken_only_if_it_was_read_to_its_end() {
        let game = agon_games::find("grid").expect("the game is there");
        let seats = ["a", "b"].map(|name| SeatSpec { name: name.into(), bot: "./x".into(), ..SeatSpec::default() });
        let spec = MatchSpec {
            game: "grid".into(),
            rules: "original".into(),
            map_name: "gen".into(),
            map: game.generate("10x10", Seed(7), 2).expect("a map"),
            state: agon_core::State::default(),
            seed: Seed(7),
            seeds: agon_core::Derivation::Keyed,
            limit: None,
            seats: seats.to_vec(),
            clock: ClockPolicy::OFF,
            limits: Limits::default(),
        };
        let long = "S ".to_owned() + &"x".repeat(400);
        let cut = Nonsense::new(long.as_bytes(), "").line;
        for (line, heard, expected) in [
            ("S hello", "S hello\n.\n", Some(Taken::Decision)),
            ("S hello", "S hello\n", Some(Taken::Line)),
            ("S hello", "S hello\nC 1", Some(Taken::Line)),
            (&cut, &format!("{long}\n"), Some(Taken::Line)),
            ("S hello", "S hello", None),
            ("S hello", "", None),
            ("S hello", "S hell\nS hello", None),
            ("hello", "hello\n.\n", None),
        ] {
            let mut interview = game.interview(&spec, Seat::new(0)).expect("a match");
            assert_eq!(takes(&mut *interview, line, heard.as_bytes(), &[]), expected, "{line}, {heard}");
        }
    }
}
