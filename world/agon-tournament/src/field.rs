//! Everything that the matches of a tournament share: prepared bots and maps.

use crate::{TournamentBot, TournamentError, TournamentFile};
use agon_core::{Seat, Seed};
use agon_games::AnyGame;
use agon_play::{
    Cancel, Event, Exposure, Helper, MapError, MapFile, MapSource, MatchPlan, MatchTerms, NamedBot, PreparedBot,
    Preparer, SandboxOptions, SeatOption,
};
use agon_spec::{MatchSpec, SeatSpec};
use agon_store::{BlobHash, PlannedMatch};
use std::path::Path;

/// The bots and the maps of a tournament, ready for any number of matches on any number of threads.
pub struct Field {
    game: &'static dyn AnyGame,
    /// The settings that all matches share.
    plan: MatchPlan,
    bots: Vec<FieldBot>,
    maps: Vec<FieldMap>,
    /// What the user must know about the isolation of the bots.
    warning: Option<String>,
}

/// A bot that is ready to start.
pub(crate) struct FieldBot {
    pub(crate) prepared: PreparedBot,
    /// What identifies its content. `None` if it cannot be read.
    pub(crate) hash: Option<BlobHash>,
    seat: SeatSpec,
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
    /// Reads the maps and prepares the bots of a file. Builds every bot before it tells of any failure. Lets `events` know
    /// of builds.
    ///
    /// # Errors
    /// If a map cannot be used or bots cannot be prepared; all of those are told.
    pub fn prepare(
        file: &TournamentFile,
        helper: &Helper,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Self, TournamentError> {
        let game = file.game();
        let maps = maps(file, game)?;
        let (mut bots, mut failed) = (Vec::new(), Vec::new());
        let mut shared = Preparer::new(helper.clone(), sandbox(file, &TournamentBot::default()), cancel.clone());
        for bot in &file.bots {
            let mut own =
                (!bot.read.is_empty()).then(|| Preparer::new(helper.clone(), sandbox(file, bot), cancel.clone()));
            let preparer = own.as_mut().unwrap_or(&mut shared);
            let named = NamedBot::parse(game, &bot.run).map_err(agon_play::Error::from);
            let prepared = named.and_then(|named| {
                let named = NamedBot { name: bot.name.clone(), ..named };
                let prepared = preparer.prepare(game, &named, events)?;
                Ok((named, prepared.with_variables(&bot.env).with_memory(bot.memory)))
            });
            match prepared {
                Ok(found) => bots.push(found),
                Err(agon_play::Error::Cancelled) => return Err(agon_play::Error::Cancelled.into()),
                Err(why) => failed.push(why),
            }
        }
        if !failed.is_empty() {
            return Err(TournamentError::Bots(failed));
        }
        let (named, prepared): (Vec<NamedBot>, Vec<PreparedBot>) = bots.into_iter().unzip();
        let seats = file.seats as usize;
        let plan = terms(file, &maps[0], "").plan(game, &seated(&named, 0, seats))?;
        let bot = |(number, prepared): (usize, PreparedBot)| -> Result<FieldBot, TournamentError> {
            let own = &file.bots[number];
            let first = terms(file, &maps[0], &own.clock).plan(game, &seated(&named, number, seats))?;
            let seat = first.spec(std::slice::from_ref(&prepared)).seats.swap_remove(0);
            Ok(FieldBot { hash: hash(&prepared, own), prepared, seat })
        };
        let bots = prepared.into_iter().enumerate().map(bot).collect::<Result<Vec<_>, _>>()?;
        for map in &maps {
            if let FieldMap::File(file_map) = map {
                let rules = &plan.spec(&[]).rules;
                let wrong = |why: MapError| TournamentError::Play(why.into());
                file_map.check(game, rules, seats).map_err(wrong)?;
            }
        }
        let warning = shared.warning().map(str::to_owned);
        Ok(Self { game, plan, bots, maps, warning })
    }

    /// Returns the game.
    #[must_use]
    pub fn game(&self) -> &'static dyn AnyGame {
        self.game
    }

