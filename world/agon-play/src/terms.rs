//! The settings of a match as a user writes them: map, rules, clock, limits.

use crate::{
    MapFile, MapSource, NamedBot, PreparedBot, Result, SeatOption, Tier, Variable,
    game::{joined, parse_clock, seat_range},
    wasm,
};
use agon_core::{ClockPolicy, Derivation, Flaw, Seat, Seed, text::counted};
use agon_games::AnyGame;
use agon_sandbox::Confinement;
use agon_spec::{Fuel, Isolation, Limits, MatchSpec, SeatSpec, parse_mib};
use std::{fmt, str::FromStr};

/// The settings of a match. The default is a generated map, the game's default rules and clock, and the seed 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchTerms {
    /// The source of the map.
    pub map: MapSource,
    /// The rule set, and points that differ from it, as in `original` or `spec,POINT=VALUE`. An empty text is the
    /// game's default.
    pub rules: String,
    /// The random seed of the match.
    pub seed: Seed,
    /// How the seeds of the map and of built-in bots follow from it.
    pub seeds: Derivation,
    /// The maximum number of rounds or turns, whichever the game counts. `None` is the game's default.
    pub rounds: Option<u32>,
    /// The clock, as a text for [`parse_clock`]. `None` is the game's default.
    pub time: Option<String>,
    /// The limit of the memory that all processes of a bot use together.
    pub memory: MemoryLimit,
    /// The number of instructions that a WASM bot may use.
    pub fuel: Fuel,
    /// Options of single seats.
    pub seats: Vec<SeatOption>,
}

/// The limit of the memory that all processes of a bot use together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryLimit {
    /// The limit of the original contest. If the contest had none: 400 MiB in a sandbox or for a WASM bot, otherwise
    /// unlimited.
    #[default]
    Usual,
    /// No limit.
    Off,
    /// This many MiB.
    Mib(u32),
}

impl FromStr for MemoryLimit {
    type Err = String;

    /// Reads `off`, or an amount of memory as in `400` (MiB), `400MiB` and `2GiB`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            _ => parse_mib(text)
                .map(Self::Mib)
                .ok_or_else(|| "write a whole number of MiB, at least 1, or as `2GiB`, or `off`".to_owned()),
        }
    }
}

/// A match whose settings have passed every check that is possible before a bot starts.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchPlan {
    /// The description without its limits.
    spec: MatchSpec,
    memory: MemoryLimit,
    /// The memory limit of the original contest in MiB.
    contest_mib: Option<u32>,
    fuel: Fuel,
}

/// The setting that is not valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The number of bots.
    Bots {
        /// The number of bots that the user named.
        given: usize,
    },
    /// The rule set.
    Rules,
    /// The number of rounds or turns.
    Rounds,
    /// The clock.
    Time,
    /// An option of this seat, with its key.
    Seat(Seat, String),
    /// The cores.
    Cores,
    /// The number of cores of each bot.
    CoresOfBot,
    /// Whether bots may compute outside their own turn.
    Ponder,
}

/// Settings that are not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{part}{flaw}")]
pub struct TermsError {
    /// The setting that is not valid.
    pub part: Part,
    /// What is wrong with the setting.
    #[source]
    pub flaw: Flaw,
}

impl fmt::Display for Part {
    /// Writes the option of the command line without its dashes, followed by a colon and a space.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bots { .. } => Ok(()),
            Self::Rules => f.write_str("rules: "),
            Self::Rounds => f.write_str("rounds: "),
            Self::Time => f.write_str("time: "),
            Self::Cores => f.write_str("pin: "),
            Self::CoresOfBot => f.write_str("cores: "),
            Self::Ponder => f.write_str("ponder: "),
            Self::Seat(seat, key) => write!(f, "seat {seat}:{key}: "),
        }
    }
}

