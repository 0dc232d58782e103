//! Matches and results, between what is sent and what is played.

use agon_spec::{
    Mark, WORKER_BLOB_LIMIT, WorkerEnding, WorkerFault, WorkerMatch, WorkerRefusals, WorkerResult, WorkerSeat,
};
use agon_store::{BlobHash, Ending, PlannedMatch, RecordedResult, RecordedSeat};

/// Returns a match as it is played.
pub(crate) fn planned(planned: &WorkerMatch) -> PlannedMatch {
    let WorkerMatch { id, round, map, map_seed, seed, bots, probability } = planned.clone();
    PlannedMatch { id, round, map, map_seed: map_seed.0, seed: seed.0, bots, probability, rank: 0 }
}

/// Returns a result as it is sent. Files that are too large to be sent are left out: the result counts without them. Returns
/// whether there were any.
pub(crate) fn result(result: &RecordedResult, files: &mut Vec<Vec<u8>>) -> (WorkerResult, bool) {
    let before = files.len();
    files.retain(|file| file.len() <= WORKER_BLOB_LIMIT);
    let kept: Vec<BlobHash> = files.iter().map(|file| BlobHash::of(file)).collect();
    let named = |hash: Option<BlobHash>| hash.filter(|hash| kept.contains(hash)).map(|hash| hash.hex());
    let sent = WorkerResult {
        ending: if result.ending == Ending::Finished { WorkerEnding::Finished } else { WorkerEnding::Spoilt },
        reason: result.reason.clone(),
        seats: result.seats.iter().map(seat).collect(),
        plies: result.plies,
        fingerprint: result.fingerprint.map(Mark),
        replay: named(result.replay),
        log: named(result.log),
        started_ms: result.started_ms,
        wall_us: result.wall_us,
    };
    (sent, files.len() < before)
}

fn seat(seat: &RecordedSeat) -> WorkerSeat {
    let RecordedSeat { version, score, place, fault, refused, decisions, time_us, max_us } = seat.clone();
    WorkerSeat {
        version,
        score,
        place,
        fault: fault.map(|fault| WorkerFault {
            kind: fault.kind,
            ply: fault.ply,
            text: fault.text,
            cause: fault.cause,
        }),
        refused: WorkerRefusals { count: refused.count, of: refused.of, top: refused.top },
        decisions,
        time_us,
        max_us,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_that_is_too_large_is_left_out() {
        let log = b"log".to_vec();
        let large = vec![0; WORKER_BLOB_LIMIT + 1];
        let played = RecordedResult {
            replay: Some(BlobHash::of(&large)),
            log: Some(BlobHash::of(&log)),
            fingerprint: Some(7),
            ..RecordedResult::default()
        };
        let mut files = vec![large, log.clone()];
        let (sent, left_out) = result(&played, &mut files);
        assert_eq!((files, left_out), (vec![log.clone()], true));
        assert_eq!((sent.replay, sent.log), (None, Some(BlobHash::of(&log).hex())));
        assert_eq!(sent.fingerprint, Some(Mark(7)));
    }
}
