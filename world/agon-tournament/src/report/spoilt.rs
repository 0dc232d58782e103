//! How often matches were spoilt, by bot and cause.

use crate::TournamentError;
use agon_spec::ReportSpoilt;
use agon_store::{Ending, EventKind, Records, StoredMatch};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The matches that were spoilt at least once.
#[derive(Default)]
pub(crate) struct Spoilt {
    /// The causes for which each match was played in vain, without that of a match that has no result.
    causes: BTreeMap<u64, Vec<String>>,
    /// How often, and the numbers of the matches, by bot and cause.
    found: BTreeMap<(u32, String), (u64, BTreeSet<u64>)>,
}

impl Spoilt {
    pub(crate) fn read(records: &impl Records) -> Result<Self, TournamentError> {
        let mut spoilt = Self::default();
        for event in records.events(usize::MAX)? {
            if let (EventKind::Spoilt, Some(id)) = (event.kind, event.id) {
                spoilt.causes.entry(id).or_default().push(event.text);
            }
        }
        Ok(spoilt)
    }

    /// Counts a match for all of its bots.
    pub(super) fn take(&mut self, stored: &StoredMatch) {
        let id = stored.planned.id;
        let mut causes = self.causes.remove(&id).unwrap_or_default();
        causes.extend(stored.result.iter().filter(|one| one.ending == Ending::Spoilt).map(|one| one.reason.clone()));
        for cause in causes {
            for bot in &stored.planned.bots {
                let (count, matches) = self.found.entry((*bot, cause.clone())).or_default();
                *count += 1;
                matches.insert(id);
            }
        }
    }

    /// Counts only the matches of which an event tells, and looks at no other.
    pub(crate) fn of_events(records: &impl Records) -> Result<Self, TournamentError> {
        let mut spoilt = Self::read(records)?;
        let ids: Vec<u64> = spoilt.causes.keys().copied().collect();
        for id in ids {
            records.find(id)?.iter().for_each(|stored| spoilt.take(stored));
        }
        Ok(spoilt)
    }

    pub(crate) fn rows(self, name: impl Fn(u32) -> String) -> Vec<ReportSpoilt> {
        let row = |((bot, cause), (count, matches)): ((u32, String), (u64, BTreeSet<u64>))| ReportSpoilt {
            bot: name(bot),
            cause,
            count,
            matches: matches.len() as u64,
        };
        let mut rows: Vec<_> = self.found.into_iter().map(row).collect();
        rows.sort_by_key(|row| Reverse(row.count));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_store::{Memory, PlannedMatch, RecordedResult, Registry, StoredEvent};

    #[test]
    fn whoever_was_in_a_spoilt_match_is_counted_for_each_cause() {
        let store = Memory::new();
        for (id, text) in [(1, "late"), (1, "late"), (2, "late"), (2, "short")] {
            let event =
                StoredEvent { kind: EventKind::Spoilt, at_ms: 0, id: Some(id), bot: None, text: text.to_owned() };
            store.record(event).wait().expect("it is written");
        }
        let mut spoilt = Spoilt::read(&store).expect("it can be read");
        let played = |id: u64, bots: [u32; 2], ending: Ending| StoredMatch {
            planned: PlannedMatch { id, bots: bots.to_vec(), ..PlannedMatch::default() },
            attempts: 1,
            result: Some(RecordedResult { ending, reason: "late".to_owned(), ..RecordedResult::default() }),
        };
        for stored in [
            played(1, [0, 1], Ending::Spoilt),
            played(2, [1, 2], Ending::Finished),
            played(3, [0, 2], Ending::Finished),
        ] {
            spoilt.take(&stored);
        }
        let rows = spoilt.rows(|bot| format!("bot {bot}"));
        let rows: Vec<_> =
            rows.iter().map(|row| (row.bot.as_str(), row.cause.as_str(), row.count, row.matches)).collect();
        let expected = [
            ("bot 1", "late", 4, 2),
            ("bot 0", "late", 3, 1),
            ("bot 1", "short", 1, 1),
            ("bot 2", "late", 1, 1),
            ("bot 2", "short", 1, 1),
        ];
        assert_eq!(rows, expected);
    }
}
