//! Tests what becomes of files: what gets in, what it is taken for, what is planned and kept.

mod bots;
mod intake;
