//! The arguments of every command that plays matches: map, rules, clock, limits, isolation.

use crate::{
    chosen::chosen,
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    printer::Printer,
    sandbox_options::SandboxOptions,
    values,
};
use agon_core::{Derivation, Seed};
use agon_games::AnyGame;
use agon_play::{
    Event, Helper, MapSource, MatchPlan, MatchTerms, MemoryLimit, NamedBot, PreparedBot, Preparer, SeatOption,
    Variable, unique_names,
};
use agon_spec::{Fuel, MatchSpec};
use clap::Args;
use std::{collections::BTreeMap, path::Path};

/// The arguments of every command that plays matches.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The match")]
pub struct Terms {
    /// FILE, or `gen[:KIND][:SEED]` for a generated map. Without SEED, its seed follows from that of the match. With many games,
    /// several `--map` follow one another: each is for as many games as there are seats, and then the first one comes again.
    #[arg(long = "map", value_name = "MAP", default_value = "gen", value_parser = values::map)]
    pub maps: Vec<MapSource>,

    /// The rule set, with changes to single points: `original` or `spec,POINT=VALUE`. `agon games GAME` lists them.
    #[arg(long, value_name = "RULES", default_value = "", hide_default_value = true)]
    pub rules: String,

    /// The source of everything random: the same seed and the same answers make the same match. Without it, Agon draws
    /// a fresh seed and prints it.
    #[arg(long, value_name = "SEED", value_parser = values::seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// The length of the match in rounds or turns, as the game counts.
    #[arg(long, value_name = "N", value_parser = values::whole(1..=u32::MAX), allow_negative_numbers = true)]
    pub rounds: Option<u32>,

    /// How long bots may take: `off`, the name of one of the game's clocks, or what differs from its usual clock:
    /// `greeting=2s,move=1s,soft=100ms,first=+2s,bank=180s,increment=1s`.
    #[arg(long, value_name = "CLOCK")]
    pub time: Option<String>,

    /// How much memory all processes of a bot may use together: MiB, an amount such as `2GiB`, or `off`. The default is what the contest
    /// allowed (Triangles: 400), and 400 in a sandbox.
    #[arg(long, value_name = "MIB", value_parser = memory, allow_negative_numbers = true)]
    pub memory: Option<MemoryLimit>,

    /// How many instructions a WASM bot may use in a turn, as `500M`. `1G,start=20G` also sets the limit for its start;
    /// the default is ten times the limit of a turn.
    #[arg(long, value_name = "COUNT", default_value_t, value_parser = fuel, allow_negative_numbers = true)]
    pub fuel: Fuel,

    /// A setting for one seat: an option of the game's protocol, `time=CLOCK`, `memory=SIZE` as in `memory=1GiB`, or an
    /// environment variable as `env=KEY=VALUE`. May be repeated.
    #[arg(long = "seat", value_name = "N:KEY=VALUE", value_parser = values::seat_option)]
    pub seats: Vec<SeatOption>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// A match that is ready to be played.
pub struct Match {
    /// Everything that decides the match except the answers of the bots.
    pub spec: MatchSpec,
    /// The bots, one for each seat.
    pub bots: Vec<PreparedBot>,
    /// What the user must know about the isolation of the bots.
    pub warning: Option<String>,
}

fn memory(text: &str) -> std::result::Result<MemoryLimit, String> {
    text.parse()
}

fn fuel(text: &str) -> std::result::Result<Fuel, String> {
    text.parse().map_err(values::one_line)
}

/// Parses the arguments that name the bots.
pub fn parse_bots(game: &dyn AnyGame, words: &[String]) -> Result<Vec<NamedBot>> {
    let bots: std::result::Result<Vec<_>, _> = words.iter().map(|text| NamedBot::parse(game, text)).collect();
    let mut bots = bots.map_err(agon_play::Error::from)?;
    unique_names(&mut bots);
    Ok(bots)
}

impl Terms {
    /// Returns the terms in the form that `agon-play` takes.
    pub fn terms(&self) -> MatchTerms {
        MatchTerms {
            map: self.maps.first().cloned().unwrap_or_default(),
            rules: self.rules.clone(),
            seed: self.seed.map_or_else(crate::seed::fresh, Seed),
            seeds: Derivation::Keyed,
            rounds: self.rounds,
            time: self.time.clone(),
            memory: self.memory.unwrap_or_default(),
            fuel: self.fuel,
            seats: self.seats.clone(),
        }
    }

