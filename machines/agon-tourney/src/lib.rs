//! Schedules of tournaments as pure machines: results in, pairings out.
//!
//! A [`Schedule`] knows a [`Spec`] and the outcomes so far, and says which matches may be played now. It has no file,
//! clock or thread. Everything it draws follows from the tournament's seed, the outcomes and the [`Amendment`]s, never
//! from how many matches run at once or in which order they end. So a tournament that was killed continues with
//! [`Schedule::resume`] as if nothing had happened.
//!
//! ```
//! use agon_tourney::{Outcome, Schedule, SeatResult, Spec};
//!
//! let mut schedule = Schedule::new(Spec::round_robin(4))?;
//! while !schedule.is_complete() {
//!     for pairing in schedule.next(2) {
//!         // In this example, the bot with the smaller number always wins.
//!         let best = pairing.seats.iter().min();
//!         let seats = pairing.seats.iter().map(|e| SeatResult::new(if Some(e) == best { 1 } else { 2 }, 0)).collect();
//!         schedule.record(pairing.id, Outcome::Finished(seats))?;
//!     }
//! }
//! let standings = schedule.standings();
//! assert_eq!(standings.rows.iter().map(|row| row.points).collect::<Vec<_>>(), [12, 8, 4, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Words
//!
//! A *block* is a set of bots that play on one map with one seed, once for each of the [`Seatings`]. A *round* is
//! what the kind of tournament makes of it: a round robin plays every pair once in each. A bot without a match in a
//! round of a Swiss tournament has a *bye*.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `pairing` | [`Entrant`], [`MatchId`], [`Pairing`] |
//! | `outcome` | [`Outcome`], [`SeatResult`] |
//! | `points` | [`Points`]: what places are worth |
//! | `spec` | [`Spec`], [`Seatings`], [`Withdrawn`] |
//! | `kind` | [`Kind`], and `KindRules`: everything that a kind of tournament decides |
//! | `seeding` | [`Seeding`]: the order of the bots before the first match |
//! | `check` | [`Spec::check`], [`Spec::matches`]: what cannot be played, and how many matches there are |
//! | `amendment` | [`Amendment`], [`Change`]: what the organiser decides while the tournament runs |
//! | `difference` | [`Difference`], [`Spec::differences`]: whether a tournament that has begun may change |
//! | `schedule` | [`Schedule`] |
//! | `ledger` | every match that was drawn, and its outcome, in few bytes |
//! | `draw` | the seam between the schedule and the kinds |
//! | `seating` | which bot of a block sits where |
//! | `standings`, `tie_break`, `walkover` | [`Standings`], [`TieBreak`], points without a match |
//! | `round_robin`, `swiss`, `elimination`, `groups`, `ladder` | the kinds |
//! | `encounter`, `bracket` | two bots play until one advances; [`Bracket`] |
//! | `matching`, `swiss_groups` | the best pairs and groups of a round |
//! | `comparison` | [`Comparison`]: is a new version of a bot better than the old one? |
//! | `tuning` | [`Tuning`]: which parameters make a bot stronger? |

mod amendment;
mod bracket;
mod check;
mod comparison;
mod difference;
mod draw;
mod elimination;
mod encounter;
mod groups;
mod kind;
mod ladder;
mod ledger;
mod matching;
mod outcome;
mod pairing;
mod points;
mod round_robin;
mod schedule;
mod seating;
mod seeding;
mod spec;
mod standings;
mod swiss;
mod swiss_groups;
mod tie_break;
mod tuning;
mod walkover;

pub use amendment::{Amendment, Change};
pub use bracket::{Bracket, BracketEncounter, BracketPart, BracketRound, Side};
pub use check::{MOST_MATCHES, MatchCount};
pub use comparison::{
    ATTEMPTS, BlockMatch, BlockValue, BotFaults, Comparison, ComparisonTerms, CountedBlock, CoursePoint, FAILING,
    Findings, FinishedMatch, LEFT_OUT, MatchEnd, Measure, NEW, OLD, REPEATS, Reason, ReportError, TermsFlaw, Verdict,
    relabelled,
};
pub use difference::Difference;
pub use kind::{KeyValue, Kind, KindKey};
pub use outcome::{Outcome, SeatResult};
pub use pairing::{Entrant, MatchId, Pairing};
pub use points::Points;
pub use schedule::{KeptSchedule, Progress, RecordError, Schedule};
pub use seeding::Seeding;
pub use spec::{Seatings, Spec, Withdrawn};
pub use standings::{Row, Standings};
pub use tie_break::TieBreak;
pub use tuning::{Parameter, Probe, Tuning, TuningFlaw, TuningTerms};
