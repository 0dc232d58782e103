//! Checks games that an independent brute-force program played, one JSON object on each line.
//!
//! Every game is played through the real code. Its points go through the map reader, each side's commands are compared
//! byte for byte with those of the protocol, the answers arrive as bytes, and [`judge`] and `resolve` do the rest.

use super::{Recording, Tally};
use agon_core::{
    Contest, Dialogue, Ending, Entry, Failure, Game, Joint, Remaining, Said, Seat, Setup, Terms,
    geometry::{Relation, pt, relation, strictly_between},
    judge,
};
use agon_triangles::{Event, Order, Position, Refusal, Rules, Segment};
use serde::Deserialize;
use std::time::Duration;

/// A recorded game. Moves and probes number the points from 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Played {
    points: Vec<(i32, i32)>,
    /// The number of segments that are lawful on the empty board.
    candidates: usize,
    moves: Vec<Move>,
    probes: Vec<Probe>,
    score: [i64; 2],
    /// The number of points on the boundary of the convex hull.
    hull_boundary: usize,
}

/// Both ends, the points gained, the closed triangles that pay nothing, and the lawful segments before the move.
#[derive(Deserialize)]
struct Move(i32, i32, u32, u32, usize);

/// The number of the move before which the probe is made, both ends, and the reason why the segment is unlawful.
#[derive(Deserialize)]
struct Probe(usize, i32, i32, String);

pub fn check(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let first = recording.json().next().ok_or("an empty file")??;
    if !["points", "candidates", "moves", "probes"].iter().all(|key| first.get(key).is_some()) {
        return Err("the first line is not a game of triangles".into());
    }
    for (k, line) in recording.lines().enumerate() {
        let played: Played = serde_json::from_slice(line).map_err(|e| format!("line {}: {e}", k + 1))?;
        tally.recordings += 1;
        let mut table = Table { name: format!("{}:{}", recording.path.display(), k + 1), tally };
        if let Err(why) = table.replay(&played) {
            table.differs(0, "the game", &why, &"a game to its end");
        }
    }
    Ok(())
}

/// A game under check, with the tally for its differences.
struct Table<'a> {
    name: String,
    tally: &'a mut Tally,
}

