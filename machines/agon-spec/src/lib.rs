//! The documents of Agon: descriptions of matches, records of matches, and the JSON that commands print.
//!
//! Games do not use these types. Everything that starts, records or reports a match does.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`spec`](MatchSpec) | the description of a match |
//! | [`record`](MatchEvent), [`fault`](Fault), [`time_record`](TimeRecord) | the events, faults and times of a match |
//! | [`json_list`](JsonList) | orders and events as a record has them |
//! | `turn_line` | writes a turn as JSON |
//! | [`replay_line`](Header) | the first line of a replay, and the last |
//! | [`isolation`](Isolation) | the levels of isolation of bots |
//! | [`fuel`] | how many instructions a WASM bot may use |
//! | `memory_size` | [`parse_mib`]: amounts of memory as people write them |
//! | `document` | the documents that commands print, with one file for each command |
//! | [`schema`](DocumentKind) | the list of documents ([`DOCUMENTS`]) and their JSON Schemas |
//! | `worker` | the documents between a tournament and the workers on other machines |
//! | `shape` | the form of `agon-core`'s types in a document |

mod document;
mod fault;
mod fault_cause;
mod fault_fields;
pub mod fuel;
mod isolation;
mod json_list;
mod memory_size;
mod record;
mod refused;
mod replay_line;
mod schema;
mod shape;
mod spec;
mod time_record;
mod turn_line;
mod worker;

pub use document::*;
pub use fault::{Exit, Fault, FaultRecord, turn_name};
pub use fault_cause::FaultCause;
pub use fuel::Fuel;
pub use isolation::Isolation;
pub use json_list::{JsonList, JsonText};
pub use memory_size::parse_mib;
pub use record::{EntryRecord, Mark, MatchEvent, PlyRecord, SpoiltRecord};
pub use refused::{Refused, RefusedCount, RefusedKind, RefusedRecord};
use replay_line::ReplayLine;
pub use replay_line::{Certificate, Cut, End, Footer, Header, SeatTime};
pub use schema::{DocumentKind, SCHEMA_VERSION, Versioned};
pub use spec::{Limits, MatchSpec, SeatSpec};
pub use time_record::TimeRecord;
pub use worker::*;

