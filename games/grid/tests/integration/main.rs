//! Tests Grid through its public names.

mod hostile;
mod ladder;
mod laws;
mod reference;
mod rules;
mod simulated;
mod states;
