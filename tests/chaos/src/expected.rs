//! The result of a match that nobody has played: a function of the match, so that everybody knows the right one.

use agon_core::{Rng, Seed};
use agon_spec::{Mark, WorkerEnding, WorkerFault, WorkerMatch, WorkerRefusals, WorkerResult, WorkerSeat};
use agon_store::{PlannedMatch, RecordedResult};

/// One bot in so many matches fails.
const FAULTS: u32 = 500;
/// How long a match takes, as workers say, in microseconds.
const WALL_US: u64 = 1_000;
/// The bits of a token that the beginning of a match can say.
const BITS: u32 = 40;

/// Returns the result of a match with two bots that was played under a lease with this token. A match begins when its token
/// says, so that everybody can see which lease a stored result comes from.
pub fn of_lease(planned: &WorkerMatch, token: u64) -> WorkerResult {
    let mut rng = Rng::new(Seed(planned.seed.0 ^ planned.id));
    let scores = [rng.between(0, 100), rng.between(0, 100)];
    let fails = rng.one_in(FAULTS).then(|| rng.index(2));
    let mut seat = |own: usize| {
        let (score, other) = (scores[own], scores[1 - own]);
        let place = match fails {
            Some(failed) => 1 + u32::from(failed == own),
            None => 1 + u32::from(score < other),
        };
        let fault = WorkerFault { kind: "late".to_owned(), ply: 7, text: "simulated".to_owned(), cause: None };
        WorkerSeat {
            version: 1,
            score: score.into(),
            place,
            fault: fails.filter(|failed| *failed == own).map(|_| fault),
            refused: WorkerRefusals::default(),
            decisions: 1 + u64::from(rng.below(100)),
            time_us: u64::from(rng.below(1_000)),
            max_us: 10,
        }
    };
    let seats = vec![seat(0), seat(1)];
    WorkerResult {
        ending: WorkerEnding::Finished,
        reason: "limit".to_owned(),
        seats,
        plies: 1 + rng.below(100),
        fingerprint: Some(Mark(rng.bits())),
        replay: None,
        log: None,
        started_ms: mark(token),
        wall_us: WALL_US,
    }
}

/// Returns when a match begins that is played under this token.
pub fn mark(token: u64) -> i64 {
    (token & ((1 << BITS) - 1)).cast_signed()
}

/// Returns whether a stored result is the right one of its match.
pub fn is_right(planned: &PlannedMatch, stored: &RecordedResult) -> bool {
    let sent = WorkerMatch {
        id: planned.id,
        round: planned.round,
        map: planned.map,
        map_seed: Seed(planned.map_seed),
        seed: Seed(planned.seed),
        bots: planned.bots.clone(),
        probability: planned.probability,
    };
    let right = of_lease(&sent, 0);
    let seats = right.seats.len() == stored.seats.len()
        && right.seats.iter().zip(&stored.seats).all(|(right, stored)| {
            let kind = |kind: Option<&str>| kind.map(str::to_owned);
            (right.score, right.place, right.decisions, right.time_us)
                == (stored.score, stored.place, stored.decisions, stored.time_us)
                && kind(right.fault.as_ref().map(|fault| &*fault.kind))
                    == kind(stored.fault.as_ref().map(|fault| &*fault.kind))
        });
    seats
        && (right.plies, right.wall_us, &right.reason) == (stored.plies, stored.wall_us, &stored.reason)
        && right.fingerprint.map(|mark| mark.0) == stored.fingerprint
}
