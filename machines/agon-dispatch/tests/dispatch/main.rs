//! Tests the dispatcher through its messages: workers and loads are data, and so is time.

mod chance;
mod checks;
mod claims;
mod desk;
mod losses;
mod results;
mod workers;
