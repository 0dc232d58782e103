//! What who looks at positions may ask of any game: a viewer, or research in another language.

use agon_core::{Flaw, Frame};
use agon_referee::{AnyPosition, AnyRerun};
use agon_spec::MatchSpec;

/// One game without its types, as far as positions go: no bot, dialogue or generator gets into a program that uses
/// games through this trait alone.
///
/// Get one with [`positions::find`](crate::positions::find) or [`positions::all`](crate::positions::all); every
/// [`AnyGame`](crate::AnyGame) is one, too.
pub trait AnySetup: Send + Sync {
    /// On the command line and in files, as `planet-wars`.
    fn name(&self) -> &'static str;
    /// For people, as `Planet Wars`.
    fn title(&self) -> &'static str;

    /// A rule set in its shortest form, as it is written into replays.
    ///
    /// # Errors
    /// An unknown set, point or value.
    fn rules(&self, text: &str) -> Result<String, Flaw>;

    /// Reads a map as a match would, and says what is in it.
    ///
    /// # Errors
    /// What is wrong and where.
    fn check_map(&self, map: &[u8], rules: &str, seats: usize) -> Result<MapReport, Flaw>;

    /// The position in which the match that `spec` describes begins, to be played on by hand. The header of a replay
    /// has such a description.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn position(&self, spec: &MatchSpec) -> Result<Box<dyn AnyPosition>, Flaw>;

    /// The same match, to be played again from its record.
    ///
    /// # Errors
    /// As [`AnySetup::position`].
    fn rerun(&self, spec: &MatchSpec) -> Result<Box<dyn AnyRerun>, Flaw>;
}

/// What [`AnySetup::check_map`] has found.
#[derive(Clone, PartialEq, Debug)]
pub struct MapReport {
    /// The map as we would write it.
    pub normal: String,
    /// The start position.
    pub frame: Frame,
    /// The number of the start position.
    pub fingerprint: u64,
}