impl Table<'_> {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, ply: usize, what: &str, ours: &T, theirs: &T) {
        if ours != theirs {
            self.differs(ply, what, ours, theirs);
        }
    }

    fn differs(&mut self, ply: usize, what: &str, ours: &dyn std::fmt::Debug, theirs: &dyn std::fmt::Debug) {
        let name = &self.name;
        self.tally.mismatch(|| format!("{name}: before move {ply}: {what}: {ours:?}, recorded {theirs:?}"));
    }

    fn replay(&mut self, played: &Played) -> Result<(), String> {
        let numbers: String = played.points.iter().map(|(x, y)| format!(" {x} {y}")).collect();
        let greeting = format!("set_points {}{numbers}\n", played.points.len());
        let drawing = Position::parse_map(greeting.as_bytes()).map_err(|e| e.to_string())?;
        let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
        let mut game = Position::from_map(drawing, &terms).map_err(|e| e.flaw.to_string())?;
        self.same(0, "candidates", &game.open_count(), &played.candidates);
        self.same(0, "points on the hull", &game.hull_boundary(), &played.hull_boundary);
        self.same(0, "segments in all", &game.segments_in_all(), &played.moves.len());
        let total = played.score.iter().sum();
        self.same(0, "triangles in all", &(game.triangles_in_all() as i64), &total);

        let mut talks: Vec<Talk> = [Seat::new(0), Seat::new(1)].map(|seat| Talk::new(&game, seat)).into();
        for talk in &mut talks {
            let said = talk.greet(&game);
            self.same(0, "the greeting", &said, &greeting);
        }
        let mut last: Option<&Move> = None;
        for (ply, recorded) in played.moves.iter().enumerate() {
            self.tally.steps += 1;
            if game.over() {
                return Err(format!("over before move {ply}"));
            }
            // The recording's first player makes the moves with even numbers.
            let seat = Seat::new(ply % 2);
            self.same(ply, "who moves", &game.to_move(), &seat);
            self.same(ply, "lawful segments", &game.open_count(), &recorded.4);
            for probe in played.probes.iter().filter(|probe| probe.0 == ply) {
                self.tally.steps += 1;
                self.probe(&game, ply, probe);
            }
            let talk = &mut talks[seat.index()];
            let (said, orders) = talk.turn(&game, (recorded.0, recorded.1))?;
            let play = last.map(|m| format!("play {} {}\n", m.0, m.1)).unwrap_or_default();
            self.same(ply, "the commands", &said, &format!("{play}time_left 179999\ngen_move\n"));
            self.same(ply, "the order", &orders, &vec![Order(recorded.0, recorded.1)]);
            self.play(&mut game, ply, seat, &orders, recorded);
            last = Some(recorded);
        }
        let standing = game.standing();
        let ply = played.moves.len();
        for Probe(_, i, j, reason) in played.probes.iter().filter(|probe| probe.0 >= ply) {
            // No bot is asked after the end, and an unlawful segment stays unlawful.
            self.tally.steps += 1;
            let ours = game.check(game.to_move(), &[Order(*i, *j)], &mut ()).err().map(|(_, why)| why);
            if !ours.is_some_and(|why| agrees(&game, &why, (*i, *j), reason)) {
                self.differs(ply, &format!("why `{i} {j}` is unlawful"), &ours, reason);
            }
        }
        self.same(ply, "the end", &(game.over(), standing.ending), &(true, Ending::Complete));
        self.same(ply, "lawful segments", &game.open_count(), &0);
        self.same(ply, "the score", &standing.scores, &played.score.to_vec());
        let [a, b] = played.score;
        let places = vec![1 + u8::from(b > a), 1 + u8::from(a > b)];
        self.same(ply, "the places", &standing.places, &places);
        Ok(())
    }

    fn play(&mut self, game: &mut Position, ply: usize, seat: Seat, orders: &[Order], recorded: &Move) {
        let on_board = |n: i32| u8::try_from(n).ok().filter(|n| (1..=game.points().len()).contains(&usize::from(*n)));
        if let (Some(i), Some(j)) = (on_board(recorded.0), on_board(recorded.1)) {
            let closed = game.closes(Segment { i, j });
            self.same(ply, "triangles closed", &(closed.empty, closed.holding), &(recorded.2, recorded.3));
        }
        let mut events = Vec::new();
        let (entry, refused) = judge(game, seat, orders, None, &mut ());
        self.same(ply, "the refusal", &refused.map(|r| r.why), &None);
        game.resolve(Joint::new(&[entry]), &mut (), &mut events);
        let gained = match events.as_slice() {
            [Event::Drawn { seat: by, gained, .. }] if *by == seat => Some(u32::from(*gained)),
            _ => None,
        };
        self.same(ply, "points gained", &gained, &Some(recorded.2));
    }

    /// Checks an unlawful attempt. The reason must be the recorded one, the named offender must really be in the way,
    /// and the bot must be out.
    fn probe(&mut self, game: &Position, ply: usize, probe: &Probe) {
        let Probe(_, i, j, reason) = probe;
        let seat = game.to_move();
        let (said, orders) = match Talk::new(game, seat).turn(game, (*i, *j)) {
            Ok((_, orders)) => ("a decision", orders),
            Err(_) => ("nonsense", Vec::new()),
        };
        self.same(ply, "what an attempt is", &said, &"a decision");
        let (entry, refused) = judge(game, seat, &orders, None, &mut ());
        let (ours, theirs) = (refused.map(|r| r.why), reason.as_str());
        if !ours.is_some_and(|why| agrees(game, &why, (*i, *j), theirs)) {
            self.differs(ply, &format!("why `{i} {j}` is unlawful"), &ours, &theirs);
        }
        self.same(ply, "the failure", &entry.failure, &Some(Failure::Unlawful(0)));
        let (mut after, mut events) = (game.clone(), Vec::new());
        after.resolve(Joint::new(&[Entry { ..entry }]), &mut (), &mut events);
        self.same(ply, "what an attempt does", &events, &vec![Event::Out { seat }]);
    }
}

