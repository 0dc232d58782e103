//! Statistics of matches as pure functions: numbers in, numbers out.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `mean` | [`mean_interval`]: what the points of a series say about the points to be expected |

mod mean;

pub use mean::{Interval, mean_interval};
