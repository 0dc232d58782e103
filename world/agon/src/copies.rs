//! Bots that are started from the same files under two names.

use crate::{clean::clean, printer::Printer};
use agon_play::PreparedBot;

/// Warns of each bot that is a copy of an earlier one whose words are others.
pub fn warn_of_copies(bots: &[PreparedBot], printer: &Printer) {
    for (index, bot) in bots.iter().enumerate() {
        let is_other = |earlier: &&PreparedBot| earlier.bot().words != bot.bot().words;
        if let Some(earlier) = bots[..index].iter().filter(is_other).find(|earlier| bot.is_copy_of(earlier)) {
            warn(&earlier.bot().name, &bot.bot().name, printer);
        }
    }
}

/// Warns if two bots that are compared are one bot, also if their words are the same.
pub fn warn_of_copy(one: &PreparedBot, other: &PreparedBot, printer: &Printer) {
    if other.is_copy_of(one) {
        warn(&one.bot().name, &other.bot().name, printer);
    }
}

/// Warns that these names are of the same files.
pub fn warn(one: &str, other: &str, printer: &Printer) {
    let (one, other) = (clean(one), clean(other));
    printer.warning(format!(
        "`{one}` and `{other}` are started from the same files: whatever differs between them is chance"
    ));
}
