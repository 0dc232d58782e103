//! Tests Lighthouses through its public names.

mod ladder;
mod laws;
mod reference;
mod rules;
mod wire;
