//! Tests the machine, and what boards and re-runs keep.

mod laws;
mod referee;
