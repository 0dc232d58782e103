//! The bots in the file of a tournament.

use super::keys::{clock_text, memory, name};
use crate::text::{Entry, Text, Value};
use agon_core::Flaw;
use agon_games::AnyGame;
use agon_play::{BotError, MemoryLimit, NamedBot};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

const BRACKETS: &str = "begin each bot with `[[bot]]`, in two brackets";
const BOT_KEYS: &[&str] = &["name", "run", "main", "dir", "memory", "env", "clock", "read"];

/// A bot of the tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TournamentBot {
    /// `name`: the name, which no other bot has.
    pub name: String,
    /// `run`: the bot, in the grammar of BOT.
    pub run: String,
    /// `main`: the file in which a bot in a folder or an archive starts. `None` for what its own files say.
    pub main: Option<String>,
    /// `dir`: the folder in which a command starts.
    pub dir: Option<PathBuf>,
    /// `memory`: its own memory limit. `None` for that of the tournament.
    pub memory: Option<u32>,
    /// `env`: environment variables that it gets beside the usual ones.
    pub env: BTreeMap<String, String>,
    /// `clock`: what differs for it from the clock of the tournament. Empty for nothing.
    pub clock: String,
    /// `read`: files and folders that it alone may read.
    pub read: Vec<PathBuf>,
}

pub(super) fn bots(
    entry: Entry<'_, '_>,
    span: Range<usize>,
    game: &'static dyn AnyGame,
    clock: &str,
) -> Result<Vec<TournamentBot>, Flaw> {
    let kind = || entry.text.flaw(span.clone(), "`bot`: this must be a list of tables").hint(BRACKETS);
    let list = entry.value.get_ref().as_array().ok_or_else(kind)?;
    let mut bots: Vec<TournamentBot> = Vec::new();
    for table in list {
        let (bot, named) = bot(entry.text, table, game, clock)?;
        if let Some(place) = bots.iter().position(|other| other.name == bot.name) {
            let what = format!("`name`: bot {} is called `{}` too", place + 1, bot.name);
            return Err(entry.text.flaw(named, what).hint("give every bot a name of its own"));
        }
        bots.push(bot);
    }
    Ok(bots)
}

/// Reads a bot. Also returns where its name is.
fn bot<'t>(
    text: &Text<'t>,
    value: &Value<'t>,
    game: &'static dyn AnyGame,
    clock: &str,
) -> Result<(TournamentBot, Range<usize>), Flaw> {
    let wrong = || text.flaw(value.span(), "`bot`: this must be a table").hint(BRACKETS);
    let table = value.get_ref().as_table().ok_or_else(wrong)?;
    let mut bot = TournamentBot::default();
    let (mut named, mut parsed) = (value.span(), None);
    for (span, entry) in text.entries(table) {
        match entry.key {
            "name" => (bot.name, named) = (name(entry, "mine")?, entry.value.span()),
            "run" => {
                bot.run = entry.string("python3 bot.py")?.to_owned();
                let (name, words) = match NamedBot::parse(game, &bot.run) {
                    Ok(found) => (found.name, found.words),
                    // A store is read from any folder, and when the bots are gone.
                    Err(BotError::NoChampion(path)) => (file_stem(&path), bot.run.clone()),
                    Err(why) => {
                        let flaw = entry.flaw(why.to_string());
                        return Err(why.hint().map_or(flaw.clone(), |hint| flaw.hint(hint)));
                    }
                };
                if words != bot.run {
                    return Err(entry.flaw("a name does not belong here").hint("write it as `name = …`"));
                }
                parsed = Some(name);
            }
            "main" => bot.main = Some(nonempty(entry, "src/bot.py")?),
            "dir" => bot.dir = Some(PathBuf::from(nonempty(entry, "bots/mine")?)),
            "memory" => match memory(entry)? {
                MemoryLimit::Mib(mib) => bot.memory = Some(mib),
                MemoryLimit::Usual | MemoryLimit::Off => {
                    return Err(entry
                        .flaw("the memory of one bot is an amount")
                        .hint("write it as `512` (MiB) or `\"512MiB\"`"));
                }
            },
            "clock" => bot.clock = clock_text(entry, game, &[clock])?,
            "env" => bot.env = environment(entry)?,
            "read" => {
                let paths = entry.strings("data")?;
                bot.read = paths.iter().map(|path| path.string("data").map(PathBuf::from)).collect::<Result<_, _>>()?;
            }
            other => return Err(text.unknown(span, other, BOT_KEYS)),
        }
    }
    let Some(parsed) = parsed else {
        return Err(text
            .flaw(value.span(), "the key `run` of this bot is missing")
            .hint("add `run = \"python3 bot.py\"`"));
    };
    if bot.name.is_empty() {
        bot.name = parsed;
    }
    Ok((bot, named))
}

fn nonempty(entry: Entry<'_, '_>, example: &str) -> Result<String, Flaw> {
    match entry.string(example)? {
        "" => Err(entry.flaw("this must not be empty").hint(format!("write it as `{} = \"{example}\"`", entry.key))),
        text => Ok(text.to_owned()),
    }
}

fn file_stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn environment(entry: Entry<'_, '_>) -> Result<BTreeMap<String, String>, Flaw> {
    let example = "write it as `env = { THREADS = \"1\" }`";
    let wrong = || entry.flaw("this must be a table of texts").hint(example);
    let table = entry.value.get_ref().as_table().ok_or_else(wrong)?;
    let mut variables = BTreeMap::new();
    for (span, variable) in entry.text.entries(table) {
        let value = variable.string("1")?;
        if variable.key.is_empty() || variable.key.contains(['=', '\0']) || value.contains('\0') {
            return Err(entry.text.flaw(span, "`env`: this cannot be a variable"));
        }
        variables.insert(variable.key.to_owned(), value.to_owned());
    }
    Ok(variables)
}
