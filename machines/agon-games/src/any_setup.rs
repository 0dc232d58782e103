//! The narrow interface to a game, for programs that only look at positions, such as viewers and bindings for research.

use agon_core::Flaw;
use agon_referee::{Branch, Rerun};
use agon_spec::MatchSpec;

/// One game without its types, limited to its positions. A program that uses games only through this trait contains no
/// bot, dialogue or generator.
///
/// Get one with [`positions::find`](crate::positions::find) or [`positions::all`](crate::positions::all). Every
/// [`AnyGame`](crate::AnyGame) is one, too.
pub trait AnySetup: Send + Sync {
    /// Returns the name on the command line and in files, for example `planet-wars`.
    fn name(&self) -> &'static str;
    /// Returns the name for people, for example `Planet Wars`.
    fn title(&self) -> &'static str;

    /// Returns the position in which the match of `spec` starts. The caller plays it on by hand. The header of a replay
    /// holds such a `spec`.
    ///
    /// # Errors
    /// Says what is wrong with `spec` if no match can start from it.
    fn position(&self, spec: &MatchSpec) -> Result<Branch, Flaw>;

    /// Returns the match of `spec` at its start. The caller plays it again from its record.
    ///
    /// # Errors
    /// Fails as [`AnySetup::position`] does.
    fn rerun(&self, spec: &MatchSpec) -> Result<Rerun, Flaw>;
}
