//! Statistics of matches as pure functions: numbers in, numbers out.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `mean` | [`mean_interval`]: what the points of a series say about the points to be expected |
//! | `rating` | [`Rating`], [`WengLin`]: ratings that change with each match |

mod mean;
mod rating;

pub use mean::{Interval, mean_interval};
pub use rating::{Model, Rating, Team, WengLin};
