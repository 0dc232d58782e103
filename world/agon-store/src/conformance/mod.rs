//! The tests that every back end must pass. They panic where one fails.

mod claims;
mod notes;
mod results;

use crate::{Completion, Lease, PlannedMatch, RecordedResult, RecordedSeat, Report, Store};

/// Runs every test, each on a new store from `make`.
///
/// # Panics
/// If the back end does not do what [`MatchQueue`](crate::MatchQueue), [`BlobStore`](crate::BlobStore),
/// [`Records`](crate::Records) and [`Registry`](crate::Registry) say.
pub fn all<S: Store>(make: &mut dyn FnMut() -> S) {
    claims::matches_are_claimed_in_order(&make());
    claims::claims_run_out(&make());
    claims::reports_are_told_apart_by_their_claims(&make());
    claims::a_lost_answer_is_asked_for_again(&make());
    results::matches_that_are_over_are_told_in_order(&make());
    notes::workers_and_artefacts_are_kept(&make());
    results::enqueuing_twice_changes_nothing(&make());
    results::a_result_is_stored_once(&make());
    results::results_are_stored_together(&make());
    results::a_result_comes_back_as_it_was(&make());
    notes::blobs_are_named_by_content(&make());
    results::a_spoilt_match_is_played_again(&make());
    notes::a_void_match_does_not_count(&make());
    notes::a_decision_changes_all_or_nothing(&make());
    notes::bots_have_versions_and_sums(&make());
    notes::notes_are_kept(&make());
    results::extreme_values_are_kept(&make());
    claims::many_workers_get_every_match_once(&make());
}

/// Returns a match of bots 0 and 1.
#[must_use]
pub fn planned(id: u64) -> PlannedMatch {
    PlannedMatch {
        id,
        round: 1,
        seed: id.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        bots: vec![0, 1],
        ..PlannedMatch::default()
    }
}

/// Returns a result of such a match, another one for each `score`.
#[must_use]
pub fn result(score: i64) -> RecordedResult {
    let seat = |score, place| RecordedSeat {
        version: 1,
        score,
        place,
        decisions: 9,
        time_us: 70,
        max_us: 20,
        ..RecordedSeat::default()
    };
    RecordedResult {
        reason: "limit".to_owned(),
        seats: vec![seat(score, 1), seat(-score, 2)],
        plies: 9,
        fingerprint: Some(score.unsigned_abs()),
        started_ms: 1_000,
        wall_us: 2_000,
        ..RecordedResult::default()
    }
}

fn enqueue(store: &impl Store, ids: impl IntoIterator<Item = u64>) {
    store.enqueue(ids.into_iter().map(planned).collect()).wait().expect("they are new");
}

fn claim_ids(store: &impl Store, count: usize, now_ms: i64) -> Vec<u64> {
    let leases = store.claim(1, count, now_ms, now_ms + 100).expect("it can be read");
    leases.into_iter().map(|lease| lease.planned.id).collect()
}

fn complete(store: &impl Store, id: u64, result: RecordedResult) -> Completion {
    store.complete(Report::unclaimed(id, result, Vec::new())).wait().expect("there is such a match")
}

/// Returns the report of a match that was played under this claim.
fn of_lease(lease: &Lease, result: RecordedResult) -> Report {
    Report { token: Some(lease.token), ..Report::unclaimed(lease.planned.id, result, Vec::new()) }
}
