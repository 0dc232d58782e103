//! What a match is played by, as a user says it: map, rules, clock, limits.

use crate::{
    MapFile, MapSource, NamedBot, PreparedBot, Result, SeatOption, Tier,
    game::{joined, parse_clock, seat_range},
    wasm,
};
use agon_core::{ClockPolicy, Flaw, Seat, Seed};
use agon_games::AnyGame;
use agon_sandbox::Confinement;
use agon_spec::{Fuel, Isolation, Limits, MatchSpec, SeatSpec};
use std::fmt;

/// What a match is played by. The default is a generated map, the game's own rules and clock, and the seed 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchTerms {
    /// Where the map comes from.
    pub map: MapSource,
    /// The rule set and points of it, as `original` or `spec,POINT=VALUE`; empty is the game's default.
    pub rules: String,
    /// What everything random comes from.
    pub seed: Seed,
    /// Rounds or turns, in the game's own count; `None` is the game's default.
    pub rounds: Option<u32>,
    /// How long bots may take, as [`parse_clock`] reads it; `None` is the game's clock.
    pub time: Option<String>,
    /// How much memory the processes of a bot may have together.
    pub memory: MemoryLimit,
    /// How many instructions a bot in WASM may use.
    pub fuel: Fuel,
    /// What single seats have for themselves.
    pub seats: Vec<SeatOption>,
}

/// How much memory the processes of a bot may have together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryLimit {
    /// What the contest allowed; where it had no limit, 400 MiB in a sandbox and none outside.
    #[default]
    Usual,
    /// Unlimited.
    Off,
    /// At most so many MiB.
    Mib(u32),
}

/// A match of which everything is checked that can be checked before a bot is started.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchPlan {
    /// The description, but for its limits.
    spec: MatchSpec,
    memory: MemoryLimit,
    /// What the contest allowed, in MiB.
    contest_mib: Option<u32>,
    fuel: Fuel,
}

/// What of the terms cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The number of bots.
    Bots {
        /// How many there are.
        given: usize,
    },
    /// The rule set.
    Rules,
    /// Rounds or turns.
    Rounds,
    /// The clock.
    Time,
    /// An option of a seat, by its key.
    Seat(Seat, String),
    /// The cores.
    Cores,
}

/// Terms that cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{part}{flaw}")]
pub struct TermsError {
    /// What of them.
    pub part: Part,
    /// What is wrong with it.
    #[source]
    pub flaw: Flaw,
}

impl fmt::Display for Part {
    /// As the option of the command line without its dashes, with a colon behind it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bots { .. } => Ok(()),
            Self::Rules => f.write_str("rules: "),
            Self::Rounds => f.write_str("rounds: "),
            Self::Time => f.write_str("time: "),
            Self::Cores => f.write_str("pin: "),
            Self::Seat(seat, key) => write!(f, "seat {seat}:{key}: "),
        }
    }
}

impl TermsError {
    /// Whose affair it is.
    #[must_use]
    pub fn tier(&self) -> Tier {
        if self.part == (Part::Bots { given: 0 }) { Tier::Nothing } else { Tier::User }
    }

    /// The way out, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.flaw.hint.clone()
    }
}

impl Part {
    fn wrong(self, flaw: Flaw) -> TermsError {
        TermsError { part: self, flaw }
    }
}

impl MatchTerms {
    /// Reads the map and checks everything that can be checked before a bot is started.
    ///
    /// # Errors
    /// Whatever of it cannot be taken.
    pub fn plan(&self, game: &dyn AnyGame, bots: &[NamedBot]) -> Result<MatchPlan> {
        check_count(game, bots.len())?;
        let rules = game.rules(&self.rules).map_err(|flaw| Part::Rules.wrong(flaw))?;
        if self.rounds.is_some() && game.info().limit.is_none() {
            let flaw = Flaw::new(format!("{} has no limit of rounds or turns", game.info().title));
            return Err(Part::Rounds.wrong(flaw).into());
        }
        let base = game.info().clock;
        let clock = self.time.as_deref().map_or(Ok(base), |text| parse_clock(game, base, text));
        let clock = clock.map_err(|flaw| Part::Time.wrong(flaw))?;
        let seats = self.seat_specs(game, bots, clock)?;
        let map = self.map.load(game, self.seed, bots.len())?;
        map.check(game, &rules, bots.len())?;
        let MapFile { name: map_name, .. } = &map;
        let spec = MatchSpec {
            game: game.name().to_owned(),
            rules,
            map_name: map_name.clone(),
            map: map.text()?.to_owned(),
            seed: self.seed,
            limit: self.rounds,
            seats,
            clock,
            limits: Limits::default(),
        };
        Ok(MatchPlan { spec, memory: self.memory, contest_mib: game.info().memory_mib, fuel: self.fuel })
    }

