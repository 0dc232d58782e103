//! Turns a user's words into prepared bots and plays matches with them, many at the same time.
//!
//! This crate does everything that `agon match` does, except that it parses no arguments and prints nothing. Use it in
//! programs that play matches of their own.
//!
//! ```
//! use agon_play::{Cancel, Helper, MatchTerms, NamedBot, Outcome, PlayOptions, Preparer, SandboxOptions, play};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Call this first: the sandbox starts this program again as its helper if a bot needs one.
//!     agon_play::helper();
//!     let game = agon_play::find_game("planet-wars")?;
//!     let mut bots = vec![NamedBot::parse(game, "strong=@rage")?, NamedBot::parse(game, "@random")?];
//!     agon_play::unique_names(&mut bots);
//!
//!     let plan = MatchTerms::default().plan(game, &bots)?;
//!     let mut preparer = Preparer::new(Helper::ThisProgram, SandboxOptions::default(), Cancel::new()?);
//!     let prepared = bots.iter().map(|bot| preparer.prepare(game, bot, &mut |_| ()));
//!     let prepared = prepared.collect::<Result<Vec<_>, _>>()?;
//!
//!     let result = play(game, &plan.spec(&prepared), &prepared, PlayOptions::default(), &mut |_| ())?;
//!     let Outcome::Finished(standing) = result.outcome else { panic!("the match was not cancelled") };
//!     assert_eq!(standing.places, [1, 2]);
//!     Ok(())
//! }
//! ```
//!
//! Prepare a bot once. You can then play it any number of times and on any number of threads: a [`PreparedBot`] is
//! plain data. The crate prints nothing. From the environment it reads only where users keep their files. It reports
//! progress as [`Event`]s and failures as an [`Error`], which says who can fix the problem.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `bot` | [`BotSpec`], [`NamedBot`]: the bot that a user's words name |
//! | `bot_name` | [`unique_names`]: the names of bots |
//! | `misleading_name` | [`misleading_names`]: names that people read as another one |
//! | `game` | [`find_game`], [`parse_clock`], [`nearest`], [`seat_range`]: games and clocks by name |
//! | `map` | [`MapSource`], [`MapFile`]: maps from files and generators |
//! | `seat_option` | [`SeatOption`]: options of a single seat |
//! | `terms` | [`MatchTerms`], [`MatchPlan`]: the settings of a match, checked before any bot starts |
//! | `prepare` | [`Preparer`]: makes bots ready to start |
//! | `prepared_bot` | [`PreparedBot`]: a bot that is ready to start |
//! | `sandbox` | [`SandboxOptions`], [`Decision`]: how bots are isolated |
//! | `visible` | the user's files that a bot can see |
//! | `build` | [`BuildIsolation`], [`BuildError`]: bots in folders and archives |
//! | `champion`, `wasm` | the programs that play champions and WASM modules |
//! | `helper` | [`helper()`], [`Helper`]: the program that the sandbox starts again as its helper |
//! | `command_parts` | [`command_parts()`]: what the words of a command name
//! | `hash` | [`ContentHash`]: a hash that identifies a bot |
//! | `covered` | [`ChangedBot`]: the files behind the hash of a command, and what has changed of them |
//! | `play` | [`play()`], [`PlayOptions`], [`MatchResult`], [`Outcome`]: one match |
//! | `attempt` | [`HostHistory`], [`Settled`]: plays a match again that the host has spoilt |
//! | `series` | [`Series`], [`SeriesTally`]: games of the same bots with seats exchanged |
//! | `workers` | [`work_at_once()`], [`Workload`], [`SharedWorkload`]: many matches at once, also elsewhere |
//! | `room` | [`Room`], [`tasks_left`]: how many matches at once there is room for, and how many threads and processes |
//! | `cancel` | [`Cancel`]: cancels running work in two stages |
//! | `cores` | [`CorePool`], [`CorePlacement`]: the shared cores of this machine |
//! | `event` | [`Event`]: the progress of preparations and matches |
//! | `exposure` | [`Exposure`], [`MatchFile`]: what bots could read of what a match writes |
//! | `withheld` | [`Withheld`], [`Unfinished`]: files that bots must not see before the match is over |
//! | `replay_file` | [`ReplaySink`], [`ReplayFile`], [`load_replay`]: replays |
//! | `transcript` | [`TranscriptSink`]: every byte that bots read and wrote |
//! | `history` | [`History`]: the turns of a match, to look at when it is over |
//! | `error` | [`Error`], [`Tier`]: what went wrong, and who can fix it |

mod attempt;
mod bot;
mod bot_name;
mod build;
mod cancel;
mod cause;
mod champion;
mod command_parts;
mod cores;
mod covered;
mod error;
mod event;
mod exposure;
mod game;
mod hash;
mod helper;
mod history;
mod interpreted;
mod map;
mod misleading_name;
mod play;
mod prepare;
mod prepared_bot;
mod replay_file;
mod room;
mod sandbox;
mod seat_option;
mod series;
mod starting_folder;
mod terms;
mod transcript;
mod variable;
mod visible;
mod wasm;
mod withheld;
mod workers;

pub use agon_languages::usual_start;
pub use agon_run::{MatchOver, People, PeopleHandle, Shortage, StartError, StartFault};
pub use attempt::{HostHistory, MORE_ATTEMPTS, Settled};
pub use bot::{BotError, BotSpec, NamedBot, builtin, is_unsupported_archive};
pub use bot_name::unique_names;
pub use build::{BuildError, BuildIsolation};
pub use cancel::Cancel;
pub use cause::{Cause, cause};
pub use command_parts::{CommandPart, CommandPath, command_parts, programs_started};
pub use cores::{CoreClaim, CorePlacement, CorePool, Placed};
pub use covered::{ChangedBot, Covered};
pub use error::{Error, Excerpt, FileError, Result, Tier, shortage_hint, system_words};
pub use event::Event;
pub use exposure::{Exposed, Exposure, MatchFile};
pub use game::{NoGame, find_game, nearest, parse_clock, seat_range};
pub use hash::ContentHash;
pub use helper::{Helper, helper};
pub use history::History;
pub use map::{MAP_LIMIT, MapError, MapFile, MapSource};
pub use misleading_name::{MisleadingName, misleading_names};
pub use play::{Listen, MatchResult, NotStarted, Outcome, PlayOptions, play};
pub use prepare::Preparer;
pub use prepared_bot::PreparedBot;
pub use replay_file::{ReplayError, ReplayFile, ReplayReport, ReplaySink, load_replay, open_replay, unpacked};
pub use room::{Room, tasks_left};
pub use sandbox::{Decision, IsolationChoice, RETRY_HINT, SandboxError, SandboxOptions, level_works, strongest};
pub use seat_option::SeatOption;
pub use series::{BotTally, Course, Series, SeriesGame, SeriesSums, SeriesTally};
pub use terms::{MatchPlan, MatchTerms, MemoryLimit, Part, TermsError};
pub use transcript::{Transcript, TranscriptReport, TranscriptSink, begins_transcript};
pub use variable::Variable;
pub use withheld::{Unfinished, Withheld};
pub use workers::{Post, SharedWorkload, Workload, work_at_once, work_with_others};
