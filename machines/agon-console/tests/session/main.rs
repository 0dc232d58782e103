//! Sessions at a console, with programs that are built-in bots behind their wire protocols.

mod bots;
mod clocks;
mod commands;
mod desk;
mod random;
mod resumed;
mod state;
