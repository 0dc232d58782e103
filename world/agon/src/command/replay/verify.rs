//! `agon replay verify FILE`.

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
use agon_replay::{Difference, Verified, VerifyError, verify};
use agon_spec::{DifferenceDocument, VerifyDocument};
use clap::Args;
use std::path::PathBuf;

/// Play a recorded match again and compare every turn. The exit code is 30 if it does not reproduce.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay verify game.jsonl
  agon replay verify game.jsonl.zst --format json")]
pub struct Verify {
    /// The replay.
    file: PathBuf,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Verify {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let input = open_replay(&self.file)?;
        let name = clean(&self.file.display().to_string());
        let result = verify(input, |spec| match agon_games::find(&spec.game) {
            Some(game) => game.rerun(spec),
            None => Err(Flaw::new(format!("there is no game `{}`", clean(&spec.game)))
                .hint("`agon games` lists the games of this version")),
        });
        match result {
            Ok(verified) => self.reproduced(&name, &verified, printer),
            Err(VerifyError::Differs(difference)) => self.differs(&name, &difference, printer),
            Err(VerifyError::Read(why)) => Err(ReplayError::unreadable(&self.file, why).into()),
            Err(VerifyError::Open(flaw)) => Err(Error::from(Flaw { what: clean(&flaw.what), ..flaw }).context(&name)),
        }
    }

    fn reproduced(&self, name: &str, verified: &Verified, printer: &Printer) -> Result<Exit> {
        if self.format == Format::Json {
            printer.document(VerifyDocument {
                replay: name.to_owned(),
                reproduces: true,
                plies: Some(verified.plies),
                fingerprint: Some(verified.fingerprint),
                standing: Some(verified.standing.clone()),
                cut_off: Some(verified.cut_off),
                aborted: Some(verified.aborted),
                left_out: Some(verified.left_out),
                difference: None,
            })?;
            return Ok(Exit::Done);
        }
        let end = match (verified.cut_off, verified.aborted) {
            _ if verified.left_out => "; the later turns are left out, because the replay would have been too long",
            (true, _) => "; there it is cut off, so it has no result",
            (false, true) => "; there the match was aborted, so it has no result",
            (false, false) => " and its result",
        };
        let Verified { plies, fingerprint, .. } = verified;
        printer.data(format!("{name} reproduces: {}{end} (last position {fingerprint})\n", turns(*plies)))?;
        Ok(Exit::Done)
    }

    fn differs(&self, name: &str, difference: &Difference, printer: &Printer) -> Result<Exit> {
        let text = clean(&difference.to_string());
        if self.format == Format::Json {
            printer.document(VerifyDocument {
                replay: name.to_owned(),
                reproduces: false,
                plies: None,
                fingerprint: None,
                standing: None,
                cut_off: None,
                aborted: None,
                left_out: None,
                difference: Some(DifferenceDocument { ply: difference.ply(), text }),
            })?;
            return Ok(Exit::Differs);
        }
        let hint = match difference.ply() {
            0 => "its map or rules were changed after it was written, or it was played by another version of the rules"
                .to_owned(),
            ply => format!(
                "`agon replay show {} --ply {}` shows the last position that agrees",
                shell_word(&self.file),
                ply - 1
            ),
        };
        Err(Error::user(format!("{name} does not reproduce: {text}")).exit(Exit::Differs).hint(hint))
    }
}
