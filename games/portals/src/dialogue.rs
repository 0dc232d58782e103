//! The referee's half of the text protocol (`docs/games/portals.md` defines it byte by byte).
//!
//! The Prologin engine loaded champions as libraries. It had no protocol for programs in other languages. This
//! protocol carries its whole API as lines. The referee sends the state. Then the bot sends actions and questions, one
//! on each line, without having to wait for answers. The referee answers every line by one line, in order, and `end`
//! ends the turn.

use crate::{
    MAX_ACTIONS, Order, Position, Turn, View, error_code,
    geometry::{distance, inside_triangle, segments_interfere, triangle_score},
    view::{Field, Link},
};
use agon_core::{
    Dialogue, Game, Line, Lines, Nonsense, Refused, RefusedCommand, Remaining, Said,
    geometry::{Point, pt},
};
use alloc::{format, vec::Vec};
use core::fmt::{self, Write};

/// The longest line that a bot may write, in bytes.
pub(crate) const LONGEST_LINE: usize = 256;

/// The budget for questions of one turn. Every line costs 8, and every byte of an answer 1. A question that lists all
/// fields costs 8 more for each portal. The busiest champion of the contest made 143 000 calls in one turn, which is
/// about a quarter of this budget.
pub(crate) const QUESTION_BUDGET: u64 = 16 << 20;

/// Lets `write!` append text to bytes.
pub(crate) struct Text<'a>(pub &'a mut Vec<u8>);

impl Write for Text<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0.extend_from_slice(s.as_bytes());
        Ok(())
    }
}

/// Sends the state to one seat, and answers its actions and questions.
#[derive(Default)]
pub struct RefereeDialogue {
    turn: Option<Turn>,
    /// Whether the greeting is over.
    greeted: bool,
    /// The part of [`QUESTION_BUDGET`] that this turn has used.
    spent: u64,
}

/// The outcome of one line of a bot.
enum Heard {
    Answered,
    Ready,
    End,
}

impl RefereeDialogue {
    /// Takes one line without its line end.
    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<Heard, &'static str> {
        let Some(turn) = &mut self.turn else { return Err("nothing was asked yet") };
        let text = core::str::from_utf8(line).map_err(|_| "not text")?;
        let mut words = text.split_ascii_whitespace();
        let Some(verb) = words.next() else { return Ok(Heard::Answered) };
        let before = out.len();
        let mut extra = 0;
        match verb {
            "?" => extra = answer(turn, &mut words, &mut Text(out))?,
            "undo" | "annuler" => {
                finish(&mut words)?;
                let undone = turn.undo();
                tell(turn, "undone", u8::from(undone), out);
            }
            "refused" => refused(turn, &mut words)?,
            "end" | "ready" => {
                finish(&mut words)?;
                return match (verb, self.greeted) {
                    ("end", true) => Ok(Heard::End),
                    ("ready", false) => Ok(Heard::Ready),
                    ("end", false) => Err("`end` before `ready`"),
                    _ => Err("`ready` within a turn: `end` ends it"),
                };
            }
            _ => {
                let action = action(verb, &mut words)?;
                let outcome = turn.act(action);
                if turn.overflowed() {
                    return Err("more than 4096 actions in one turn");
                }
                tell(turn, "result", error_code(outcome), out);
            }
        }
        self.spent += 8 + (out.len() - before) as u64 + extra;
        if self.spent > QUESTION_BUDGET { Err("too many questions in one turn") } else { Ok(Heard::Answered) }
    }
}

impl Dialogue<Position> for RefereeDialogue {
    fn greet(&mut self, view: View<'_>, _clock: Remaining, out: &mut Vec<u8>) -> Said {
        self.turn = Some(Turn::closed(view.position(), view.seat()));
        self.greeted = false;
        self.spent = 0;
        let text = &mut Text(out);
        let _ = writeln!(text, "agon portals 1\nme {}", view.me());
        let _ = writeln!(text, "rules {}", agon_core::rules::print(&view.rules()));
        let _ = writeln!(text, "rounds {}\nside {}", view.rounds(), view.side());
        for (player, start) in view.starts().iter().enumerate() {
            let _ = writeln!(text, "start {player} {} {}", start.x, start.y);
        }
        state(view, text);
        let _ = text.write_str("init\n");
        Said::More
    }

