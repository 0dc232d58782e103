//! Everything that the matches of a tournament share: prepared bots and maps.

use crate::{
    BrokenBot, TournamentBot, TournamentError, TournamentFile,
    error::{RELATIVE, of_map},
};
use agon_core::{ClockPolicy, Derivation, Flaw, Seat, Seed};
use agon_games::AnyGame;
use agon_play::{
    BotSpec, Cancel, Event, Exposure, Helper, MapFile, MapSource, MatchPlan, MatchTerms, NamedBot, PreparedBot,
    Preparer, SandboxOptions, SeatOption, Tier,
};
use agon_spec::{Isolation, MatchSpec, SeatSpec};
use agon_store::{BlobHash, PlannedMatch};
use std::path::Path;

/// The bots and the maps of a tournament, ready for any number of matches on any number of threads.
pub struct Field {
    game: &'static dyn AnyGame,
    /// The settings that all matches share.
    plan: MatchPlan,
    bots: Vec<FieldBot>,
    maps: Vec<FieldMap>,
    /// How the seeds of built-in bots follow from that of a match.
    seeds: Derivation,
    /// What the user must know about the isolation of the bots.
    warning: Option<String>,
}

pub(crate) struct FieldBot {
    pub(crate) name: String,
    /// The bot, ready to start, or why it cannot be.
    pub(crate) ready: Result<ReadyBot, BrokenBot>,
}

pub(crate) struct ReadyBot {
    pub(crate) prepared: PreparedBot,
    /// What identifies its content. `None` if it cannot be read.
    pub(crate) hash: Option<BlobHash>,
    pub(crate) seat: SeatSpec,
}

impl FieldBot {
    /// Returns what identifies its content. `None` if it cannot be read.
    pub(crate) fn hash(&self) -> Option<BlobHash> {
        self.ready.as_ref().ok()?.hash
    }
}

/// A map of the tournament.
pub(crate) enum FieldMap {
    /// It is made from the map seed of each match.
    Generated { name: String, source: Option<String>, seed: Option<Seed> },
    /// It was read before the first match.
    File(MapFile),
}

impl FieldMap {
    /// Returns the name in the order of the file.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Generated { name, .. } => name,
            Self::File(map) => &map.name,
        }
    }
}

