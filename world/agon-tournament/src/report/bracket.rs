//! The bracket of a report as text.

use agon_core::text::clean;
use agon_spec::{ReportEncounter, ReportRound, ReportSide};
use agon_tourney::{Bracket, BracketEncounter, BracketPart, BracketRound, Entrant, MatchId, Side};
use unicode_width::UnicodeWidthStr;

/// The bots of a bracket by number.
#[derive(Default)]
struct Bots<'a>(Vec<&'a str>);

impl<'a> Bots<'a> {
    fn number(&mut self, name: &'a str) -> Entrant {
        let known = self.0.iter().position(|known| *known == name);
        let index = known.unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        });
        Entrant(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn side(&mut self, side: &'a ReportSide) -> Side {
        let entrant = side.bot.as_deref().map(|name| self.number(name));
        Side { entrant, bye: side.bye, points: side.points }
    }

    fn encounter(&mut self, encounter: &'a ReportEncounter) -> BracketEncounter {
        let [one, other] = &encounter.sides;
        BracketEncounter {
            part: part(encounter),
            sides: [self.side(one), self.side(other)],
            games: encounter.games.iter().map(|id| MatchId(*id)).collect(),
            winner: encounter.winner.as_deref().map(|name| self.number(name)),
            for_place: encounter.for_place,
        }
    }
}

/// Returns the part of a double elimination to which an encounter belongs.
pub(crate) fn part(encounter: &ReportEncounter) -> Option<BracketPart> {
    BracketPart::ALL.into_iter().find(|part| encounter.part.as_deref() == Some(part.name()))
}

/// Returns the bracket as lines. Names are cleaned.
pub(crate) fn bracket_text(rounds: &[ReportRound]) -> String {
    let mut bots = Bots::default();
    let mut bracket = Bracket { rounds: Vec::new() };
    for round in rounds {
        let encounters = round.encounters.iter().map(|one| bots.encounter(one)).collect();
        bracket.rounds.push(BracketRound { round: round.round, encounters });
    }
    bracket.text(|bot| bots.0.get(bot.index()).map_or_else(String::new, |name| clean(name)), |text| text.width())
}