    fn seat_specs(
        &self,
        game: &dyn AnyGame,
        bots: &[NamedBot],
        time: ClockPolicy,
    ) -> Result<Vec<SeatSpec>, TermsError> {
        // What runs by instructions is not to be decided by time.
        let plain = |bot: &NamedBot| SeatSpec {
            name: bot.name.clone(),
            bot: bot.words.clone(),
            clock: bot.spec.is_wasm().then(|| wasm::clock(self.fuel)),
            ..SeatSpec::default()
        };
        let mut seats: Vec<SeatSpec> = bots.iter().map(plain).collect();
        for option in &self.seats {
            let wrong = |flaw| Part::Seat(option.seat, option.key.clone()).wrong(flaw);
            let Some(seat) = seats.get_mut(option.seat.index()) else {
                return Err(wrong(Flaw::new(format!("there are only {} seats", bots.len()))));
            };
            if option.key == "time" {
                let base = seat.clock.unwrap_or(time);
                seat.clock = Some(parse_clock(game, base, &option.value).map_err(wrong)?);
                continue;
            }
            check_dialect(game, option).map_err(wrong)?;
            seat.dialect.retain(|(key, _)| *key != option.key);
            seat.dialect.push((option.key.clone(), option.value.clone()));
        }
        Ok(seats)
    }
}

impl MatchPlan {
    /// The match between these bots, in the order in which they were named.
    #[must_use]
    pub fn spec(&self, bots: &[PreparedBot]) -> MatchSpec {
        let isolation = bots.iter().filter_map(PreparedBot::isolation).max();
        let modules = bots.iter().any(|bot| bot.spec().is_wasm());
        let memory_mib = match self.memory {
            MemoryLimit::Off => None,
            MemoryLimit::Mib(mib) => Some(mib),
            // The limit of a module is part of what it sees, so that there must be one.
            MemoryLimit::Usual if modules || isolation > Some(Isolation::None) => {
                Some(self.contest_mib.unwrap_or(Confinement::MEMORY_MIB))
            }
            MemoryLimit::Usual => self.contest_mib,
        };
        let limits = Limits { memory_mib, isolation, fuel: modules.then_some(self.fuel), ..Limits::default() };
        MatchSpec { limits, ..self.spec.clone() }
    }
}

/// As many bots as the game has seats, with what to do if not.
fn check_count(game: &dyn AnyGame, count: usize) -> Result<(), TermsError> {
    let (least, most) = game.info().seats.clone().into_inner();
    let takes = format!("{} is played by {} bots", game.info().title, seat_range(game));
    let weakest = game.info().bots.first().map_or("random", |bot| bot.name);
    let weakest = |count: usize| vec![format!("@{weakest}"); count].join(" ");
    let flaw = if count == 0 {
        let hint = format!("try `agon match {} {}`", game.name(), weakest(least.max(1)));
        Flaw::new(format!("{takes}, and none is given")).hint(hint)
    } else if count < least {
        let hint = format!("every BOT takes one seat: add `{}` or a bot of your own", weakest(least - count));
        Flaw::new(format!("{takes}, not by {count}")).hint(hint)
    } else if count > most {
        Flaw::new(format!("{takes}, not by {count}"))
            .hint("every BOT takes one seat; put a command of several words in quotes, as 'python3 bot.py'")
    } else {
        return Ok(());
    };
    Err(Part::Bots { given: count }.wrong(flaw))
}

fn check_dialect(game: &dyn AnyGame, option: &SeatOption) -> Result<(), Flaw> {
    let Some(known) = game.info().dialect.iter().find(|known| known.name == option.key) else {
        let names = game.info().dialect.iter().map(|known| known.name).chain(["time"]);
        return Err(Flaw::new(format!("{} has no such option of a seat", game.info().title))
            .hint(format!("there are: {}", joined(names))));
    };
    if known.values.contains(&option.value.as_str()) {
        return Ok(());
    }
    Err(Flaw::new(format!("it cannot be `{}`", option.value))
        .hint(format!("its values are: {}", known.values.join(", "))))
}
