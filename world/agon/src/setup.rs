//! From arguments to a match that can be opened.

use crate::{
    bot_spec::{self, BotSpec, Program, unique_names},
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    game::{clock, list, seat_range},
    interrupt,
    map_source::{Map, MapSource},
    packed::{self, Shelter},
    printer::Printer,
    sandbox::SandboxOptions,
    seat_option::SeatOption,
    values, wasm,
};
use agon_core::{ClockPolicy, Seat, Seed};
use agon_games::AnyGame;
use agon_referee::{Fault, FaultRecord, SeatKind};
use agon_run::{CancelFlag, Launch, Options};
use agon_sandbox::Confinement;
use agon_spec::{Fuel, Isolation, Limits, MatchSpec, SeatSpec};
use clap::Args;
use std::time::Duration;

/// How long a bot that is told of the end may take to end: some write what they have learnt.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What every command that plays takes.
#[derive(Args, Clone, Debug)]
pub struct Terms {
    /// FILE, or `gen[:KIND][:SEED]` for a generated map; its seed is that of the match if none is given.
    #[arg(long, value_name = "MAP", default_value = "gen")]
    pub map: MapSource,

    /// The rule set and points of it, as `original` or `spec,POINT=VALUE`; `agon games GAME` lists them.
    #[arg(long, value_name = "RULES", default_value = "", hide_default_value = true)]
    pub rules: String,

    /// What everything random comes from: the same seed and the same answers make the same match. A fresh one is drawn
    /// and printed if there is none.
    #[arg(long, value_name = "SEED", value_parser = values::seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Rounds or turns, in the game's own count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub rounds: Option<u32>,

    /// How long bots may take: `off`, or what differs from the game's clock, as
    /// `greeting=2s,move=1s,soft=100ms,first=+2s,bank=180s,increment=1s`, or the name of a clock of the game.
    #[arg(long, value_name = "CLOCK")]
    pub time: Option<String>,

    /// How much memory a bot's processes may have together, in MiB, or `off`; without it, what the contest allowed
    /// (Triangles: 400), and 400 in a sandbox.
    #[arg(long, value_name = "MIB", value_parser = memory, allow_negative_numbers = true)]
    pub memory: Option<Memory>,

    /// How many instructions a bot in WASM may use for a turn, as `500M`, and, behind it, for its start, as
    /// `1G,start=20G`; ten times as many if that is not said.
    #[arg(long, value_name = "COUNT", default_value_t, value_parser = fuel, allow_negative_numbers = true)]
    pub fuel: Fuel,

    /// What one seat has for itself: an option of the game's protocol or `time=CLOCK`. May be repeated.
    #[arg(long = "seat", value_name = "N:KEY=VALUE")]
    pub seats: Vec<SeatOption>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// A match that can be opened and played.
pub struct Setup {
    /// The game.
    pub game: &'static dyn AnyGame,
    /// Everything that decides the match beside the answers.
    pub spec: MatchSpec,
    /// Who decides, one a seat.
    pub kinds: Vec<SeatKind>,
    /// What is started, one a seat.
    pub launches: Vec<Launch>,
    /// Bots that see no file of their user's.
    pub blind: Vec<Seat>,
    /// What a user must know of how the bots are kept apart.
    pub warning: Option<String>,
}

/// The value of `--memory`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Unlimited.
    Off,
    /// At most so many MiB.
    Mib(u32),
}

fn memory(text: &str) -> std::result::Result<Memory, String> {
    match text {
        "off" => Ok(Memory::Off),
        _ => match text.parse() {
            Ok(mib @ 1..) => Ok(Memory::Mib(mib)),
            _ => Err("write a number of MiB from 1 on, or `off`".to_owned()),
        },
    }
}

fn fuel(text: &str) -> std::result::Result<Fuel, String> {
    text.parse().map_err(values::told)
}

