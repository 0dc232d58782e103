//! The file of a tournament.

use crate::{
    kind,
    preset::PRESETS,
    text::{Entry, Text, Value},
};
use agon_core::{Flaw, Seed};
use agon_games::AnyGame;
use agon_play::{BotError, IsolationChoice, MapSource, MemoryLimit, NamedBot, find_game, parse_clock};
use agon_spec::Isolation;
use agon_tourney::{Kind, Points, Seatings, Seeding, Spec, Withdrawn};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

/// A tournament as its organiser wrote it. Paths are relative to the folder of the file. They are looked up from the current
/// folder of the process, so go to the folder of the file before you parse it and prepare its bots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TournamentFile {
    /// `name`: the title for people.
    pub name: String,
    /// `game`: the name of the game.
    pub game: &'static str,
    /// `preset`: the contest whose format this is. `None` for none.
    pub preset: Option<&'static str>,
    /// `kind`: how matches are drawn.
    pub kind: Kind,
    /// `seed`: the source of every random choice.
    pub seed: Seed,
    /// `seats`: the number of seats of each match.
    pub seats: u32,
    /// `rounds`: the number of rounds of the tournament.
    pub rounds: u32,
    /// `seatings`: how often the same bots meet in exchanged seats.
    pub seatings: Seatings,
    /// `seeding`: who is the best bot before the first match.
    pub seeding: Seeding,
    /// `seeding`: the store or the export of an earlier tournament that says who is the best bot. `None` if `seeding` is
    /// `list` or `drawn`.
    pub seeded_by: Option<PathBuf>,
    /// `maps`: names of files, which may have `*` in them, and generators.
    pub maps: Vec<String>,
    /// `rules`: the rule set of the game, and points that differ from it. Empty for the game's default.
    pub rules: String,
    /// `limit`: the number of rounds or turns of a match, whichever the game counts. `None` for the game's default.
    pub limit: Option<u32>,
    /// `clock`: how long bots may take. Empty for the game's default.
    pub clock: String,
    /// `points`: what places are worth.
    pub points: Points,
    /// `replays`: which replays are kept.
    pub replays: Replays,
    /// `ponder`: whether bots may compute outside their turn.
    pub ponder: bool,
    /// `cores`: the number of cores that each bot has to itself. `None` if the bots of a match share one.
    pub cores: Option<u32>,
    /// `sandbox`: how bots are isolated.
    pub sandbox: IsolationChoice,
    /// `processes`: the number of processes that each bot may have at the same time.
    pub processes: u32,
    /// `memory`: the memory limit of each bot.
    pub memory: MemoryLimit,
    /// `withdraw-after`: the number of faults in a row after which a bot is withdrawn. `None` to withdraw nobody.
    pub withdraw_after: Option<u32>,
    /// `withdrawn`: what becomes of the matches of a withdrawn bot.
    pub withdrawn: Withdrawn,
    /// `[[bot]]`: the bots, in order.
    pub bots: Vec<TournamentBot>,
}

/// A bot of the tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TournamentBot {
    /// `name`: the name, which no other bot has.
    pub name: String,
    /// `run`: the bot, in the grammar of BOT.
    pub run: String,
    /// `memory`: its own memory limit. `None` for that of the tournament.
    pub memory: Option<u32>,
    /// `env`: environment variables that it gets beside the usual ones.
    pub env: BTreeMap<String, String>,
    /// `clock`: what differs for it from the clock of the tournament. Empty for nothing.
    pub clock: String,
    /// `read`: files and folders that it alone may read.
    pub read: Vec<PathBuf>,
}

/// Which replays are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Replays {
    /// Those of all matches.
    #[default]
    All,
    /// Those of matches in which a bot failed.
    Faults,
    /// None.
    None,
}

