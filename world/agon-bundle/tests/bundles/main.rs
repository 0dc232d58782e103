//! Bundles as whole: which files they have, that they are the same everywhere, and what is refused.

mod ground;
mod identity;
mod refused_bots;
mod refused_bundles;
mod same_bytes;
