//! What can go wrong with a request, and whether to repeat it.

use agon_spec::{WorkerError, WorkerErrorDocument};
use std::time::Duration;

/// Why a request has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// The server cannot be reached, or what answers is not it. The request may have been carried out all the same.
    Away(String),
    /// The server asks for patience, for so long if it says that.
    Busy {
        /// How long to wait.
        after: Option<Duration>,
        /// What the server says.
        why: String,
    },
    /// The server refuses the request.
    Refused(WorkerError),
    /// What answers is no server of Agon, as far as one can tell from the answer.
    Stranger(String),
}

impl Trouble {
    /// Reads the answer of a server that has refused a request.
    pub(crate) fn of_answer(status: u16, retry_after: Option<&str>, body: &[u8]) -> Self {
        let after = retry_after.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
        let told = serde_json::from_slice::<WorkerErrorDocument>(body).ok().map(|document| document.error);
        let why =
            |told: Option<WorkerError>| told.map_or_else(|| format!("it answers with {status}"), |told| told.message);
        match status {
            408 | 429 | 503 => Self::Busy { after, why: why(told) },
            // A proxy whose server is gone, or a server that failed at this request.
            500..=599 => Self::Away(why(told)),
            300..=399 => Self::Stranger(format!("it answers with {status} and sends the worker elsewhere")),
            _ => told.map_or_else(|| Self::Stranger(format!("it answers with {status}")), Self::Refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_spec::WorkerErrorCode;

    const REFUSAL: &[u8] = br#"{"error":{"code":"no_key","message":"the key is another one","hint":"copy it again"}}"#;

    #[test]
    fn the_status_says_whether_to_wait() {
        let busy = |after| Trouble::Busy { after, why: "it answers with 503".to_owned() };
        assert_eq!(Trouble::of_answer(503, Some("7"), b"<html>"), busy(Some(Duration::from_secs(7))));
        // A date is a wish, too, but none that depends on the clocks of two machines.
        assert_eq!(Trouble::of_answer(503, Some("Wed, 21 Oct 2026 07:28:00 GMT"), b""), busy(None));
        assert_eq!(Trouble::of_answer(503, Some("-1"), b""), busy(None));
        assert!(
            matches!(Trouble::of_answer(429, Some("3"), REFUSAL), Trouble::Busy { why, .. } if why.contains("key"))
        );
        assert!(matches!(Trouble::of_answer(502, None, b"bad gateway"), Trouble::Away(_)));
        assert!(matches!(Trouble::of_answer(302, None, REFUSAL), Trouble::Stranger(_)));
        assert!(matches!(Trouble::of_answer(404, None, b"not here"), Trouble::Stranger(_)));
    }

    #[test]
    fn a_refusal_says_why() {
        let Trouble::Refused(error) = Trouble::of_answer(401, None, REFUSAL) else { panic!("it is refused") };
        assert_eq!((error.code, error.hint.as_deref()), (WorkerErrorCode::NoKey, Some("copy it again")));
        // A server of later times has reasons that this worker does not know.
        let other = br#"{"error":{"code":"too_late","message":"the doors are shut"}}"#;
        let Trouble::Refused(error) = Trouble::of_answer(403, None, other) else { panic!("it is refused") };
        assert_eq!((error.code, error.message.as_str()), (WorkerErrorCode::Other, "the doors are shut"));
        let unknown = br#"{"error":{"code":"unknown_worker","message":"who"}}"#;
        let Trouble::Refused(error) = Trouble::of_answer(409, None, unknown) else { panic!("it is refused") };
        assert_eq!(error.code, WorkerErrorCode::UnknownWorker);
    }
}
