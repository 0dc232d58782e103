//! Tests statistics: what always holds, and what other implementations say.

mod invariants;
mod oracles;
mod properties;
