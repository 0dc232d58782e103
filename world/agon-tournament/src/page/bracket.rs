//! The bracket as a drawing: a column for each round, and a line from each winner to its next encounter.

use super::{links::Links, shown, wide};
use crate::{
    report::{bracket_text, part},
    words::number,
};
use agon_spec::{ReportEncounter, ReportRound, ReportSide};
use agon_tourney::BracketPart;
use maud::{Markup, html};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The size of a row for one bot.
const WIDTH: f64 = 190.0;
const ROW: f64 = 24.0;
/// The room between columns, and between encounters.
const GAP: f64 = 40.0;
const BETWEEN: f64 = 14.0;
/// The height of the names of the rounds.
const TOP: f64 = 24.0;
/// The most columns of a name, so that it fits into its row.
const NAME: usize = 18;

/// An encounter with the middle of its box.
struct Placed<'a> {
    encounter: &'a ReportEncounter,
    round: usize,
    y: f64,
}

impl Placed<'_> {
    fn left(&self) -> f64 {
        self.round as f64 * (WIDTH + GAP)
    }
}

pub(super) fn section(rounds: &[ReportRound], links: &Links<'_>) -> Markup {
    let placed = place(rounds);
    let width = rounds.len() as f64 * (WIDTH + GAP) - GAP + 2.0;
    let height = placed.iter().map(|one| one.y).fold(0.0, f64::max) + ROW + BETWEEN;
    let drawing = html! {
        svg width=(width) height=(height) viewBox={ "-1 0 " (width) " " (height) } role="img"
            aria-label="the bracket; the text below says the same" {
            @for (column, round) in rounds.iter().enumerate() {
                text.tick x=(column as f64 * (WIDTH + GAP)) y="12" { "round " (round.round) }
            }
            @if let Some(y) = placed.iter().filter(|one| part(one.encounter) == Some(BracketPart::Losers)).map(|one| one.y).reduce(f64::min) {
                text.tick x="0" y=(y - ROW - BETWEEN) { "bots that have lost once" }
            }
            @for way in ways(&placed) { path class=(if way.best { "way best" } else { "way" }) d=(way.line) {} }
            // Encounters that nobody will ever play only keep the others in their places.
            @for one in placed.iter().filter(|one| !one.encounter.sides.iter().all(|side| side.bye)) { (drawn(one, links)) }
        }
    };
    html! {
        (wide("Bracket", &drawing))
        details { summary { "The bracket as text" } pre { (bracket_text(rounds)) } }
    }
}

/// Gives each encounter its place: in the middle between those from which its bots come, and below the one above. Those of
/// bots that have lost once are below all others, and the final is between both.
fn place(rounds: &[ReportRound]) -> Vec<Placed<'_>> {
    let mut placed: Vec<Placed<'_>> = Vec::new();
    let is_upper = |part| matches!(part, None | Some(BracketPart::Winners));
    place_part(&mut placed, rounds, TOP, is_upper);
    let below = placed.iter().map(|one| one.y).fold(0.0, f64::max) + ROW + 2.0 * BETWEEN + TOP;
    place_part(&mut placed, rounds, below, |part| part == Some(BracketPart::Losers));
    for last in [BracketPart::Final, BracketPart::Reset] {
        place_part(&mut placed, rounds, TOP, |part| part == Some(last));
    }
    placed
}

/// Places the encounters of some parts below `top`.
fn place_part<'a>(
    placed: &mut Vec<Placed<'a>>,
    rounds: &'a [ReportRound],
    top: f64,
    is_placed: impl Fn(Option<BracketPart>) -> bool,
) {
    let mut before = 0..0;
    for (number, round) in rounds.iter().enumerate() {
        let first = placed.len();
        let mut bottom = top;
        let encounters: Vec<&ReportEncounter> = round.encounters.iter().filter(|one| is_placed(part(one))).collect();
        for (slot, encounter) in encounters.iter().enumerate() {
            let halved = encounters.len() * 2 == before.len();
            let sources: Vec<f64> = if halved {
                placed[before.start + 2 * slot..][..2].iter().map(|one| one.y).collect()
            } else {
                sources(placed, encounter)
            };
            let wanted = if sources.is_empty() { 0.0 } else { sources.iter().sum::<f64>() / sources.len() as f64 };
            let y = wanted.max(bottom + ROW);
            bottom = y + ROW + BETWEEN;
            placed.push(Placed { encounter, round: number, y });
        }
        if placed.len() > first {
            before = first..placed.len();
        }
    }
}

