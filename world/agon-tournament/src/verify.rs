//! Checks a store: every kept replay is played again, and the table is made anew.

use crate::{
    Seeds, TournamentError,
    past::{PAGE, Past, parse},
    run::TABLE,
};
use agon_core::Flaw;
use agon_replay::{Verified, VerifyError, verify as verify_replay};
use agon_spec::{MatchSpec, SeedsCheck, StandingsCheck};
use agon_store::{BlobHash, Ending, PlannedMatch, RecordedResult, Records};
use agon_tourney::MatchId;
use std::cell::Cell;

/// What a verification has seen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verification {
    /// The number of matches with a result.
    pub matches: u64,
    /// The number of replays that were played again.
    pub replays: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Something in a store that contradicts something else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The match. `None` if it is about the table or the whole store.
    pub id: Option<u64>,
    /// What differs, as a lower-case fragment. It may quote a bot, so clean it before you show it.
    pub what: String,
}

/// Plays every kept replay again and compares it with the stored result. `get` returns the bytes of a replay, and `each` is called after every match, for progress. It
/// returns `false` to end early.
///
/// # Errors
/// If the store cannot be read.
pub fn verify(
    records: &impl Records,
    get: &dyn Fn(BlobHash) -> agon_store::Result<Option<Vec<u8>>>,
    each: &mut dyn FnMut(u64) -> bool,
) -> Result<Verification, TournamentError> {
    let mut found = Verification::default();
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.planned.id;
        for stored in &page {
            let id = stored.planned.id;
            if let Some(result) = &stored.result {
                found.matches += 1;
                if let Some(hash) = result.replay {
                    found.replays += 1;
                    let what = match get(hash)? {
                        Some(bytes) => compare(&bytes, Some(stored.planned.seed), result).err(),
                        None => Some(format!("its replay {hash} is missing")),
                    };
                    found.findings.extend(what.map(|what| Finding { id: Some(id), what }));
                }
            }
            if !each(id) {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Plays a replay again and compares it with a result, and with the seed of its match if that is known.
pub(crate) fn compare(bytes: &[u8], seed: Option<u64>, result: &RecordedResult) -> Result<(), String> {
    let recorded_seed = Cell::new(None);
    let verified = reproduce(bytes, |spec| {
        recorded_seed.set(Some(spec.seed.0));
        Ok(())
    })?;
    if seed.is_some() && recorded_seed.get() != seed {
        return Err("its replay is of another match".to_owned());
    }
    if verified.cut_off || verified.left_out || result.ending != Ending::Finished {
        return Ok(());
    }
    let places: Vec<u32> = verified.standing.places.iter().map(|place| u32::from(*place)).collect();
    let scores = &verified.standing.scores;
    let agrees = verified.plies == result.plies
        && result.fingerprint.is_none_or(|mark| mark == verified.fingerprint.0)
        && places.iter().eq(result.seats.iter().map(|seat| &seat.place))
        && scores.iter().eq(result.seats.iter().map(|seat| &seat.score));
    if agrees { Ok(()) } else { Err("its result is not that of its replay".to_owned()) }
}

/// Plays a replay again, if `expect` lets its match be opened.
pub(crate) fn reproduce(bytes: &[u8], expect: impl Fn(&MatchSpec) -> Result<(), Flaw>) -> Result<Verified, String> {
    let open = |spec: &MatchSpec| {
        expect(spec)?;
        let game =
            agon_games::find(&spec.game).ok_or_else(|| Flaw::new(format!("there is no game `{}`", spec.game)))?;
        game.rerun(spec)
    };
    verify_replay(bytes, open).map_err(|why| match why {
        VerifyError::Read(why) => format!("its replay cannot be read: {why}"),
        VerifyError::Open(why) => format!("its replay cannot be opened: {why}"),
        VerifyError::Differs(why) => format!("its replay does not reproduce: {why}"),
    })
}

/// Compares the seeds of all matches with those that follow from what the tournament has, and a secret with the hash that was
/// published. Says nothing of a secret that is not revealed. Adds what is wrong to `findings`. The records must be of one moment.
///
/// # Errors
/// If the store cannot be read or has no tournament.
pub fn verify_seeds(records: &impl Records, findings: &mut Vec<Finding>) -> Result<SeedsCheck, TournamentError> {
    let seeds = Seeds::read(records)?;
    if !seeds.are_public() {
        return Ok(SeedsCheck::NotYetRevealed);
    }
    let before = findings.len();
    if !seeds.keep_their_word() {
        findings.push(Finding { id: None, what: "the secret is not the one whose SHA-256 was published".to_owned() });
    }
    let files = records.files()?;
    let first = files.first().ok_or(TournamentError::NotBegun)?;
    let schedule = Past::read(records, &parse(first)?, records.maps()?.len())?.schedule;
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.planned.id;
        // What waits to be played may be drawn later in a schedule that is made anew.
        let over = page.iter().filter(|stored| stored.result.is_some());
        for PlannedMatch { id, map, map_seed, seed, .. } in over.map(|stored| &stored.planned) {
            let drawn = schedule.pairing(MatchId(*id));
            let drawn = drawn.map(|drawn| (drawn.map, drawn.map_seed.0, drawn.seed.0));
            if drawn != Some((*map, *map_seed, *seed)) {
                let what = "its map or its seed is not the one that was drawn".to_owned();
                findings.push(Finding { id: Some(*id), what });
            }
        }
    }
    Ok(if findings.len() == before { SeedsCheck::Agree } else { SeedsCheck::Differ })
}

/// Makes the table anew and compares it with the stored one. The records must be of one moment: where the tournament may still be
/// played, freeze the reader.
///
/// # Errors
/// If the store cannot be read or has no tournament.
pub fn verify_table(records: &impl Records) -> Result<StandingsCheck, TournamentError> {
    let files = records.files()?;
    let first = files.first().ok_or(TournamentError::NotBegun)?;
    let past = Past::read(records, &parse(first)?, records.maps()?.len())?;
    let Some(kept) = records.snapshot(TABLE)?.filter(|kept| kept.after == past.over) else {
        return Ok(StandingsCheck::NotCompared);
    };
    // As texts, because a number that is read from its text may differ in its last bit.
    let made = serde_json::to_string(&past.schedule.standings()).unwrap_or_default();
    Ok(if kept.text == made { StandingsCheck::Agree } else { StandingsCheck::Differ })
}
