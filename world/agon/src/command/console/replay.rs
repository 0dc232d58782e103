//! `agon console --replay FILE`.

use super::session::parse_bot;
use crate::{
    clean::clean,
    command::replay::verified,
    error::{Error, Result},
    printer::Printer,
    report::turns,
};
use agon_games::AnyGame;
use agon_play::{MatchPlan, MemoryLimit, NamedBot, load_replay, unique_names};
use agon_replay::Replay;
use std::path::{Path, PathBuf};

/// The replay with which a session begins.
pub struct Recorded {
    pub game: &'static dyn AnyGame,
    pub path: PathBuf,
    /// The replay. It reproduces.
    pub replay: Replay,
    /// The turn after which the session stands. `None` is the last one.
    pub ply: Option<u32>,
}

impl Recorded {
    /// Reads a replay and verifies it.
    ///
    /// # Errors
    /// It cannot be read, is of another game than `game`, does not reproduce, or has no turn `ply`.
    pub fn read(path: &Path, game: Option<&str>, ply: Option<u32>, printer: &Printer) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Err(Error::user(
                "a console cannot begin with a replay from stdin, because commands come from there",
            )
            .hint("write the replay to a file"));
        }
        let shown = clean(&path.display().to_string());
        // It is read twice, and a pipe can be read once.
        if path.metadata().is_ok_and(|about| !about.is_file()) {
            return Err(Error::user(format!("`{shown}` is no file")).hint("write the replay to a file"));
        }
        let (replay, recorded) = load_replay(path)?;
        if let Some(game) = game.filter(|game| *game != recorded.name()) {
            let other = crate::game::find(game)?;
            let why = format!("`{shown}` is a match of {}, not of {}", recorded.title(), other.title());
            return Err(Error::user(why).hint("without GAME, the console takes the game of the replay"));
        }
        let facts = verified(path)?;
        if let Some(ply) = ply.filter(|ply| *ply > facts.plies) {
            let why = format!("there is no turn {ply}: the line of play of `{shown}` ends with turn {}", facts.plies);
            return Err(Error::user(why));
        }
        if facts.cut_off || facts.left_out {
            let there = turns(facts.plies);
            let what = match facts.cut_off {
                true => format!("is cut off after {there}"),
                false => format!("has only the first {there}, because the match was too long"),
            };
            printer.warning(format!("`{shown}` {what}: the session begins there"));
        }
        Ok(Self { game: recorded, path: path.to_owned(), replay, ply })
    }

    /// Returns who sits where: the bots of these words, then people with the names of those who played.
    ///
    /// # Errors
    /// There are more words than seats, or they name no bot.
    pub fn bots(&self, words: &[String]) -> Result<Vec<NamedBot>> {
        let seats = &self.replay.header.spec.seats;
        if words.len() > seats.len() {
            return Err(Error::user(format!("{} bots for the {} seats of the match", words.len(), seats.len())));
        }
        let mut bots: Vec<NamedBot> = seats.iter().map(|seat| NamedBot::human(&seat.name)).collect();
        for (bot, words) in bots.iter_mut().zip(words).filter(|(_, words)| *words != "human") {
            *bot = parse_bot(self.game, words)?;
        }
        unique_names(&mut bots);
        Ok(bots)
    }

    /// Returns the plan of the match that goes on.
    ///
    /// # Errors
    /// The game does not take so many bots.
    pub fn plan(&self, bots: &[NamedBot], memory: MemoryLimit) -> Result<MatchPlan> {
        Ok(MatchPlan::of_recorded(self.game, &self.replay.header.spec, bots, memory)?)
    }
}
