//! The files of a session: those that it has read, which nothing may replace, and those that it writes.

use super::recorder::Recorder;
use crate::{
    clean::clean,
    error::{Error, Result},
    overwriting,
    printer::Printer,
};
use agon_games::AnyGame;
use agon_play::{MapSource, MatchFile, PreparedBot, Withheld};
use agon_spec::MatchSpec;
use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

/// The most names that are tried for the file of an interrupted session.
const MOST_NAMES: u32 = 10_000;

/// The files of a session.
#[derive(Default)]
pub struct Files {
    /// The files that were read, and what they are.
    read: Vec<(&'static str, PathBuf)>,
    transcript: Option<PathBuf>,
    /// Where the transcript is while it grows.
    grows: Option<PathBuf>,
}

impl Files {
    /// Remembers a file that nothing may replace.
    pub fn keep(&mut self, what: &'static str, path: PathBuf) {
        self.read.push((what, path));
    }

    /// Reads or makes a map.
    ///
    /// # Errors
    /// There is no such file or generator, or it gives no map.
    pub fn load(&mut self, name: &str, game: &dyn AnyGame, spec: &MatchSpec) -> Result<String> {
        let source: MapSource = name.parse().map_err(|why: String| Error::user(why))?;
        if let MapSource::File(path) = &source {
            // A pipe might never end, and nobody else would be heard until then.
            if path.metadata().is_ok_and(|about| !about.is_file()) {
                return Err(Error::user(format!("`{}` is no file", clean(name))));
            }
        }
        let seed = spec.seeds.map(spec.seed);
        let map = source.begun(game, spec.seeds).load(game, seed, spec.seats.len()).map_err(agon_play::Error::from)?;
        let text =
            String::from_utf8(map.bytes).map_err(|_| Error::user(format!("`{}` is not UTF-8 text", clean(name))))?;
        if let MapSource::File(path) = source {
            self.keep("a map of the session", path);
        }
        Ok(text)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// The file would replace one that is needed, or it cannot be written.
    pub fn save(&self, path: &Path, bytes: &[u8], bots: &[PreparedBot]) -> Result<()> {
        self.refuse("the file", path, bots)?;
        overwriting::replace(path, bytes).map_err(|why| Error::file("write", path, &why))
    }

    /// Lets the recorder write a transcript.
    ///
    /// # Errors
    /// The file would replace another one, bots could read it wherever it grows, or it cannot be written.
    pub fn open_transcript(&mut self, path: &Path, recorder: &Recorder, bots: &[PreparedBot]) -> Result<()> {
        self.refuse("--transcript", path, bots)?;
        overwriting::refuse_what_is_no_transcript(path)?;
        let withheld = MatchFile::Transcript.withhold(path, bots)?;
        self.grows = Some(withheld.as_ref().map_or(path, Withheld::path).to_owned());
        recorder.open(path.to_owned(), withheld).map_err(agon_play::Error::from)?;
        self.transcript = Some(path.to_owned());
        Ok(())
    }

    /// Checks that a bot which comes later cannot read the transcript.
    ///
    /// # Errors
    /// It could.
    pub fn check_bot(&self, bot: &PreparedBot) -> Result<()> {
        let Some(path) = self.grows.as_ref().filter(|_| self.transcript.is_some()) else { return Ok(()) };
        Ok(MatchFile::Transcript.check(path, std::slice::from_ref(bot)).map_err(agon_play::Error::from)?)
    }

    /// Ends the transcript.
    ///
    /// # Errors
    /// The transcript is not complete.
    pub fn close_transcript(&mut self, recorder: &Recorder, printer: &Printer) -> Result<()> {
        let (Some(path), Some(report)) = (self.transcript.take(), recorder.finish()) else { return Ok(()) };
        for (seat, stream, bytes) in report.left_out {
            let stream = stream.name();
            printer.warning(format!("the transcript leaves out {bytes} bytes of `{stream}` of seat {seat}"));
        }
        report.written.map_err(|why| Error::file("write the transcript", &path, &why))
    }

    /// Refuses a file that would replace one that is needed.
    fn refuse(&self, what: &str, path: &Path, bots: &[PreparedBot]) -> Result<()> {
        let files: Vec<_> = bots.iter().flat_map(|bot| bot.bot().files()).collect();
        let mut read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of a bot", &**file)).collect();
        read.extend(self.read.iter().map(|(what, file)| (*what, &**file)));
        read.extend(self.transcript.iter().map(|transcript| ("the transcript of the session", &**transcript)));
        overwriting::refuse(&[(what, path)], &read)
    }
}

/// Writes the replay of a session into a file of its own in the current folder. Returns its name.
///
/// # Errors
/// The file cannot be written.
pub fn rescue(game: &dyn AnyGame, replay: &[u8]) -> Result<PathBuf> {
    let names = (1..=MOST_NAMES).map(|number| PathBuf::from(format!("{}-console-{number}.jsonl", game.name())));
    for path in names {
        let written = OpenOptions::new().write(true).create_new(true).open(&path);
        match written.and_then(|mut file| file.write_all(replay)) {
            Ok(()) => return Ok(path),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            Err(why) => return Err(Error::file("write", &path, &why)),
        }
    }
    Err(Error::user(format!(
        "cannot keep the session: all names up to {}-console-{MOST_NAMES}.jsonl are taken",
        game.name()
    )))
}