pub(crate) const KEYS: &[&str] = &[
    "name",
    "game",
    "preset",
    "kind",
    "challengers",
    "best-of",
    "third-place",
    "groups",
    "advance",
    "uniform-percent",
    "window",
    "seed",
    "seats",
    "rounds",
    "seatings",
    "seeding",
    "maps",
    "rules",
    "limit",
    "clock",
    "points",
    "replays",
    "ponder",
    "cores",
    "sandbox",
    "processes",
    "memory",
    "withdraw-after",
    "withdrawn",
    "bot",
];
const BOT_KEYS: &[&str] = &["name", "run", "memory", "env", "clock", "read"];

/// The most characters in the name of a bot or a tournament.
const NAME: usize = 80;

impl TournamentFile {
    /// The maximum size of a file in bytes.
    pub const MOST: usize = 4 << 20;

    /// Parses the text of a file. Says of each key that it can be used, as far as that can be known without reading maps
    /// or building bots.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place and its key.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let text = Text(text);
        let table = text.table()?;
        let entries = text.entries(&table);
        for (span, entry) in &entries {
            if !KEYS.contains(&entry.key) {
                return Err(text.unknown(span.clone(), entry.key, KEYS));
            }
        }
        let find = |key: &str| entries.iter().find(|(_, entry)| entry.key == key).map(|(_, entry)| *entry);
        let game = find("game").ok_or_else(|| missing("game", "game = \"grid\""))?;
        let name = game.string("grid")?;
        let played = find_game(name).map_err(|why| game.flaw(why.to_string()).hint(why.hint()))?;
        let mut file = Self::new(played);
        // A clock of a bot changes that of the tournament.
        if let Some(clock) = find("clock") {
            file.clock = clock_text(clock, played, &[])?;
        }
        for (span, entry) in &entries {
            file.set(*entry, span.clone(), played)?;
        }
        let keys = entries.iter().map(|(_, entry)| *entry).filter(|entry| kind::KEYS.contains(&entry.key));
        file.kind = kind::read(find("kind"), &keys.collect::<Vec<_>>())?;
        file.check_bots(&text, &entries)?;
        if let Err(flaw) = file.spec(file.maps.len()).check() {
            // The keys that can be at fault, the most likely first.
            let at = ["rounds", "seatings", "seats", "kind", "bot", "game"].into_iter().find_map(find);
            return Err(at.map_or(flaw.clone(), |entry| Flaw { place: entry.flaw("").place, ..flaw }));
        }
        Ok(file)
    }

    /// Creates a tournament of a game without bots: one round of a round robin with the game's defaults.
    #[must_use]
    pub fn new(game: &'static dyn AnyGame) -> Self {
        let info = game.info();
        let seats = info.default_seats.clamp(2, (*info.seats.end()).max(2));
        Self {
            name: format!("{} tournament", info.title),
            game: game.name(),
            preset: None,
            kind: Kind::RoundRobin,
            seed: Seed::default(),
            seats: u32::try_from(seats).unwrap_or(2),
            rounds: 1,
            seatings: Seatings::default(),
            seeding: Seeding::default(),
            seeded_by: None,
            maps: vec!["gen".to_owned()],
            rules: String::new(),
            limit: None,
            clock: String::new(),
            points: Points::default(),
            replays: Replays::default(),
            ponder: false,
            cores: None,
            sandbox: IsolationChoice::default(),
            processes: 1,
            memory: MemoryLimit::default(),
            withdraw_after: None,
            withdrawn: Withdrawn::default(),
            bots: Vec::new(),
        }
    }

    fn set(&mut self, entry: Entry<'_, '_>, span: Range<usize>, game: &'static dyn AnyGame) -> Result<(), Flaw> {
        match entry.key {
            "name" => self.name = name(entry, "Spring cup")?,
            "seed" => self.seed = Seed(entry.seed()?),
            "seats" => self.seats = seats(entry, game)?,
            "rounds" => self.rounds = entry.number(1..=u32::MAX)?,
            "seatings" => {
                self.seatings =
                    entry.word(&[Seatings::All, Seatings::Balanced, Seatings::One].map(|one| (one.name(), one)))?;
            }
            "preset" => self.preset = Some(preset(entry, game)?),
            "seeding" => (self.seeding, self.seeded_by) = seeding(entry)?,
            "maps" => self.maps = maps(entry)?,
            "rules" => {
                let rules = entry.string("original")?;
                game.rules(rules).map_err(|flaw| entry.wrong(flaw))?;
                self.rules = rules.to_owned();
            }
            "limit" if game.info().limit.is_none() => {
                return Err(entry.flaw(format!("{} has no limit on rounds or turns", game.info().title)));
            }
            "limit" => self.limit = Some(entry.number(1..=u32::MAX)?),
            "points" => self.points = entry.parsed("2/1/0")?,
            "replays" => {
                self.replays =
                    entry.word(&[Replays::All, Replays::Faults, Replays::None].map(|one| (one.name(), one)))?;
            }
            "ponder" => self.ponder = entry.flag()?,
            "cores" => self.cores = Some(entry.number(1..=1024)?),
            "sandbox" => self.sandbox = sandbox(entry)?,
            "processes" => self.processes = entry.number(1..=1 << 16)?,
            "memory" => self.memory = memory(entry)?,
            "withdraw-after" => self.withdraw_after = Some(entry.number(1..=u32::MAX)?),
            "withdrawn" => self.withdrawn = entry.word(&WITHDRAWN)?,
            "bot" => self.bots = bots(entry, span, game, &self.clock)?,
            // These are read before all others, or together.
            _ => {}
        }
        Ok(())
    }

    fn check_bots(&self, text: &Text<'_>, entries: &[(Range<usize>, Entry<'_, '_>)]) -> Result<(), Flaw> {
        let example = "[[bot]]\nname = \"mine\"\nrun = \"python3 bot.py\"";
        match &self.bots[..] {
            [] => Err(missing("bot", example)),
            [_] => {
                let place = entries.iter().find(|(_, entry)| entry.key == "bot").map_or(0..0, |(span, _)| span.clone());
                Err(text.flaw(place, "`bot`: there is only one bot").hint("a tournament needs at least two"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the game.
    #[must_use]
    pub fn game(&self) -> &'static dyn AnyGame {
        // The name comes from the game itself.
        find_game(self.game).unwrap_or(agon_games::all()[0])
    }

    /// Returns what the schedule needs to know, for this many maps.
    #[must_use]
    pub fn spec(&self, maps: usize) -> Spec {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Spec {
            seats: self.seats,
            rounds: self.rounds,
            seatings: self.seatings,
            maps: number(maps),
            seed: self.seed,
            points: self.points.clone(),
            seeding: self.seeding.clone(),
            withdrawn: self.withdrawn,
            ..Spec::new(self.kind, number(self.bots.len()))
        }
    }
}

impl Replays {
    /// Returns the word in a tournament's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Faults => "faults",
            Self::None => "none",
        }
    }
}

pub(crate) const WITHDRAWN: [(&str, Withdrawn); 3] =
    [("share", Withdrawn::ByShare), ("void", Withdrawn::Void), ("lose", Withdrawn::Lose)];

fn missing(key: &str, example: &str) -> Flaw {
    Flaw::new(format!("the key `{key}` is missing")).hint(format!("add `{example}`")).at(1, 1)
}

fn name(entry: Entry<'_, '_>, example: &str) -> Result<String, Flaw> {
    let name = entry.string(example)?;
    if name.trim().is_empty() || name.trim() != name {
        return Err(entry.flaw("a name must not be empty, or begin or end with a space"));
    }
    if name.chars().any(char::is_control) {
        return Err(entry.flaw("a name must not contain control characters"));
    }
    if name.chars().count() > NAME {
        return Err(entry.flaw(format!("a name has at most {NAME} characters")));
    }
    Ok(name.to_owned())
}

fn seats(entry: Entry<'_, '_>, game: &dyn AnyGame) -> Result<u32, Flaw> {
    let range = &game.info().seats;
    let (least, most) = ((*range.start()).max(2), (*range.end()).max(2));
    let number = |seats: usize| u32::try_from(seats).unwrap_or(u32::MAX);
    entry.number(number(least)..=number(most))
}

fn preset(entry: Entry<'_, '_>, game: &dyn AnyGame) -> Result<&'static str, Flaw> {
    let preset = entry.word(&PRESETS.each_ref().map(|preset| (preset.name, preset)))?;
    if preset.game != game.name() {
        let what = format!("{} was a contest in `{}`, not in `{}`", preset.contest, preset.game, game.name());
        return Err(entry.flaw(what).hint(format!("write `game = \"{}\"`, or take the line away", preset.game)));
    }
    Ok(preset.name)
}

