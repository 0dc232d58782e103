//! Finds out again how a match has ended, to check the result that another machine has reported.

use crate::{
    Field,
    played::{Manner, MatchEnd},
    verify::reproduce,
};
use agon_core::Flaw;
use agon_play::{BotSpec, Cancel};
use agon_spec::{Mark, MatchSpec, WorkerFound, WorkerMatchEnd};
use agon_store::{BlobHash, Ending, PlannedMatch, RecordedResult};

/// Plays the replay of a match by the rules, without its bots. A replay of another match is not even opened.
pub(crate) fn by_rules(field: &Field, planned: &PlannedMatch, replay: &[u8]) -> WorkerFound {
    let expected = match field.bots_of(planned).and_then(|bots| Ok(field.spec(planned, &bots)?)) {
        Ok(expected) => expected,
        Err(why) => return WorkerFound::Nothing(why.to_string()),
    };
    let is_expected = |spec: &MatchSpec| {
        if is_same_match(spec, &expected) { Ok(()) } else { Err(Flaw::new("it is of another match")) }
    };
    let verified = match reproduce(replay, is_expected) {
        Ok(verified) => verified,
        Err(why) => return WorkerFound::Wrong(why),
    };
    if verified.left_out {
        return WorkerFound::Nothing("its replay has not all turns, because it would be too large".to_owned());
    }
    if verified.cut_off || verified.aborted {
        return WorkerFound::Wrong("its replay ends before the match does".to_owned());
    }
    let fault = |seat: usize| {
        let record = verified.faults.iter().find(|record| record.seat.index() == seat)?;
        Some(record.fault.name().to_owned())
    };
    WorkerFound::End(WorkerMatchEnd {
        plies: verified.plies,
        fingerprint: Mark(verified.fingerprint.0),
        scores: verified.standing.scores.clone(),
        places: verified.standing.places.iter().map(|place| u32::from(*place)).collect(),
        faults: (0..planned.bots.len()).map(fault).collect(),
    })
}

/// Plays a match again whose bots do not depend on time.
pub(crate) fn by_playing(manner: &Manner<'_>, planned: &PlannedMatch, cancel: &Cancel) -> WorkerFound {
    if !is_timeless(manner.field, planned) {
        return WorkerFound::Nothing("its bots may depend on time".to_owned());
    }
    let mut forget = |bytes: Vec<u8>| Ok(BlobHash::of(&bytes));
    let nothing = |why: &str| WorkerFound::Nothing(why.to_owned());
    match manner.play_to_the_end(planned, cancel, None, &mut forget) {
        Ok(MatchEnd::Over { result, .. }) => match (result.ending, result.fingerprint) {
            (Ending::Finished, Some(fingerprint)) => WorkerFound::End(WorkerMatchEnd {
                plies: result.plies,
                fingerprint: Mark(fingerprint),
                scores: result.seats.iter().map(|seat| seat.score).collect(),
                places: result.seats.iter().map(|seat| seat.place).collect(),
                faults: result.seats.iter().map(|seat| seat.fault.as_ref().map(|fault| fault.kind.clone())).collect(),
            }),
            _ => nothing("the host spoilt it"),
        },
        Ok(MatchEnd::NotStarted { .. }) => nothing("its bots could not be started"),
        Ok(MatchEnd::Cancelled) => nothing("it was broken off"),
        Err(why) => WorkerFound::Nothing(why.to_string()),
    }
}

/// Returns whether no bot of a match can depend on time, so that it must end in the same way wherever it is played.
pub(crate) fn is_timeless(field: &Field, planned: &PlannedMatch) -> bool {
    planned.bots.iter().all(|bot| {
        let ready = field.bots().get(*bot as usize).and_then(|bot| bot.ready.as_ref().ok());
        ready.is_some_and(|ready| {
            let spec = ready.prepared.spec();
            matches!(spec, BotSpec::Builtin(_)) || spec.is_wasm()
        })
    })
}

/// Returns whether a match has ended as a result says.
pub(crate) fn agrees(end: &WorkerMatchEnd, result: &RecordedResult) -> bool {
    end.plies == result.plies
        && result.fingerprint == Some(end.fingerprint.0)
        && end.places.iter().eq(result.seats.iter().map(|seat| &seat.place))
        && end.scores.iter().eq(result.seats.iter().map(|seat| &seat.score))
        && end
            .faults
            .iter()
            .map(Option::as_ref)
            .eq(result.seats.iter().map(|seat| seat.fault.as_ref().map(|it| &it.kind)))
}

/// Returns whether a replay is of the match that was to be played. The rest of the description says how bots are called and started,
/// which may change, and differ from machine to machine.
fn is_same_match(recorded: &MatchSpec, expected: &MatchSpec) -> bool {
    recorded.game == expected.game
        && recorded.rules == expected.rules
        && recorded.map == expected.map
        && recorded.state == expected.state
        && recorded.seed == expected.seed
        && recorded.limit == expected.limit
        && recorded.seats.len() == expected.seats.len()
}