impl Terms {
    /// Reads bots and map, and checks everything that can be checked before a bot is started.
    ///
    /// # Errors
    /// Whatever of it cannot be taken; or `cancel` was set while a bot was built.
    pub fn setup(
        &self,
        game: &'static dyn AnyGame,
        bots: &[String],
        printer: &Printer,
        cancel: &CancelFlag,
    ) -> Result<Setup> {
        let mut bots = bots.iter().map(|text| BotSpec::parse(game, text)).collect::<Result<Vec<_>>>()?;
        check_count(game, bots.len())?;
        unique_names(&mut bots);
        let rules = game.rules(&self.rules).map_err(|flaw| Error::from(flaw).context("--rules"))?;
        if self.rounds.is_some() && game.limit().is_none() {
            return Err(Error::user(format!("--rounds: {} has no limit of rounds or turns", game.title())));
        }
        let base = game.clock();
        let time =
            self.time.as_deref().map_or(Ok(base), |text| clock(game, base, text).map_err(|e| e.context("--time")))?;
        let seats = self.seat_specs(game, &bots, time)?;
        let seed = self.seed.map_or_else(crate::seed::fresh, Seed);
        let map = self.map.load(game, seed, bots.len())?;
        check_map(game, &map, &rules, bots.len())?;
        let kinds = bots.iter().map(|bot| bot.program.kind()).collect();
        interrupt::watched();
        // Built-in bots are part of this program: a match of them has nothing to be kept from.
        let programs = bots.iter().any(|bot| bot.program.kind() == SeatKind::Process);
        let decision = if programs { Some(self.sandbox.decide()?) } else { None };
        self.sandbox.check()?;
        let level = decision.as_ref().map(|decision| decision.level);
        let modules = bots.iter().any(|bot| matches!(bot.program, Program::Wasm(_)));
        let memory_mib = self.memory_mib(game, level, modules);
        let confinement = level.and_then(|level| self.sandbox.confinement(level, memory_mib));
        let fuel = modules.then_some(self.fuel);
        let limits = Limits { memory_mib, isolation: level, fuel, ..Limits::default() };
        let launch = |(i, bot): (usize, &BotSpec)| {
            let program = bot.program.clone().hosted(&limits, seed, Seat::new(i));
            let launch = program.and_then(|it| it.launch(&self.sandbox, confinement.as_ref(), printer, cancel));
            launch.map_err(|e| if e.exit == Exit::Interrupted { e } else { e.context(&clean(&bot.name)) })
        };
        let launches = bots.iter().enumerate().map(launch).collect::<Result<Vec<_>>>()?;
        let spec = MatchSpec {
            game: game.name().to_owned(),
            rules,
            map_name: map.name.clone(),
            map: map.text()?,
            seed,
            limit: self.rounds,
            seats,
            clock: time,
            limits,
        };
        let blind = bots.iter().enumerate().filter(|(_, bot)| match &bot.program {
            Program::Command(words) => confinement.is_some() && self.sandbox.shows_nothing(words),
            _ => false,
        });
        let blind = blind.map(|(i, _)| Seat::new(i)).collect();
        let warning = decision.and_then(|decision| decision.warning);
        Ok(Setup { game, spec, kinds, launches, blind, warning })
    }

    /// `modules` says whether a bot in WASM plays: its limit is part of what it sees, so that there must be one.
    fn memory_mib(&self, game: &dyn AnyGame, level: Option<Isolation>, modules: bool) -> Option<u32> {
        match self.memory {
            Some(Memory::Off) => None,
            Some(Memory::Mib(mib)) => Some(mib),
            None if modules || level > Some(Isolation::None) => {
                Some(game.memory_mib().unwrap_or(Confinement::MEMORY_MIB))
            }
            None => game.memory_mib(),
        }
    }

    fn seat_specs(&self, game: &dyn AnyGame, bots: &[BotSpec], time: ClockPolicy) -> Result<Vec<SeatSpec>> {
        // What runs by instructions is not to be decided by time.
        let own = |bot: &BotSpec| matches!(bot.program, Program::Wasm(_)).then(|| wasm::clock(self.fuel));
        let plain = |bot: &BotSpec| SeatSpec {
            name: bot.name.clone(),
            bot: bot.text.clone(),
            clock: own(bot),
            ..SeatSpec::default()
        };
        let mut seats: Vec<SeatSpec> = bots.iter().map(plain).collect();
        for option in &self.seats {
            let context = format!("--seat {}:{}", option.seat, clean(&option.key));
            let Some(seat) = seats.get_mut(option.seat.index()) else {
                return Err(Error::user(format!("{context}: there are only {} seats", bots.len())));
            };
            if option.key == "time" {
                let base = seat.clock.unwrap_or(time);
                seat.clock = Some(clock(game, base, &option.value).map_err(|e| e.context(&context))?);
                continue;
            }
            check_dialect(game, option).map_err(|e| e.context(&context))?;
            seat.dialect.retain(|(key, _)| *key != option.key);
            seat.dialect.push((option.key.clone(), option.value.clone()));
        }
        Ok(seats)
    }
}

