//! A tournament as a folder that anybody can verify again.

use crate::{Archive, TournamentError, export, outcome::is_left_out, past::PAGE, report_csv, report_html, to_csv};
use agon_core::{Flaw, text::clean_json};
use agon_spec::{TournamentReportDocument, Versioned};
use agon_store::{BlobHash, Records};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Why an archive cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The store cannot be read.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    /// There are files in the folder already.
    #[error("`{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// A file with the name of one of the archive is not of an earlier archive.
    #[error("`{}` is not of an earlier archive", .0.display())]
    Foreign(PathBuf),
    /// Something that is no folder stands where one is needed.
    #[error("`{}` is no folder", .0.display())]
    NoFolder(PathBuf),
    /// A file or a folder cannot be written.
    #[error("cannot write `{}`", .path.display())]
    Write {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl From<agon_store::StoreError> for ArchiveError {
    fn from(why: agon_store::StoreError) -> Self {
        Self::Tournament(why.into())
    }
}

/// The file with the hashes of all others.
const SUMS: &str = "SHA256SUMS";
/// The names of the files that every archive has.
const NAMES: [&str; 7] =
    ["index.html", "export.csv", "export.json", "report.csv", "report.json", "tournament.toml", SUMS];
/// At most this many bytes of the hashes of an earlier archive are read.
const MOST_SUMS: u64 = 256 << 20;

/// The folder, and what was written to it.
struct Folder<'a> {
    path: &'a Path,
    /// The names of the files of an earlier archive, which may be replaced.
    earlier: BTreeSet<String>,
    /// The hash and the name of each file.
    sums: Vec<(String, String)>,
    files: Vec<(String, String)>,
}

/// Writes a tournament to a folder: a page, every kept replay as the store has it, the export as JSON and CSV, the report
/// as JSON and CSV, every version of the tournament's file, and the hashes of all of them. `get` returns the bytes of a
/// replay. Writes nothing outside the folder, and follows no link in it.
///
/// The folder must be empty or missing. With `force` it may have files: those of an earlier archive, which its `SHA256SUMS`
/// lists, are replaced, and all others stay.
///
/// # Errors
/// If the store cannot be read, the folder is not empty, a file of the archive would replace one that is not of an earlier
/// archive, or a file cannot be written.
pub fn write_archive(
    records: &impl Records,
    get: &dyn Fn(BlobHash) -> agon_store::Result<Option<Vec<u8>>>,
    report: &TournamentReportDocument,
    path: &Path,
    force: bool,
) -> Result<u64, ArchiveError> {
    let mut folder = Folder::open(path, force)?;
    let replays = folder.replays(records, get)?;
    let export = export(records)?;
    folder.write("export.csv", to_csv(&export).as_bytes(), "every match, one line for each seat")?;
    folder.json("export.json", Versioned::of(export), "everything that was played")?;
    folder.write("report.csv", report_csv(report).as_bytes(), "the standings")?;
    folder.json("report.json", Versioned::of(report.clone()), "this report")?;
    let files = records.files()?;
    for (number, file) in (1..).zip(&files) {
        let name = if number == files.len() { "tournament.toml".into() } else { format!("tournament-{number}.toml") };
        let what = if number == files.len() { "the tournament" } else { "the tournament as it was before" };
        folder.write(&name, file.text.as_bytes(), what)?;
    }
    let count = replays.len() as u64;
    folder.files.push((SUMS.to_owned(), "the hashes of all these files and of the replays".to_owned()));
    let page = report_html(report, Some(&Archive { replays, files: folder.files.clone() }));
    folder.write("index.html", page.as_bytes(), "this page")?;
    let sums: String = folder.sums.iter().map(|(hash, name)| format!("{hash}  {name}\n")).collect();
    folder.put(SUMS, sums.as_bytes())?;
    Ok(count)
}

