//! A tournament as a folder that anybody can verify again.

use crate::{Archive, TournamentError, export, outcome::is_left_out, past::PAGE, report_csv, report_html, to_csv};
use agon_core::{Flaw, text::clean_json};
use agon_replay::without_stderr;
use agon_spec::{TournamentReportDocument, Versioned};
use agon_store::{BlobHash, Records};
use rustix::fs::OFlags;
use serde::Serialize;
use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
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
const NAMES: [&str; 7] = ["index.html", "export.csv", "export.json", "report.csv", "report.json", LAST_FILE, SUMS];
/// The name of the last version of the tournament's file.
const LAST_FILE: &str = "tournament.toml";
/// The name of the folder of replays.
const REPLAYS: &str = "replays";
/// The name of the folder of pages on which a match can be watched.
const PAGES: &str = "watch";
/// The folders with a file for each match, and how these files end.
const NUMBERED: [(&str, &str); 2] = [(REPLAYS, ".jsonl"), (PAGES, ".html")];
/// The file with the names of all files of an archive, as long as some of them may be missing.
const UNFINISHED: &str = "UNFINISHED";
/// How this file begins.
const UNFINISHED_HEADING: &str = "This archive was broken off. Write it again with --force. It may have these files:\n";
/// At most this many bytes of the list of files of an earlier archive are read.
const MOST_LISTED: u64 = 256 << 20;

/// The folder, and what was written to it.
struct Folder<'a> {
    path: &'a Path,
    /// The names of the files of earlier archives, which may be replaced.
    earlier: BTreeSet<String>,
    /// The hash and the name of each file.
    sums: Vec<(String, String)>,
    files: Vec<(String, String)>,
}

/// The pages of an archive on which a match can be watched.
#[derive(Clone, Copy)]
pub struct WatchPages<'a> {
    /// Which matches have a page.
    pub of: PagesOf,
    /// Returns the page of a replay.
    pub write: &'a dyn Fn(&[u8]) -> Vec<u8>,
}

/// The matches of an archive that have a page. A match without a replay has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PagesOf {
    /// No match.
    Nothing,
    /// The matches that the report gives as examples of faults.
    Faults,
    /// Every match.
    All,
}

/// What becomes of the last lines of stderr that the replay of a crash has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StderrOf {
    /// They are left out: they are for the author of the bot.
    Nobody,
    /// They stay in replays and pages.
    Everybody,
}

/// Writes a tournament to a folder: a page, every kept replay, the export as JSON and CSV, the
/// report as JSON and CSV, every version of the tournament's file, pages on which matches can be watched, and the hashes of
/// all of them. `get` returns the bytes of a replay. Writes nothing outside the folder, and follows no link in it.
///
/// The folder must be empty or missing. With `force` it may have files: those that the `SHA256SUMS` of an
/// earlier archive lists, and those of one that was broken off, are replaced. Replays, pages and versions of the file that
/// only the earlier archive has are removed. All others stay.
///
/// # Errors
/// If the store cannot be read, the folder is not empty, a file of the archive would replace one that is not of an
/// earlier archive, or a file cannot be written. The names of all files are checked before the first one is written.
pub fn write_archive(
    records: &impl Records,
    get: &dyn Fn(BlobHash) -> agon_store::Result<Option<Vec<u8>>>,
    report: &TournamentReportDocument,
    path: &Path,
    pages: WatchPages<'_>,
    stderr: StderrOf,
    force: bool,
) -> Result<u64, ArchiveError> {
    let mut folder = Folder::open(path, force)?;
    let replays = kept_replays(records)?;
    let files = files(records)?;
    let names = NAMES.iter().map(|name| (*name).to_owned());
    let names = names.chain(files.iter().map(|(name, _)| name.clone()));
    let names = names.chain(replays.iter().map(|(id, _)| replay_name(*id)));
    let watched: BTreeSet<u64> = match pages.of {
        PagesOf::Nothing => BTreeSet::new(),
        PagesOf::Faults => report.faults.iter().flat_map(|row| &row.examples).map(|fault| fault.id).collect(),
        PagesOf::All => replays.iter().map(|(id, _)| *id).collect(),
    };
    let watched: BTreeSet<u64> = replays.iter().map(|(id, _)| *id).filter(|id| watched.contains(id)).collect();
    folder.begin(&names.chain(watched.iter().map(|id| page_name(*id))).collect())?;
    for (id, hash) in &replays {
        let missing = || TournamentError::Past(Flaw::new(format!("the replay {hash} of match {id} is missing")));
        let stored = get(*hash)?.ok_or_else(missing)?;
        let replay = match stderr {
            StderrOf::Nobody => without_stderr(&stored),
            StderrOf::Everybody => stored,
        };
        folder.put(&replay_name(*id), &replay)?;
        if watched.contains(id) {
            folder.put(&page_name(*id), &(pages.write)(&replay))?;
        }
    }
    let export = export(records)?;
    folder.write("export.csv", to_csv(&export).as_bytes(), "every match, one line for each seat")?;
    folder.json("export.json", Versioned::of(export), "everything that was played")?;
    folder.write("report.csv", report_csv(report).as_bytes(), "the standings")?;
    folder.json("report.json", Versioned::of(report.clone()), "this report")?;
    for (name, text) in &files {
        let what = if name == LAST_FILE { "the tournament" } else { "the tournament as it was before" };
        folder.write(name, text.as_bytes(), what)?;
    }
    let replays: Vec<u64> = replays.into_iter().map(|(id, _)| id).collect();
    let count = replays.len() as u64;
    folder.files.push((SUMS.to_owned(), "the hashes of all these files, of the replays and of their pages".to_owned()));
    let page = report_html(report, Some(&Archive { replays, watched, files: folder.files.clone() }));
    folder.write("index.html", page.as_bytes(), "this page")?;
    let sums: String = folder.sums.iter().map(|(hash, name)| format!("{hash}  {name}\n")).collect();
    folder.put(SUMS, sums.as_bytes())?;
    folder.remove(UNFINISHED)?;
    Ok(count)
}

