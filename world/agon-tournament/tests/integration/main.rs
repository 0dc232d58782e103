//! Tests tournaments from one file: what it says, how it is played, what is told of it.

mod file;
mod format;
mod incidents;
mod report;
mod run;
