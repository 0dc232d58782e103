//! From a user's words to prepared bots to played matches: everything that `agon match` does but read arguments and
//! print words, for programs that play matches of their own, many at once.
//!
//! ```
//! use agon_play::{Cancel, Helper, MatchTerms, NamedBot, Outcome, PlayOptions, Preparer, SandboxOptions, play};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // First of all: this program becomes the helper of the sandbox, should a bot need one.
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
//!     let Outcome::Finished(standing) = result.outcome else { panic!("nobody has cancelled it") };
//!     assert_eq!(standing.places, [1, 2]);
//!     Ok(())
//! }
//! ```
//!
//! A bot is prepared once and played as often as is wanted, on as many threads as are wanted: a [`PreparedBot`] is plain
//! data. Nothing is printed, and nothing is read from the environment but where users keep their files; what happens is
//! told as [`Event`]s, and what goes wrong is an [`Error`] that says whose affair it is.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `bot` | [`BotSpec`], [`NamedBot`]: what a user's words name |
//! | `bot_name` | [`unique_names`]: what bots are called |
//! | `game` | [`find_game`], [`parse_clock`]: what a user names of a game |
//! | `map` | [`MapSource`], [`MapFile`]: maps from files and generators |
//! | `seat_option` | [`SeatOption`]: what one seat has for itself |
//! | `terms` | [`MatchTerms`], [`MatchPlan`]: what a match is played by, checked before a bot is started |
//! | `prepare` | [`Preparer`], [`PreparedBot`]: bots that can be started |
//! | `sandbox` | [`SandboxOptions`], [`Decision`]: how bots are isolated |
//! | `visible` | what of its user's files a bot sees |
//! | `build` | [`BuildIsolation`], [`BuildError`]: bots as folders and archives |
//! | `champion`, `wasm` | what plays champions and modules |
//! | `helper` | [`helper()`], [`Helper`]: the program that is started anew |
//! | `hash` | [`ContentHash`]: what a bot is, as a number |
//! | `play` | [`play()`], [`PlayOptions`], [`MatchResult`], [`Outcome`]: one match |
//! | `cancel` | [`Cancel`]: ends what runs, in two stages |
//! | `cores` | [`CorePool`], [`CorePlacement`]: the cores of this machine, shared |
//! | `event` | [`Event`]: all that happens |
//! | `replay_file` | [`ReplaySink`], [`ReplayFile`], [`load_replay`]: replays |
//! | `transcript` | [`TranscriptSink`]: every byte that bots read and wrote |
//! | `history` | [`History`]: the turns of a match, for when it is over |
//! | `error` | [`Error`], [`Tier`] |

mod bot;
mod bot_name;
mod build;
mod cancel;
mod champion;
mod cores;
mod error;
mod event;
mod game;
mod hash;
mod helper;
mod history;
mod map;
mod play;
mod prepare;
mod replay_file;
mod sandbox;
mod seat_option;
mod terms;
mod transcript;
mod visible;
mod wasm;

pub use agon_run::{MatchOver, People, PeopleHandle};
pub use bot::{BotError, BotSpec, NamedBot, builtin};
pub use bot_name::unique_names;
pub use build::{BuildError, BuildIsolation};
pub use cancel::Cancel;
pub use cores::{CoreClaim, CorePlacement, CorePool};
pub use error::{Error, Excerpt, FileError, Result, Tier, system_words};
pub use event::Event;
pub use game::{NoGame, find_game, parse_clock};
pub use hash::ContentHash;
pub use helper::{Helper, helper};
pub use history::History;
pub use map::{MAP_LIMIT, MapError, MapFile, MapSource};
pub use play::{Listen, MatchResult, NotStarted, Outcome, PlayOptions, SpoiltBy, play};
pub use prepare::{PreparedBot, Preparer};
pub use replay_file::{ReplayError, ReplayFile, ReplayReport, ReplaySink, ZSTD_MAGIC, load_replay, open_replay};
pub use sandbox::{Decision, IsolationChoice, RETRY_HINT, SandboxError, SandboxOptions, level_works, strongest};
pub use seat_option::SeatOption;
pub use terms::{MatchPlan, MatchTerms, MemoryLimit, Part, TermsError};
pub use transcript::{TranscriptReport, TranscriptSink};
