//! The bots of a test and how their matches are played.

use super::ComparisonOptions;
use crate::{clean::clean, core_placement::PlacementOptions, error::Result, interrupt::Interrupt, printer::Printer};
use agon_core::Fingerprint;
use agon_games::AnyGame;
use agon_play::{
    Cancel, CorePlacement, HostHistory, MapSource, MatchResult, MatchTerms, NamedBot, PlayOptions, PreparedBot,
    Settled, play, unique_names,
};
use agon_referee::Recording;
use agon_spec::MatchSpec;
use agon_tourney::{BlockMatch, FinishedMatch};
use std::{collections::BTreeMap, num::NonZeroUsize};

/// The bots of a test, ready to play, and the terms of their matches.
pub struct Contest {
    pub game: &'static dyn AnyGame,
    /// The old version, the new one, and those in the other seats.
    pub bots: Vec<PreparedBot>,
    pub terms: MatchTerms,
    /// The maps, which follow one another by blocks, each with the text of the first one of its kind.
    pub maps: Vec<(MapSource, String)>,
    /// The description of the first match.
    pub spec: MatchSpec,
    pub placement: PlacementOptions,
    /// The environment variables that the options give to each bot.
    pub variables: Vec<BTreeMap<String, String>>,
    /// What the user must know about the isolation of the bots.
    pub warning: Option<String>,
}

/// A match that was played.
#[derive(Debug)]
pub struct Played {
    pub result: MatchResult,
    /// A number for the text of its map.
    pub map: u64,
}

/// What became of one attempt to play a match.
#[derive(Debug)]
pub enum Attempt {
    Played(Box<Played>),
    /// The host spoilt it, for this reason.
    Spoilt(String),
    NotStarted(Vec<(agon_core::Seat, agon_play::StartError)>),
    Cancelled,
}

impl Contest {
    /// Checks everything that can be checked before a bot is started, then prepares the bots.
    ///
    /// # Errors
    /// A term or a bot cannot be used, or the user interrupted a build.
    pub fn prepare(
        game: &'static dyn AnyGame,
        mut bots: Vec<NamedBot>,
        (options, seeded): (&ComparisonOptions, &MatchTerms),
        interrupt: &Interrupt,
        printer: &Printer,
    ) -> Result<Self> {
        unique_names(&mut bots);
        let plans = options.terms.plans(seeded, game, &bots)?;
        let mut preparer = options.terms.preparer(interrupt)?;
        let bots = options.terms.prepare_all(&mut preparer, game, &bots, printer)?;
        let warning = preparer.warning().map(clean);
        let variables = (0..bots.len()).map(|seat| options.terms.variables(seat)).collect();
        let (terms, placement) = (seeded.clone(), options.placement.clone());
        let maps =
            options.terms.maps.iter().zip(&plans).map(|(map, plan)| (map.clone(), plan.spec(&bots).map)).collect();
        Ok(Self { game, spec: plans[0].spec(&bots), bots, terms, maps, placement, variables, warning })
    }

    /// Returns the bots of a match, in the order of their seats.
    pub fn seated(&self, seating: &[usize]) -> Vec<PreparedBot> {
        seating.iter().map(|bot| self.bots[*bot].clone()).collect()
    }

    /// Returns the terms of the matches of a block, with their seed.
    fn terms_of(&self, next: &BlockMatch) -> MatchTerms {
        let (map, _) = &self.maps[next.block as usize % self.maps.len()];
        MatchTerms { map: map.clone(), ..self.terms.seated(next.seed, &next.seating) }
    }

    /// Returns the name of a bot.
    pub fn name(&self, bot: usize) -> String {
        self.bots[bot].bot().name.clone()
    }
}

/// What every worker needs to play a match.
pub struct Arena<'a> {
    contest: &'a Contest,
    cancel: &'a Cancel,
    host: HostHistory,
    /// Where the matches of each worker run.
    places: Vec<CorePlacement>,
}

impl<'a> Arena<'a> {
    pub fn new(contest: &'a Contest, at_once: NonZeroUsize, cancel: &'a Cancel) -> Self {
        Self { contest, cancel, host: HostHistory::default(), places: contest.placement.of_workers(at_once) }
    }

    /// Plays a match once.
    ///
    /// # Errors
    /// No match can be played.
    pub fn play(&self, worker: usize, next: &BlockMatch) -> agon_play::Result<Attempt> {
        self.play_between(worker, next, &self.contest.bots)
    }

    /// Plays a match once, between other bots than those of the contest. `bots` are those that its seating means.
    ///
    /// # Errors
    /// No match can be played.
    pub fn play_between(&self, worker: usize, next: &BlockMatch, bots: &[PreparedBot]) -> agon_play::Result<Attempt> {
        if self.cancel.is_killed() {
            return Ok(Attempt::Cancelled);
        }
        if next.attempt > 0 {
            self.host.pause(next.attempt);
        }
        let Contest { game, placement, .. } = self.contest;
        let bots: Vec<PreparedBot> = next.seating.iter().map(|bot| bots[*bot].clone()).collect();
        let named: Vec<NamedBot> = bots.iter().map(|bot| bot.bot().clone()).collect();
        let spec = self.contest.terms_of(next).plan(*game, &named)?.spec(&bots);
        let settled = self.host.attempt(next.attempt, || {
            let options = PlayOptions {
                cancel: Some(self.cancel.clone()),
                recording: Recording::Result,
                ponder: placement.ponder,
                cores: self.places[worker].clone(),
                cores_of_bot: placement.cores,
                ..PlayOptions::default()
            };
            play(*game, &spec, &bots, options, &mut |_| ())
        })?;
        Ok(match settled {
            Settled::Decided(result) => Attempt::Played(Box::new(Played { result, map: number_of(&spec.map) })),
            Settled::Undecided { why, .. } => Attempt::Spoilt(why),
            Settled::NotStarted(seats) => Attempt::NotStarted(seats),
            Settled::Cancelled => Attempt::Cancelled,
        })
    }
}

impl Played {
    /// Returns the result as a test counts it.
    pub fn finished(&self) -> FinishedMatch {
        let MatchResult { standing, seats, .. } = &self.result;
        FinishedMatch {
            places: standing.places.iter().map(|place| u32::from(*place)).collect(),
            scores: standing.scores.clone(),
            faults: seats.iter().map(|seat| seat.fault.is_some()).collect(),
            plies: self.result.plies,
            fingerprint: self.result.fingerprint,
            map: self.map,
        }
    }
}

/// Returns a number for a text. Equal texts have the same.
fn number_of(text: &str) -> u64 {
    Fingerprint::new().bytes(text.as_bytes()).finish()
}
