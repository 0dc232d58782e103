//! The files that go into a bundle.

use crate::{
    Limits,
    error::shown,
    header::{BLOCK, space},
    inside::Top,
    limits::size as in_units,
};
use agon_build::intake::{Name, VENV, VENV_FOLDER, is_built, is_junk, is_of_environment};
use agon_core::Flaw;
use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The folders in which Cargo keeps what it needs to build, and the file by which its output is known.
const OF_CARGO: &[&str] = &["deps", "build", "incremental", "examples"];
const CARGO_LOCK: &str = ".cargo-lock";

/// A file of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    /// The path of its bytes, from the folder of the tournament or that of a copy. `None` for an empty file that marks a virtual
    /// environment.
    pub from: Option<PathBuf>,
    pub size: u64,
    pub executable: bool,
}

/// The files of a bundle by their paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listing {
    pub files: BTreeMap<String, Listed>,
    limits: Limits,
    /// The bytes of the bundle so far.
    size: u64,
}

impl Default for Listing {
    fn default() -> Self {
        Self { files: BTreeMap::new(), limits: Limits::default(), size: 2 * BLOCK as u64 }
    }
}

/// A folder that remains to be read.
struct Folder {
    path: String,
    /// Whether the hash of the bot covers its files.
    is_covered: bool,
    /// The virtual environment in which it is.
    environment: Option<String>,
}

impl Listing {
    /// Returns the size of the bundle in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Adds a file. One that was added before is kept, unless it only marks an environment.
    ///
    /// # Errors
    /// If its name cannot be in a bundle, or the bundle becomes too large.
    pub(crate) fn add(&mut self, path: &str, file: Listed) -> Result<(), Flaw> {
        if let Some(known) = self.files.get(path) {
            if known.from.is_some() || file.from.is_none() {
                return Ok(());
            }
            self.size -= space(path, known.size);
        }
        Name::check(path.as_bytes(), &self.limits.of_names())?;
        let name = shown(path.as_bytes());
        self.size = self.size.saturating_add(space(path, file.size));
        if self.size > self.limits.bytes {
            let most = in_units(self.limits.bytes);
            return Err(Flaw::new(format!("the files of the bot take more than {most}, with `{name}`"))
                .hint("leave out what the bot does not need, or keep it in a folder of its own"));
        }
        self.files.insert(path.to_owned(), file);
        if self.files.len() > self.limits.files {
            let most = self.limits.files;
            return Err(Flaw::new(format!("the bot has more than {most} files, `{name}` is one more"))
                .hint("leave out what the bot does not need, or keep it in a folder of its own"));
        }
        Ok(())
    }

    /// Adds the file at `real` in the folder of the tournament under the path `path`.
    ///
    /// # Errors
    /// If it cannot be read or cannot be in a bundle.
    pub(crate) fn file(&mut self, top: &Top, path: &str, real: &Path) -> Result<(), Flaw> {
        let about = fs::metadata(top.path.join(real)).map_err(|why| unreadable(path, &why))?;
        if !about.is_file() {
            return Err(special(path));
        }
        let mode = about.permissions().mode();
        if mode & 0o7000 != 0 {
            return Err(Flaw::new(format!("`{}` has a set-uid, set-gid or sticky bit", shown(path.as_bytes())))
                .hint("remove it with `chmod ug-s,-t`"));
        }
        let listed = Listed { from: Some(real.to_owned()), size: about.len(), executable: mode & 0o111 != 0 };
        self.add(path, listed)
    }

    /// Adds the files of a folder in the folder of the tournament. What a [folder bot](agon_build::intake) leaves out is left out
    /// here, too. `is_covered` says that the command names the folder, so that its hash covers the files. Of these nothing is
    /// left out.
    ///
    /// # Errors
    /// If a file cannot be read or cannot be in a bundle, a link does not lead to a file of the folder, or there is no
    /// file.
    pub(crate) fn folder(&mut self, top: &Top, path: &str, is_covered: bool) -> Result<(), Flaw> {
        let root = top.path.join(path);
        let mut folders = vec![Folder { path: path.to_owned(), is_covered, environment: None }];
        let mut read = 0;
        while let Some(folder) = folders.pop() {
            read += 1;
            if read > self.limits.files {
                return Err(Flaw::new(format!(
                    "`{}` has more than {} folders",
                    shown(path.as_bytes()),
                    self.limits.files
                ))
                .hint("leave out what the bot does not need"));
            }
            let names = names(top, &folder.path)?;
            for name in &names {
                self.entry(top, &root, &folder, (name, &names), &mut folders)?;
            }
        }
        let inside = format!("{path}/");
        if !self.files.range(inside.clone()..).next().is_some_and(|(first, _)| first.starts_with(&inside)) {
            return Err(Flaw::new(format!("`{}` has no file that could travel", shown(path.as_bytes())))
                .hint("put a file into it: a bundle has no empty folders"));
        }
        Ok(())
    }

