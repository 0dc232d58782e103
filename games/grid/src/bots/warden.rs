//! Looks ahead: tries many decisions against possible replies of the enemy, and keeps the one with the best outcome.

use super::{features::Features, waves::Waves};
use crate::{
    board::Board,
    order::Order,
    position::Position,
    rules::{DEFAULT_LIMIT, Rounding, Rules},
    turn::Scratch,
    view::View,
};
use agon_core::{Bot, Entry, Game, Joint, Rng, Seat, Seed};
use alloc::vec::Vec;

/// The amount of work that goes into one decision.
#[derive(Clone, Copy)]
struct Effort {
    /// The number of enemy replies that each decision is tried against.
    scenarios: usize,
    /// The number of turns that each simulated match goes on. In it both sides go for each other by the shortest path.
    depth: u32,
    /// The number of decisions that are tried.
    tries: usize,
}

impl Effort {
    /// Chooses the effort so that the work is about the same on every map, 5 to 10 ms on one core of 2025; a clock is
    /// not needed. On the largest maps the effort is the smallest that is still useful.
    fn on(board: &Board) -> Self {
        let size = (usize::from(board.width()) * usize::from(board.height())).max(64);
        let (scenarios, depth) = match size {
            0..=600 => (6, 8),
            601..=2_500 => (3, 6),
            2_501..=10_000 => (2, 4),
            _ => (1, 2),
        };
        let tries = (1_200_000 / (size * scenarios * depth as usize)).clamp(4, 512);
        Self { scenarios, depth, tries }
    }

    /// The number of decisions that random weights choose. The best of them is then improved tile by tile.
    fn tastes(self) -> usize {
        (self.tries / 2).min(24)
    }
}

/// The strongest of the built-in bots.
pub(crate) struct Warden {
    rng: Rng,
    /// How budgets are rounded, as far as the bot has been able to see: a bot is given its energy, not the rule (G2).
    rounding: Rounding,
    turn: u32,
    lookahead: Lookahead,
    features: Features,
    best: Vec<Order>,
    trial: Vec<Order>,
}

impl Warden {
    pub(crate) fn new(seed: Seed) -> Self {
        Self {
            rng: Rng::new(seed),
            rounding: Rounding::Ceil,
            turn: 0,
            lookahead: Lookahead::default(),
            features: Features::default(),
            best: Vec::new(),
            trial: Vec::new(),
        }
    }
}

impl Bot<Position> for Warden {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let rules = Rules { energy: self.rounding, ..Rules::SPEC };
        let turn = self.turn.min(DEFAULT_LIMIT - 1);
        self.turn += 1;
        let mut root = Position::at(view.board.clone(), rules, turn, DEFAULT_LIMIT);
        if root.energy(view.me) != view.energy {
            self.rounding = if self.rounding == Rounding::Ceil { Rounding::Floor } else { Rounding::Ceil };
            root.rules.energy = self.rounding;
        }
        self.features.survey(view.board, view.me);
        if root.over() || self.features.is_empty() {
            return;
        }
        let effort = Effort::on(view.board);
        self.lookahead.imagine(&root, view.me, effort, &mut self.rng);
        self.best.clear();
        self.lookahead.waves.chase(view.board, view.me, view.energy, &mut self.rng, &mut self.best);
        let mut value = self.lookahead.value(&root, view.me, &self.best);
        for attempt in 0..effort.tries {
            self.trial.clear();
            if attempt < effort.tastes() {
                self.features.choose(view.energy, &mut self.rng, &mut self.trial);
            } else {
                self.trial.extend_from_slice(&self.best);
                self.features.change(view.energy, &mut self.rng, &mut self.trial);
            }
            let other = self.lookahead.value(&root, view.me, &self.trial);
            if other > value {
                value = other;
                core::mem::swap(&mut self.best, &mut self.trial);
            }
        }
        orders.append(&mut self.best);
    }
}

/// Plays matches on from a position.
#[derive(Default)]
struct Lookahead {
    waves: Waves,
    features: Features,
    tmp: Scratch,
    scenarios: Vec<Scenario>,
    depth: u32,
    game: Option<Position>,
    orders: [Vec<Order>; 2],
}

/// One way in which the match may go on.
#[derive(Default)]
struct Scenario {
    /// The enemy's orders in this turn.
    reply: Vec<Order>,
    /// The seed of both players' choices in later turns.
    seed: Seed,
}

impl Lookahead {
    /// Draws the scenarios of this turn. Every decision is tried against the same scenarios.
    fn imagine(&mut self, root: &Position, me: Seat, effort: Effort, rng: &mut Rng) {
        let enemy = Seat::new(1 - me.index());
        let energy = root.energy(enemy);
        self.depth = effort.depth;
        self.features.survey(root.board(), enemy);
        self.scenarios.resize_with(effort.scenarios, Scenario::default);
        for (i, scenario) in self.scenarios.iter_mut().enumerate() {
            scenario.reply.clear();
            // Every second enemy takes the shortest path; the others choose by random weights.
            if i % 2 == 0 {
                self.waves.chase(root.board(), enemy, energy, rng, &mut scenario.reply);
            } else {
                self.features.choose(energy, rng, &mut scenario.reply);
            }
            scenario.seed = Seed(rng.bits());
        }
    }

    /// The value of a decision: the sum over all scenarios.
    fn value(&mut self, root: &Position, me: Seat, decision: &[Order]) -> i64 {
        let mut game = self.game.take().unwrap_or_else(|| root.clone());
        let mut sum = 0;
        for scenario in &self.scenarios {
            game.clone_from(root);
            let mut entries = [
                Entry { seat: me, orders: decision, failure: None },
                Entry { seat: Seat::new(1 - me.index()), orders: &scenario.reply, failure: None },
            ];
            if me.index() > 0 {
                entries.reverse();
            }
            game.resolve(Joint::new(&entries), &mut self.tmp, &mut ());
            let mut rng = Rng::new(scenario.seed);
            let mut left = self.depth;
            while left > 0 && !game.over() {
                for seat in [Seat::new(0), Seat::new(1)] {
                    let orders = &mut self.orders[seat.index()];
                    orders.clear();
                    self.waves.chase(&game.board, seat, game.energy(seat), &mut rng, orders);
                }
                let entries = [0, 1].map(|s| Entry { seat: Seat::new(s), orders: &self.orders[s][..], failure: None });
                game.resolve(Joint::new(&entries), &mut self.tmp, &mut ());
                left -= 1;
            }
            sum += worth(&game, me, left);
        }
        self.game = Some(game);
        sum
    }
}

/// The value of a position for `me`, in quarters of a tile.
fn worth(game: &Position, me: Seat, left: u32) -> i64 {
    let enemy = Seat::new(1 - me.index());
    let difference = |of: &dyn Fn(Seat) -> u32| i64::from(of(me)) - i64::from(of(enemy));
    let tiles = difference(&|seat| game.board().count(seat));
    if game.over() {
        // An early win is better than a late one, and a late loss is better than an early one.
        return tiles.signum() * (4_000 + 40 * i64::from(left)) + 4 * tiles;
    }
    4 * tiles + 3 * difference(&|seat| game.gains(seat))
}
