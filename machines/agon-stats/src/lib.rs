//! Statistics of matches as pure functions: numbers in, numbers out.
//!
//! `docs/statistics.md` says which model answers which question, and where each stops being valid.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `counts` | [`Pentanomial`], [`Trinomial`], [`Counts`]: how often each number of points was reached |
//! | `elo` | [`Summary`], [`Estimate`], [`EloModel`]: Elo and normalized Elo of a fixed number of games |
//! | `ratio` | [`log_likelihood_ratio`]: the generalized likelihood ratio of two hypotheses about Elo |
//! | `sprt` | [`Sprt`], [`Hypotheses`], [`Decision`]: sequential tests |
//! | `stopped` | [`estimate_after_stop`]: what a sequential test says about Elo when it has stopped |
//! | `betting` | [`ConfidenceSequence`], [`Wealth`]: intervals for a mean that are valid whenever one looks |
//! | `mean` | [`mean_interval`]: what the points of a series say about the points to be expected |
//! | `encounter` | [`Encounter`], [`Advantage`]: the games of two bots |
//! | `bradley_terry` | [`BradleyTerry`], [`Residual`]: strengths of games of two, with advantages of seats and maps |
//! | `bootstrap` | [`Bootstrap`]: how strengths scatter if blocks are drawn anew |
//! | `plackett_luce` | [`PlackettLuce`]: strengths of games of more than two |
//! | `fit` | [`Fit`], [`Prior`]: what both have in common |
//! | `errors` | [`Errors`]: how standard errors are made |
//! | `choice` | [`Duels`], [`Lottery`]: cycles, paths and lotteries |
//! | `residuals` | [`MachineResiduals`], [`StandsOut`]: whether bots fail on one machine as often as on others |
//! | `survival` | [`survival()`]: how many matches a first place depends on |
//! | `glicko` | [`Glicko2`], [`GlickoRating`]: ratings that change after each period |
//! | `rating` | [`Rating`], [`WengLin`]: ratings that change with each match |

mod betting;
mod bootstrap;
mod bradley_terry;
mod brownian;
mod choice;
mod counts;
mod elo;
mod encounter;
mod errors;
mod fit;
mod glicko;
mod graph;
mod matrix;
mod mean;
mod newton;
mod normal;
mod plackett_luce;
mod rating;
mod ratio;
mod residuals;
mod root;
mod sprt;
mod stopped;
mod survival;
mod tail;

pub use betting::{BetRules, ConfidenceSequence, Wealth};
pub use bootstrap::Bootstrap;
pub use bradley_terry::{BradleyTerry, Residual};
pub use choice::{Duels, LOTTERY_BOTS, Lottery, PathStrength};
pub use counts::{Counts, EmptyCells, Pentanomial, Trinomial};
pub use elo::{ELO_LIMIT, EloModel, Estimate, NELO_PER_T, Summary, elo_of_score, score_of_elo};
pub use encounter::{Advantage, Encounter};
pub use errors::Errors;
pub use fit::{ELO_PER_STRENGTH, Fit, Prior, SMALL_PRIOR};
pub use glicko::{Glicko2, GlickoRating};
pub use mean::{Interval, mean_interval};
pub use plackett_luce::PlackettLuce;
pub use rating::{Model, Rating, Team, WengLin};
pub use ratio::log_likelihood_ratio;
pub use residuals::{Excess, MachineResidual, MachineResiduals, MachineSeat, Slowness, StandsOut};
pub use sprt::{Bounds, Decision, Hypotheses, Sprt};
pub use stopped::{Stopped, StoppedBy, estimate_after_stop};
pub use survival::{Fall, survival};
