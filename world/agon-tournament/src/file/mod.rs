//! The file of a tournament.

mod bots;
mod keys;
mod renaming;

pub use bots::TournamentBot;
pub(crate) use keys::WITHDRAWN;

use crate::{
    kind,
    text::{Entry, Text},
};
use agon_core::{ClockPolicy, Flaw, Seed};
use agon_games::AnyGame;
use agon_play::{IsolationChoice, MemoryLimit, find_game, parse_clock};
use agon_tourney::{Kind, Points, Seatings, Seeding, Spec, Withdrawn};
use bots::bots;
use keys::{clock_text, maps, memory, missing, name, preset, sandbox, seats, seeding};
use std::{ops::Range, path::PathBuf, sync::LazyLock};

/// A tournament as its organiser wrote it. Paths are relative to the folder of the file. They are looked up from the
/// current folder of the process, so go to the folder of the file before you parse it and prepare its bots.
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
    /// `seed`: the source of every random choice, which everybody may know. `None` if the store has a secret one.
    pub seed: Option<Seed>,
    /// `seats`: the number of seats of each match.
    pub seats: u32,
    /// `rounds`: the number of rounds of the tournament.
    pub rounds: u32,
    /// `seatings`: how often the same bots meet in exchanged seats.
    pub seatings: Seatings,
    /// `seeding`: who is the best bot before the first match.
    pub seeding: Seeding,
    /// `seeding`: the store or the export of an earlier tournament that says who is the best bot. `None` if `seeding`
    /// is `list` or `drawn`.
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
    /// `verify`: how many of 100 results of other machines are checked. `None` for the usual share.
    pub verify: Option<u32>,
    /// `ponder`: whether bots may compute outside their turn.
    pub ponder: bool,
    /// `cores`: the number of cores that each bot has to itself. `None` if the bots of a match share one.
    pub cores: Option<u32>,
    /// `sandbox`: how bots are isolated.
    pub sandbox: IsolationChoice,
    /// `machines`: which machines may play.
    pub machines: Machines,
    /// `processes`: the number of processes that each bot may have at the same time. `None` is the usual number.
    pub processes: Option<u32>,
    /// `memory`: the memory limit of each bot.
    pub memory: MemoryLimit,
    /// `withdraw-after`: the number of faults in a row after which a bot is withdrawn. `None` to withdraw nobody.
    pub withdraw_after: Option<u32>,
    /// `withdrawn`: what becomes of the matches of a withdrawn bot.
    pub withdrawn: Withdrawn,
    /// `[[bot]]`: the bots, in order.
    pub bots: Vec<TournamentBot>,
}

/// Which machines may play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Machines {
    /// All that can.
    #[default]
    Any,
    /// Only those with the same model of processor: that of the machine of the first match.
    Alike,
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

/// The keys of every file before and behind those that only some kinds have.
const FIRST_KEYS: [&str; 4] = ["name", "game", "preset", "kind"];
const LAST_KEYS: [&str; 21] = [
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
    "verify",
    "ponder",
    "cores",
    "sandbox",
    "machines",
    "processes",
    "memory",
    "withdraw-after",
    "withdrawn",
    "bot",
];

/// Every key that a file may have.
static KEYS: LazyLock<Vec<&str>> =
    LazyLock::new(|| FIRST_KEYS.into_iter().chain(kind::keys()).chain(LAST_KEYS).collect());

impl TournamentFile {
    /// The maximum size of a file in bytes.
    pub const MOST: usize = 4 << 20;

    /// Parses the text of a file. Says of each key that it can be used, as far as that can be known without reading
    /// maps or building bots.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place and its key.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let text = Text(text);
        let table = text.table()?;
        let entries = text.entries(&table);
        for (span, entry) in &entries {
            if !KEYS.contains(&entry.key) {
                return Err(text.unknown(span.clone(), entry.key, &KEYS));
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
        let of_kinds = kind::keys();
        let keys = entries.iter().map(|(_, entry)| *entry).filter(|entry| of_kinds.contains(&entry.key));
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
            seed: None,
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
            verify: None,
            ponder: false,
            cores: None,
            sandbox: IsolationChoice::default(),
            machines: Machines::default(),
            processes: None,
            memory: MemoryLimit::default(),
            withdraw_after: None,
            withdrawn: Withdrawn::default(),
            bots: Vec::new(),
        }
    }

    fn set(&mut self, entry: Entry<'_, '_>, span: Range<usize>, game: &'static dyn AnyGame) -> Result<(), Flaw> {
        match entry.key {
            "name" => self.name = name(entry, "Spring cup")?,
            "seed" => self.seed = Some(Seed(entry.seed()?)),
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
            "verify" => self.verify = Some(entry.number(0..=100)?),
            "ponder" => self.ponder = entry.flag()?,
            "cores" => self.cores = Some(entry.number(1..=1024)?),
            "sandbox" => self.sandbox = sandbox(entry)?,
            "machines" => {
                self.machines = entry.word(&[Machines::Any, Machines::Alike].map(|one| (one.name(), one)))?;
            }
            "processes" => self.processes = Some(entry.number(1..=1 << 16)?),
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
        match &self.bots[..] {
            [] => Err(missing("bot", "[[bot]]").hint(
                "begin each bot with `[[bot]]`; in the lines below write `name = \"mine\"` and `run = \"python3 bot.py\"`",
            )),
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

    /// Returns the rules in one form, however the file writes them, also where it has the game's default.
    #[must_use]
    pub fn full_rules(&self) -> String {
        self.game().rules(&self.rules).unwrap_or_else(|_| self.rules.clone())
    }

    /// Returns the clock in one form, however the file writes it, with the parts that are the game's default.
    #[must_use]
    pub fn full_clock(&self) -> String {
        self.clock_policy().map_or_else(|| self.clock.clone(), |clock| clock.to_string())
    }

    /// Returns the clock. `None` if the text is none, which no parsed file has.
    pub(crate) fn clock_policy(&self) -> Option<ClockPolicy> {
        parse_clock(self.game(), self.game().info().clock, &self.clock).ok()
    }

    /// Returns how many of 100 results of other machines are checked.
    #[must_use]
    pub fn verified_share(&self) -> u32 {
        self.verify.unwrap_or(if self.machines == Machines::Alike { 100 } else { 5 })
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
            seed: self.seed.unwrap_or_default(),
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

impl Machines {
    /// Returns the word in a tournament's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Alike => "alike",
        }
    }
}
