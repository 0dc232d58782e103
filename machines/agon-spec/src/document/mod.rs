//! The documents that commands print with `--format json`. There is one file for each command.

mod bench;
mod build;
mod check;
mod console;
mod contest;
mod doctor;
mod fuzz;
mod games;
mod hostile;
mod map;
mod match_;
mod rate;
mod replay;
mod series;
mod stats;
mod submission;
mod test;
mod tournament;
mod tournament_report;
mod tournament_status;
mod tournament_workers;

pub use bench::{BenchDocument, Figure, Machine};
pub use build::{BuildDocument, CleanDocument};
pub use check::{CheckDocument, CheckFinding, CheckStep, StepResult};
pub use console::{
    ConsoleAnswer, ConsoleBranch, ConsoleClock, ConsoleDocument, ConsoleError, ConsoleSeat, ConsoleSeatState,
    ConsoleText,
};
pub use contest::{
    ContestAccountDocument, ContestAccountRow, ContestAct, ContestDocument, ContestErrorDocument, ContestInvite,
    ContestMember, ContestOrganiseDocument, ContestRegistration, ContestRole, ContestSession, ContestSessionKind,
    ContestStanding, ContestTeamDocument, ContestTeamName, ContestTeamRow, ContestTeamsDocument, ContestViewer,
    ServeDocument, ServerOpenness,
};
pub use doctor::{Clocks, DoctorDocument, LanguageTool, Protection, ProtectionState};
pub use fuzz::{FuzzDocument, FuzzEnd, FuzzFinding};
pub use games::{
    DialectDescription, FormatDescription, GameDocument, LimitDescription, NameDescription, PointDescription,
};
pub use hostile::{HostileDocument, HostileKind, HostileRow};
pub use map::{FlawDocument, MapCheckDocument, MapShowDocument};
pub use match_::{DecisionTime, MatchDocument, MatchOutcome, MatchSeat, SeatBotKind, SeatFault};
pub use rate::{LotteryShare, RateDocument, RateResidual, RateSurvival, RatedAdvantage, RatedBot};
pub use replay::{
    AnswerTime, AskDocument, DifferenceDocument, ExchangePiece, PlyDocument, PresentAnswer, RecordedAnswer,
    ReplayDocument, SeatSum, TimeDocument, VerifyDocument, VerifySeveralDocument, ViewDocument,
};
pub use series::{SeriesBot, SeriesDocument, SeriesFault};
pub use stats::{StatsEloDocument, StatsEstimate, StatsEstimateDocument, StatsLlrDocument, StatsSequenceDocument};
pub use submission::{
    SubmissionDocument, SubmissionFile, SubmissionLog, SubmissionReceipt, SubmissionResult, SubmissionRow,
    SubmissionStatus, SubmissionStep, SubmissionsDocument,
};
pub use test::{
    ClimbDocument, ClimbRung, TestBot, TestDocument, TestEstimate, TestFault, TestFaults, TestNull, TestSeat,
    TuneDocument, TunedParameter,
};
pub use tournament::{
    ExportedStanding, TournamentAbout, TournamentBotRow, TournamentDocument, TournamentMatch, TournamentResult,
    TournamentSeat, TournamentSeeds,
};
pub use tournament_report::{
    ReportBot, ReportBotMatch, ReportBotMatches, ReportBotScores, ReportCross, ReportEncounter, ReportFault,
    ReportFaults, ReportMapScores, ReportMatches, ReportNotCounted, ReportRating, ReportRound, ReportScore,
    ReportShare, ReportSide, ReportSpoilt, ReportStanding, ReportTie, ReportTime, ReportTimeBin,
    TournamentReportDocument,
};
pub use tournament_status::{
    BotShare, BrokenBotRow, BundleRow, CannotTravelRow, ContestDifferenceRow, DecisionKind, FailedCheck, PlayedResult,
    SeedsCheck, StandingRow, StandingsCheck, StoreCheckDocument, TournamentCheckDocument, TournamentDecision,
    TournamentReplayDocument, TournamentStatusDocument, TournamentVerifyDocument, TrialFault, VerifyFinding,
};
pub use tournament_workers::{
    PurgedBot, TournamentPurgeDocument, TournamentWorker, TournamentWorkersDocument, WorkerComparison, WorkerFacts,
    WorkerResidual,
};
