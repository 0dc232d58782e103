//! The arguments that `agon test`, `agon climb` and `agon tune` share.

use super::{Description, Question, seed_of};
use crate::{core_placement::PlacementOptions, terms::Terms, values};
use agon_core::Derivation;
use agon_play::MatchTerms;
use clap::Args;
use std::num::NonZeroUsize;

/// How bots are compared by many matches.
#[derive(Args, Clone, Debug)]
pub struct ComparisonOptions {
    #[command(flatten)]
    pub question: Question,

    #[command(flatten)]
    pub terms: Terms,

    #[command(flatten)]
    pub placement: PlacementOptions,

    /// How many matches run at the same time. The default is one for each core, on which its bots take turns; with
    /// `--cores` or `--ponder` as many as have a core for each bot. The result does not depend on it.
    #[arg(long, value_name = "K", value_parser = values::at_once, allow_negative_numbers = true, help_heading = "Cores")]
    pub at_once: Option<NonZeroUsize>,
}

impl ComparisonOptions {
    /// Returns the terms of the matches. Without a seed they have that of the store, or else a fresh one.
    pub fn seeded(&self, described: Option<&Description>) -> MatchTerms {
        // What began in a store goes on as it began.
        let seeds = described.map_or_else(Derivation::default, Description::seeds);
        MatchTerms { seed: seed_of(described, self.terms.seed), seeds, ..self.terms.terms() }
    }
}
