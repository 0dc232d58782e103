//! Why the request of a worker is refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to a request of a worker that is refused. It comes with a status of 400 or more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerErrorDocument {
    /// What is wrong.
    pub error: WorkerError,
}

/// What is wrong with a request of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerError {
    /// What a program may decide by.
    pub code: WorkerErrorCode,
    /// What a person may read.
    pub message: String,
    /// What a person may do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The reasons for which requests of workers are refused, each with the status of its answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerErrorCode {
    /// 400: the request is none, or its body is no such document. To repeat it changes nothing.
    BadRequest,
    /// 401: the key is missing, or it is another one.
    NoKey,
    /// 403: the request comes from a page in a browser, or names another host.
    Forbidden,
    /// 403: the organiser wants no more matches from this worker. It leaves.
    PutAside,
    /// 403: the tournament needs another machine: another processor, or a stronger sandbox. The worker leaves.
    Unfit,
    /// 404: there is no such path, bundle or map.
    NotFound,
    /// 409: the server does not know this instance, because it began anew or the worker was silent for long. The worker
    /// registers again and goes on with what it has.
    UnknownWorker,
    /// 409: the worker has another version of Agon than the server.
    OtherVersion,
    /// 413: the body is too large.
    TooLarge,
    /// 422: the bytes do not have the hash in the path.
    OtherBytes,
    /// 422: a result names a replay or a log that was not sent. The worker sends it and repeats the report.
    NoBlob,
    /// 429: the worker asks too often. It waits as long as the answer says.
    Busy,
    /// 503: the server cannot answer now. The worker waits as long as the answer says.
    Unavailable,
    /// Any other reason: the status decides.
    #[serde(other)]
    Other,
}

impl WorkerErrorCode {
    /// Returns the status of answers with this code.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest | Self::Other => 400,
            Self::NoKey => 401,
            Self::Forbidden | Self::PutAside | Self::Unfit => 403,
            Self::NotFound => 404,
            Self::UnknownWorker | Self::OtherVersion => 409,
            Self::TooLarge => 413,
            Self::OtherBytes | Self::NoBlob => 422,
            Self::Busy => 429,
            Self::Unavailable => 503,
        }
    }
}