/// Returns whether a refusal gives the recorded reason. If several points or segments are in the way, the recording may
/// name another one. That one must then be in the way too.
fn agrees(game: &Position, why: &Refusal, ends: (i32, i32), reason: &str) -> bool {
    let at = |n: i32| usize::try_from(n).ok().and_then(|k| game.points().get(k.checked_sub(1)?)).copied();
    let offence = || {
        let (p, q) = (at(ends.0)?, at(ends.1)?);
        Some(match (why, reason.split_once(' ')?) {
            (Refusal::Holds { point, .. }, ("contains", named)) => {
                strictly_between(p, q, at(named.parse().ok()?)?) && strictly_between(p, q, at((*point).into())?)
            }
            (Refusal::Crosses { drawn, .. }, ("crosses", named)) => {
                let (a, b) = named.split_once('-')?;
                let (a, b): (u8, u8) = (a.parse().ok()?, b.parse().ok()?);
                let crosses = |s: &Segment| {
                    let (u, v) = (at(s.i.into()).unwrap_or(pt(0, 0)), at(s.j.into()).unwrap_or(pt(0, 0)));
                    relation(p, q, u, v) == Relation::Cross
                };
                game.drawn().iter().any(|s| s.same(Segment { i: a, j: b }) && crosses(s)) && crosses(drawn)
            }
            _ => false,
        })
    };
    match (why, reason) {
        (Refusal::Range { number, .. }, "range") => at(*number).is_none(),
        (Refusal::Same(k), "same") => ends.0 == ends.1 && i32::from(*k) == ends.0,
        (Refusal::Drawn(s), "drawn") => [Order(ends.0, ends.1), Order(ends.1, ends.0)].contains(&Order::from(*s)),
        _ => offence().unwrap_or(false),
    }
}

/// The referee's end of the pipe to one bot, and a bot that answers `=` to everything except `gen_move`.
struct Talk {
    seat: Seat,
    dialogue: Box<dyn Dialogue<Position>>,
}

/// A clock whose milliseconds must be rounded down.
const CLOCK: Remaining = Remaining { turn: None, bank: Some(Duration::from_micros(179_999_999)) };

impl Talk {
    fn new(game: &Position, seat: Seat) -> Self {
        Self { seat, dialogue: game.dialogue(seat, &[]) }
    }

    /// Returns what the bot is sent before the game.
    fn greet(&mut self, game: &Position) -> String {
        let (mut out, mut orders) = (Vec::new(), Vec::new());
        self.dialogue.greet(game.view(self.seat), CLOCK, &mut out);
        let heard = self.dialogue.hear(game.view(self.seat), CLOCK, b"=\n\n", false, &mut orders, &mut out);
        if heard != (3, Said::Ready) {
            out.extend_from_slice(b"(not ready)");
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Plays one turn of the conversation. Returns everything that the bot was sent, and the orders that its answers
    /// gave.
    fn turn(&mut self, game: &Position, ends: (i32, i32)) -> Result<(String, Vec<Order>), String> {
        let (mut sent, mut orders) = (Vec::new(), Vec::new());
        let mut command = Vec::new();
        self.dialogue.prompt(game.view(self.seat), CLOCK, &mut command);
        loop {
            let answer = match command.as_slice() {
                b"gen_move\n" => format!("= {} {}\n\n", ends.0, ends.1),
                // A bot may leave out the clock (specification "time_left").
                line if line.starts_with(b"time_left ") => "? unknown command\n\n".into(),
                _ => "=\n\n".into(),
            };
            sent.append(&mut command);
            let view = game.view(self.seat);
            let heard = self.dialogue.hear(view, CLOCK, answer.as_bytes(), false, &mut orders, &mut command);
            match heard {
                (used, Said::Decision) if used == answer.len() => {
                    return Ok((String::from_utf8_lossy(&sent).into_owned(), orders));
                }
                (used, Said::More) if used == answer.len() && !command.is_empty() => {}
                other => return Err(format!("the dialogue made {other:?} of `{}`", answer.trim_end())),
            }
        }
    }
}
