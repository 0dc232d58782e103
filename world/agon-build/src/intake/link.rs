//! The symbolic links of an archive. They are noted while it is read, and followed at its end among the names that it has: no
//! link is ever made or followed on the disk.

use super::{
    Name,
    environment::is_environment,
    junk::{VENV, VENV_FOLDER, is_junk, is_of_environment},
    name::shown,
};
use agon_core::Flaw;
use std::collections::{BTreeMap, HashMap};

/// The maximum number of steps on the way of one link: parts of paths, and further links.
const MOST_STEPS: usize = 200;

/// The links of an archive: the name of each, and the bytes of its target.
#[derive(Debug, Default)]
pub(super) struct Links(BTreeMap<String, Vec<u8>>);

/// What is done with a link.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Followed {
    /// It counts as a copy of this file of the archive.
    File(String),
    /// It is one more name of this virtual environment.
    Environment(String),
    /// It stands in place of a virtual environment that is elsewhere.
    Elsewhere,
    /// It is in a place that is left out.
    LeftOut,
}

/// Where a link leads.
#[derive(PartialEq, Eq, Debug)]
enum End {
    File(String),
    Folder(String),
    /// The interpreter in a virtual environment, which is a link to one outside.
    Interpreter,
}

/// Why a link leads to nothing of the archive.
enum Bad {
    Outside,
    Nowhere,
}

/// The names in an archive.
pub(super) struct Names<'a> {
    links: &'a Links,
    /// Every path, and whether it is a folder.
    paths: HashMap<&'a str, bool>,
    /// The folder that has everything.
    top: Option<&'a str>,
}

impl Links {
    /// Notes a link. Its name was not there before.
    pub(super) fn add(&mut self, name: &Name, target: &[u8]) {
        self.0.insert(name.as_str().to_owned(), target.to_vec());
    }

    /// Returns the names of all links, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl<'a> Names<'a> {
    /// Joins the links of an archive with all its paths, of which each says whether it is a folder. `top` is the folder that has
    /// everything, if there is one.
    pub(super) fn new(links: &'a Links, paths: impl Iterator<Item = (&'a str, bool)>, top: Option<&'a str>) -> Self {
        Self { links, paths: paths.collect(), top }
    }

    /// Follows a link.
    ///
    /// # Errors
    /// If it does not lead to a file of the archive. Only the interpreter of a virtual environment may be elsewhere, and is left
    /// out.
    pub(super) fn follow(&self, link: &str) -> Result<Followed, Flaw> {
        let end = self.end(link);
        if is_environment(link) {
            return Ok(match end {
                Ok(End::Folder(folder)) if self.has_environment(&folder) => Followed::Environment(folder),
                _ => Followed::Elsewhere,
            });
        }
        let is_left_out = is_in_junk(link) || self.environment(link).is_some_and(is_of_environment);
        match end {
            Ok(_) if is_left_out => Ok(Followed::LeftOut),
            Ok(End::File(file)) => Ok(Followed::File(file)),
            Ok(End::Folder(_)) => {
                Err(bad(link, "leads to a folder")
                    .hint("put a copy of the folder in its place, and pack the bot again"))
            }
            Ok(End::Interpreter) | Err(Bad::Outside) => Err(bad(link, "leads out of the archive").hint(
                "pack what it leads to in its place: `tar --dereference` does so, and `zip` without `--symlinks`",
            )),
            Err(Bad::Nowhere) => {
                Err(bad(link, "leads to nothing in the archive").hint("remove it, or pack what it leads to, too"))
            }
        }
    }

    fn end(&self, link: &str) -> Result<End, Bad> {
        let mut done = String::new();
        // The remaining steps of the path. The next step is the last element.
        let mut left: Vec<&str> = link.rsplit('/').collect();
        let mut is_folder = true;
        for _ in 0..MOST_STEPS {
            let Some(step) = left.pop() else {
                return Ok(if is_folder { End::Folder(done) } else { End::File(done) });
            };
            if !is_folder {
                return Err(Bad::Nowhere);
            }
            if step == ".." {
                if done.is_empty() {
                    return Err(Bad::Outside);
                }
                done.truncate(done.rfind('/').unwrap_or(0));
                continue;
            }
            let next = if done.is_empty() { step.to_owned() } else { format!("{done}/{step}") };
            let Some(target) = self.links.0.get(&next) else {
                is_folder = *self.paths.get(&*next).ok_or(Bad::Nowhere)?;
                done = next;
                continue;
            };
            if self.is_interpreter(&next) {
                return Ok(End::Interpreter);
            }
            let target = std::str::from_utf8(target).map_err(|_| Bad::Nowhere)?;
            if target.starts_with('/') {
                return Err(Bad::Outside);
            }
            if target.is_empty() {
                return Err(Bad::Nowhere);
            }
            left.extend(target.rsplit('/').filter(|step| !step.is_empty() && *step != "."));
        }
        Err(Bad::Nowhere)
    }

    /// Returns whether a link is the interpreter of a virtual environment, by its name.
    fn is_interpreter(&self, link: &str) -> bool {
        let inside = self.environment(link).and_then(|inside| inside.strip_prefix("bin/"));
        inside.is_some_and(|program| program.starts_with("python") && !program.contains('/'))
    }

    /// Returns the path inside the virtual environment in which this path lies.
    fn environment<'p>(&self, path: &'p str) -> Option<&'p str> {
        let mut ends = path.match_indices('/').map(|(end, _)| end);
        ends.find(|end| self.has_environment(&path[..*end])).map(|end| &path[end + 1..])
    }

    /// Returns whether a folder is a virtual environment. The folder of the bot is none.
    fn has_environment(&self, folder: &str) -> bool {
        let is_marked = || self.paths.get(&*format!("{folder}/{VENV}")) == Some(&false);
        !folder.is_empty()
            && self.top != Some(folder)
            && (folder.rsplit('/').next() == Some(VENV_FOLDER) || is_marked())
    }
}

fn is_in_junk(link: &str) -> bool {
    link.split('/').any(is_junk)
}

fn bad(link: &str, why: &str) -> Flaw {
    Flaw::new(format!("`{}` is a link that {why}", shown(link.as_bytes())))
}
