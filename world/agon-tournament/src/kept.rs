//! The schedule as it was at some point, kept in the store.
//!
//! Without it, whoever opens a tournament reads every match and draws every match again. With it, only what has come since. It
//! is kept when nothing is on its way to the disk, so that it knows exactly the matches up to a number of the store
//! ([`Records::over_since`]). Whatever changes a match before that number either is an amendment or gives the match a new number.
//! Then, and whenever anything else does not fit, everything is read as if nothing had been kept.

use crate::{
    Tournament, TournamentError,
    fault_count::FaultCount,
    outcome,
    past::{PAGE, Past, count_streaks},
};
use agon_store::{Blob, BlobHash, Records, Snapshot, Store};
use agon_tourney::{Amendment, KeptSchedule, MatchId, Schedule, Spec};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The name of the snapshot.
const SCHEDULE: &str = "schedule";
/// The form of what is kept. It also says what the crates below it keep, so it grows when one of their fields changes.
const FORM: u32 = 1;
/// So many matches must be over before a schedule is kept. To read fewer takes no time.
pub(crate) const KEPT_FROM: u64 = 10_000;
/// It is kept again when this share of all matches is new: to keep it takes time for each match that was ever played.
const NEW_SHARE: u64 = 16;

/// What is kept.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    origin: [u8; 32],
    /// How many matches are over.
    over: u64,
    streaks: Cow<'a, [u32]>,
    faults: Cow<'a, FaultCount>,
    schedule: KeptSchedule<'a>,
}

impl Kept<'_> {
    /// Writes it as text, with a hash that tells whether it is whole.
    fn text(&self) -> Result<Option<String>, TournamentError> {
        let Ok(bytes) = postcard::to_allocvec(self) else { return Ok(None) };
        let blob = Blob::new(&bytes)?;
        let packed = STANDARD_NO_PAD.encode(blob.packed());
        Ok(Some(format!("{FORM} {} {} {packed}", blob.hash().hex(), blob.size())))
    }

    /// Reads what [`Kept::text`] has written. `None` if it is something else.
    fn of_text(text: &str) -> Option<Self> {
        let mut words = text.splitn(4, ' ');
        let form: u32 = words.next()?.parse().ok()?;
        let (hash, size) = (BlobHash::from_hex(words.next()?)?, words.next()?.parse().ok()?);
        let packed = STANDARD_NO_PAD.decode(words.next()?).ok()?;
        let bytes = (form == FORM).then(|| Blob::from_packed(hash, size, packed).unpacked().ok())??;
        postcard::from_bytes(&bytes).ok()
    }
}

/// Returns a mark of everything but the outcomes that a schedule follows from: this Agon, the tournament as it began, and every
/// decision.
fn origin(spec: &Spec, amendments: &[Amendment]) -> Option<[u8; 32]> {
    let text = serde_json::to_vec(&(env!("CARGO_PKG_VERSION"), spec, amendments)).ok()?;
    Some(*BlobHash::of(&text).bytes())
}

/// Makes the schedule anew from the one that was kept, and from what has come since. `None` if none was kept, or it does not fit.
pub(crate) fn resume(
    records: &impl Records,
    spec: Spec,
    amendments: Vec<Amendment>,
) -> Result<Option<Past>, TournamentError> {
    let Some(Snapshot { after: last, text }) = records.snapshot(SCHEDULE)? else { return Ok(None) };
    let Some(kept) = Kept::of_text(&text).filter(|kept| Some(kept.origin) == origin(&spec, &amendments)) else {
        return Ok(None);
    };
    let (mut streaks, mut over, mut outcomes) = (kept.streaks.into_owned(), kept.over, Vec::new());
    streaks.resize(records.bots()?.len(), 0);
    let mut after = last;
    loop {
        let page = records.over_since(after, PAGE)?;
        let Some((number, _)) = page.last() else { break };
        after = *number;
        for (_, stored) in page {
            over += 1;
            if let Some(result) = stored.result.as_ref().filter(|result| !outcome::is_left_out(result)) {
                count_streaks(&mut streaks, &stored.planned.bots, result);
            }
            outcomes.extend(outcome::of_match(&stored).map(|outcome| (MatchId(stored.planned.id), outcome)));
        }
    }
    // A match that was over has changed.
    if over != records.progress()?.over() {
        return Ok(None);
    }
    let faults = kept.faults.into_owned().with_bots(streaks.len());
    let schedule = Schedule::resume_kept(spec, amendments, kept.schedule, outcomes).ok();
    Ok(schedule.map(|schedule| Past { schedule, streaks, faults, over, kept: kept.over }))
}

/// Returns the number of the match that came last to be over.
fn last_number(records: &impl Records) -> Result<u64, TournamentError> {
    let mut last = 0;
    for bit in (0..48).rev() {
        if let [(number, _)] = records.over_since(last + (1 << bit) - 1, 1)?[..] {
            last = number;
        }
    }
    Ok(last)
}

impl<S: Store> Tournament<S> {
    /// Returns whether so many matches are over that the schedule is to be kept.
    pub(crate) fn is_schedule_due(&self) -> bool {
        self.over >= self.kept_from && self.over.saturating_sub(self.kept) > self.over / NEW_SHARE
    }

    /// Keeps the schedule in the store, if its kind of tournament is worth it. Every result that it knows must be on disk.
    pub(crate) fn keep_schedule(&mut self) -> Result<(), TournamentError> {
        let over = self.over;
        self.kept = over;
        let Some(schedule) = self.schedule.kept() else { return Ok(()) };
        let Some(origin) = origin(self.schedule.first(), self.schedule.amendments()) else { return Ok(()) };
        if self.store.progress()?.over() != over {
            return Ok(());
        }
        let (streaks, faults) = (Cow::Borrowed(&self.streaks[..]), Cow::Borrowed(&self.faults));
        let kept = Kept { origin, over, streaks, faults, schedule };
        let Some(text) = kept.text()? else { return Ok(()) };
        // Whether it is stored matters to nobody, and the next one replaces it.
        drop(self.store.keep(SCHEDULE, Snapshot { after: last_number(&self.store)?, text }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_tourney::{Kind, Outcome, SeatResult};

    /// If this fails, raise [`FORM`] and enter the new hash: otherwise stores would be read wrongly that an Agon between two
    /// versions has written.
    #[test]
    fn a_change_of_the_form_does_not_go_unseen() {
        let mut bytes = Vec::new();
        for kind in [Kind::RoundRobin, Kind::Gauntlet { challengers: 1 }, Kind::LADDER] {
            let mut schedule = Schedule::new(Spec { rounds: 9, ..Spec::new(kind, 4) }).expect("a tournament");
            for pairing in schedule.next(5) {
                let seats = vec![SeatResult::new(1, 7), SeatResult { fault: true, ..SeatResult::new(2, -7) }];
                schedule.record(pairing.id, Outcome::Finished(seats)).expect("it fits");
            }
            let kept = Kept {
                origin: [7; 32],
                over: 5,
                streaks: Cow::Owned(vec![0, 1, 300]),
                faults: Cow::Owned(FaultCount::new(4)),
                schedule: schedule.kept().expect("it is kept"),
            };
            bytes.extend(postcard::to_allocvec(&kept).expect("it can be written"));
        }
        let known = (1, "69eceaa1f9b7461acc1dacd95686d1abd4abb2fdc4454c6fe499d7052dcf83a7");
        assert_eq!((FORM, &*BlobHash::of(&bytes).hex()), known);
    }
}