/// Reads the order of the bots, or the result that has it.
fn seeding(entry: Entry<'_, '_>) -> Result<(Seeding, Option<PathBuf>), Flaw> {
    let path = Path::new(entry.string("list")?);
    if path.extension().is_some_and(|end| end == "agon" || end == "json") {
        return Ok((Seeding::List, Some(path.to_owned())));
    }
    let drawn = entry.word(&[("list", false), ("drawn", true)]).map_err(|flaw| {
        let hint = flaw.hint.clone().unwrap_or_default();
        flaw.hint(format!("{hint}; or the earlier result, as `cup.agon` or an export `cup.json`"))
    })?;
    Ok((if drawn { Seeding::Drawn } else { Seeding::List }, None))
}

fn maps(entry: Entry<'_, '_>) -> Result<Vec<String>, Flaw> {
    const EXAMPLE: &str = "gen";
    let list = entry.strings(EXAMPLE)?;
    if list.is_empty() {
        return Err(entry.flaw("the list is empty").hint(format!("write `maps = [\"{EXAMPLE}\"]`")));
    }
    let check = |entry: Entry<'_, '_>| {
        let text = entry.string(EXAMPLE)?;
        match text.parse() {
            Ok(MapSource::File(_)) => glob::Pattern::new(text).map(drop).map_err(|why| entry.flaw(why.msg))?,
            Ok(MapSource::Generated { .. }) => {}
            Err(why) => return Err(entry.flaw(why)),
        }
        Ok(text.to_owned())
    };
    list.into_iter().map(check).collect()
}

