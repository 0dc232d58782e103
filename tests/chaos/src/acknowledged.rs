//! What workers were told of their results: a line for each, in a file that only grows.

use agon_spec::{WorkerAnswer, WorkerOutcome};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

/// Where a process of workers writes what it was told.
pub struct Acknowledged(File);

impl Acknowledged {
    /// Makes the file, which must be new.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().create_new(true).append(true).open(path)?))
    }

    /// Writes answers before anybody acts on them. A process that is killed afterwards has written them.
    ///
    /// # Errors
    /// The disk is full.
    pub fn write(&self, answers: &[WorkerAnswer]) -> io::Result<()> {
        let mut lines = String::with_capacity(32 * answers.len());
        for WorkerAnswer { id, token, outcome } in answers {
            let letter = match outcome {
                WorkerOutcome::Stored => 'S',
                WorkerOutcome::Duplicate => 'D',
                WorkerOutcome::Late => 'L',
                WorkerOutcome::Unknown => 'U',
            };
            let _ = writeln!(lines, "{letter} {id} {token}");
        }
        (&self.0).write_all(lines.as_bytes())
    }
}

/// What workers were told, of all processes.
#[derive(Default)]
pub struct Answers {
    /// The tokens whose result counts as they were told, by match.
    pub counting: BTreeMap<u64, Vec<u64>>,
    /// How often a result was called stored a second time, with the number of its match and its token.
    pub twice: Vec<(u64, u64)>,
    pub stored: u64,
    pub duplicate: u64,
    pub late: u64,
    /// Results of which workers were told that there was no such lease, with the numbers of their matches and their tokens.
    pub unknown: Vec<(u64, u64)>,
}

impl Answers {
    /// Reads the files of several processes.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn read<'a>(paths: impl Iterator<Item = &'a Path>) -> io::Result<Self> {
        let (mut answers, mut stored) = (Self::default(), BTreeMap::new());
        for path in paths {
            let text = fs::read_to_string(path)?;
            // A process that is killed may have written a part of its last line.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            for line in whole.lines() {
                let mut words = line.split(' ');
                let letter = words.next().unwrap_or_default();
                let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
                let (Some(id), Some(token)) = (number(), number()) else { continue };
                answers.take(letter, id, token, &mut stored);
            }
        }
        Ok(answers)
    }

    fn take(&mut self, letter: &str, id: u64, token: u64, stored: &mut BTreeMap<u64, u64>) {
        match letter {
            "S" => {
                self.stored += 1;
                if stored.insert(id, token).is_some() {
                    self.twice.push((id, token));
                }
            }
            "D" => self.duplicate += 1,
            "L" => self.late += 1,
            _ => self.unknown.push((id, token)),
        }
        let tokens = self.counting.entry(id).or_default();
        if matches!(letter, "S" | "D") && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
}
