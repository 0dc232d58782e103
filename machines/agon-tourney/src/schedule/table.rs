//! What the results say: which matches count, the table and the bracket.

use super::Schedule;
use crate::{
    Change, Entrant, MatchId, Standings, amendment,
    bracket::Bracket,
    draw::Past,
    ladder,
    ledger::{Recorded, State},
    standings::Table,
    walkover,
};

impl Schedule {
    /// Returns the bots of a match with whether each of them failed. Empty if the match has no result. `None` if it was
    /// not drawn, or may still be played.
    #[must_use]
    pub fn faults(&self, id: MatchId) -> Option<Vec<(Entrant, bool)>> {
        let state = self.ledger.state(id).filter(|state| state.is_settled())?;
        if state != State::Finished {
            return Some(Vec::new());
        }
        let played = self.ledger.recorded(id);
        Some(played.seats.iter().enumerate().map(|(seat, entrant)| (*entrant, played.fault(seat))).collect())
    }

    /// Returns the bracket of an elimination as it is now. `None` for other kinds.
    #[must_use]
    pub fn bracket(&self) -> Option<Bracket> {
        self.draw.bracket(&Past::new(&self.spec, &self.ledger, &self.amendments))
    }

    /// Returns the table of each group. Empty for kinds without groups.
    #[must_use]
    pub fn group_standings(&self) -> Vec<Standings> {
        let mut tables = self.draw.tables(&Past::new(&self.spec, &self.ledger, &self.amendments));
        tables.iter_mut().for_each(|table| self.count_spoilt(table));
        tables
    }

    /// Returns the matches without a result, each with its bots. It looks at every match.
    pub fn without_result(&self) -> impl Iterator<Item = (MatchId, &[Entrant])> {
        let spoilt = self.ledger.states().filter(|(_, state)| *state == State::NoResult);
        spoilt.map(|(id, _)| (id, self.ledger.seats(id)))
    }

    fn count_spoilt(&self, standings: &mut Standings) {
        let mut spoilt = vec![0; self.spec.entrants as usize];
        for entrant in self.without_result().flat_map(|(_, bots)| bots) {
            spoilt[entrant.index()] += 1;
        }
        for row in &mut standings.rows {
            row.spoilt = spoilt[row.entrant.index()];
        }
    }

    /// Returns for each bot whether it was withdrawn.
    fn withdrawn_flags(&self) -> Vec<bool> {
        let mut withdrawn = vec![false; self.spec.entrants as usize];
        for entrant in self.withdrawn() {
            withdrawn[entrant.index()] = true;
        }
        withdrawn
    }

    /// Returns for each bot whether it was withdrawn and none of its matches counts.
    fn erased(&self, withdrawn: &[bool]) -> Vec<bool> {
        walkover::erased(&self.spec, &self.ledger, withdrawn, |entrant| self.draw.planned_of(entrant, &self.spec))
    }

    /// Returns the bots that were withdrawn so early that none of their matches counts. It looks at every match.
    #[must_use]
    pub fn erased_bots(&self) -> Vec<Entrant> {
        let erased = self.erased(&self.withdrawn_flags());
        (0..).zip(erased).filter(|(_, erased)| *erased).map(|(number, _)| Entrant(number)).collect()
    }

    /// Returns the finished matches that count if none of the bots in `erased` does.
    fn counted_among(&self, erased: &[bool]) -> impl Iterator<Item = (MatchId, Recorded<'_>)> {
        let void = |change: &Change| if let Change::Void(id) = change { Some(*id) } else { None };
        let mut voided: Vec<MatchId> = self.amendments.iter().filter_map(|amendment| void(&amendment.change)).collect();
        voided.retain(|id| self.is_void(*id));
        self.ledger.finished().filter(move |(id, played)| {
            !voided.contains(id) && !played.seats.iter().any(|entrant| erased[entrant.index()])
        })
    }

    /// Returns the matches that make the table: finished, not void, and not of a bot that was withdrawn so early that
    /// none of its matches counts. They are in the order of the schedule. It looks at every match.
    #[must_use]
    pub fn counted(&self) -> Vec<MatchId> {
        let erased = self.erased(&self.withdrawn_flags());
        self.counted_among(&erased).map(|(id, _)| id).collect()
    }

    /// Returns the table. It looks at every match.
    #[must_use]
    pub fn standings(&self) -> Standings {
        let withdrawn = self.withdrawn_flags();
        let erased = self.erased(&withdrawn);
        let counted = || self.counted_among(&erased);
        let matches = || counted().map(|(_, played)| played);
        let plays =
            |id, entrant: Entrant| !withdrawn[entrant.index()] && !amendment::has_missed(&self.amendments, entrant, id);
        let mut walkovers = walkover::of_forfeits(&self.spec, &self.ledger, plays, |entrant| !erased[entrant.index()]);
        walkovers.extend(walkover::of_byes(self.draw.byes(), &self.spec, &self.ledger, counted()));
        let byes: Vec<Entrant> = self.draw.byes().iter().map(|bye| bye.entrant).collect();
        let mut classes = self.draw.classes(&Past::new(&self.spec, &self.ledger, &self.amendments));
        let rules = self.spec.kind.rules();
        let ratings = if rules.is_rated() { ladder::ratings(&self.spec, matches()) } else { Vec::new() };
        if rules.is_rated() {
            classes = ladder::classes(&ratings);
        }
        let mut standings = Table {
            matches,
            walkovers: &walkovers,
            byes: &byes,
            classes: &classes,
            withdrawn: &withdrawn,
            tie_breaks: rules.tie_breaks(),
        }
        .standings();
        for row in &mut standings.rows {
            row.rating = ratings.get(row.entrant.index()).copied();
        }
        self.count_spoilt(&mut standings);
        standings
    }
}
