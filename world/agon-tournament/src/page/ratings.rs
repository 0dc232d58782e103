//! The strengths of the bots, with their intervals.

use super::{links::Links, wide};
use crate::{
    report::{better, elo_range, remarks},
    words::Real,
};
use agon_core::text::{clean, cut};
use agon_spec::RateDocument;
use maud::{Markup, html};

pub(super) fn section(rated: &RateDocument, links: &Links<'_>) -> Markup {
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { "place" }
                th scope="col" { "bot" }
                th.n scope="col" { "Elo" }
                th.n scope="col" { "95 %" }
                th.n scope="col" { "better than next" }
                th.n scope="col" { "matches" }
                @if rated.groups > 1 { th.n scope="col" { "group" } }
            } }
            tbody { @for bot in &rated.bots { tr {
                td.n { (bot.place) }
                th scope="row" { (links.bot(&bot.bot)) }
                td.n { b { (format!("{:.0}", Real(bot.rating))) } }
                td.n { (elo_range(bot)) }
                td.n { (better(bot)) }
                td.n { (bot.matches) }
                @if rated.groups > 1 { td.n { (bot.group) } }
            } } }
        }
    };
    let told: Vec<String> = remarks(rated).iter().map(|remark| cut(&clean(remark), 300)).collect();
    html! {
        (wide("Ratings", &table))
        p.note {
            "All matches explained at once, whatever the order of play. 0 is the average of this field, and 100 Elo more win 64 % "
            "of the points. The last percentage is the probability that a bot is stronger than the one below. The interval takes "
            "all matches for independent of each other, and says nothing about other maps, clocks or opponents."
        }
        @if !told.is_empty() { ul { @for text in &told { li { bdi { (text) } } } } }
    }
}