impl<'a> Folder<'a> {
    fn open(path: &'a Path, force: bool) -> Result<Self, ArchiveError> {
        let mut folder = Self { path, earlier: BTreeSet::new(), sums: Vec::new(), files: Vec::new() };
        fs::create_dir_all(path).map_err(|why| match why.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => ArchiveError::NoFolder(path.to_owned()),
            _ => folder.failed("", why),
        })?;
        let mut entries = fs::read_dir(path).map_err(|why| folder.failed("", why))?;
        if !force && entries.next().is_some() {
            return Err(ArchiveError::NotEmpty(path.to_owned()));
        }
        folder.earlier = earlier_files(&path.join(SUMS));
        // Before anything is written.
        for name in NAMES {
            folder.may_replace(name)?;
        }
        Ok(folder)
    }

    fn failed(&self, name: &str, source: io::Error) -> ArchiveError {
        ArchiveError::Write { path: self.path.join(name), source }
    }

    /// Writes a file and tells of it.
    fn write(&mut self, name: &str, bytes: &[u8], what: &str) -> Result<(), ArchiveError> {
        self.files.push((name.to_owned(), what.to_owned()));
        self.put(name, bytes)
    }

    fn json(&mut self, name: &str, document: impl Serialize, what: &str) -> Result<(), ArchiveError> {
        let text = serde_json::to_string_pretty(&document);
        let text = text.map_err(|why| TournamentError::Past(Flaw::new(why.to_string())))?;
        self.write(name, (clean_json(&text) + "\n").as_bytes(), what)
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.remove(name)?;
        // A link that stood there is gone, and a new one is not followed.
        let path = self.path.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(bytes)).map_err(|why| self.failed(name, why))?;
        let hash = BlobHash::of(bytes).to_string();
        self.sums.push((hash.trim_start_matches("sha256:").to_owned(), name.to_owned()));
        Ok(())
    }

    /// Returns the path of a file that does not exist, or is one of an earlier archive.
    fn may_replace(&self, name: &str) -> Result<PathBuf, ArchiveError> {
        let path = self.path.join(name);
        let foreign = !self.earlier.contains(name) && path.symlink_metadata().is_ok();
        if foreign { Err(ArchiveError::Foreign(path)) } else { Ok(path) }
    }

    /// Removes a file of an earlier archive, if there is one.
    fn remove(&self, name: &str) -> Result<(), ArchiveError> {
        let path = self.may_replace(name)?;
        match fs::remove_file(path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(self.failed(name, why)),
            _ => Ok(()),
        }
    }

    /// Writes every kept replay. Returns the numbers of their matches.
    fn replays(
        &mut self,
        records: &impl Records,
        get: &dyn Fn(BlobHash) -> agon_store::Result<Option<Vec<u8>>>,
    ) -> Result<Vec<u64>, ArchiveError> {
        self.make_replay_folder()?;
        let mut kept = Vec::new();
        let mut after = 0;
        loop {
            let page = records.matches(after, PAGE)?;
            let Some(last) = page.last() else { return Ok(kept) };
            after = last.planned.id;
            for stored in &page {
                let result = stored.result.as_ref().filter(|result| !is_left_out(result));
                let Some(hash) = result.and_then(|result| result.replay) else { continue };
                let id = stored.planned.id;
                let missing =
                    || TournamentError::Past(Flaw::new(format!("the replay {hash} of match {id} is missing")));
                let bytes = get(hash)?.ok_or_else(missing)?;
                self.put(&format!("replays/{id}.jsonl"), &bytes)?;
                kept.push(id);
            }
        }
    }

    /// Creates the folder of replays, without those of an earlier archive.
    fn make_replay_folder(&self) -> Result<(), ArchiveError> {
        let (name, path) = ("replays", self.path.join("replays"));
        match fs::symlink_metadata(&path) {
            // A link would lead outside.
            Ok(about) if !about.is_dir() => return Err(ArchiveError::NoFolder(path)),
            Ok(_) => {}
            Err(_) => fs::create_dir(&path).map_err(|why| self.failed(name, why))?,
        }
        for entry in fs::read_dir(&path).map_err(|why| self.failed(name, why))? {
            let file = entry.map_err(|why| self.failed(name, why))?.file_name();
            let number = file.to_str().and_then(|file| file.strip_suffix(".jsonl")?.parse::<u64>().ok());
            if let Some(number) = number.filter(|number| self.earlier.contains(&format!("replays/{number}.jsonl"))) {
                self.remove(&format!("replays/{number}.jsonl"))?;
            }
        }
        Ok(())
    }
}

/// Returns the names of the files of the archive with these hashes, its hashes included. Empty if they are not of an archive.
fn earlier_files(sums: &Path) -> BTreeSet<String> {
    let mut text = String::new();
    // A link could lead to a pipe that never ends.
    if sums.symlink_metadata().is_ok_and(|about| about.is_file()) {
        let file = fs::File::open(sums);
        let _ = file.and_then(|file| file.take(MOST_SUMS).read_to_string(&mut text));
    }
    let names: BTreeSet<String> = text.lines().filter_map(|line| Some(line.split_once("  ")?.1.to_owned())).collect();
    if !names.contains("index.html") {
        return BTreeSet::new();
    }
    names.into_iter().chain([SUMS.to_owned()]).collect()
}
