//! Schedules are played with bots of known strength, in any order of the outcomes, with and without interruptions.

mod check;
mod comparison;
mod decisions;
mod elimination;
mod forfeits;
mod groups;
mod kept;
mod ladder;
mod round_robin;
mod simulation;
mod swiss;
mod tuning;
