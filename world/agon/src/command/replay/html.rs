//! `agon replay html FILE`.

use super::{place, transcript::Excerpt};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    overwriting,
    page::{Page, Source},
    printer::Printer,
};
use agon_core::Seat;
use agon_play::{ReplayError, find_game, open_replay};
use agon_replay::{Replay, without_stderr};
use agon_wasm::{Encoder, Engine, Failed};
use clap::Args;
use std::{
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

/// Write a recorded match as one page that opens in any browser.
///
/// The file has the viewer, the rules and the replay. It needs no network and no server. The page plays the match by the
/// same rules as the referee, and verifies every turn of the replay while one watches.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay html game.jsonl -o game.html
  agon replay html game.jsonl.zst --transcript talk.jsonl -o game.html
  agon replay html - < game.jsonl > game.html
  agon replay html game.jsonl --seat 1 -o mine.html
  agon replay html new.jsonl --beside old.jsonl -o both.html
  agon replay html crash.jsonl --with-stderr -o for-myself.html

`game.html#ply=57&seat=1` is turn 57 through the eyes of seat 1.")]
pub struct Html {
    /// The replay. `-` is stdin.
    file: PathBuf,
    /// The transcript of the match, from `agon match --transcript`. The page then shows what bots wrote to stderr and every
    /// byte that was said.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Show another replay beside this one, in step with it. The shorter one stays at its end.
    #[arg(long, value_name = "FILE", conflicts_with = "seat")]
    beside: Option<PathBuf>,
    /// Put only what this seat knew into the page: what it saw, its own orders and, of the transcript, its own bot. There is no
    /// replay in it, so the page cannot verify the match.
    #[arg(long, value_name = "N", value_parser = place::seat(), allow_negative_numbers = true)]
    seat: Option<u8>,
    /// Leave the last lines of stderr of a bot that crashed in the replay of the page. Without it they are left out, because a page is
    /// for others.
    #[arg(long, conflicts_with = "seat")]
    with_stderr: bool,
    /// Write to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Html {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let mut read = vec![("the replay", self.file.as_path())];
        read.extend(self.transcript.as_deref().map(|path| ("the transcript", path)));
        read.extend(self.beside.as_deref().map(|path| ("the other replay", path)));
        if let Some(output) = &self.output {
            overwriting::refuse(&[("--output", output)], &read)?;
        }
        let lines = |path: &Path| {
            let lines = replay_lines(path)?;
            Ok::<_, Error>(if self.with_stderr { lines } else { without_stderr(&lines) })
        };
        let replay = lines(&self.file)?;
        let beside = self.beside.as_deref().map(lines).transpose()?;
        let page = match self.seat {
            None => {
                let transcript = self.transcript(None, printer)?;
                Page {
                    source: Source::Replay(&replay),
                    transcript: transcript.as_deref(),
                    file: file_name(&self.file),
                    beside: beside.as_deref(),
                    bots: true,
                    plays: false,
                }
                .html()
            }
            Some(number) => {
                let (seat, known) = known(&replay, number)?;
                let transcript = self.transcript(Some(seat), printer)?;
                Page {
                    source: Source::Known(known.bytes()),
                    transcript: transcript.as_deref(),
                    file: None,
                    beside: None,
                    bots: false,
                    plays: false,
                }
                .html()
            }
        };
        match &self.output {
            None => printer.data(page)?,
            Some(path) => {
                overwriting::replace(path, &page).map_err(|e| Error::file("write", path, &e))?;
                printer.note(format!("the page is in {}", clean(&path.display().to_string())));
            }
        }
        Ok(Exit::Done)
    }

    /// Returns the lines of the transcript that the page takes, and says what it leaves out.
    fn transcript(&self, seat: Option<Seat>, printer: &Printer) -> Result<Option<Vec<u8>>> {
        let Some(path) = &self.transcript else { return Ok(None) };
        let excerpt = Excerpt::read(path, seat)?;
        if let Some(left_out) = excerpt.left_out {
            printer.warning(left_out.to_string());
        }
        Ok(Some(excerpt.lines))
    }
}

/// Returns the lines of a replay that can be opened.
///
/// # Errors
/// The file cannot be read, is no replay, or is of an unknown game.
pub fn replay_lines(path: &Path) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    match open_replay(path)?.take(MOST_BYTES).read_to_end(&mut lines) {
        // The file is cut off, and the reader of replays takes what is there.
        Err(why) if why.kind() == ErrorKind::UnexpectedEof => {}
        Err(why) => return Err(Error::file("read the replay", path, &why)),
        Ok(_) => {}
    }
    let replay = Replay::read(lines.as_slice()).map_err(|why| ReplayError::unreadable(path, why))?;
    find_game(&replay.header.spec.game).map_err(|source| ReplayError::Game { path: path.to_owned(), source })?;
    Ok(lines)
}

/// More than a replay can have; a file that is longer is refused by the reader of replays.
const MOST_BYTES: u64 = (1 << 30) + 1;

/// Returns the name of a replay's file without its folder. Stdin has none.
pub fn file_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str()).filter(|name| *name != "-")
}

/// Returns the seat with this number, and what it knew of a match.
fn known(replay: &[u8], number: u8) -> Result<(Seat, Encoder)> {
    let failed = |why: Failed| {
        let place = why.line.map_or_else(String::new, |line| format!("line {line}: "));
        Error::user(format!("{place}{}", clean(&why.why)))
    };
    let mut known = Encoder::default();
    let mut engine = Engine::open(replay).map_err(failed)?;
    let seat = place::seat_of(number, engine.seats())?;
    engine.write_known(seat, &mut known).map_err(failed)?;
    Ok((seat, known))
}
