//! The arguments that say where a match runs and whether bots run outside their own turn: `--pin` and `--freeze`.

use crate::{error::Result, printer::Printer, values};
use agon_play::{CorePlacement, PreparedBot, Room};
use agon_spec::Isolation;
use agon_tournament::words;
use clap::Args;
use std::num::NonZeroUsize;

/// Returns how many matches run at once if so many are wanted, each between so many bots that are processes, at this level of
/// isolation. They are fewer if the host has no room for them, and that is told.
pub fn within_room(
    wanted: NonZeroUsize,
    processes: usize,
    level: Option<Isolation>,
    printer: &Printer,
) -> NonZeroUsize {
    let room = Room::here(processes, level.unwrap_or(Isolation::None)).filter(|room| room.matches < wanted);
    let Some(room) = room else { return wanted };
    printer.note(format!("{} at once instead of {wanted}: {room}", words::matches(room.matches.get() as u64)));
    room.matches
}

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
    #[arg(long, value_name = "N", value_parser = values::whole(1..=u32::MAX), allow_negative_numbers = true)]
    pub cores: Option<u32>,

    /// The cores for the match and its bots: their numbers, joined by commas; `auto` (the default): cores that no other
    /// match of yours uses; `off`: wherever the system puts them, one bot at a time.
    #[arg(long, value_name = "CORES", default_value = "auto", hide_default_value = true)]
    pub pin: CorePlacement,
}

impl PlacementOptions {
    /// Returns how many of `most` matches between these bots run at the same time. Without a wish, that is one for each
    /// core, on which its bots take turns; if bots need cores of their own, as many as have them. It is never more than the host
    /// has room for, which is told.
    ///
    /// # Errors
    /// A core is not available.
    pub fn at_once(
        &self,
        wish: Option<NonZeroUsize>,
        bots: &[PreparedBot],
        most: usize,
        printer: &Printer,
    ) -> Result<NonZeroUsize> {
        let processes = bots.iter().filter(|bot| bot.spec().is_process()).count();
        let usual = self.pin.matches_at_once(processes, self.cores, self.ponder).map_err(agon_play::Error::from)?;
        let wanted = wish.unwrap_or(usual).min(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN));
        let level = bots.iter().filter_map(PreparedBot::isolation).max();
        Ok(within_room(wanted, processes, level, printer))
    }

    /// Returns where the matches of each worker run.
    pub fn of_workers(&self, at_once: NonZeroUsize) -> Vec<CorePlacement> {
        let pin = match &self.pin {
            CorePlacement::Auto if at_once.get() > 1 => &CorePlacement::Dense,
            pin => pin,
        };
        pin.divided(at_once)
    }
}
