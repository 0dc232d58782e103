//! What the intake has taken out of an upload, as the process that did it describes it to the server.

use super::version::VersionFile;
use agon_contest::copies::Fingerprints;
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// The file with the description, in the folder that the intake leaves.
pub(super) const DESCRIPTION: &str = "taken.json";
/// The file with the fingerprints.
pub(super) const PRINTS: &str = "prints";
/// A description is not larger: 10,000 paths of 1,000 bytes, and what belongs to them.
const MOST: u64 = 32 << 20;
/// When there are so many fingerprints of a bot, no other file is looked at.
pub(super) const MOST_PRINTS: usize = 100_000;
/// The largest file with them: the last file may have as many as it has bytes.
const MOST_PRINTS_BYTES: u64 = (MOST_PRINTS as u64 + (512 << 10)) * 8;

/// What the intake has taken out of an upload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The path of the bot in the folder of the step, relative.
    pub bot: String,
    /// The hash of the names and bytes of all files.
    pub content: [u8; 32],
    /// The files.
    pub files: Vec<VersionFile>,
    /// The fingerprints of the sources.
    pub prints: Fingerprints,
}

/// The description as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    pub bot: String,
    pub content: [u8; 32],
    pub files: Vec<FileDescription>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileDescription {
    pub path: String,
    pub size: i64,
    pub executable: bool,
    pub hash: [u8; 32],
}

impl Taken {
    /// Reads what an intake has left in this folder. The process that wrote it may have been taken over by what it read.
    ///
    /// # Errors
    /// If it is no such description.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let description: Description = serde_json::from_slice(&bounded(&folder.join(DESCRIPTION), MOST)?)?;
        let prints = bounded(&folder.join(PRINTS), MOST_PRINTS_BYTES)?;
        let title = description.bot.strip_prefix("./").unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
        if title.is_empty() || title.starts_with('.') || !title.chars().all(is_plain) {
            return Err(wrong("the bot has a strange name"));
        }
        let is_path = |path: &str| {
            !path.is_empty()
                && path.len() <= 1000
                && !path.chars().any(agon_core::text::is_hidden)
                && !path.starts_with('/')
        };
        if description.files.len() > super::upload::FILES_LIMIT
            || !description.files.iter().all(|file| is_path(&file.path))
        {
            return Err(wrong("it names strange files"));
        }
        let file = |file: FileDescription| {
            let FileDescription { path, size, executable, hash } = file;
            VersionFile { path, size, executable, hash }
        };
        Ok(Self {
            bot: description.bot,
            content: description.content,
            files: description.files.into_iter().map(file).collect(),
            prints: Fingerprints::of_bytes(&prints),
        })
    }
}

/// Reads a file of at most so many bytes.
fn bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}
