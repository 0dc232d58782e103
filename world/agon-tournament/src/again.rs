//! Plays a match of a tournament again.

use crate::{Field, Replays, Seeds, TournamentError, TournamentFile, played::Manner, workers::worker_names};
use agon_core::Flaw;
use agon_play::{Cancel, CorePlacement, HostHistory};
use agon_store::{Ending, RecordedResult, Records, StoredBot};

/// A match that was played again.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// The stored result.
    pub stored: RecordedResult,
    /// The result of now.
    pub now: RecordedResult,
    /// The name of the worker that has played the stored match. `None` if it is not known.
    pub worker: Option<String>,
    /// The bots that have other versions now, by name. Their answers may differ.
    pub changed: Vec<String>,
}

impl Replayed {
    /// Returns whether both results are the same, except for what differs between two equal runs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.stored.agrees(&self.now)
    }
}

/// Plays a match again: the same map, seed and seats, with the bots as they are now. `None` if it was cancelled.
///
/// # Errors
/// If there is no such match or it has not been played, or it cannot be played now.
pub fn play_again(
    records: &impl Records,
    file: &TournamentFile,
    mut field: Field,
    id: u64,
    cancel: &Cancel,
) -> Result<Option<Replayed>, TournamentError> {
    field.begun(Seeds::read(records)?.derivation());
    let refused = |what: String| TournamentError::Schedule(Flaw::new(what));
    let stored = records.find(id)?.ok_or_else(|| refused(format!("there is no match {id}")))?;
    let planned = stored.planned;
    let result = stored.result.ok_or_else(|| refused(format!("match {id} has not been played")))?;
    let (bots, names) = (records.bots()?, worker_names(records)?);
    let changed = |(bot, seat): (&u32, &agon_store::RecordedSeat)| {
        let StoredBot { name, versions, .. } = bots.get(*bot as usize)?;
        let played = versions.iter().find(|version| version.number == seat.version)?;
        (played.hash.is_none() || played.hash != field.bots()[*bot as usize].hash()).then(|| name.clone())
    };
    let mut changed: Vec<String> = planned.bots.iter().zip(&result.seats).filter_map(changed).collect();
    changed.dedup();
    let versions: Vec<u32> = bots.iter().map(|bot| bot.versions.last().map_or(0, |version| version.number)).collect();
    let manner = Manner {
        field: &field,
        host: &HostHistory::default(),
        cancel,
        placement: &CorePlacement::Auto,
        cores: file.cores,
        ponder: file.ponder,
        replays: Replays::None,
        versions: &versions,
    };
    let Some(played) = manner.play(&planned)? else { return Ok(None) };
    // The version says who played, which `changed` tells.
    let mut now = played.result;
    for (seat, stored) in now.seats.iter_mut().zip(&result.seats) {
        seat.version = stored.version;
    }
    // A declaration of the organiser says nothing about how the match went.
    if result.ending == Ending::Void && !result.seats.is_empty() {
        (now.ending, now.reason) = (result.ending, result.reason.clone());
    }
    let worker = result.worker.and_then(|worker| names.get(&worker).cloned());
    Ok(Some(Replayed { stored: result, now, worker, changed }))
}
