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
//! | `rating` | [`Rating`], [`WengLin`]: ratings that change with each match |

mod betting;
mod brownian;
mod counts;
mod elo;
mod mean;
mod normal;
mod rating;
mod ratio;
mod root;
mod sprt;
mod stopped;

pub use betting::{BetRules, ConfidenceSequence, Wealth};
pub use counts::{Counts, EmptyCells, Pentanomial, Trinomial};
pub use elo::{ELO_LIMIT, EloModel, Estimate, NELO_PER_T, Summary, elo_of_score, score_of_elo};
pub use mean::{Interval, mean_interval};
pub use rating::{Model, Rating, Team, WengLin};
pub use ratio::log_likelihood_ratio;
pub use sprt::{Bounds, Decision, Hypotheses, Sprt};
pub use stopped::{Stopped, estimate_after_stop};
