//! Tests Triangles through its public names.

mod ladder;
mod laws;
mod protocol;
mod rules;
