//! The referee's half of the protocol.
//!
//! ```text
//! set_points <n> <x1> <y1> ... <xn> <yn>
//! until the game is over:
//!     play <i> <j>          if the opponent has moved
//!     time_left <t>
//!     gen_move
//! ```
//!
//! Each command is sent when the one before is answered. What is awaited is kept as a [`Step`]; what the bot knows of
//! the board is the number of segments it was told or drew itself.

use crate::{
    answer::{Answer, Answers, integers},
    order::Order,
    position::Position,
    rules::RefusedPlay,
    segment::Segment,
    view::View,
};
use agon_core::{Dialogue, Nonsense, Remaining, Said};
use alloc::vec::Vec;
use core::{fmt::Write, time::Duration};

/// What is reported where no clock runs: the longest time that a clock can be set to.
const UNLIMITED: Duration = Duration::from_secs(24 * 3600);

/// The command whose answer is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// None: it is the opponent's turn.
    Idle,
    /// `set_points` as the greeting; nothing follows at once.
    Greeting,
    /// `set_points` after an undo or an edit; the turn goes on.
    SetPoints,
    Play,
    TimeLeft,
    GenMove,
}

/// The referee's half of the protocol for one seat.
#[derive(Clone, Debug)]
pub struct RefereeDialogue {
    refused_play: RefusedPlay,
    says_quit: bool,
    step: Step,
    answers: Answers,
    /// How many segments of the board, from the first, the bot knows: those that it was told and those that it drew.
    known: usize,
    /// Whether the bot's board must be set up anew.
    stale: bool,
    /// How many answers are still to come to commands that no longer matter: of a turn that an undo broke off.
    owed: u32,
}

impl RefereeDialogue {
    /// `says_quit`: whether the bot is told at the end, as the applet did (specification "Testowanie programu").
    #[must_use]
    pub fn new(refused_play: RefusedPlay, says_quit: bool) -> Self {
        Self { refused_play, says_quit, step: Step::Idle, answers: Answers::default(), known: 0, stale: false, owed: 0 }
    }

    /// Sends the next command of a turn: what the bot does not know yet, then the time, then the question.
    fn go_on(&mut self, view: View<'_>, clock: Remaining, out: &mut Vec<u8>) {
        self.step = match (self.step, view.drawn.get(self.known)) {
            (Step::TimeLeft, _) => {
                out.extend_from_slice(b"gen_move\n");
                Step::GenMove
            }
            (_, Some(segment)) => {
                self.known += 1;
                play(*segment, out);
                Step::Play
            }
            (_, None) => {
                time_left(clock, out);
                Step::TimeLeft
            }
        };
    }

    /// A new turn begins while the answer to a command of the last one may be on its way.
    fn break_off(&mut self) {
        self.owed += u32::from(self.step != Step::Idle);
        self.step = Step::Idle;
    }

    /// What an answer to the command of the present step means.
    fn take(
        &mut self,
        answer: &Answer,
        view: View<'_>,
        clock: Remaining,
        orders: &mut Vec<Order>,
        out: &mut Vec<u8>,
    ) -> Said {
        match self.step {
            Step::Greeting | Step::SetPoints | Step::Play
                if !answer.good && self.refused_play == RefusedPlay::Fault =>
            {
                let command = if self.step == Step::Play { "play" } else { "set_points" };
                Said::Nonsense(nonsense(answer, alloc::format!("`?` in answer to `{command}`")))
            }
            Step::Greeting => {
                self.step = Step::Idle;
                Said::Ready
            }
            // Specification "time_left": a program that does not care about the time may answer `?`.
            Step::SetPoints | Step::Play | Step::TimeLeft => {
                self.go_on(view, clock, out);
                Said::More
            }
            Step::GenMove => {
                self.step = Step::Idle;
                // The bot's own segment will be the next one on the board: it is not told of it.
                self.known = view.drawn.len() + 1;
                match integers::<2>(&answer.text) {
                    Some([i, j]) if answer.good => {
                        orders.push(Order(i, j));
                        Said::Decision
                    }
                    _ if answer.good => Said::Nonsense(nonsense(answer, "not two point numbers".into())),
                    _ => Said::Nonsense(nonsense(answer, "`?` in answer to `gen_move`".into())),
                }
            }
            Step::Idle => Said::More,
        }
    }
}

impl Dialogue<Position> for RefereeDialogue {
    fn greet(&mut self, view: View<'_>, _clock: Remaining, out: &mut Vec<u8>) -> Said {
        self.break_off();
        set_points(view, out);
        (self.known, self.stale) = (0, false);
        self.step = Step::Greeting;
        Said::More
    }

    fn prompt(&mut self, view: View<'_>, clock: Remaining, out: &mut Vec<u8>) {
        self.break_off();
        // A board that has lost segments cannot be the one that the bot knows.
        if self.stale || self.known > view.drawn.len() {
            set_points(view, out);
            (self.known, self.stale) = (0, false);
            self.step = Step::SetPoints;
        } else {
            self.go_on(view, clock, out);
        }
    }

    fn hear(
        &mut self,
        view: View<'_>,
        clock: Remaining,
        input: &[u8],
        end: bool,
        orders: &mut Vec<Order>,
        out: &mut Vec<u8>,
    ) -> (usize, Said) {
        let mut used = 0;
        while self.step != Step::Idle {
            let (bytes, answer) = self.answers.read(&input[used..], end);
            used += bytes;
            let said = match answer {
                Ok(Some(_)) if self.owed > 0 => {
                    self.owed -= 1;
                    continue;
                }
                Ok(Some(answer)) => self.take(&answer, view, clock, orders, out),
                Ok(None) => return (used, Said::More),
                Err(nonsense) => Said::Nonsense(nonsense),
            };
            if said != Said::More {
                return (used, said);
            }
        }
        (used, Said::More)
    }

    fn farewell(&mut self, _view: View<'_>, out: &mut Vec<u8>) {
        // Specification "Protokół": when the game is over the program is killed; only the applet says `quit`.
        if self.says_quit {
            out.extend_from_slice(b"quit\n");
        }
    }

    /// Rules T27: a new `set_points`, then one `play` for each segment, whoever drew it.
    fn reposition(&mut self) {
        self.stale = true;
    }
}

fn nonsense(answer: &Answer, why: alloc::string::String) -> Nonsense {
    let mut line = alloc::vec![if answer.good { b'=' } else { b'?' }];
    line.extend_from_slice(answer.text.trim_ascii_end());
    Nonsense::new(&line, why)
}

/// Specification "set_points": the number of points, then their coordinates in order, in one line.
pub(crate) fn set_points(view: View<'_>, out: &mut Vec<u8>) {
    let mut text = alloc::string::String::with_capacity(16 + 8 * view.points.len());
    // Writing to a string cannot fail.
    let _ = write!(text, "set_points {}", view.points.len());
    for p in view.points {
        let _ = write!(text, " {} {}", p.x, p.y);
    }
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// Specification "play": the segment as the opponent wrote it.
fn play(segment: Segment, out: &mut Vec<u8>) {
    out.extend_from_slice(alloc::format!("play {segment}\n").as_bytes());
}

/// Specification "time_left": whole milliseconds that are left for the whole game, rounded down (point T11).
fn time_left(clock: Remaining, out: &mut Vec<u8>) {
    let left = clock.bank.or(clock.turn).unwrap_or(UNLIMITED);
    out.extend_from_slice(alloc::format!("time_left {}\n", left.as_millis()).as_bytes());
}
