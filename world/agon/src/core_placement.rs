//! The arguments that say where a match runs and whether bots run outside their own turn: `--pin` and `--freeze`.

use agon_play::CorePlacement;
use clap::Args;

/// How the programs of a match share the machine.
#[derive(Args, Clone, Debug, Default)]
pub struct PlacementOptions {
    /// Stop every bot outside its own turn, so that nobody computes on the opponent's time; where all decide at once,
    /// between the turns. CPU time that is used all the same is told.
    #[arg(long)]
    pub freeze: bool,

    /// The cores for the match and its bots: their numbers, joined by commas, or `off`, or `auto`: one core where one
    /// bot decides at a time, else one for each.
    #[arg(long, value_name = "CORES", default_value = "off", hide_default_value = true)]
    pub pin: CorePlacement,
}