    /// Returns the number of maps that the file means.
    #[must_use]
    pub fn map_count(&self) -> usize {
        self.maps.len()
    }

    /// Returns the number of seats whose bots are processes, if the first bots of the list play.
    #[must_use]
    pub fn processes(&self, seats: usize) -> usize {
        let process = |bot: &&FieldBot| bot.prepared.spec().is_process();
        self.bots.iter().filter(process).count().min(seats)
    }

    /// Returns what the user must know about the isolation of the bots. Clean it before you show it.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Returns what each bot can read of the file at `path` while it plays, with the name of the bot.
    pub fn exposures<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a str, Exposure)> + 'a {
        self.bots.iter().map(move |bot| (bot.prepared.bot().name.as_str(), bot.prepared.exposure(path)))
    }

    pub(crate) fn bots(&self) -> &[FieldBot] {
        &self.bots
    }

    pub(crate) fn maps(&self) -> &[FieldMap] {
        &self.maps
    }

    /// Returns the bots of a match, in the order of their seats.
    pub(crate) fn bots_of(&self, planned: &PlannedMatch) -> Vec<PreparedBot> {
        planned.bots.iter().map(|bot| self.bots[*bot as usize].prepared.clone()).collect()
    }

    /// Returns the description of a match between these bots.
    pub(crate) fn spec(&self, planned: &PlannedMatch, bots: &[PreparedBot]) -> Result<MatchSpec, agon_play::Error> {
        let MatchSpec { seed, .. } = MatchSpec { seed: Seed(planned.seed), ..self.plan.spec(bots) };
        let map = match &self.maps[planned.map as usize % self.maps.len()] {
            FieldMap::File(map) => map.clone(),
            FieldMap::Generated { source, seed, .. } => {
                let seed = seed.unwrap_or(Seed(planned.map_seed));
                let source = MapSource::Generated { kind: source.clone(), seed: Some(seed) };
                source.load(self.game, seed, bots.len())?
            }
        };
        let mut seats: Vec<SeatSpec> = planned.bots.iter().map(|bot| self.bots[*bot as usize].seat.clone()).collect();
        for i in 1..seats.len() {
            // A bot may play against itself.
            let twins = seats[..i].iter().filter(|seat| seat.name == seats[i].name).count();
            if twins > 0 {
                seats[i].name = format!("{}#{}", seats[i].name, twins + 1);
            }
        }
        let text = map.text()?.to_owned();
        Ok(MatchSpec { map_name: map.name.clone(), map: text, seed, seats, ..self.plan.spec(bots) })
    }
}

fn sandbox(file: &TournamentFile, bot: &TournamentBot) -> SandboxOptions {
    SandboxOptions { isolation: file.sandbox, bot_dir: None, read: bot.read.clone(), processes: file.processes }
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
        seed: file.seed,
        rounds: file.limit,
        time: (!file.clock.is_empty()).then(|| file.clock.clone()),
        memory: file.memory,
        seats: if clock.is_empty() { Vec::new() } else { vec![own] },
        ..MatchTerms::default()
    }
}

/// Returns what identifies a bot: its content, and the variables that it gets.
fn hash(prepared: &PreparedBot, bot: &TournamentBot) -> Option<BlobHash> {
    let content = *prepared.hash()?.bytes();
    if bot.env.is_empty() {
        return Some(BlobHash::from_bytes(content));
    }
    let mut bytes = content.to_vec();
    for text in bot.env.iter().flat_map(|(name, value)| [name, value]) {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    Some(BlobHash::of(&bytes))
}

/// Finds every map that the file means, files in the order of their names.
fn maps(file: &TournamentFile, game: &dyn AnyGame) -> Result<Vec<FieldMap>, TournamentError> {
    let mut maps = Vec::new();
    for name in &file.maps {
        let wrong = |why: String| TournamentError::Map { name: name.clone(), why };
        match name.parse().map_err(wrong)? {
            MapSource::Generated { kind, seed } => {
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
                    let map = MapSource::File(path).load(game, file.seed, file.seats as usize);
                    maps.push(FieldMap::File(map.map_err(agon_play::Error::from)?));
                }
            }
        }
    }
    Ok(maps)
}