fn sandbox(entry: Entry<'_, '_>) -> Result<IsolationChoice, Flaw> {
    let mut known = vec![("auto", IsolationChoice::Auto)];
    known.extend(Isolation::ALL.map(|level| (level.name(), IsolationChoice::Exactly(level))));
    entry.word(&known)
}

fn memory(entry: Entry<'_, '_>) -> Result<MemoryLimit, Flaw> {
    match entry.value.get_ref().as_str() {
        Some(_) => entry.word(&[("usual", MemoryLimit::Usual), ("off", MemoryLimit::Off)]),
        None => entry.number(1..=u32::MAX).map(MemoryLimit::Mib),
    }
}

/// Reads a clock that changes the game's, or the one that `before` make of it.
fn clock_text(entry: Entry<'_, '_>, game: &dyn AnyGame, before: &[&str]) -> Result<String, Flaw> {
    let text = entry.string("move=1s")?;
    let mut clock = game.info().clock;
    for text in before.iter().filter(|text| !text.is_empty()).chain([&text]) {
        clock = parse_clock(game, clock, text).map_err(|flaw| entry.wrong(flaw))?;
    }
    Ok(text.to_owned())
}

fn bots(
    entry: Entry<'_, '_>,
    span: Range<usize>,
    game: &'static dyn AnyGame,
    clock: &str,
) -> Result<Vec<TournamentBot>, Flaw> {
    let kind =
        || entry.text.flaw(span.clone(), "`bot`: this must be a list of tables").hint("begin each bot with `[[bot]]`");
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
    let wrong = || text.flaw(value.span(), "`bot`: this must be a table").hint("begin each bot with `[[bot]]`");
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
            "memory" => bot.memory = Some(entry.number(1..=u32::MAX)?),
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
