//! The strengths of the bots, as `agon rate` computes them.

use super::section::{Cell, Section, left, right};
use crate::words::{Real, matches};
use agon_spec::{RateDocument, RatedBot};

/// The most cycles and surprises that are told.
const TOLD: usize = 5;

pub(super) fn section(rated: &RateDocument) -> Section {
    let mut heading = vec![right("place"), left("bot"), right("Elo"), right("95 %"), right("better than next")];
    heading.extend((rated.groups > 1).then(|| right("group")));
    let row = |bot: &RatedBot| -> Vec<Cell> {
        let mut row = vec![
            right(bot.place),
            left(bot.bot.clone()),
            right(format!("{:.0}", Real(bot.rating))),
            right(elo_range(bot)),
            right(better(bot)),
        ];
        row.extend((rated.groups > 1).then(|| right(bot.group)));
        row
    };
    Section {
        title: "Ratings".to_owned(),
        heading,
        rows: rated.bots.iter().map(row).collect(),
        remarks: remarks(rated),
        ..Section::default()
    }
}

/// Returns the interval of a bot, in Elo.
pub(crate) fn elo_range(bot: &RatedBot) -> String {
    match (bot.low, bot.high) {
        (Some(low), Some(high)) => format!("{:.0} to {:.0}", Real(low), Real(high)),
        _ => "-".to_owned(),
    }
}

/// Returns how probably a bot is stronger than the one below.
pub(crate) fn better(bot: &RatedBot) -> String {
    bot.superiority.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// Says what one number for each bot cannot say. No name in it is cleaned.
pub(crate) fn remarks(rated: &RateDocument) -> Vec<String> {
    let mut remarks = Vec::new();
    if rated.double_forfeits > 0 {
        let forfeited = matches(rated.double_forfeits);
        remarks.push(format!("{forfeited} left out, because all bots failed: that says nothing about their strength"));
    }
    for bot in rated.bots.iter().filter(|bot| !bot.copies.is_empty()) {
        remarks.push(format!("{} counts as one bot with its copies: {}", bot.bot, bot.copies.join(", ")));
    }
    if rated.prior.is_some() {
        remarks.push(
            "some bots won or lost everything against the others: how far they are from them is mostly an assumption"
                .to_owned(),
        );
    }
    if rated.groups > 1 {
        remarks
            .push("bots of different groups never met, not even by way of others, and cannot be compared".to_owned());
    }
    for cycle in rated.cycles.iter().take(TOLD) {
        let names: Vec<&str> = cycle.iter().chain(cycle.first()).map(String::as_str).collect();
        remarks.push(format!("in a circle: {}", names.join(" beats ")));
    }
    if let (Some(lottery), Some(true), false) = (&rated.lottery, rated.lottery_unique, rated.cycles.is_empty()) {
        let shares: Vec<String> =
            lottery.iter().map(|share| format!("{} {:.0} %", share.bot, 100.0 * share.probability)).collect();
        remarks.push(format!("a mixture that loses to nobody in the long run: {}", shares.join(", ")));
    }
    if let Some(fall) = &rated.survival {
        let without = matches(fall.matches);
        remarks.push(format!("without certain {without}, {} would be first, and not {}", fall.rival, fall.leader));
    }
    for residual in rated.residuals.iter().take(TOLD) {
        remarks.push(format!(
            "{} has {:+.1} points more than expected against {}, {:+.1} standard deviations",
            residual.bot,
            Real(residual.surplus),
            residual.opponent,
            Real(residual.deviations)
        ));
    }
    remarks
}