/// Returns the places of the encounters that the bots of this one have won last.
fn sources(placed: &[Placed<'_>], encounter: &ReportEncounter) -> Vec<f64> {
    let bots = encounter.sides.iter().filter_map(|side| side.bot.as_ref());
    let won = bots.filter_map(|bot| placed.iter().rev().find(|one| one.encounter.winner.as_ref() == Some(bot)));
    won.map(|one| one.y).collect()
}

/// The line from an encounter to the next one of its winner.
struct Way {
    line: String,
    /// Whether the winner has won the bracket.
    best: bool,
}

fn ways(placed: &[Placed<'_>]) -> Vec<Way> {
    let champion = placed
        .iter()
        .rev()
        .find(|one| one.encounter.for_place == Some(1))
        .and_then(|one| one.encounter.winner.as_ref());
    let mut ways = Vec::new();
    for one in placed {
        let Some(winner) = &one.encounter.winner else { continue };
        let plays = |next: &&Placed<'_>| {
            next.round > one.round && next.encounter.sides.iter().any(|side| side.bot.as_ref() == Some(winner))
        };
        let Some(next) = placed.iter().filter(plays).min_by_key(|next| next.round) else { continue };
        let second = next.encounter.sides[1].bot.as_ref() == Some(winner);
        let to = next.y + if second { ROW / 2.0 } else { -ROW / 2.0 };
        let line = format!("M{} {}H{}V{to}H{}", one.left() + WIDTH, one.y, next.left() - GAP / 2.0, next.left());
        ways.push(Way { line, best: champion == Some(winner) });
    }
    // What is drawn last is on top.
    ways.sort_by_key(|way| way.best);
    ways
}

fn drawn(one: &Placed<'_>, links: &Links<'_>) -> Markup {
    html! {
        @let sides = &one.encounter.sides;
        @for (side, other, top) in [(&sides[0], &sides[1], one.y - ROW), (&sides[1], &sides[0], one.y)] {
            rect.box x=(one.left()) y=(top) width=(WIDTH) height=(ROW) {}
            @match matches(side, other, links) {
                Some(to) => { a href=(to) { (row(side, one, top)) } }
                None => { (row(side, one, top)) }
            }
        }
        @if let Some(place) = one.encounter.for_place {
            text.tick x=(one.left() + WIDTH) y=(one.y - ROW - 4.0) text-anchor="end" {
                @match part(one.encounter) {
                    Some(BracketPart::Final) => { "final" }
                    Some(BracketPart::Reset) => { "final again" }
                    _ => { "for place " (place) }
                }
            }
        }
    }
}

/// Returns where the matches of a bot against the other one of an encounter are.
fn matches(side: &ReportSide, other: &ReportSide, links: &Links<'_>) -> Option<String> {
    let number = |side: &ReportSide| links.number(side.bot.as_deref()?);
    links.pair(number(side)?, number(other)?)
}

fn row(side: &ReportSide, one: &Placed<'_>, top: f64) -> Markup {
    let (x, y) = (one.left(), top + 16.5);
    let won = side.bot.is_some() && side.bot == one.encounter.winner;
    let class = match (won, &side.bot, &one.encounter.winner) {
        (true, ..) => "winner",
        (false, None, _) | (false, _, Some(_)) => "gone",
        _ => "",
    };
    let text = match (&side.bot, side.bye) {
        (Some(bot), _) => fitted(&shown(bot)),
        (None, true) => "(nobody)".to_owned(),
        (None, false) => "?".to_owned(),
    };
    html! {
        // Wide letters end at the border of this part, not in the points.
        svg x=(x + 8.0) y=(top) width=(WIDTH - 46.0) height=(ROW) {
            text class=(class) y="16.5" unicode-bidi="isolate" {
                @if let Some(bot) = &side.bot { title { (shown(bot)) } }
                (text)
            }
        }
        @if !one.encounter.games.is_empty() && side.bot.is_some() {
            text class=(class) x=(x + WIDTH - 8.0) y=(y) text-anchor="end" { (number(side.points)) }
        }
    }
}

/// Returns as much of a name as has room in a row.
fn fitted(name: &str) -> String {
    if name.width() <= NAME {
        return name.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= NAME
    };
    name.chars().take_while(fits).chain(['…']).collect()
}
