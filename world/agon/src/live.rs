//! What a person sees on stderr while a match is played: a line of progress, or the board.

use crate::{
    board::{self, Room},
    error::{Error, Result},
    printer::Printer,
    report::seat_names,
};
use agon_core::Frame;
use agon_games::AnyGame;
use agon_referee::{MatchEvent, Rerun, turn_name};
use agon_run::CancelFlag;
use agon_spec::MatchSpec;
use std::time::{Duration, Instant};

/// The minimum time between two changes of the line of progress.
const PROGRESS: Duration = Duration::from_millis(100);
/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(20);

/// Shows a match while it is played.
pub struct Live<'a> {
    printer: &'a Printer,
    cancel: &'a CancelFlag,
    watched: Option<Watched>,
    shown: Option<Instant>,
}

/// A second copy of the match, played from its record. It shows exactly what a replay would show.
struct Watched {
    rerun: Rerun,
    names: Vec<String>,
    delay: Duration,
}

impl<'a> Live<'a> {
    /// Shows only a line of progress.
    pub fn progress(printer: &'a Printer, cancel: &'a CancelFlag) -> Self {
        Self { printer, cancel, watched: None, shown: None }
    }

    /// Shows the board after every turn for `delay`.
    ///
    /// # Errors
    /// The map or the rules of the match cannot be read.
    pub fn board(
        printer: &'a Printer,
        cancel: &'a CancelFlag,
        game: &dyn AnyGame,
        spec: &MatchSpec,
        delay: Duration,
    ) -> Result<Self> {
        let rerun = game.rerun(spec).map_err(Error::from)?;
        let names = seat_names(spec).into_iter().map(str::to_owned).collect();
        Ok(Self { watched: Some(Watched { rerun, names, delay }), ..Self::progress(printer, cancel) })
    }

    /// Shows one event.
    pub fn show(&mut self, event: &MatchEvent) {
        match (event, &mut self.watched) {
            (MatchEvent::Started { .. }, Some(watched)) => {
                let frame = watched.rerun.board().picture();
                self.draw(&frame);
            }
            (MatchEvent::Ply(record), Some(watched)) => {
                // The match goes on even if this copy differs. `agon replay verify` reports such a difference.
                let frame = watched.rerun.step(record).map(|_| watched.rerun.board().picture());
                if let Ok(frame) = frame {
                    self.draw(&frame);
                }
            }
            (MatchEvent::Ply(record), None) if self.shown.is_none_or(|at| at.elapsed() >= PROGRESS) => {
                self.shown = Some(Instant::now());
                self.printer.progress(&turn_name(record.ply, record.round));
            }
            (MatchEvent::Finished { .. } | MatchEvent::Aborted { .. }, None) => self.printer.progress(""),
            _ => {}
        }
    }

    fn draw(&mut self, frame: &Frame) {
        let Some(watched) = &self.watched else { return };
        let names: Vec<&str> = watched.names.iter().map(String::as_str).collect();
        let draw = |room: Room, colour| board::render_within(frame, &names, room, colour);
        self.printer.frame(draw, self.shown.is_none());
        self.shown = Some(Instant::now());
        let delay = watched.delay;
        let until = Instant::now() + delay;
        while !self.cancel.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(NAP));
        }
    }
}

/// Returns the space for a board on the terminal of stderr.
pub fn room() -> Room {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map_or_else(Room::default, |(width, height)| {
        // The title and the prompt need lines too.
        Room { columns: usize::from(width.0).saturating_sub(1), rows: usize::from(height.0).saturating_sub(4) }
    })
}