impl Field {
    /// Reads the maps and prepares the bots of a file. Lets `events` know of builds. Bots that cannot be prepared are
    /// in [`Field::broken`].
    ///
    /// # Errors
    /// If a map cannot be used, no bot can be prepared, or the host refuses what every bot needs.
    pub fn prepare(
        file: &TournamentFile,
        helper: &Helper,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Self, TournamentError> {
        let game = file.game();
        let maps = maps(file, game)?;
        let mut found = Vec::new();
        let mut shared = Preparer::new(helper.clone(), sandbox(file, &TournamentBot::default()), cancel.clone());
        for (number, bot) in file.bots.iter().enumerate() {
            let own =
                || Preparer::new(helper.clone(), sandbox(file, bot), cancel.clone()).starting_in(bot.main.clone());
            let mut own = (!bot.read.is_empty() || bot.main.is_some()).then(own);
            let preparer = own.as_mut().unwrap_or(&mut shared);
            let prepared = named(game, bot).map_err(|why| why.of(&bot.name)).and_then(|named| {
                let named = NamedBot { name: bot.name.clone(), ..named };
                let prepared = preparer.prepare(game, &named, events)?;
                Ok((named, prepared.with_variables(&bot.env).with_memory(bot.memory)))
            });
            found.push(match prepared {
                Ok(ready) => Ok(ready),
                Err(why) if why.tier() == Tier::Cancelled => return Err(why.into()),
                // Without an isolation no other bot can be prepared either.
                Err(why @ agon_play::Error::Sandbox(_)) if bot.read.is_empty() => return Err(why.into()),
                Err(why) => Err(BrokenBot::new(number, &bot.name, &why)),
            });
        }
        let named: Vec<NamedBot> = found.iter().flatten().map(|(named, _)| named.clone()).collect();
        if named.is_empty() {
            return Err(TournamentError::Bots(found.into_iter().filter_map(Result::err).collect()));
        }
        let seats = file.seats as usize;
        let plan = terms(file, &maps[0], "").plan(game, &seated(&named, 0, seats))?;
        let ready = |own: &TournamentBot, (named, prepared): (NamedBot, PreparedBot)| {
            let first = terms(file, &maps[0], &own.clock).plan(game, &seated(&[named], 0, seats))?;
            let seat = first.spec(std::slice::from_ref(&prepared)).seats.swap_remove(0);
            Ok::<_, TournamentError>(ReadyBot { hash: hash(&prepared, own), prepared, seat })
        };
        let bot = |(own, found): (&TournamentBot, Result<_, BrokenBot>)| {
            let ready = match found {
                Ok(found) => Ok(ready(own, found)?),
                Err(why) => Err(why),
            };
            Ok(FieldBot { name: own.name.clone(), ready })
        };
        let bots = file.bots.iter().zip(found).map(bot).collect::<Result<Vec<_>, TournamentError>>()?;
        for map in &maps {
            if let FieldMap::File(file_map) = map {
                let rules = &plan.spec(&[]).rules;
                file_map.check(game, rules, seats).map_err(|why| of_map(&file_map.name, why))?;
            }
        }
        let warning = shared.warning().map(str::to_owned);
        Ok(Self { game, plan, bots, maps, seeds: Derivation::default(), warning })
    }

    /// Goes on with a tournament whose seeds follow in this way.
    pub(crate) fn begun(&mut self, seeds: Derivation) {
        self.seeds = seeds;
    }

    /// Returns the names of bots that are started from the same files in the same way: of each, and of the first such bot.
    #[must_use]
    pub fn copies(&self) -> Vec<(&str, &str)> {
        let mut copies = Vec::new();
        let has_files = |bot: &FieldBot| {
            bot.ready.as_ref().is_ok_and(|ready| !matches!(ready.prepared.spec(), BotSpec::Builtin(_) | BotSpec::Human))
        };
        for (number, bot) in self.bots.iter().enumerate().filter(|(_, bot)| has_files(bot)) {
            let same = |earlier: &&FieldBot| earlier.hash().is_some() && earlier.hash() == bot.hash();
            copies.extend(self.bots[..number].iter().find(same).map(|earlier| (&*earlier.name, &*bot.name)));
        }
        copies
    }

    /// Returns the bots that can play, with their numbers in the file, from 0.
    pub fn sound(&self) -> impl Iterator<Item = (usize, &PreparedBot)> {
        self.bots.iter().enumerate().filter_map(|(number, bot)| Some((number, &bot.ready.as_ref().ok()?.prepared)))
    }

    /// Returns the bots that cannot play, in the order of the file.
    pub fn broken(&self) -> impl Iterator<Item = &BrokenBot> {
        self.bots.iter().filter_map(|bot| bot.ready.as_ref().err())
    }

    /// Returns the game.
    #[must_use]
    pub fn game(&self) -> &'static dyn AnyGame {
        self.game
    }

    /// Returns the clock of bots that have none of their own.
    pub(crate) fn clock(&self) -> ClockPolicy {
        self.plan.spec(&[]).clock
    }

    /// Returns the number of seats of each match.
    pub(crate) fn seats(&self) -> usize {
        self.plan.spec(&[]).seats.len()
    }

    /// Returns the number of maps that the file means.
    #[must_use]
    pub fn map_count(&self) -> usize {
        self.maps.len()
    }

    /// Returns the number of seats whose bots are processes, if the first bots of the list play.
    #[must_use]
    pub fn processes(&self, seats: usize) -> usize {
        self.ready().filter(|bot| bot.prepared.spec().is_process()).count().min(seats)
    }

