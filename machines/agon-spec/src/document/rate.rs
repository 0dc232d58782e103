//! The document of `agon rate`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The strengths of the bots of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RateDocument {
    /// The title of the tournament.
    pub tournament: String,
    /// The name of the game.
    pub game: String,
    /// The model: `bt`, `pl`, `elo`, `glicko2` or `weng-lin`.
    pub model: String,
    /// Whether the order of play changes the ratings.
    pub order_counts: bool,
    /// The matches that were rated.
    pub matches: u64,
    /// The matches that were left out: without a result, not counted by the table, forfeited by all bots, by a filter,
    /// or between copies of one bot.
    pub left_out: u64,
    /// Those of the matches left out that all bots forfeited, and would else have been rated.
    #[serde(default)]
    pub double_forfeits: u64,
    /// Those of `left_out` that were played between copies of one bot.
    #[serde(default)]
    pub between_copies: u64,
    /// How standard errors were made: `inverse`, `diagonal`, `sandwich`, `adjusted-sandwich` or `bootstrap`; `own` for
    /// models that have their own.
    pub errors: String,
    /// The factor of the squared strengths in the prior of each group in which some bots won or lost everything against the
    /// others. `null` if there is no such group.
    pub prior: Option<f64>,
    /// The number of groups of bots between which nothing compares.
    pub groups: u32,
    /// The bots that have played, group by group, the best one of each first.
    pub bots: Vec<RatedBot>,
    /// What the first seat is worth, over all maps or on each.
    pub advantages: Vec<RatedAdvantage>,
    /// Bots that beat each other in a circle: each has beaten the next one more often than it lost, and the last one the first.
    pub cycles: Vec<Vec<String>>,
    /// The maximal lottery: bots with a probability above 0. `null` for more than 64 bots.
    pub lottery: Option<Vec<LotteryShare>>,
    /// Whether it is the only one. `null` for more than 64 bots.
    pub lottery_unique: Option<bool>,
    /// How the first place falls, as far as a greedy search knows. `null` if it does not, or if nobody has searched.
    pub survival: Option<RateSurvival>,
    /// Whether it was searched for: with the model `bt`, up to 200,000 matches, a single group and a single bot in the first place.
    pub survival_searched: bool,
    /// Pairs of bots whose matches differ from what their strengths let expect by at least two deviations, most first.
    pub residuals: Vec<RateResidual>,
}

/// The strength of a bot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatedBot {
    /// The place in its group, from 1. Equal ratings share the better place.
    pub place: u32,
    /// The name.
    pub bot: String,
    /// The names of further bots with the same artefacts, whose matches count as its own.
    pub copies: Vec<String>,
    /// The rating, in the unit of the model: Elo around 0 for `bt` and `pl`.
    pub rating: f64,
    /// The lower end of the 95 % interval. `null` for models without one.
    pub low: Option<f64>,
    /// The upper end of the 95 % interval. `null` for models without one.
    pub high: Option<f64>,
    /// The number of its group, from 1.
    pub group: u32,
    /// Its matches.
    pub matches: u64,
    /// Its share of comparisons with opponents, from 0 to 1; a draw is half. `null` without a match.
    pub share: Option<f64>,
    /// The probability that it is stronger than the bot below. `null` for the last one of a group.
    pub superiority: Option<f64>,
}

/// What the first seat is worth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatedAdvantage {
    /// The map. `null` for all maps together.
    pub map: Option<String>,
    /// The advantage, in Elo.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

/// The share of a bot in a lottery.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LotteryShare {
    /// The name of the bot.
    pub bot: String,
    /// Its probability.
    pub probability: f64,
}

/// How a first place falls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RateSurvival {
    /// The bot in the first place.
    pub leader: String,
    /// The bot that would have it.
    pub rival: String,
    /// The number of matches without which it would. Another choice of matches may need fewer.
    pub matches: u64,
}

/// How the matches of two bots differ from what their strengths let expect.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RateResidual {
    /// A bot.
    pub bot: String,
    /// Its opponent.
    pub opponent: String,
    /// Their matches with the same roles.
    pub matches: f64,
    /// The points of `bot` beyond those that were expected.
    pub surplus: f64,
    /// The same in standard deviations.
    pub deviations: f64,
}
