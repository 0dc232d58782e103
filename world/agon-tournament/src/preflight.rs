//! Whether each bot can be started, before the first match.

use crate::{Field, TournamentError, error::RELATIVE, field::ReadyBot, text::Text, words};
use agon_core::{Flaw, Seed};
use agon_play::{
    BuildError, Cancel, CorePlacement, Error, Event, MatchResult, NotStarted, Outcome, PlayOptions, PreparedBot,
    SandboxError, Tier, play,
};
use agon_spec::{MatchEvent, SeatSpec};
use std::{fmt, io::ErrorKind, path::Path};

/// A bot that cannot play, and why. The texts may quote the bot, so clean them before you show them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenBot {
    /// The name of the bot.
    pub bot: String,
    /// The place in the list of the file, from 0.
    pub number: usize,
    /// The key of the bot whose value is to blame: `run`, or `read`.
    pub key: &'static str,
    /// The reason.
    pub why: String,
    /// How to fix it, if there is a short hint.
    pub hint: Option<String>,
    /// Who can fix it.
    pub tier: Tier,
}

impl fmt::Display for BrokenBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.bot, self.why)
    }
}

impl BrokenBot {
    pub(crate) fn new(number: usize, bot: &str, why: &Error) -> Self {
        let (hint, tier) = (why.hint().or_else(|| missing_path(why)), why.tier());
        let why = match why {
            Error::Of { source, .. } => source,
            why => why,
        };
        let (key, text) = match why {
            Error::Sandbox(SandboxError::NoPath(path)) => {
                ("read", format!("there is no file or folder `{}`", path.display()))
            }
            why => ("run", why.to_string()),
        };
        let hint = match (why, hint) {
            (Error::Build(BuildError::Failed { bot, .. }), Some(hint)) => Some(words::joined(&hint, &log_of(bot))),
            (_, hint) => hint,
        };
        Self { bot: bot.to_owned(), number, key, why: text, hint, tier }
    }

    /// Returns the flaw of the file with this text, at the value that is to blame. `None` if the text is not that of the
    /// file. Clean it before you show it.
    #[must_use]
    pub fn flaw_in(&self, text: &str) -> Option<Flaw> {
        let flaw = Text(text).flaw_of_bot(self.number, self.key, format!("`{}`: {self}", self.key))?;
        Some(match &self.hint {
            Some(hint) => flaw.hint(hint.clone()),
            None => flaw,
        })
    }

    /// Returns whether the bot or its organiser is the reason, not this host.
    #[must_use]
    pub fn is_of_bot(&self) -> bool {
        matches!(self.tier, Tier::User | Tier::Nothing | Tier::Bot)
    }
}

/// Returns how to see the log of a build that has failed.
fn log_of(bot: &Path) -> String {
    let path = std::path::absolute(bot).unwrap_or_else(|_| bot.to_owned());
    let path = path.display().to_string();
    let word = shlex::try_quote(&path).unwrap_or_else(|_| path.as_str().into());
    format!("`agon build {word}` shows it")
}

/// Returns the hint for an error about a path that leads nowhere.
fn missing_path(why: &Error) -> Option<String> {
    match why {
        Error::Of { source, .. } => missing_path(source),
        Error::Sandbox(SandboxError::NoPath(_)) => Some(RELATIVE.to_owned()),
        Error::File(file) if file.source.kind() == ErrorKind::NotFound => Some(RELATIVE.to_owned()),
        _ => None,
    }
}

/// Why a bot cannot be started.
struct Refusal {
    why: String,
    hint: Option<String>,
    tier: Tier,
}

impl Field {
    /// Starts every bot once and ends it at once, so that those that cannot be started are known before the first
    /// match. They join [`Field::broken`]. Leaves out the bots for which `skip` returns `true`. `tell` learns the name
    /// of each bot before its start.
    ///
    /// # Errors
    /// If it was cancelled, or no match can be played.
    pub fn try_starts(
        &mut self,
        cancel: &Cancel,
        skip: &dyn Fn(&str) -> bool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), TournamentError> {
        for number in 0..self.bots().len() {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled.into());
            }
            let bot = &self.bots()[number];
            let Some(ready) = bot.ready.as_ref().ok().filter(|_| !skip(&bot.name)) else { continue };
            tell(&bot.name);
            if let Some(Refusal { why, hint, tier }) = self.refusal(ready, cancel)? {
                let bot = bot.name.clone();
                self.bots_mut()[number].ready = Err(BrokenBot { bot, number, key: "run", why, hint, tier });
            }
        }
        Ok(())
    }

    /// Returns why a bot cannot be started.
    fn refusal(&self, bot: &ReadyBot, cancel: &Cancel) -> Result<Option<Refusal>, TournamentError> {
        let spec = bot.prepared.spec();
        if !spec.is_process() {
            return Ok(None);
        }
        if let Some(file) = spec.missing_file() {
            let why = format!("there is no file `{file}` in the folder of the tournament");
            return Ok(Some(Refusal { why, hint: Some(RELATIVE.to_owned()), tier: Tier::User }));
        }
        let MatchResult { outcome, .. } = self.begin(bot, cancel)?;
        match outcome {
            Outcome::NotStarted(NotStarted::Bots(seats)) => {
                let why = seats.into_iter().next().map(|(_, why)| why);
                let of_host = why.as_ref().is_some_and(|why| why.fault() == agon_play::StartFault::Host);
                let tier = if of_host { Tier::Host } else { Tier::Bot };
                let of_file = why.as_ref().and_then(|why| why.program()?.hint());
                let not_found = why.as_ref().is_some_and(|why| why.is_not_found());
                let hint = of_file.or_else(|| not_found.then(|| RELATIVE.to_owned()));
                let why = why.map_or_else(String::new, |why| why.to_string());
                Ok(Some(Refusal { why, hint, tier }))
            }
            // Its start is all that was wanted, and then the match was cancelled.
            _ => Ok(None),
        }
    }

    /// Begins a match of a bot against built-in bots, and cancels it when the bot has started.
    fn begin(&self, bot: &ReadyBot, cancel: &Cancel) -> Result<MatchResult, TournamentError> {
        let seats = self.seats();
        let weakest = self.game().info().bots.first().map(|weakest| PreparedBot::builtin(self.game(), weakest.name));
        let other = weakest.transpose().map_err(Error::from)?.unwrap_or_else(|| bot.prepared.clone());
        let bots: Vec<PreparedBot> = (0..seats).map(|i| if i == 0 { &bot.prepared } else { &other }.clone()).collect();
        let of_other =
            SeatSpec { name: other.bot().name.clone(), bot: other.bot().words.clone(), ..SeatSpec::default() };
        let settings = (0..seats).map(|i| if i == 0 { &bot.seat } else { &of_other }.clone()).collect();
        let spec = self.describe(&self.maps()[0], Seed::default(), Seed::default(), settings, &bots)?;
        let own = Cancel::new().map_err(Error::Run)?;
        let options =
            PlayOptions { cancel: Some(own.clone()), cores: CorePlacement::Anywhere, ..PlayOptions::default() };
        let begun = play(self.game(), &spec, &bots, options, &mut |event| {
            if matches!(event, Event::Match(MatchEvent::Started { .. })) || cancel.is_cancelled() {
                own.kill();
            }
        });
        Ok(begun?)
    }
}
