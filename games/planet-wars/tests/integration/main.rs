//! Tests Planet Wars through its public names.

mod ladder;
mod laws;
mod official_maps;
mod properties;
mod reference;
mod states;
