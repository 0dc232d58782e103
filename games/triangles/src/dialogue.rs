//! The referee's half of the wire protocol.
//!
//! ```text
//! set_points <n> <x1> <y1> ... <xn> <yn>
//! until the game is over:
//!     play <i> <j>          if the opponent has moved
//!     time_left <t>
//!     gen_move
//! ```
//!
//! The referee sends each command when the one before is answered. [`Step`] is the command whose answer is awaited.
//! The bot knows as many segments of the board as it was sent or drew itself.

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

/// The time to report if no clock runs: the longest time that a clock can be set to.
const UNLIMITED: Duration = Duration::from_secs(24 * 3600);

/// The command whose answer is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// No command: it is the opponent's turn.
    Idle,
    /// `set_points` as the greeting. No other command follows directly.
    Greeting,
    /// `set_points` after an undo or an edit. The turn goes on after it.
    SetPoints,
    Play,
    TimeLeft,
    GenMove,
}

/// Writes the referee's commands to one bot and reads its answers.
#[derive(Clone, Debug)]
pub struct RefereeDialogue {
    refused_play: RefusedPlay,
    says_quit: bool,
    step: Step,
    answers: Answers,
    /// The number of segments that the bot knows, from the first on the board: those that it was sent and those that
    /// it drew.
    known: usize,
    /// Whether the bot's board must be set up again.
    stale: bool,
    /// Whether it is being set up again in this turn.
    setting_up: bool,
    /// The number of outstanding answers to commands that no longer matter, because an undo ended their turn.
    owed: u32,
}

impl RefereeDialogue {
    /// Starts a dialogue. `says_quit` is whether the bot is sent `quit` at the end, as the applet did (specification
    /// "Testowanie programu").
    #[must_use]
    pub fn new(refused_play: RefusedPlay, says_quit: bool) -> Self {
        Self {
            refused_play,
            says_quit,
            step: Step::Idle,
            answers: Answers::default(),
            known: 0,
            stale: false,
            setting_up: false,
            owed: 0,
        }
    }

    /// Sends the next command of a turn: first the moves that the bot does not know, then the time, then the question.
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
                self.setting_up = false;
                time_left(clock, out);
                Step::TimeLeft
            }
        };
    }

    /// Ends a turn whose last command may still be unanswered, because a new turn begins.
    fn break_off(&mut self) {
        self.owed += u32::from(self.step != Step::Idle);
        self.step = Step::Idle;
    }

    /// Takes the answer to the command of the current step.
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
            // Specification "time_left": a program that ignores the time may answer `?`.
            Step::SetPoints | Step::Play | Step::TimeLeft => {
                self.go_on(view, clock, out);
                Said::More
            }
            Step::GenMove => {
                self.step = Step::Idle;
                // The bot's own segment will be the next one on the board, so the bot knows it.
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
        // A board that has lost segments is not the one that the bot knows.
        self.setting_up = self.stale || self.known > view.drawn.len();
        if self.setting_up {
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
        // Specification "Protokół": when the game is over, the program is killed; only the applet sends `quit`.
        if self.says_quit {
            out.extend_from_slice(b"quit\n");
        }
    }

    /// Rules T27: a new `set_points`, then one `play` for each segment, regardless of the player that drew it.
    fn reposition(&mut self) {
        self.stale = true;
    }

    fn is_setting_up(&self) -> bool {
        self.setting_up
    }
}

fn nonsense(answer: &Answer, why: alloc::string::String) -> Nonsense {
    let mut line = alloc::vec![if answer.good { b'=' } else { b'?' }];
    line.extend_from_slice(answer.text.trim_ascii_end());
    Nonsense::new(&line, why)
}

/// Writes the command of specification "set_points": the number of points, then their coordinates in order, in one
/// line.
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

/// Writes the command of specification "play": the segment as the opponent wrote it.
fn play(segment: Segment, out: &mut Vec<u8>) {
    out.extend_from_slice(alloc::format!("play {segment}\n").as_bytes());
}

/// Writes the command of specification "time_left": the whole milliseconds that are left for the whole game, rounded
/// down (point T11).
fn time_left(clock: Remaining, out: &mut Vec<u8>) {
    let left = clock.bank.or(clock.turn).unwrap_or(UNLIMITED);
    out.extend_from_slice(alloc::format!("time_left {}\n", left.as_millis()).as_bytes());
}
