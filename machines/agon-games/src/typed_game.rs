//! Turns typed games into trait objects. This is the only place that erases a game's types.

use crate::{
    AnyBot, AnyConversation, AnyGame, AnyInterview, AnyPlayable, AnyRollouts, AnySetup, AnySimulation, AnyWireBot,
    MapReport,
    bot::TypedBot,
    conversation::TypedConversation,
    interview::TypedInterview,
    rollouts::{TypedRollouts, new_bot},
    simulation::TypedSimulation,
    wire_bot::TypedWireBot,
};
use agon_core::{
    Contest, Failure, Flaw, GameInfo, RuleSet, Seat, Seed, Setup, State, judge,
    rules::{self, RulePoint},
};
use agon_referee::{AnyReferee, Board, Branch, PlyRecord, Rerun, SeatKind, Settings};
use agon_spec::{JsonList, MatchSpec};
use std::{marker::PhantomData, time::Duration};

/// A typed game as a value. It implements [`AnySetup`], [`AnyPlayable`] and [`AnyGame`].
pub struct TypedGame<C>(PhantomData<fn() -> C>);

impl<C> TypedGame<C> {
    /// Creates the value for a static list.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only ever named in the list of games")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Gives a position its type back. Fails if it belongs to another game.
pub(crate) fn typed_position<C: Contest>(position: &Board) -> Result<&C, Flaw> {
    position.position().ok_or_else(|| Flaw::new(format!("this position is not one of {}", C::INFO.title)))
}

impl<C: Contest> AnySetup for TypedGame<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn title(&self) -> &'static str {
        C::INFO.title
    }

    fn position(&self, spec: &MatchSpec) -> Result<Branch, Flaw> {
        Branch::new::<C>(spec)
    }

    fn rerun(&self, spec: &MatchSpec) -> Result<Rerun, Flaw> {
        Rerun::new::<C>(spec)
    }
}

impl<C: Contest> AnyPlayable for TypedGame<C> {
    fn info(&self) -> &'static GameInfo {
        C::INFO
    }
    fn rule_sets(&self) -> &'static [&'static str] {
        <C as Setup>::Rules::SETS
    }

    fn rules(&self, text: &str) -> Result<String, Flaw> {
        Ok(rules::print(&rules::parse::<<C as Setup>::Rules>(text)?))
    }

    fn generate(&self, kind: &str, seed: Seed, seats: usize) -> Result<String, Flaw> {
        Ok(C::print_map(&C::generate(kind, seed, seats)?))
    }

    fn decide(&self, position: &Board, seat: Seat, bot: &str, seed: Seed) -> Result<JsonList, Flaw> {
        let position = typed_position::<C>(position)?;
        if seat.index() >= position.seats() {
            return Err(Flaw::new(format!("the match has no seat {seat}")));
        }
        let mut bot = new_bot::<C>(bot, seed)?;
        let mut orders = Vec::new();
        if position.awaiting().contains(seat) {
            bot.decide(position.view(seat), &mut orders);
        }
        Ok(orders.iter().collect())
    }

    fn rollouts(&self, position: &Board, bots: &[&'static str]) -> Result<Box<dyn AnyRollouts>, Flaw> {
        Ok(Box::new(TypedRollouts::new(typed_position::<C>(position)?.clone().for_simulation(), bots)?))
    }
}

impl<C: Contest> AnyGame for TypedGame<C> {
    fn rule_points(&self) -> &'static [RulePoint] {
        <C as Setup>::Rules::POINTS
    }
    fn rule(&self, set: &str, point: &str) -> Option<&'static str> {
        let known = self.rule_points().iter().find(|p| p.name == point)?;
        Some(<C as Setup>::Rules::named(set)?.get(known.name))
    }
    fn grace(&self, dialect: &[(String, String)]) -> Option<Duration> {
        C::grace(dialect)
    }

    fn check_map(&self, map: &[u8], rules: &str, seats: usize) -> Result<MapReport, Flaw> {
        let normal = C::print_map(&C::parse_map(map)?);
        let position: C = agon_referee::position(map, rules, seats, None)?;
        Ok(MapReport { normal, frame: position.frame().spelled_out(), fingerprint: position.fingerprint() })
    }

    fn referee(&self, spec: &MatchSpec, kinds: &[SeatKind], settings: Settings) -> Result<Box<dyn AnyReferee>, Flaw> {
        Ok(Box::new(agon_referee::open::<C>(spec, kinds, settings)?))
    }

    fn referee_from(
        &self,
        spec: &MatchSpec,
        position: &Board,
        kinds: &[SeatKind],
        settings: Settings,
    ) -> Result<Box<dyn AnyReferee>, Flaw> {
        Ok(Box::new(agon_referee::open_from(spec, typed_position::<C>(position)?.clone(), kinds, settings)?))
    }

    fn state(&self, position: &Board) -> Result<State, Flaw> {
        Ok(typed_position::<C>(position)?.state())
    }

    fn first_words(&self, spec: &MatchSpec, position: &Board, seat: Seat) -> Result<Vec<u8>, Flaw> {
        Ok(agon_referee::first_words(spec, typed_position::<C>(position)?, seat))
    }

    fn interview(&self, spec: &MatchSpec, seat: Seat) -> Result<Box<dyn AnyInterview>, Flaw> {
        Ok(Box::new(TypedInterview::<C>::new(spec, seat)?))
    }

    fn conversation(
        &self,
        position: &Board,
        seat: Seat,
        dialect: &[(String, String)],
    ) -> Result<Box<dyn AnyConversation>, Flaw> {
        Ok(Box::new(TypedConversation::<C>::new(typed_position::<C>(position)?.clone(), seat, dialect)))
    }

    fn bot(&self, bot: &str, seed: Seed) -> Option<Box<dyn AnyBot>> {
        Some(Box::new(TypedBot::<C>::new(C::bot(bot, seed)?)))
    }

    fn tolerant_rules(&self, spec: &MatchSpec, turns: &[PlyRecord], seat: Seat) -> Option<&'static str> {
        let (last, before) = turns.split_last()?;
        let entry = last.entries.iter().find(|e| e.seat == seat)?;
        if !matches!(entry.failure, Some(Failure::Unlawful(_))) {
            return None;
        }
        let mut rerun = Rerun::new::<C>(spec).ok()?;
        for record in before {
            rerun.step(record).ok()?;
        }
        let orders: Result<Vec<C::Order>, _> = entry.orders.read().collect();
        let (_, refused) =
            judge(typed_position::<C>(rerun.board()).ok()?, seat, &orders.ok()?, None, &mut C::Scratch::default());
        let why = refused?.why;
        let played = rules::parse::<<C as Setup>::Rules>(&spec.rules).ok()?;
        // `original` comes first, because people compare with it.
        let mut sets = <C as Setup>::Rules::SETS.to_vec();
        sets.sort_by_key(|set| *set != "original");
        sets.into_iter().find(|set| {
            <C as Setup>::Rules::named(set).is_some_and(|rules| rules != played && C::tolerates(&rules, &why))
        })
    }

    fn wire_bot(&self, bot: &str, seed: Seed) -> Option<Box<dyn AnyWireBot>> {
        Some(Box::new(TypedWireBot::<C>::new(C::client(bot), C::bot(bot, seed)?)))
    }

    fn simulation(&self, spec: &MatchSpec) -> Result<Box<dyn AnySimulation>, Flaw> {
        let position: C = agon_referee::starting_position(spec)?;
        Ok(Box::new(TypedSimulation::new(position.for_simulation())))
    }
}