/// Every kind of document, in the order of `agon schema --list`.
pub const DOCUMENTS: &[DocumentKind] = &[
    DocumentKind::new::<Versioned<MatchDocument>>("match", "agon match"),
    DocumentKind::new::<Versioned<SeriesDocument>>("match-series", "agon match --games"),
    DocumentKind::new::<Versioned<TestDocument>>("test", "agon test"),
    DocumentKind::new::<Versioned<ClimbDocument>>("climb", "agon climb"),
    DocumentKind::new::<Versioned<TuneDocument>>("tune", "agon tune"),
    DocumentKind::new::<MatchSpec>("match-spec", "the header of a replay"),
    DocumentKind::new::<Header>("replay-header", "the first line of a replay"),
    DocumentKind::new::<ReplayLine>("replay-line", "the other lines of a replay"),
    DocumentKind::new::<Versioned<ReplayDocument>>("replay-show", "agon replay show"),
    DocumentKind::new::<Versioned<PlyDocument>>("replay-show-ply", "agon replay show --ply"),
    DocumentKind::new::<Versioned<TimeDocument>>("replay-show-time", "agon replay show --time"),
    DocumentKind::new::<Versioned<VerifyDocument>>("replay-verify", "agon replay verify"),
    DocumentKind::new::<Versioned<VerifySeveralDocument>>("replay-verify-several", "agon replay verify FILE FILE"),
    DocumentKind::new::<Versioned<ViewDocument>>("replay-view", "agon replay view"),
    DocumentKind::new::<Versioned<AskDocument>>("replay-ask", "agon replay ask"),
    DocumentKind::new::<Versioned<ConsoleDocument>>("console", "agon console --terminal"),
    DocumentKind::new::<Versioned<ViewDocument>>("console-page", "agon console"),
    DocumentKind::new::<Versioned<CheckDocument>>("check", "agon check"),
    DocumentKind::new::<Versioned<TournamentCheckDocument>>("tournament-check", "agon tournament check"),
    DocumentKind::new::<Versioned<TournamentStatusDocument>>("tournament-status", "agon tournament status"),
    DocumentKind::new::<Versioned<TournamentWorkersDocument>>("tournament-workers", "agon tournament workers"),
    DocumentKind::new::<Versioned<TournamentPurgeDocument>>("tournament-purge", "agon tournament workers FILE purge"),
    DocumentKind::new::<Versioned<TournamentReplayDocument>>("tournament-replay", "agon tournament replay"),
    DocumentKind::new::<Versioned<TournamentVerifyDocument>>("tournament-verify", "agon tournament verify"),
    DocumentKind::new::<Versioned<StoreCheckDocument>>("store-check", "agon store check"),
    DocumentKind::new::<Versioned<TournamentDocument>>("tournament-export", "agon tournament export"),
    DocumentKind::new::<Versioned<TournamentReportDocument>>("tournament-report", "agon tournament report"),
    DocumentKind::new::<Versioned<RateDocument>>("rate", "agon rate"),
    DocumentKind::new::<Versioned<StatsLlrDocument>>("stats-llr", "agon stats llr"),
    DocumentKind::new::<Versioned<StatsEloDocument>>("stats-elo", "agon stats elo"),
    DocumentKind::new::<Versioned<StatsEstimateDocument>>("stats-estimate", "agon stats estimate"),
    DocumentKind::new::<Versioned<StatsSequenceDocument>>("stats-sequence", "agon stats sequence"),
    DocumentKind::new::<Versioned<MapCheckDocument>>("map-check", "agon map check"),
    DocumentKind::new::<Versioned<MapShowDocument>>("map-show", "agon map show"),
    DocumentKind::new::<Versioned<BuildDocument>>("build", "agon build"),
    DocumentKind::new::<Versioned<CleanDocument>>("build-clean", "agon build --clean"),
    DocumentKind::new::<Versioned<BenchDocument>>("bench", "cargo xtask bench"),
    DocumentKind::new::<Versioned<HostileDocument>>("selftest-hostile", "agon selftest hostile"),
    DocumentKind::new::<Vec<HostileKind>>("selftest-hostile-list", "agon selftest hostile --list"),
    DocumentKind::new::<Versioned<FuzzDocument>>("selftest-fuzz", "agon selftest fuzz"),
    DocumentKind::new::<Versioned<DoctorDocument>>("doctor", "agon doctor"),
    DocumentKind::new::<Vec<GameDocument>>("games", "agon games"),
    DocumentKind::new::<Versioned<GameDocument>>("game", "agon games GAME"),
    DocumentKind::new::<WorkerRegister>("worker-register", "POST /worker/1/register"),
    DocumentKind::new::<WorkerRegistered>("worker-registered", "the answer to POST /worker/1/register"),
    DocumentKind::new::<WorkerField>("worker-field", "GET /worker/1/field"),
    DocumentKind::new::<WorkerReady>("worker-ready", "POST /worker/1/ready"),
    DocumentKind::new::<WorkerClaim>("worker-claim", "POST /worker/1/claim"),
    DocumentKind::new::<WorkerClaimed>("worker-claimed", "the answer to POST /worker/1/claim"),
    DocumentKind::new::<WorkerBeat>("worker-beat", "POST /worker/1/beat"),
    DocumentKind::new::<WorkerBeaten>("worker-beaten", "the answer to POST /worker/1/beat"),
    DocumentKind::new::<WorkerReport>("worker-report", "POST /worker/1/report"),
    DocumentKind::new::<WorkerReported>("worker-reported", "the answer to POST /worker/1/report"),
    DocumentKind::new::<WorkerChecked>("worker-checked", "POST /worker/1/checked"),
    DocumentKind::new::<WorkerRelease>("worker-release", "POST /worker/1/release"),
    DocumentKind::new::<WorkerGiveBack>("worker-give-back", "POST /worker/1/give-back"),
    DocumentKind::new::<WorkerErrorDocument>("worker-error", "an answer to a worker with a status of 400 or more"),
    DocumentKind::new::<Versioned<ServeDocument>>("serve", "agon serve"),
    DocumentKind::new::<Versioned<ContestDocument>>("contest", "GET /api/contest"),
    DocumentKind::new::<Versioned<ContestAccountDocument>>("contest-account", "GET /api/account"),
    DocumentKind::new::<Versioned<ContestTeamsDocument>>("contest-teams", "GET /api/teams"),
    DocumentKind::new::<Versioned<ContestTeamDocument>>("contest-team", "GET /api/teams/NUMBER"),
    DocumentKind::new::<Versioned<ContestOrganiseDocument>>("contest-organise", "GET /api/organise"),
    DocumentKind::new::<Versioned<SubmissionReceipt>>("submission-receipt", "POST /api/teams/TEAM/versions"),
    DocumentKind::new::<Versioned<SubmissionDocument>>("submission", "agon submit"),
    DocumentKind::new::<Versioned<SubmissionsDocument>>("submissions", "GET /api/teams/TEAM/versions"),
    DocumentKind::new::<Versioned<ContestErrorDocument>>(
        "contest-error",
        "an answer under /api with a status of 400 or more",
    ),
];
