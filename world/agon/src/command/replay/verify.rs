//! `agon replay verify FILE…`.

use crate::{
    clean::{clean, shell_word},
    command::Format,
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    report::turns,
};
use agon_core::Flaw;
use agon_play::{ReplayError, open_replay};
use agon_referee::MatchEvent;
use agon_replay::{Difference, Line, Reader, Verified, VerifyError, verify};
use agon_spec::{DifferenceDocument, VerifyDocument, VerifySeveralDocument};
use clap::Args;
use std::path::{Path, PathBuf};

/// Play recorded matches again and compare every turn. The exit code is 30 if one does not reproduce.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay verify game.jsonl
  agon replay verify games/*.jsonl.zst
  agon replay verify - < game.jsonl
  agon replay verify game.jsonl.zst --format json")]
pub struct Verify {
    /// The replays. `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// What became of one replay.
enum Outcome {
    Reproduced(Verified),
    Differs(Box<Difference>),
}

impl Verify {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        if let [file] = &self.files[..] {
            return self.one(file, printer);
        }
        let (mut replays, mut exit) = (Vec::new(), Exit::Done);
        for file in &self.files {
            let name = display(file);
            let error = match play_again(file) {
                Ok(outcome) => {
                    if let (Format::Text, Outcome::Reproduced(verified)) = (self.format, &outcome) {
                        printer.data(reproduced(&name, verified))?;
                    }
                    replays.push(document(&name, &outcome));
                    match outcome {
                        Outcome::Reproduced(_) => continue,
                        Outcome::Differs(difference) => differs(file, &difference),
                    }
                }
                Err(error) => error,
            };
            // A replay that differs matters more than one that cannot be read.
            exit = if exit == Exit::Differs { exit } else { error.exit };
            if self.format == Format::Text || error.exit != Exit::Differs {
                printer.error(&error);
            }
        }
        let good = replays.iter().filter(|replay| replay.reproduces).count();
        match self.format {
            Format::Json => printer.document(VerifySeveralDocument { reproduce: good == self.files.len(), replays })?,
            Format::Text => printer.data(format!("{good} of {} replays reproduce\n", self.files.len()))?,
        }
        Ok(exit)
    }

    fn one(&self, file: &Path, printer: &Printer) -> Result<Exit> {
        let (name, outcome) = (display(file), play_again(file)?);
        match (self.format, outcome) {
            (Format::Text, Outcome::Reproduced(verified)) => printer.data(reproduced(&name, &verified))?,
            (Format::Text, Outcome::Differs(difference)) => return Err(differs(file, &difference)),
            (Format::Json, outcome) => {
                printer.document(document(&name, &outcome))?;
                return Ok(if matches!(outcome, Outcome::Differs(_)) { Exit::Differs } else { Exit::Done });
            }
        }
        Ok(Exit::Done)
    }
}

fn display(file: &Path) -> String {
    clean(&file.display().to_string())
}

/// Plays a replay again.
///
/// # Errors
/// The replay cannot be read, or its match cannot be opened.
fn play_again(file: &Path) -> Result<Outcome> {
    let result = verify(open_replay(file)?, |spec| match agon_games::find(&spec.game) {
        Some(game) => game.rerun(spec),
        None => Err(Flaw::new(format!("there is no game `{}`", clean(&spec.game)))
            .hint("`agon games` lists the games of this version")),
    });
    match result {
        Ok(verified) => Ok(Outcome::Reproduced(verified)),
        Err(VerifyError::Differs(difference)) => Ok(Outcome::Differs(difference)),
        Err(VerifyError::Read(why)) => Err(ReplayError::unreadable(file, why).into()),
        Err(VerifyError::Open(flaw)) => {
            Err(Error::from(Flaw { what: clean(&flaw.what), ..flaw }).context(&display(file)))
        }
    }
}

/// Plays a replay again and returns what is known of it then.
///
/// # Errors
/// The replay cannot be read, its match cannot be opened, or it does not reproduce.
pub fn verified(file: &Path) -> Result<Verified> {
    match play_again(file)? {
        Outcome::Reproduced(verified) => Ok(verified),
        Outcome::Differs(difference) => Err(differs(file, &difference)),
    }
}

/// Returns whether turns were taken back in a replay or its position was edited. Then the number of a turn may stand for
/// several, of which `show --ply` shows the one that counts. Stdin cannot be read again.
fn is_changed(file: &Path) -> bool {
    if file == Path::new("-") {
        return false;
    }
    let Ok((_, mut reader)) = open_replay(file).map_err(drop).and_then(|input| Reader::new(input).map_err(drop)) else {
        return false;
    };
    std::iter::from_fn(|| reader.next_line().ok().flatten())
        .any(|line| matches!(line, Line::Event(MatchEvent::Rewound { .. } | MatchEvent::Edited { .. })))
}

fn document(name: &str, outcome: &Outcome) -> VerifyDocument {
    let (verified, difference) = match outcome {
        Outcome::Reproduced(verified) => (Some(verified), None),
        Outcome::Differs(difference) => (None, Some(difference)),
    };
    VerifyDocument {
        replay: name.to_owned(),
        reproduces: verified.is_some(),
        plies: verified.map(|verified| verified.plies),
        fingerprint: verified.map(|verified| verified.fingerprint),
        standing: verified.map(|verified| verified.standing.clone()),
        cut_off: verified.map(|verified| verified.cut_off),
        aborted: verified.map(|verified| verified.aborted),
        left_out: verified.map(|verified| verified.left_out),
        difference: difference
            .map(|difference| DifferenceDocument { ply: difference.ply(), text: clean(&difference.to_string()) }),
    }
}

fn reproduced(name: &str, verified: &Verified) -> String {
    let end = match (verified.cut_off, verified.aborted) {
        _ if verified.left_out => "; the later turns are left out, because the replay would have been too long",
        (true, _) => "; there it is cut off, so it has no result",
        (false, true) => "; there the match was aborted, so it has no result",
        (false, false) => " and its result",
    };
    let Verified { plies, fingerprint, .. } = verified;
    format!("{name} reproduces: {}{end} (last position {fingerprint})\n", turns(*plies))
}

fn differs(file: &Path, difference: &Difference) -> Error {
    let text = clean(&difference.to_string());
    let hint = match difference.ply() {
        0 => "its map or rules were changed after it was written, or it was played by another version of the rules"
            .to_owned(),
        ply if is_changed(file) => format!(
            "turn {ply} may be one that was taken back: `agon replay show {}` lists all turns in their order",
            shell_word(file)
        ),
        ply => {
            // A file whose name is a dash would be `./-`.
            let word = if file == Path::new("-") { "-".to_owned() } else { shell_word(file) };
            format!("`agon replay show {word} --ply {}` shows the last position that agrees", ply - 1)
        }
    };
    Error::user(format!("{} does not reproduce: {text}", display(file))).exit(Exit::Differs).hint(hint)
}