    /// Adds what is called `name` in a folder that has `names`.
    fn entry(
        &mut self,
        top: &Top,
        root: &Path,
        folder: &Folder,
        (name, names): (&str, &[String]),
        folders: &mut Vec<Folder>,
    ) -> Result<(), Flaw> {
        // As the hash of a command counts them.
        let is_covered = folder.is_covered && !name.starts_with('.') && name != "__pycache__";
        let beside = |other: &str| names.iter().any(|name| name == other);
        // A program may be played from where Cargo has put it. It needs none of what else there is.
        let is_of_cargo = beside(CARGO_LOCK) && (OF_CARGO.contains(&name) || name.starts_with('.'));
        if !is_covered && (is_junk(name) || is_built(name, beside) || is_of_cargo) {
            return Ok(());
        }
        let path = format!("{}/{name}", folder.path);
        let of_environment = folder.environment.as_ref().and_then(|top| path.strip_prefix(&format!("{top}/")));
        if of_environment.is_some_and(is_of_environment) {
            return Ok(());
        }
        let at = top.path.join(&path);
        let about = fs::symlink_metadata(&at).map_err(|why| unreadable(&path, &why))?;
        if about.is_dir() {
            let is_environment =
                !is_covered && fs::symlink_metadata(at.join(VENV)).as_ref().is_ok_and(Metadata::is_file);
            if is_environment {
                self.add(&format!("{path}/{VENV}"), Listed { from: None, size: 0, executable: false })?;
            }
            let environment = if is_environment { Some(path.clone()) } else { folder.environment.clone() };
            folders.push(Folder { path, is_covered, environment });
            return Ok(());
        }
        if !about.is_symlink() {
            return if about.is_file() { self.file(top, &path, Path::new(&path)) } else { Err(special(&path)) };
        }
        if name == VENV_FOLDER && !is_covered {
            return Ok(());
        }
        let shown = shown(path.as_bytes());
        let real = at
            .canonicalize()
            .map_err(|why| Flaw::new(format!("the link `{shown}` leads nowhere: {why}")).hint("remove it"))?;
        if !real.starts_with(root) {
            return Err(Flaw::new(format!("the link `{shown}` leads out of the bot's folder"))
                .hint("put a copy of what it leads to in its place"));
        }
        if real.is_dir() {
            return Err(Flaw::new(format!("the link `{shown}` leads to a folder"))
                .hint("put a copy of the folder in its place"));
        }
        let real = real.strip_prefix(&top.path).unwrap_or(&real).to_owned();
        self.file(top, &path, &real)
    }
}

/// Returns the names in a folder of the folder of the tournament, in order.
fn names(top: &Top, path: &str) -> Result<Vec<String>, Flaw> {
    let failed = |why| unreadable(path, &why);
    let mut names = Vec::new();
    for entry in fs::read_dir(top.path.join(path)).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().into_string().map_err(|name| {
            let name = shown(name.as_encoded_bytes());
            Flaw::new(format!("the name `{name}` in `{}` is not UTF-8", shown(path.as_bytes()))).hint("rename the file")
        })?;
        names.push(name);
    }
    names.sort();
    Ok(names)
}

fn unreadable(path: &str, why: &std::io::Error) -> Flaw {
    Flaw::new(format!("cannot read `{}`: {why}", shown(path.as_bytes())))
}

fn special(path: &str) -> Flaw {
    Flaw::new(format!("`{}` is neither a file nor a folder", shown(path.as_bytes())))
        .hint("remove it: only regular files travel")
}