    /// Returns the level of isolation of the bots that are processes. `None` if there are none.
    #[must_use]
    pub fn isolation(&self) -> Option<Isolation> {
        self.ready().filter_map(|bot| bot.prepared.isolation()).max()
    }

    /// Returns what the user must know about the isolation of the bots. Clean it before you show it.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Returns what each bot can read of the file at `path` while it plays, with the name of the bot.
    pub fn exposures<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a str, Exposure)> + 'a {
        self.ready().map(move |bot| (bot.prepared.bot().name.as_str(), bot.prepared.exposure(path)))
    }

    fn ready(&self) -> impl Iterator<Item = &ReadyBot> {
        self.bots.iter().filter_map(|bot| bot.ready.as_ref().ok())
    }

    pub(crate) fn bots(&self) -> &[FieldBot] {
        &self.bots
    }

    pub(crate) fn maps(&self) -> &[FieldMap] {
        &self.maps
    }

    pub(crate) fn bots_mut(&mut self) -> &mut [FieldBot] {
        &mut self.bots
    }

    /// Returns the bots of a match, in the order of their seats.
    ///
    /// # Errors
    /// If one of them cannot play.
    pub(crate) fn bots_of(&self, planned: &PlannedMatch) -> Result<Vec<PreparedBot>, TournamentError> {
        let bots = planned.bots.iter().map(|bot| match &self.bots[*bot as usize].ready {
            Ok(ready) => Ok(ready.prepared.clone()),
            Err(broken) => Err(TournamentError::Bots(vec![broken.clone()])),
        });
        bots.collect()
    }

    /// Returns the description of a match between these bots.
    pub(crate) fn spec(&self, planned: &PlannedMatch, bots: &[PreparedBot]) -> Result<MatchSpec, agon_play::Error> {
        let seats =
            planned.bots.iter().filter_map(|bot| Some(self.bots[*bot as usize].ready.as_ref().ok()?.seat.clone()));
        let map = &self.maps[planned.map as usize % self.maps.len()];
        self.describe(map, Seed(planned.map_seed), Seed(planned.seed), seats.collect(), bots)
    }

    /// Returns the description of a match on this map. `seats` has the settings of each bot.
    pub(crate) fn describe(
        &self,
        map: &FieldMap,
        map_seed: Seed,
        seed: Seed,
        mut seats: Vec<SeatSpec>,
        bots: &[PreparedBot],
    ) -> Result<MatchSpec, agon_play::Error> {
        let map = match map {
            FieldMap::File(map) => map.clone(),
            FieldMap::Generated { source, seed, .. } => {
                let seed = seed.unwrap_or(map_seed);
                let source = MapSource::Generated { kind: source.clone(), seed: Some(seed) };
                source.begun(self.game, self.seeds).load(self.game, seed, bots.len())?
            }
        };
        for i in 1..seats.len() {
            // A bot may play against itself.
            let twins = seats[..i].iter().filter(|seat| seat.name == seats[i].name).count();
            if twins > 0 {
                seats[i].name = format!("{}#{}", seats[i].name, twins + 1);
            }
        }
        let text = map.text()?.to_owned();
        Ok(MatchSpec { map_name: map.name.clone(), map: text, seed, seeds: self.seeds, seats, ..self.plan.spec(bots) })
    }
}

/// Reads who the bot is, and in which folder it starts.
pub(crate) fn named(game: &dyn AnyGame, bot: &TournamentBot) -> agon_play::Result<NamedBot> {
    let named = match &bot.dir {
        Some(dir) => NamedBot::starting_in(game, &bot.run, dir)?,
        None => NamedBot::parse(game, &bot.run)?,
    };
    if bot.main.is_some() && !matches!(named.spec, BotSpec::Folder(_) | BotSpec::Archive(_)) {
        let what = "`main` names a file in a folder or an archive, but its `run` is none";
        let hint = "take `main` away, or write the folder as `run`";
        return Err(agon_play::Error::Spec(Flaw::new(what).hint(hint)));
    }
    Ok(named)
}