    fn prompt(&mut self, view: View<'_>, _clock: Remaining, out: &mut Vec<u8>) {
        match &mut self.turn {
            Some(turn) => turn.reopen(view.position(), view.seat()),
            None => self.turn = Some(Turn::open(view.position(), view.seat())),
        }
        self.greeted = true;
        self.spent = 0;
        state(view, &mut Text(out));
        out.extend_from_slice(b"go\n");
    }

    fn hear(
        &mut self,
        _view: View<'_>,
        _clock: Remaining,
        input: &[u8],
        end: bool,
        orders: &mut Vec<Order>,
        out: &mut Vec<u8>,
    ) -> (usize, Said) {
        let mut lines = Lines::new(input, LONGEST_LINE).ending(end);
        loop {
            let before = lines.used();
            let line = match lines.next() {
                None => return (before, Said::More),
                Some(Line::Complete(line)) => line,
                Some(Line::TooLong(line)) => {
                    let why = format!("a line of more than {LONGEST_LINE} bytes");
                    return (before, Said::Nonsense(Nonsense::new(line, why)));
                }
            };
            match self.line(line, out) {
                Ok(Heard::Answered) => {}
                Ok(Heard::Ready) => return (lines.used(), Said::Ready),
                Ok(Heard::End) => {
                    orders.extend_from_slice(self.turn.as_ref().map_or(&[], |turn| turn.actions()));
                    return (lines.used(), Said::Decision);
                }
                Err(why) => return (before, Said::Nonsense(Nonsense::new(line, why))),
            }
        }
    }

    fn refused(&self) -> &[RefusedCommand<Order>] {
        self.turn.as_ref().map_or(&[], Turn::refused)
    }

    fn verdict(&mut self, _: View<'_>, _: Result<(), Refused<Position>>, _: &mut Vec<u8>) {
        // Every action was answered when it arrived, and those that remain are lawful.
    }

    /// Sends the state once more, because player 0 has not seen the last turn of player 1.
    fn farewell(&mut self, view: View<'_>, out: &mut Vec<u8>) {
        state(view, &mut Text(out));
        out.extend_from_slice(b"over\n");
    }
}

/// Writes the state as lines, which are the same in the greeting, before every turn and at the end.
fn state(view: <Position as Game>::View<'_>, text: &mut Text<'_>) {
    let _ = writeln!(text, "turn {}", view.round());
    for player in 0..2 {
        let (Some(at), Some(score)) = (view.agent(player), view.score(player)) else { continue };
        let (action_points, move_points) = view.points_of(player as usize);
        let _ = writeln!(text, "agent {player} {} {} {score} {action_points} {move_points}", at.x, at.y);
    }
    for (id, p) in view.portals().iter().enumerate() {
        let _ = writeln!(text, "portal {} {} {} {}", p.x, p.y, view.owner_of(id), view.shields(*p));
    }
    for link in view.links() {
        let _ = writeln!(text, "link{link}");
    }
    for p in view.captured() {
        let _ = writeln!(text, "captured {} {}", p.x, p.y);
    }
    for p in view.neutralised() {
        let _ = writeln!(text, "neutralised {} {}", p.x, p.y);
    }
    for link in view.new_links() {
        let _ = writeln!(text, "newlink{link}");
    }
    for field in view.new_fields() {
        let _ = writeln!(text, "newfield{field}");
    }
    for p in view.new_shields() {
        let _ = writeln!(text, "newshield {} {}", p.x, p.y);
    }
}

/// Answers an action: its code, then the player's own points and score.
fn tell(turn: &Turn, what: &str, code: u8, out: &mut Vec<u8>) {
    let view = turn.view();
    let score = view.score(view.me()).unwrap_or_default();
    let _ = writeln!(Text(out), "{what} {code} {} {} {score}", view.action_points(), view.move_points());
}

type Words<'w> = core::str::SplitAsciiWhitespace<'w>;

