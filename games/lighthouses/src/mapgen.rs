use crate::map::Map;
use agon_core::{Flaw, MapKind, Seed};
pub(crate) const KINDS: &[MapKind] = &[];
pub(crate) fn generate(kind: &str, _seed: Seed, _seats: usize) -> Result<Map, Flaw> {
    Err(Flaw::new(alloc::format!("unknown kind `{kind}`")))
}
