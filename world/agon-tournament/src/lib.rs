//! Tournaments from one file: what the file says, and a runner that loses nothing.
//!
//! ```
//! use agon_play::{Cancel, CorePlacement, Helper};
//! use agon_store::Memory;
//! use agon_tournament::{Field, RunEnd, RunOptions, Tournament, TournamentEvent, TournamentFile};
//! use std::num::NonZeroUsize;
//!
//! let text = "game = \"grid\"\n[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
//! let file = TournamentFile::parse(text).map_err(|flaw| flaw.to_string())?;
//! let cancel = Cancel::new()?;
//! let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ())?;
//! let mut tournament = Tournament::open(Memory::new(), text, file, field)?;
//! let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Dense };
//! let mut results = 0;
//! let end = tournament.run(&options, &mut |event| results += u32::from(event.name() == "match"))?;
//! assert_eq!((end, results), (RunEnd::Complete, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `file` | [`TournamentFile`], [`TournamentBot`], [`Replays`]: what the file says |
//! | `kind` | the kinds of tournaments, and the keys that only some of them have |
//! | `preset` | [`Preset`]: the formats of contests, and where a file differs from them |
//! | `seeding` | [`EarlierOrder`]: the order of the bots by an earlier result |
//! | `seeds` | [`Seeds`]: what every seed follows from, and when that is published |
//! | `text` | TOML with places |
//! | `print` | writes a file with every default spelled out |
//! | `difference` | what differs between two files, and whether the past stays true |
//! | `fault_count` | when a bot has failed so often in a row that it is withdrawn |
//! | `kept` | the schedule as it was, kept in the store |
//! | `field` | [`Field`]: prepared bots and maps |
//! | `preflight` | [`BrokenBot`]: whether each bot can be started |
//! | `bundles` | [`bundles_of`]: what each bot needs on other machines, or why it cannot play there
//! | `tournament` | [`Tournament`]: begins a tournament, or continues where it was |
//! | `decisions` | [`Voided`], [`rename`]: which bots play and how they are called, which matches do not count or are played again |
//! | `purge` | [`PurgePreview`], [`put_aside`]: results of a worker that nobody trusts any more |
//! | `workers` | [`workers()`], [`Residuals`]: the machines that have played, and how they compare |
//! | `decided` | [`decisions()`], [`decision_text`]: what was decided, with the reasons |
//! | `run` | [`RunOptions`], [`RunEnd`]: plays it |
//! | `load` | the work of a run, seen from the thread that leads it |
//! | `played` | one match and its record |
//! | `recheck` | how a match has ended, found out again, to check the result of another machine |
//! | `player` | [`Player`]: plays single matches for another machine that keeps their results |
//! | `stock` | [`Stock`]: what workers on other machines fetch |
//! | `others` | [`Others`]: workers on other machines, as a run sees them |
//! | `outcome` | what the schedule needs to know of a result |
//! | `past` | the schedule, made anew from a store |
//! | `stderr_log` | [`logs_of`]: what a bot wrote to its stderr, for its author alone |
//! | `status` | [`Status`]: how far a tournament is |
//! | `export` | [`export()`], [`to_csv`]: a tournament as data for other programs |
//! | `rate` | [`rate()`], [`RateOptions`], [`RateModel`]: how strong the bots are |
//! | `report` | [`report()`], [`sections`], [`report_markdown`], [`report_csv`]: what a tournament says about its bots |
//! | `page` | [`report_html`], [`Archive`], [`test_html`]: a report as one page, also of a test of a new version |
//! | `archive` | [`write_archive`], [`ArchiveError`]: a tournament as a folder that anybody can verify |
//! | `event` | [`TournamentEvent`]: what a run tells |
//! | `again` | [`play_again`]: plays a match again and compares |
//! | `verify` | [`verify()`]: checks every replay and the table of a store |
//! | `verify_export` | [`verify_export()`]: checks what was published of a tournament, without its store |
//! | `error` | [`TournamentError`]: why a tournament cannot be played |
//! | `words` | [`words`]: numbers in words, for people |

mod again;
mod archive;
mod bundles;
mod decided;
mod decisions;
mod difference;
mod error;
mod event;
mod export;
mod fault_count;
mod field;
mod file;
mod host;
mod kept;
mod kind;
mod load;
mod others;
mod outcome;
mod page;
mod past;
mod played;
mod player;
mod preflight;
mod preset;
mod print;
mod purge;
mod rate;
mod recheck;
mod report;
mod run;
mod seeding;
mod seeds;
mod status;
mod stderr_log;
mod stock;
mod text;
mod tournament;
mod verify;
mod verify_export;
pub mod words;
mod workers;

pub use again::{Replayed, play_again};
pub use agon_bundle::{BundlePlan, CannotTravel};
pub use archive::{ArchiveError, PagesOf, StderrOf, WatchPages, write_archive};
pub use bundles::{bundles_of, flaw_of_travel};
pub use decided::{decision_text, decisions};
pub use decisions::{Voided, rename};
pub use error::TournamentError;
pub use event::TournamentEvent;
pub use export::{export, to_csv};
pub use field::Field;
pub use file::{Machines, Replays, TournamentBot, TournamentFile};
pub use host::{cpu_model, this_processor};
pub use others::Others;
pub use page::{Archive, report_html, test_html};
pub use played::{now_ms, recorded};
pub use player::{Player, PlayerEnd};
pub use preflight::BrokenBot;
pub use preset::{ContestDifference, PRESETS, Preset};
pub use purge::{PurgePreview, Purged, preview_purge, purges, put_aside, take_back};
pub use rate::{RateFilter, RateModel, RateOptions, SeatAdvantage, rate};
pub use report::{Cell, Section, report, report_csv, report_markdown, sections};
pub use run::{RunEnd, RunOptions, planned_match};
pub use seeding::EarlierOrder;
pub use seeds::Seeds;
pub use status::Status;
pub use stderr_log::{BotLog, logs_of};
pub use stock::Stock;
pub use tournament::Tournament;
pub use verify::{Finding, Verification, verify, verify_seeds, verify_table};
pub use verify_export::verify_export;
pub use workers::{Residuals, facts_text, first_processor, workers};