/// Takes a line `refused CODE TIMES AFTER [ACTION]`, which has no answer. The host of a champion answers the champion's
/// calls itself, so only its word tells which of them it refused.
fn refused(turn: &mut Turn, words: &mut Words<'_>) -> Result<(), &'static str> {
    let mut next = || u32::try_from(number(words)?).map_err(|_| "less than nothing");
    let (code, times, after) = (next()?, next()?, next()?);
    let code = u8::try_from(code).map_err(|_| NO_CODE)?;
    let action = words.next().map(|verb| action(verb, words)).transpose()?;
    if turn.note_refused(after, action, code, times.max(1)) { Ok(()) } else { Err(NO_CODE) }
}

/// Why a line about refused actions is nonsense.
const NO_CODE: &str = "no refusal has this value of `erreur`";

fn action(verb: &str, words: &mut Words<'_>) -> Result<Order, &'static str> {
    let action = match verb {
        "move" | "deplacer" => Order::Move(point(words)?),
        "turbo" | "utiliser_turbo" => Order::Turbo,
        "capture" | "capturer" => Order::Capture,
        "link" | "lier" => Order::Link(point(words)?),
        "neutralise" | "neutraliser" => Order::Neutralise,
        "shield" | "ajouter_bouclier" => Order::Shield,
        _ => return Err("no action of this name"),
    };
    finish(words)?;
    Ok(action)
}

fn number(words: &mut Words<'_>) -> Result<i32, &'static str> {
    words.next().ok_or("a number is missing")?.parse().map_err(|_| "not a number of 32 bits")
}

fn point(words: &mut Words<'_>) -> Result<Point, &'static str> {
    Ok(pt(number(words)?, number(words)?))
}

fn finish(words: &mut Words<'_>) -> Result<(), &'static str> {
    if words.next().is_some() { Err("more words than this line has") } else { Ok(()) }
}

/// Answers a question, named in English or as in the original API. Returns its cost beyond the bytes of the answer.
fn answer(turn: &Turn, words: &mut Words<'_>, out: &mut Text<'_>) -> Result<u64, &'static str> {
    let view = turn.view();
    let listing = 8 * view.portals().len() as u64;
    let mut cost = 0;
    let name = words.next().ok_or("a question without a name")?;
    match name {
        "links" | "liste_liens" => list(out, finish(words).map(|()| view.links())?),
        "fields" | "liste_champs" => {
            cost = listing;
            list(out, finish(words).map(|()| view.fields())?);
        }
        "portals" | "liste_portails" => cells(out, finish(words).map(|()| view.portals())?),
        "blocking" | "liens_bloquants" => {
            let (a, b) = (point(words)?, point(words)?);
            cost = listing;
            list(out, finish(words).map(|()| view.blocking_links(a, b))?);
        }
        "linked" | "lien_existe" => {
            let (a, b) = (point(words)?, point(words)?);
            truth(out, finish(words).map(|()| view.linked(a, b))?);
        }
        "field" | "champ_existe" => {
            let (a, b, c) = (point(words)?, point(words)?, point(words)?);
            truth(out, finish(words).map(|()| view.field_exists(a, b, c))?);
        }
        "in_field" | "case_dans_champ" => {
            let p = point(words)?;
            cost = listing;
            truth(out, finish(words).map(|()| view.in_field(p))?);
        }
        "fields_over" | "case_champs" => {
            let p = point(words)?;
            cost = listing;
            list(out, finish(words).map(|()| view.fields_over(p))?);
        }
        "owner" | "portail_joueur" => {
            let p = point(words)?;
            value(out, i64::from(finish(words).map(|()| view.owner(p))?));
        }
        "shields" | "portail_boucliers" => {
            let p = point(words)?;
            value(out, i64::from(finish(words).map(|()| view.shields(p))?));
        }
        "links_of" | "liens_incidents_portail" => {
            let p = point(words)?;
            list(out, finish(words).map(|()| view.links_of(p))?);
        }
        "fields_of" | "champs_incidents_portail" => {
            let p = point(words)?;
            cost = listing;
            list(out, finish(words).map(|()| view.fields_of(p))?);
        }
        "fields_on" | "champs_incidents_segment" => {
            let (a, b) = (point(words)?, point(words)?);
            list(out, finish(words).map(|()| view.fields_on(a, b))?);
        }
        "captured" | "hist_portails_captures" => cells(out, &finish(words).map(|()| view.captured())?),
        "neutralised" | "hist_portails_neutralises" => cells(out, &finish(words).map(|()| view.neutralised())?),
        "new_links" | "hist_liens_crees" => list(out, finish(words).map(|()| view.new_links())?),
        "new_fields" | "hist_champs_crees" => {
            // Within a turn, this computes the end of the opponent's turn from a copy of the whole position.
            cost = 4 * listing;
            list(out, finish(words).map(|()| view.new_fields())?);
        }
        "new_shields" | "hist_boucliers_ajoutes" => cells(out, &finish(words).map(|()| view.new_shields())?),
        "distance" => {
            let (a, b) = (point(words)?, point(words)?);
            value(out, finish(words).map(|()| distance(a, b))?);
        }
        "triangle_score" | "score_triangle" => {
            let (a, b, c) = (point(words)?, point(words)?, point(words)?);
            value(out, finish(words).map(|()| triangle_score(a, b, c))?);
        }
        "interfere" | "intersection_segments" => {
            let (a, b, c, d) = (point(words)?, point(words)?, point(words)?, point(words)?);
            truth(out, finish(words).map(|()| segments_interfere(a, b, c, d))?);
        }
        "inside" | "point_dans_triangle" => {
            let (p, a, b, c) = (point(words)?, point(words)?, point(words)?, point(words)?);
            truth(out, finish(words).map(|()| inside_triangle(p, a, b, c))?);
        }
        "me" | "moi" => value(out, i64::from(finish(words).map(|()| view.me())?)),
        "opponent" | "adversaire" => value(out, i64::from(finish(words).map(|()| view.opponent())?)),
        "agent" | "position_agent" => {
            let player = number(words)?;
            let at = finish(words).map(|()| view.agent(player))?.ok_or("a player is 0 or 1")?;
            let _ = writeln!(out, "= {} {}", at.x, at.y);
        }
        "score" => {
            let player = number(words)?;
            value(out, finish(words).map(|()| view.score(player))?.ok_or("a player is 0 or 1")?);
        }
        "action_points" | "points_action" => value(out, i64::from(finish(words).map(|()| view.action_points())?)),
        "move_points" | "points_deplacement" => value(out, i64::from(finish(words).map(|()| view.move_points())?)),
        "round" | "tour_actuel" => value(out, i64::from(finish(words).map(|()| view.round())?)),
        _ => return Err("no question of this name"),
    }
    Ok(cost)
}

fn value(out: &mut Text<'_>, value: i64) {
    let _ = writeln!(out, "= {value}");
}

fn truth(out: &mut Text<'_>, truth: bool) {
    value(out, i64::from(truth));
}

/// Writes a list: the number of items, then the numbers of each item.
fn list<T: fmt::Display>(out: &mut Text<'_>, items: Vec<T>) {
    let _ = write!(out, "= {}", items.len());
    for item in items {
        let _ = write!(out, "{item}");
    }
    out.0.push(b'\n');
}

fn cells(out: &mut Text<'_>, cells: &[Point]) {
    let _ = write!(out, "= {}", cells.len());
    for p in cells {
        let _ = write!(out, " {} {}", p.x, p.y);
    }
    out.0.push(b'\n');
}

impl fmt::Display for Link {
    /// Writes ` x1 y1 x2 y2 owner`, with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.ends;
        write!(f, " {} {} {} {} {}", a.x, a.y, b.x, b.y, self.owner)
    }
}

impl fmt::Display for Field {
    /// Writes ` x1 y1 x2 y2 x3 y3 owner`, with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.corners;
        write!(f, " {} {} {} {} {} {} {}", a.x, a.y, b.x, b.y, c.x, c.y, self.owner)
    }
}

const _: () = assert!(MAX_ACTIONS == 4096, "the message above says so");