/// Returns the kept replays, each with the number of its match.
fn kept_replays(records: &impl Records) -> Result<Vec<(u64, BlobHash)>, ArchiveError> {
    let mut kept = Vec::new();
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(kept) };
        after = last.planned.id;
        for stored in &page {
            let result = stored.result.as_ref().filter(|result| !is_left_out(result));
            kept.extend(result.and_then(|result| result.replay).map(|hash| (stored.planned.id, hash)));
        }
    }
}

/// Returns the name of the replay of a match.
fn replay_name(id: u64) -> String {
    format!("{REPLAYS}/{id}.jsonl")
}

/// Returns the name of the page of a match.
fn page_name(id: u64) -> String {
    format!("{PAGES}/{id}.html")
}

/// Returns the name of a version of the tournament's file that is not the last one.
fn version_name(number: usize) -> String {
    format!("tournament-{number}.toml")
}

/// Returns whether a file is a version of the tournament's file that is not the last one.
fn is_version(name: &str) -> bool {
    let number = name.strip_prefix("tournament-").and_then(|rest| rest.strip_suffix(".toml")?.parse().ok());
    number.is_some_and(|number| version_name(number) == name)
}

/// Returns the versions of the tournament's file, each with its name in the archive.
fn files(records: &impl Records) -> Result<Vec<(String, String)>, ArchiveError> {
    let files = records.files()?;
    let last = files.len();
    let name = |number| if number == last { LAST_FILE.to_owned() } else { version_name(number) };
    Ok((1..).zip(files).map(|(number, file)| (name(number), file.text)).collect())
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
        folder.earlier = earlier_files(path)?;
        Ok(folder)
    }

    /// Checks the names of all files, notes them as those of an archive that is not finished, and removes from an
    /// earlier one the replays, and the versions of the file that this one does not have.
    fn begin(&mut self, names: &BTreeSet<String>) -> Result<(), ArchiveError> {
        for name in names {
            self.may_replace(name)?;
        }
        let folders = NUMBERED.map(|(folder, _)| self.path.join(folder));
        for folder in &folders {
            // A link would lead outside.
            if fs::symlink_metadata(folder).is_ok_and(|about| !about.is_dir()) {
                return Err(ArchiveError::NoFolder(folder.clone()));
            }
        }
        self.note(names).map_err(|why| self.failed(UNFINISHED, why))?;
        for name in self.earlier.difference(names).filter(|name| is_version(name)) {
            self.remove(name)?;
        }
        self.earlier.extend(names.iter().cloned());
        self.earlier.insert(UNFINISHED.to_owned());
        for ((name, end), folder) in NUMBERED.into_iter().zip(&folders) {
            if names.iter().any(|file| file.starts_with(name)) && fs::symlink_metadata(folder).is_err() {
                fs::create_dir(folder).map_err(|why| self.failed(name, why))?;
            }
            let entries = match fs::read_dir(folder) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(|why| self.failed(name, why))?,
            };
            for entry in entries {
                let file = entry.map_err(|why| self.failed(name, why))?.file_name();
                let number = file.to_str().and_then(|file| file.strip_suffix(end)?.parse::<u64>().ok());
                let ours = number.map(|number| format!("{name}/{number}{end}"));
                if let Some(ours) = ours.filter(|ours| self.earlier.contains(ours)) {
                    self.remove(&ours)?;
                }
            }
        }
        Ok(())
    }

    /// Appends names to the list of an archive that is not finished. What the list has stays: those files may be there.
    fn note(&self, names: &BTreeSet<String>) -> io::Result<()> {
        let mut open = OpenOptions::new();
        // `earlier_files` has seen that it is ours, and a link that came since is not followed.
        open.append(true).create(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let mut list = open.open(self.path.join(UNFINISHED))?;
        let begins = if self.earlier.contains(UNFINISHED) {
            // The last name may be cut off.
            "\n"
        } else {
            list.set_len(0)?;
            UNFINISHED_HEADING
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        list.write_all(format!("{begins}{}\n", names.join("\n")).as_bytes())
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
}

/// Returns the names of the files of earlier archives in a folder, their lists included: of one that is finished, and
/// of one that was broken off.
fn earlier_files(folder: &Path) -> Result<BTreeSet<String>, ArchiveError> {
    let mut names = BTreeSet::new();
    let sums = listed(&folder.join(SUMS)).unwrap_or_default();
    let of_sums: BTreeSet<&str> = sums.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    // There are other lists of hashes.
    if of_sums.contains("index.html") {
        names.extend(of_sums.into_iter().chain([SUMS]).map(str::to_owned));
    }
    let path = folder.join(UNFINISHED);
    if path.symlink_metadata().is_err() {
        return Ok(names);
    }
    let Some(unfinished) = listed(&path) else { return Err(ArchiveError::Foreign(path)) };
    match unfinished.strip_prefix(UNFINISHED_HEADING) {
        Some(list) => names.extend(list.lines().chain([UNFINISHED]).map(str::to_owned)),
        // It was broken off before it had a file.
        None if UNFINISHED_HEADING.starts_with(&unfinished) => {}
        None => return Err(ArchiveError::Foreign(path)),
    }
    Ok(names)
}

/// Reads a list of files. Returns `None` if there is none, or it cannot be read as text.
fn listed(path: &Path) -> Option<String> {
    // A link could lead to a pipe that never ends.
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(MOST_LISTED).read_to_string(&mut text).ok()?;
    Some(text)
}
