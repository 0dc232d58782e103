//! Tests the command line as users run it.

mod agon;
mod attacks;
mod builds;
mod causes;
mod clocks;
mod commands;
mod comparisons;
mod consoles;
mod documents;
mod exposures;
mod first_bot;
mod folders;
mod interrupts;
mod languages;
mod match_output;
mod matches;
mod pages;
mod pictures;
mod programs;
mod recorded_replays;
mod refusals;
mod replays;
mod reports;
mod runtimes;
mod schemas;
mod series;
mod served_consoles;
mod started;
mod starts;
mod statistics;
mod tournament_bots;
mod tournament_files;
mod tournaments;
#[cfg(feature = "wasm")]
mod wasm;
mod watching;
