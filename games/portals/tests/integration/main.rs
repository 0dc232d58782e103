//! Tests Portals through its public names.

mod formats;
mod ladder;
mod laws;
mod reference;
mod rules;
mod wire;
