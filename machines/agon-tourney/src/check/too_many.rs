//! What to write instead of a tournament with too many matches.

use super::{MOST_MATCHES, bots};
use crate::{Kind, Seatings, Spec, swiss::MOST_SWISS};
use agon_core::Flaw;

impl Spec {
    /// Says that there are too many matches, and which of the smaller tournaments is the nearest.
    pub(super) fn too_many(&self, number: Option<u128>) -> Flaw {
        let number = number.map_or_else(|| "more than 10^38 matches".into(), |n| format!("{} matches", grouped(n)));
        let what = format!(
            "{} of {} in matches of {} seats and {} are {number}",
            match self.seatings {
                Seatings::All => "all seatings",
                Seatings::Balanced => "balanced seatings",
                Seatings::One => "single seatings",
            },
            bots(self.entrants),
            self.seats,
            match self.rounds {
                1 => "1 round".into(),
                rounds => format!("{rounds} rounds"),
            }
        );
        let tried = self.smaller().into_iter().find_map(|(words, spec)| {
            let number = spec.most_matches().filter(|n| *n <= u128::from(MOST_MATCHES))?;
            Some(format!("write {words}: {} matches", grouped(number)))
        });
        Flaw::new(what).hint(tried.unwrap_or_else(|| {
            format!("a tournament may have {} matches: name fewer bots", grouped(u128::from(MOST_MATCHES)))
        }))
    }

    /// Returns smaller tournaments with the words that change this one into them, the nearest first.
    fn smaller(&self) -> Vec<(String, Self)> {
        let mut found = Vec::new();
        let mut seatings = vec![self.seatings];
        if self.seats > 2 && self.seatings == Seatings::All {
            seatings.push(Seatings::Balanced);
        }
        seatings.push(Seatings::One);
        for seatings in seatings {
            let spec = Self { seatings, ..self.clone() };
            let words = format!("`seatings = \"{}\"`", seatings.name());
            found.push((words.clone(), spec.clone()));
            let once = Self { rounds: 1, ..spec.clone() }.most_matches().unwrap_or(u128::MAX);
            let rounds = u32::try_from(u128::from(MOST_MATCHES) / once).unwrap_or(u32::MAX).min(self.rounds);
            if rounds > 0 {
                let fewer = format!("`rounds = {rounds}`");
                let words = if seatings == self.seatings { fewer } else { format!("{words} and {fewer}") };
                found.push((words, Self { rounds, ..spec }));
            }
        }
        if self.kind != Kind::Swiss && self.entrants <= MOST_SWISS {
            // Enough rounds to find the best bot among as many, and two more.
            let rounds = (1..).find(|r| self.seats.checked_pow(*r).is_none_or(|bots| bots >= self.entrants));
            let rounds = rounds.unwrap_or(1) + 2;
            for seatings in [Seatings::Balanced, Seatings::One] {
                let words =
                    format!("`kind = \"swiss\"` with `rounds = {rounds}` and `seatings = \"{}\"`", seatings.name());
                found.push((words, Self { kind: Kind::Swiss, rounds, seatings, ..self.clone() }));
            }
        }
        found
    }
}

/// Returns a number with a comma before every three digits.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