    /// Returns the first match on each of the maps, after everything was checked that can be checked before a bot is started.
    ///
    /// # Errors
    /// A term cannot be used, or one of the maps.
    pub fn plans(&self, terms: &MatchTerms, game: &dyn AnyGame, bots: &[NamedBot]) -> Result<Vec<MatchPlan>> {
        let plan = |map: &MapSource| MatchTerms { map: map.clone(), ..terms.clone() }.plan(game, bots);
        Ok(self.maps.iter().map(plan).collect::<agon_play::Result<_>>()?)
    }

    /// Returns the files of the maps, with what they are.
    pub fn map_files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.maps.iter().filter_map(|map| match map {
            MapSource::File(path) => Some(("the map", &**path)),
            MapSource::Generated { .. } => None,
        })
    }

    /// Returns what prepares bots, and arms the interrupt handler.
    ///
    /// # Errors
    /// A path that bots may read does not exist, or bots must not read it.
    pub fn preparer(&self, interrupt: &Interrupt) -> Result<Preparer> {
        interrupt.arm();
        let options = self.sandbox.options();
        options.check_paths()?;
        Ok(Preparer::new(Helper::ThisProgram, options, interrupt.cancel().clone()))
    }

    /// Checks everything that can be checked before a bot is started, then prepares the bots.
    ///
    /// # Errors
    /// A term or a bot cannot be used, or the user interrupted a build.
    pub fn prepare(
        &self,
        game: &'static dyn AnyGame,
        bots: &[NamedBot],
        printer: &Printer,
        interrupt: &Interrupt,
    ) -> Result<Match> {
        if self.maps.len() > 1 {
            return Err(Error::user("`--map` is given more than once, but one match has one map")
                .hint("`--games N` plays on several maps")
                .exit(Exit::Usage));
        }
        let plan = self.terms().plan(game, bots)?;
        let mut preparer = self.preparer(interrupt)?;
        let bots = self.prepare_all(&mut preparer, game, bots, printer)?;
        let warning = preparer.warning().map(crate::clean::clean);
        Ok(Match { spec: plan.spec(&bots), bots, warning })
    }

    /// Returns the environment variables that the options give to the bot in a seat.
    pub fn variables(&self, seat: usize) -> BTreeMap<String, String> {
        let mut variables = Variable::map(&self.sandbox.variables);
        variables.extend(SeatOption::variables(&self.seats, seat));
        variables
    }

    /// Prepares bots, each with the variables of its seat.
    ///
    /// # Errors
    /// A bot cannot be used, or the user interrupted a build.
    pub fn prepare_all(
        &self,
        preparer: &mut Preparer,
        game: &dyn AnyGame,
        bots: &[NamedBot],
        printer: &Printer,
    ) -> Result<Vec<PreparedBot>> {
        let prepared = bots.iter().enumerate().map(|(seat, bot)| {
            let variables = SeatOption::variables(&self.seats, seat);
            prepare(preparer, game, bot, printer).map(|bot| bot.with_variables(&variables))
        });
        prepared.collect()
    }
}

/// Prepares a bot. A line of progress names the bot that is being built.
pub fn prepare(preparer: &mut Preparer, game: &dyn AnyGame, bot: &NamedBot, printer: &Printer) -> Result<PreparedBot> {
    let prepared = preparer.prepare(game, bot, &mut |event| match event {
        Event::Planned { bot, plan } => printer.note(chosen(bot, plan)),
        Event::Building { bot, language } => {
            let language = language.map(|language| format!(" ({language})")).unwrap_or_default();
            printer.progress(&format!("building {}{language}", crate::clean::clean(&bot.display().to_string())));
        }
        Event::Warning { text, .. } => printer.warning(crate::clean::clean(text)),
        _ => {}
    });
    printer.progress("");
    Ok(prepared?)
}
