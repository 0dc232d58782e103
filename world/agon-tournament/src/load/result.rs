//! Results of other machines, of which nothing is believed that can be known here.

use agon_core::Seed;
use agon_spec::{WorkerEnding, WorkerFault, WorkerMatch, WorkerRefusals, WorkerResult, WorkerSeat};
use agon_store::{BlobHash, Ending, PlannedMatch, RecordedFault, RecordedRefusals, RecordedResult, RecordedSeat};

/// The longest texts, in bytes: names, and sentences.
const LONGEST: (usize, usize) = (64, 16 << 10);
/// The most reasons of refused commands.
const MOST_REASONS: usize = 16;
/// The most spoilt attempts of a match on one worker.
pub(super) const MOST_SPOILT: usize = 16;

/// The most that a count or a time of a match may be, in its unit (µs for times): 30 days. The sums of millions of them still fit.
const MOST: u64 = 30 * 24 * 3_600 * 1_000_000;
/// The most that a score may be, on both sides of zero.
const MOST_SCORE: i64 = 1 << 40;

/// Returns a match as it is sent.
pub(super) fn sent(planned: &PlannedMatch) -> WorkerMatch {
    WorkerMatch {
        id: planned.id,
        round: planned.round,
        map: planned.map,
        map_seed: Seed(planned.map_seed),
        seed: Seed(planned.seed),
        bots: planned.bots.clone(),
        probability: planned.probability,
    }
}

/// Makes the record of a result. `versions` has the version of the bot in each seat. `None` if it cannot be a result of that match.
pub(super) fn recorded(result: WorkerResult, versions: &[u32]) -> Option<RecordedResult> {
    let finished = result.ending == WorkerEnding::Finished;
    if finished && result.seats.len() != versions.len() {
        return None;
    }
    // What has played is another program than the one whose match it is.
    if finished && result.seats.iter().zip(versions).any(|(seat, version)| seat.version != *version) {
        return None;
    }
    let last = versions.len() + 1;
    if finished && result.seats.iter().any(|seat| seat.place == 0 || seat.place as usize > last) {
        return None;
    }
    let seats = if finished { result.seats } else { Vec::new() };
    Some(RecordedResult {
        ending: if finished { Ending::Finished } else { Ending::Spoilt },
        reason: shortened(result.reason, LONGEST.1),
        seats: seats.into_iter().zip(versions).map(|(seat, version)| recorded_seat(seat, *version)).collect(),
        plies: result.plies,
        fingerprint: result.fingerprint.map(|mark| mark.0),
        replay: result.replay.as_deref().and_then(BlobHash::from_hex),
        log: result.log.as_deref().and_then(BlobHash::from_hex),
        started_ms: result.started_ms.clamp(0, 1 << 45),
        wall_us: result.wall_us.min(MOST),
        worker: None,
    })
}

fn recorded_seat(seat: WorkerSeat, version: u32) -> RecordedSeat {
    let WorkerSeat { score, place, fault, refused, decisions, time_us, max_us, version: _ } = seat;
    let fault = fault.map(|WorkerFault { kind, ply, text, cause }| RecordedFault {
        kind: shortened(kind, LONGEST.0),
        ply,
        text: shortened(text, LONGEST.1),
        cause: cause.map(|cause| shortened(cause, LONGEST.0)),
    });
    let WorkerRefusals { count, of, top } = refused;
    let top = top.into_iter().take(MOST_REASONS);
    let top = top.map(|(why, count)| (shortened(why, LONGEST.1), count.min(MOST))).collect();
    RecordedSeat {
        version,
        score: score.clamp(-MOST_SCORE, MOST_SCORE),
        place,
        fault,
        refused: RecordedRefusals { count: count.min(MOST), of: of.min(MOST), top },
        decisions: decisions.min(MOST),
        time_us: time_us.min(MOST),
        max_us: max_us.min(MOST),
    }
}

/// Cuts a text of a worker at the end of a character.
pub(super) fn shortened(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

/// Cuts a sentence of a worker.
pub(super) fn sentence(text: String) -> String {
    shortened(text, LONGEST.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(seats: usize) -> WorkerResult {
        let seat = |place| WorkerSeat {
            version: place + 2,
            score: 5,
            place,
            fault: None,
            refused: WorkerRefusals::default(),
            decisions: 1,
            time_us: 1,
            max_us: 1,
        };
        WorkerResult {
            ending: WorkerEnding::Finished,
            reason: "limit".into(),
            seats: (1..).take(seats).map(seat).collect(),
            plies: 7,
            fingerprint: None,
            replay: Some("00".repeat(32)),
            log: Some("../../etc/passwd".into()),
            started_ms: 1,
            wall_us: 2,
        }
    }

    #[test]
    fn nothing_is_believed_that_is_known_here() {
        let result = recorded(played(2), &[3, 4]).expect("it is a result");
        assert_eq!(result.seats.iter().map(|seat| seat.version).collect::<Vec<_>>(), [3, 4]);
        assert_eq!((result.replay, result.log), (Some(BlobHash::from_bytes([0; 32])), None));
        assert_eq!(recorded(played(3), &[3, 4]), None, "another match");
        assert_eq!(recorded(played(2), &[3, 5]), None, "another version of a bot");
        let mut most = played(2);
        (most.wall_us, most.started_ms) = (u64::MAX, i64::MIN);
        (most.seats[0].time_us, most.seats[0].decisions, most.seats[0].score) = (u64::MAX, u64::MAX, i64::MIN);
        let most = recorded(most, &[3, 4]).expect("it is a result");
        assert_eq!((most.wall_us, most.started_ms, most.seats[0].decisions), (MOST, 0, MOST), "sums do not overflow");
        assert_eq!((most.seats[0].time_us, most.seats[0].score), (MOST, -MOST_SCORE));
        let mut far = played(2);
        far.seats[0].place = 4;
        assert_eq!(recorded(far, &[3, 4]), None);
        let mut long = played(2);
        let text = "ü".repeat(20_000);
        let fault = WorkerFault { kind: text.clone(), ply: 1, text: text.clone(), cause: Some(text.clone()) };
        (long.reason, long.seats[0].fault) = (text, Some(fault));
        let long = recorded(long, &[3, 4]).expect("it is a result");
        let fault = long.seats[0].fault.as_ref().expect("it failed");
        assert_eq!((long.reason.len(), fault.kind.len(), fault.text.len()), (LONGEST.1, LONGEST.0, LONGEST.1));
        let spoilt = WorkerResult { ending: WorkerEnding::Spoilt, ..played(2) };
        assert_eq!(recorded(spoilt, &[3, 4]).expect("it is one").seats, []);
    }
}
