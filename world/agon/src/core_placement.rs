//! The arguments that say where a match runs and whether bots run outside their own turn: `--pin` and `--freeze`.

use agon_play::CorePlacement;
use clap::Args;

/// How the programs of a match share the machine.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Cores")]
pub struct PlacementOptions {
    /// Stop every bot outside its own turn, so that no bot computes on its opponent's time. This is the default.
    #[arg(long, conflicts_with = "ponder")]
    pub freeze: bool,

    /// Let bots compute outside their own turn. Each bot needs a core of its own for that.
    #[arg(long)]
    pub ponder: bool,

    /// Give each bot N cores of its own. Fewer on this machine is an error. Without this option each bot gets one core
    /// if there are enough; else the bots share one and are asked one after the other.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cores: Option<u32>,

    /// The cores for the match and its bots: their numbers, joined by commas; `auto` (the default): cores that no other
    /// match of yours uses; `off`: wherever the system puts them, one bot at a time.
    #[arg(long, value_name = "CORES", default_value = "auto", hide_default_value = true)]
    pub pin: CorePlacement,
}