impl Setup {
    /// What may be behind a bot's failure at its start.
    pub fn doubt(&self, fault: &FaultRecord) -> Option<String> {
        let early = fault.ply <= 1 && matches!(fault.fault, Fault::Crashed { .. } | Fault::ClosedOutput);
        let name = clean(&self.spec.seats.get(fault.seat.index())?.name);
        if let Some(file) = bot_spec::missing_file(&self.spec.seats[fault.seat.index()].bot).filter(|_| early) {
            return Some(format!("there is no file `{}`, which the command of {name} names", clean(&file)));
        }
        (early && self.blind.contains(&fault.seat)).then(|| {
            format!("{name} sees no file of yours, as its command names none: `--bot-dir DIR` shows it a folder")
        })
    }

    /// How long bots may take to end by themselves after the match: a champion has its last callback before it, and who
    /// is told `quit` may have a log to save.
    pub fn grace(&self) -> Duration {
        let champion = |seat: &SeatSpec| seat.bot.starts_with(crate::champion::PREFIX);
        let is_told = |seat: &SeatSpec| seat.dialect.iter().any(|(key, value)| key == "quit" && value == "yes");
        match &self.spec.seats {
            seats if seats.iter().any(champion) => crate::champion::LAST_CALL,
            seats if seats.iter().any(is_told) => LAST_WORDS,
            _ => Options::default().grace,
        }
    }
}

impl Program {
    fn kind(&self) -> SeatKind {
        match self {
            Self::Builtin(name) => SeatKind::Builtin(name),
            Self::Command(_) | Self::Packed(..) | Self::Wasm(_) | Self::Ready { .. } => SeatKind::Process,
        }
    }

    /// What is started for it. What must be built is built.
    ///
    /// # Errors
    /// A bot that must not be shown what it would need, or that cannot be built; or `cancel` was set meanwhile.
    pub fn launch(
        &self,
        sandbox: &SandboxOptions,
        confinement: Option<&Confinement>,
        printer: &Printer,
        cancel: &CancelFlag,
    ) -> Result<Launch> {
        Ok(match self {
            Self::Builtin(_) => Launch::Builtin,
            Self::Command(words) => Launch::Program(sandbox.command(agon_run::Program::new(words), confinement)?),
            // It has become what plays it before.
            Self::Wasm(_) => return Err(Error::user("a module is played by a host, and this has none")),
            Self::Packed(path, kind) => {
                let shelter = Shelter::of(sandbox.sandbox, confinement.map_or(Isolation::None, |c| c.level));
                let (program, read) = packed::program(path, *kind, shelter, printer, cancel)?;
                Launch::Program(sandbox.ready(program, &read, confinement)?)
            }
            Self::Ready { program, read } => Launch::Program(sandbox.ready(program.clone(), read, confinement)?),
        })
    }
}

/// As many bots as the game has seats, with what to do if not.
fn check_count(game: &dyn AnyGame, count: usize) -> Result<()> {
    let (least, most) = game.seats().into_inner();
    let takes = format!("{} is played by {} bots", game.title(), seat_range(game));
    let weakest = game.bots().first().map_or("random", |b| b.name);
    if count == 0 {
        let example = vec![format!("@{weakest}"); least.max(1)].join(" ");
        return Err(Error::user(format!("{takes}, and none is given"))
            .exit(Exit::Nothing)
            .hint(format!("try `agon match {} {example}`", game.name())));
    }
    if count < least {
        let missing = vec![format!("@{weakest}"); least - count].join(" ");
        return Err(Error::user(format!("{takes}, not by {count}"))
            .hint(format!("every BOT takes one seat: add `{missing}` or a bot of your own")));
    }
    if count > most {
        return Err(Error::user(format!("{takes}, not by {count}"))
            .hint("every BOT takes one seat; put a command of several words in quotes, as 'python3 bot.py'"));
    }
    Ok(())
}

fn check_map(game: &dyn AnyGame, map: &Map, rules: &str, seats: usize) -> Result<()> {
    let text = map.text()?;
    game.check_map(text.as_bytes(), rules, seats).map_err(|flaw| Error::in_text(&map.name, &map.bytes, flaw))?;
    Ok(())
}

fn check_dialect(game: &dyn AnyGame, option: &SeatOption) -> Result<()> {
    let Some(known) = game.dialect().iter().find(|d| d.name == option.key) else {
        let names = game.dialect().iter().map(|d| d.name.to_owned()).chain(["time".to_owned()]);
        return Err(Error::user(format!("{} has no such option of a seat", game.title()))
            .hint(format!("there are: {}", list(names))));
    };
    if known.values.contains(&option.value.as_str()) {
        return Ok(());
    }
    Err(Error::user(format!("it cannot be `{}`", clean(&option.value)))
        .hint(format!("its values are: {}", known.values.join(", "))))
}
