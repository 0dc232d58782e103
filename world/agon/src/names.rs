//! Names of bots that people read as another one.

use crate::{clean::clean, printer::Printer};
use agon_play::{PreparedBot, misleading_names};

/// Warns of names that look alike, or not like what they are.
pub fn warn_of_names<'a>(names: impl IntoIterator<Item = &'a str>, printer: &Printer) {
    for name in misleading_names(names) {
        printer.warning(clean(&name.to_string()));
    }
}

/// Warns of such names of these bots.
pub fn warn_of_names_of(bots: &[PreparedBot], printer: &Printer) {
    warn_of_names(bots.iter().map(|bot| bot.bot().name.as_str()), printer);
}