impl TermsError {
    /// Returns who can fix the problem.
    #[must_use]
    pub fn tier(&self) -> Tier {
        if self.part == (Part::Bots { given: 0 }) { Tier::Nothing } else { Tier::User }
    }

    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.flaw.hint.as_deref().map(str::to_owned)
    }
}

impl Part {
    pub(crate) fn wrong(self, flaw: Flaw) -> TermsError {
        TermsError { part: self, flaw }
    }
}

impl MatchTerms {
    /// Returns the settings of a match in which the bots exchange their seats, with another seed. `seating` has the index
    /// of the bot in each seat. The options of a seat move with the bot that is named in that place.
    #[must_use]
    pub fn seated(&self, seed: Seed, seating: &[usize]) -> Self {
        let moved = |option: &SeatOption| {
            let seat = seating.iter().position(|bot| *bot == option.seat.index());
            SeatOption { seat: seat.map_or(option.seat, Seat::new), ..option.clone() }
        };
        Self { seed, seats: self.seats.iter().map(moved).collect(), ..self.clone() }
    }

    /// Reads the map and checks everything that can be checked before a bot starts.
    ///
    /// # Errors
    /// If a setting or the number of bots is not valid, or the map cannot be read or played.
    pub fn plan(&self, game: &dyn AnyGame, bots: &[NamedBot]) -> Result<MatchPlan> {
        check_count(game, bots.len())?;
        let rules = game.rules(&self.rules).map_err(|flaw| Part::Rules.wrong(flaw))?;
        if self.rounds.is_some() && game.info().limit.is_none() {
            let flaw = Flaw::new(format!("{} has no limit on rounds or turns", game.info().title));
            return Err(Part::Rounds.wrong(flaw).into());
        }
        let base = game.info().clock;
        let clock = self.time.as_deref().map_or(Ok(base), |text| parse_clock(game, base, text));
        let clock = clock.map_err(|flaw| Part::Time.wrong(flaw))?;
        let seats = self.seat_specs(game, bots, clock)?;
        let map = self.map.begun(game, self.seeds).load(game, self.seeds.map(self.seed), bots.len())?;
        map.check(game, &rules, bots.len())?;
        let MapFile { name: map_name, .. } = &map;
        let spec = MatchSpec {
            game: game.name().to_owned(),
            rules,
            map_name: map_name.clone(),
            map: map.text()?.to_owned(),
            state: agon_core::State::default(),
            seed: self.seed,
            seeds: self.seeds,
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
        // A bot that is limited by instructions must not lose by time.
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
                return Err(wrong(Flaw::new(format!("the match has only {}", counted(bots.len(), "seat")))));
            };
            if option.key == "time" {
                let base = seat.clock.unwrap_or(time);
                seat.clock = Some(parse_clock(game, base, &option.value).map_err(wrong)?);
                continue;
            }
            if option.key == "memory" {
                let mib = parse_mib(&option.value).ok_or_else(|| {
                    Flaw::new(format!("`{}` is no amount of memory", option.value))
                        .hint("write it as `400MiB` or `2GiB`")
                });
                seat.memory_mib = Some(mib.map_err(wrong)?);
                continue;
            }
            if option.key == SeatOption::ENV {
                option.value.parse::<Variable>().map_err(|why| wrong(Flaw::new(why)))?;
                let is_process = bots.get(option.seat.index()).is_some_and(|bot| bot.spec.is_process());
                if !is_process {
                    return Err(wrong(Flaw::new("the bot in this seat is no process, and has no environment")));
                }
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
    /// Returns the plan of a match that goes on from a recorded one, on the same map and by the same rules, between these
    /// bots and without clocks. A usual limit of memory is that of the recorded match, if it had one.
    ///
    /// # Errors
    /// If the number of bots is not valid.
    pub fn of_recorded(
        game: &dyn AnyGame,
        recorded: &MatchSpec,
        bots: &[NamedBot],
        memory: MemoryLimit,
    ) -> Result<Self> {
        check_count(game, bots.len())?;
        let seat = |bot: &NamedBot| SeatSpec { name: bot.name.clone(), bot: bot.words.clone(), ..SeatSpec::default() };
        let seats = bots.iter().map(seat).collect();
        let limits = Limits::default();
        let memory = match (memory, recorded.limits.memory_mib) {
            (MemoryLimit::Usual, Some(mib)) => MemoryLimit::Mib(mib),
            _ => memory,
        };
        let spec = MatchSpec { seats, clock: ClockPolicy::OFF, limits, ..recorded.clone() };
        Ok(Self { spec, memory, contest_mib: game.info().memory_mib, fuel: Fuel::default() })
    }

    /// Gives every seat this clock, whoever sits there.
    #[must_use]
    pub fn with_clock(mut self, clock: ClockPolicy) -> Self {
        self.spec.clock = clock;
        self.spec.seats.iter_mut().for_each(|seat| seat.clock = Some(clock));
        self
    }

    /// Returns the description of the match between these bots. They must be in the order of [`MatchTerms::plan`].
    #[must_use]
    pub fn spec(&self, bots: &[PreparedBot]) -> MatchSpec {
        let isolation = bots.iter().filter_map(PreparedBot::isolation).max();
        let modules = bots.iter().any(|bot| bot.spec().is_wasm());
        let memory_mib = match self.memory {
            MemoryLimit::Off => None,
            MemoryLimit::Mib(mib) => Some(mib),
            // A module can see its memory limit, so there must be one.
            MemoryLimit::Usual if modules || isolation > Some(Isolation::None) => {
                Some(self.contest_mib.unwrap_or(Confinement::MEMORY_MIB))
            }
            MemoryLimit::Usual => self.contest_mib,
        };
        let limits = Limits { memory_mib, isolation, fuel: modules.then_some(self.fuel), ..Limits::default() };
        let mut spec = MatchSpec { limits, ..self.spec.clone() };
        for (seat, bot) in spec.seats.iter_mut().zip(bots) {
            seat.memory_mib = seat.memory_mib.or_else(|| bot.memory_mib(memory_mib));
        }
        spec
    }
}

/// Checks that the number of bots suits the game. The error has a hint on how to correct the number.
fn check_count(game: &dyn AnyGame, count: usize) -> Result<(), TermsError> {
    let (least, most) = game.info().seats.clone().into_inner();
    let takes = format!("{} is played by {} bots", game.info().title, seat_range(game));
    let weakest = game.info().bots.first().map_or("random", |bot| bot.name);
    let weakest = |count: usize| vec![format!("@{weakest}"); count].join(" ");
    let flaw = if count == 0 {
        let hint = format!("try `agon match {} {}`", game.name(), weakest(least.max(1)));
        Flaw::new(format!("{takes}, but none is given")).hint(hint)
    } else if count < least {
        let hint = format!("every BOT takes one seat: add `{}` or a bot of your own", weakest(least - count));
        Flaw::new(format!("{takes}, not by {count}")).hint(hint)
    } else if count > most {
        Flaw::new(format!("{takes}, not by {count}"))
            .hint("every BOT takes one seat; put a command of several words in quotes, such as 'python3 bot.py'")
    } else {
        return Ok(());
    };
    Err(Part::Bots { given: count }.wrong(flaw))
}

fn check_dialect(game: &dyn AnyGame, option: &SeatOption) -> Result<(), Flaw> {
    let Some(known) = game.info().dialect.iter().find(|known| known.name == option.key) else {
        let names = game.info().dialect.iter().map(|known| known.name).chain(["time", "memory", SeatOption::ENV]);
        return Err(Flaw::new(format!("{} has no such option for a seat", game.info().title))
            .hint(format!("the options are: {}", joined(names))));
    };
    if known.values.contains(&option.value.as_str()) {
        return Ok(());
    }
    Err(Flaw::new(format!("the option cannot be `{}`", option.value))
        .hint(format!("its values are: {}", known.values.join(", "))))
}
