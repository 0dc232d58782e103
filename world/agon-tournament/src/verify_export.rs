//! Checks what was published of a tournament, without its store.

use crate::{
    Finding, Verification,
    seeds::{bytes, commitment},
    verify::compare,
};
use agon_core::{Derivation, SeedKey};
use agon_spec::{SeedsCheck, TournamentDocument, TournamentMatch, TournamentResult, TournamentSeat};
use agon_store::{Ending, RecordedResult, RecordedSeat};
use std::io;

/// Checks an export: the secret and the hash that was published, the seed of each match, and each replay that `replay` returns.
/// `each` is called after every match and returns `false` to end early.
///
/// # Errors
/// If a replay cannot be read from its place.
pub fn verify_export(
    document: &TournamentDocument,
    replay: &mut dyn FnMut(u64) -> io::Result<Option<Vec<u8>>>,
    each: &mut dyn FnMut(u64) -> bool,
) -> io::Result<(Verification, SeedsCheck)> {
    let mut found = Verification::default();
    let seeds = check_seeds(document, &mut found.findings);
    for one in &document.matches {
        found.matches += 1;
        if let Some(bytes) = replay(one.id)? {
            found.replays += 1;
            let what = compare(&bytes, one.seed.map(|seed| seed.0), &recorded(one)).err();
            found.findings.extend(what.map(|what| Finding { id: Some(one.id), what }));
        }
        if !each(one.id) {
            break;
        }
    }
    Ok((found, seeds))
}

/// Compares the seeds of all matches with those that follow from what the tournament has published.
fn check_seeds(document: &TournamentDocument, findings: &mut Vec<Finding>) -> SeedsCheck {
    let about = &document.tournament;
    let before = findings.len();
    let key = match (&about.seeds.commitment, &about.seeds.secret, about.seed) {
        // With the fast derivation, a seed follows from the place of the match in the schedule, which only the store has.
        _ if about.seeds.seeds == Derivation::Fast => return SeedsCheck::NotCompared,
        (Some(_), None, _) => return SeedsCheck::NotYetRevealed,
        (Some(published), Some(secret), _) => {
            let secret = bytes(secret).map(SeedKey).filter(|secret| commitment(secret) == *published);
            let Some(secret) = secret else {
                let what = "the secret is not the one whose SHA-256 was published".to_owned();
                findings.push(Finding { id: None, what });
                return SeedsCheck::Differ;
            };
            secret
        }
        (None, _, seed) => SeedKey::from(seed.unwrap_or_default()),
    };
    for one in &document.matches {
        if one.seed != Some(key.seed("match", one.id)) {
            findings.push(Finding { id: Some(one.id), what: "its seed is not the one that was drawn".to_owned() });
        }
    }
    if findings.len() == before { SeedsCheck::Agree } else { SeedsCheck::Differ }
}

/// Returns what the store had of a match, as far as its replay tells it, too.
fn recorded(one: &TournamentMatch) -> RecordedResult {
    let seat = |seat: &TournamentSeat| RecordedSeat {
        score: seat.score.unwrap_or_default(),
        place: seat.place.unwrap_or_default(),
        ..RecordedSeat::default()
    };
    RecordedResult {
        ending: match one.result {
            TournamentResult::Finished => Ending::Finished,
            TournamentResult::Spoilt => Ending::Spoilt,
            TournamentResult::Void => Ending::Void,
        },
        seats: one.seats.iter().map(seat).collect(),
        plies: one.plies,
        fingerprint: one.fingerprint.map(|mark| mark.0),
        ..RecordedResult::default()
    }
}