fn sandbox(file: &TournamentFile, bot: &TournamentBot) -> SandboxOptions {
    SandboxOptions {
        isolation: file.sandbox,
        read: bot.read.clone(),
        processes: file.processes,
        ..SandboxOptions::default()
    }
}

/// Returns as many bots as there are seats, beginning with one of them.
fn seated(bots: &[NamedBot], first: usize, seats: usize) -> Vec<NamedBot> {
    bots.iter().cycle().skip(first).take(seats).cloned().collect()
}

/// Returns the settings of a match in which the bot in the first seat has a clock of its own.
fn terms(file: &TournamentFile, map: &FieldMap, clock: &str) -> MatchTerms {
    let source = match map {
        FieldMap::File(map) => MapSource::File(map.name.clone().into()),
        FieldMap::Generated { source, seed, .. } => MapSource::Generated { kind: source.clone(), seed: *seed },
    };
    let own = SeatOption { seat: Seat::new(0), key: "time".to_owned(), value: clock.to_owned() };
    MatchTerms {
        map: source,
        rules: file.rules.clone(),
        seed: file.seed.unwrap_or_default(),
        rounds: file.limit,
        time: (!file.clock.is_empty()).then(|| file.clock.clone()),
        memory: file.memory,
        seats: if clock.is_empty() { Vec::new() } else { vec![own] },
        ..MatchTerms::default()
    }
}

/// Returns what identifies a bot: its content, and everything that the file gives to it alone.
fn hash(prepared: &PreparedBot, bot: &TournamentBot) -> Option<BlobHash> {
    let content = *prepared.hash()?.bytes();
    let mut given: Vec<&[u8]> = bot.env.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]).collect();
    // No variable has an `=` in its name.
    given.extend(bot.read.iter().flat_map(|path| [&b"=read"[..], path.as_os_str().as_encoded_bytes()]));
    given.extend(bot.main.iter().flat_map(|main| [&b"=main"[..], main.as_bytes()]));
    given.extend(bot.dir.iter().flat_map(|dir| [&b"=dir"[..], dir.as_os_str().as_encoded_bytes()]));
    let memory = bot.memory.map(|memory| memory.to_string());
    given.extend(memory.iter().flat_map(|memory| [&b"=memory"[..], memory.as_bytes()]));
    if !bot.clock.is_empty() {
        given.extend([&b"=clock"[..], bot.clock.as_bytes()]);
    }
    if given.is_empty() {
        return Some(BlobHash::from_bytes(content));
    }
    let mut bytes = content.to_vec();
    for part in given {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    Some(BlobHash::of(&bytes))
}

/// Finds every map that the file means, files in the order of their names.
fn maps(file: &TournamentFile, game: &dyn AnyGame) -> Result<Vec<FieldMap>, TournamentError> {
    let mut maps = Vec::new();
    for name in &file.maps {
        let wrong = |why: String| TournamentError::Map { name: name.clone(), why, hint: Some(RELATIVE.to_owned()) };
        match name.parse().map_err(wrong)? {
            MapSource::Generated { kind, seed } => {
                // A kind that the game does not have is said now, not when a round comes to it.
                let source = MapSource::Generated { kind: kind.clone(), seed };
                source.load(game, Seed::default(), file.seats as usize).map_err(|why| of_map(name, why))?;
                maps.push(FieldMap::Generated { name: name.clone(), source: kind, seed });
            }
            MapSource::File(_) => {
                let found = glob::glob(name).map_err(|why| wrong(why.to_string()))?;
                let mut paths = found.collect::<Result<Vec<_>, _>>().map_err(|why| wrong(why.to_string()))?;
                paths.retain(|path| path.is_file());
                if paths.is_empty() {
                    return Err(wrong("there is no such file".to_owned()));
                }
                for path in paths {
                    let map = MapSource::File(path).load(game, Seed::default(), file.seats as usize);
                    maps.push(FieldMap::File(map.map_err(|why| of_map(name, why))?));
                }
            }
        }
    }
    Ok(maps)
}
