//! Replays every recording of the original engines; `cargo xtask golden [DIR]` builds and runs it.
//!
//! DIR holds one folder for each game. A recording is recognised by its folder and its first line, never by its file
//! name.

mod grid;
mod lighthouses;
mod planet_wars;
mod portals;
mod triangles;

use flate2::read::MultiGzDecoder;
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The results of the checks so far.
#[derive(Default)]
pub struct Tally {
    /// The number of games, or of files with single vectors.
    pub recordings: u64,
    /// The number of turns, calls or vectors that were compared.
    pub steps: u64,
    /// The number of differences.
    pub mismatches: u64,
    /// The first few differences, in words.
    pub examples: Vec<String>,
}

impl Tally {
    /// Counts a difference. `what` is only called for the first few.
    pub fn mismatch(&mut self, what: impl FnOnce() -> String) {
        self.mismatches += 1;
        if self.examples.len() < 10 {
            self.examples.push(what());
        }
    }

    fn add(&mut self, other: Tally) {
        self.recordings += other.recordings;
        self.steps += other.steps;
        self.mismatches += other.mismatches;
        self.examples.extend(other.examples);
    }
}

/// A file of recordings.
pub struct Recording<'a> {
    /// The path of the file, for messages.
    pub path: &'a Path,
    /// The content of the file, decompressed.
    pub bytes: &'a [u8],
}

impl<'a> Recording<'a> {
    /// Returns the lines, without their line ends.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty())
    }

    /// Returns the lines as JSON values.
    pub fn json(&self) -> impl Iterator<Item = Result<serde_json::Value, String>> + use<'a> {
        self.lines()
            .enumerate()
            .map(|(i, line)| serde_json::from_slice(line).map_err(|e| format!("line {}: not JSON: {e}", i + 1)))
    }
}

/// Checks one file. An error means that the file cannot be read as a recording.
type Check = fn(&Recording<'_>, &mut Tally) -> Result<(), String>;

/// The readers of recordings, by the name of the game. A game without recordings needs no reader.
const READERS: &[(&str, Check)] = &[
    ("grid", grid::check),
    ("lighthouses", lighthouses::check),
    ("planet-wars", planet_wars::check),
    ("portals", portals::check),
    ("triangles", triangles::check),
];

fn main() -> ExitCode {
    let mut folders = env::args_os().skip(1).map(PathBuf::from);
    let (dir, further) = (folders.next(), folders.next());
    if further.is_some() {
        eprintln!("usage: cargo xtask golden [DIR]");
        return ExitCode::from(2);
    }
    match check_all(&dir.unwrap_or_else(default_dir)) {
        Ok(total) => {
            println!("golden: {} recordings, {} steps, {} mismatches", total.recordings, total.steps, total.mismatches);
            if total.mismatches > 0 || total.recordings == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the folder of recordings beside the checkout if it exists, or else that of the copies in the repository.
fn default_dir() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("it lies two folders deep");
    let beside = root.join("../shared/golden");
    if beside.is_dir() {
        return beside;
    }
    let copies = root.join("fixtures/golden");
    println!("{} does not exist, so only the copies in {} are checked", beside.display(), copies.display());
    copies
}

fn check_all(dir: &Path) -> Result<Tally, String> {
    let mut total = Tally::default();
    for folder in sorted(dir)?.into_iter().filter(|p| p.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if agon_games::find(&name).is_none() {
            println!("{name}: left out, there is no such game");
            continue;
        }
        let Some((_, check)) = READERS.iter().find(|(game, _)| *game == name) else {
            if files(&folder)?.is_empty() {
                println!("{name}: no recordings");
                continue;
            }
            return Err(format!(
                "{}: there are recordings, but READERS in tests/golden/src/main.rs has no reader for them",
                folder.display()
            ));
        };
        let mut tally = Tally::default();
        for path in files(&folder)? {
            let packed = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let bytes = unpack(&packed).map_err(|e| format!("{}: {e}", path.display()))?;
            check(&Recording { path: &path, bytes: &bytes }, &mut tally)
                .map_err(|e| format!("{}: {e}", path.display()))?;
        }
        println!("{name}: {} recordings, {} steps, {} mismatches", tally.recordings, tally.steps, tally.mismatches);
        for example in &tally.examples {
            println!("  {example}");
        }
        total.add(tally);
    }
    Ok(total)
}

/// Returns all files below `folder`, except notes for people.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in sorted(folder)? {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if !is_note(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

fn is_note(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".md") || name.ends_with("SHA256SUMS") || name.starts_with('.')
}

fn sorted(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut paths: Vec<_> = entries
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(|e| format!("{}: {e}", dir.display()))?;
    paths.sort();
    Ok(paths)
}

fn unpack(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if packed.starts_with(&[0x1f, 0x8b]) {
        MultiGzDecoder::new(packed).read_to_end(&mut bytes)?;
    } else {
        bytes.extend_from_slice(packed);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_reader_is_that_of_a_game() {
        for (name, _) in super::READERS {
            assert!(agon_games::find(name).is_some(), "{name} is no game");
        }
    }
}
