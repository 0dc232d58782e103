//! The imported files of a bot: how they are written, and what is recorded about them.

use super::{
    Limits, Name,
    environment::{Environments, is_environment},
    junk::{VENV_FOLDER, is_built, is_junk, is_of_environment},
    name::{folded, shown},
    size,
};
use agon_core::Flaw;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags, mkdirat, openat},
    io::Errno,
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// An imported file of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The size in bytes.
    pub size: u64,
    /// Whether the file is executable.
    pub executable: bool,
    /// The BLAKE3 hash of the bytes, for [`Tree::content`].
    pub hash: [u8; 32],
    /// The SHA-256 hash of the bytes, for the key in the cache.
    pub sha256: [u8; 32],
}

/// The size and the hashes of a copied file.
struct Digests {
    size: u64,
    hash: [u8; 32],
    sha256: [u8; 32],
}

/// The imported files of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    root: PathBuf,
    files: BTreeMap<String, Entry>,
    /// What the folder or the archive is called.
    called: Vec<String>,
    environments: Environments,
}

impl Tree {
    /// Returns the names of the folder or the archive, without the endings of archives. An archive with a single folder
    /// has two.
    #[must_use]
    pub fn called(&self) -> &[String] {
        &self.called
    }

    /// Returns what was left out in place of virtual environments.
    pub(crate) fn environments(&self) -> &Environments {
        &self.environments
    }

    /// Adds a name of the folder or the archive.
    pub(super) fn add_name(&mut self, name: String) {
        self.called.push(name);
    }

    /// Returns the folder that contains the files.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns every file with its path relative to [`root`](Self::root), in the order of the paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.files.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// Returns a BLAKE3 hash of the names and bytes of all files. It does not cover permissions, times or the location.
    #[must_use]
    pub fn content(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (name, entry) in self.files() {
            // The length comes first, so that different lists never give the same bytes.
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(&entry.hash);
        }
        *hasher.finalize().as_bytes()
    }

    /// Removes the files of whose names `is_wanted` returns false.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) -> Result<(), Flaw> {
        let unwanted: Vec<String> = self.files.keys().filter(|name| !is_wanted(name)).cloned().collect();
        for name in unwanted {
            let path = self.root.join(&name);
            fs::remove_file(&path).map_err(|why| unwritable(&path, why))?;
            self.files.remove(&name);
        }
        Ok(())
    }

    /// Returns whether there is a file with this path.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Returns the first bytes of a file, at most `most`. Empty if the file does not exist.
    #[must_use]
    pub fn head(&self, name: &str, most: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.has(name)
            && let Ok(file) = File::open(self.root.join(name))
        {
            // We have just written the file. If it cannot be read, treat it as empty.
            let _ = file.take(most).read_to_end(&mut bytes);
        }
        bytes
    }
}

/// The import of files into a folder.
pub(super) struct Intake {
    path: PathBuf,
    root: OwnedFd,
    limits: Limits,
    /// The maximum number of bytes of all files together.
    most: u64,
    bytes: u64,
    entries: u32,
    /// Every path by its normalised form: its first spelling, and whether it is a folder.
    seen: HashMap<String, (String, bool)>,
    files: BTreeMap<String, Entry>,
    /// What was left out in place of virtual environments.
    pub environments: Environments,
}

impl Intake {
    /// Starts an import into the empty folder `path`, of at most `most` bytes.
    pub(super) fn new(path: &Path, limits: Limits, most: u64) -> Result<Self, Flaw> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty()).map_err(|why| unwritable(path, why.into()))?;
        let (seen, files, environments) = (HashMap::new(), BTreeMap::new(), Environments::default());
        let path = path.to_owned();
        Ok(Self { path, root, limits, most, bytes: 0, entries: 0, seen, files, environments })
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Adds a folder.
    pub(super) fn folder(&mut self, raw: &[u8]) -> Result<(), Flaw> {
        self.count(raw)?;
        match Name::check(raw, &self.limits)? {
            Some(name) => self.see(&name, true),
            None => Ok(()),
        }
    }

    /// Adds a file with the bytes that `data` yields until its end. `mode` is the original Unix mode.
    pub(super) fn file(&mut self, raw: &[u8], mode: u32, data: &mut dyn Read) -> Result<(), Flaw> {
        self.count(raw)?;
        if mode & 0o7000 != 0 {
            return Err(Flaw::new(format!("`{}` has a set-uid, set-gid or sticky bit", shown(raw)))
                .hint("remove it with `chmod ug-s,-t`"));
        }
        let nameless = || Flaw::new(format!("`{}` is a file without a name", shown(raw))).hint("pack the bot again");
        if raw.ends_with(b"/") {
            return Err(nameless());
        }
        let name = Name::check(raw, &self.limits)?.ok_or_else(nameless)?;
        self.see(&name, false)?;
        if is_environment(name.as_str()) {
            self.environments.miss(raw);
            return Ok(());
        }
        if is_left_out(&name) {
            return Ok(());
        }
        let executable = mode & 0o111 != 0;
        let mut file = self.create(&name, executable)?;
        let Digests { size, hash, sha256 } = self.copy(&name, data, &mut file)?;
        self.files.insert(name.as_str().to_owned(), Entry { size, executable, hash, sha256 });
        Ok(())
    }

    /// Leaves out a link of an archive in place of a virtual environment. Returns false for any other link.
    pub(super) fn link(&mut self, raw: &[u8]) -> Result<bool, Flaw> {
        if raw.rsplit(|byte| *byte == b'/').next() != Some(VENV_FOLDER.as_bytes()) {
            return Ok(false);
        }
        self.count(raw)?;
        if let Some(name) = Name::check(raw, &self.limits)? {
            self.see(&name, false)?;
            self.environments.miss(raw);
        }
        Ok(true)
    }

    /// Counts an entry, even if it is skipped later.
    fn count(&mut self, raw: &[u8]) -> Result<(), Flaw> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let most = self.limits.entries;
            return Err(Flaw::new(format!(
                "there are more than {most} files and folders, `{}` is one more",
                shown(raw)
            ))
            .hint("leave out what the bot does not need"));
        }
        Ok(())
    }

    /// Refuses a path that exists already, or that means an existing file on another system.
    fn see(&mut self, name: &Name, folder: bool) -> Result<(), Flaw> {
        // Normalise each part only once, at any depth.
        let mut form = String::new();
        for step in name.steps() {
            let part = step.rsplit('/').next().unwrap_or(step);
            form.push('/');
            form.push_str(&folded(part));
            let is_folder = folder || step.len() < name.as_str().len();
            let Some((first, was_folder)) = self.seen.get(&form) else {
                self.seen.insert(form.clone(), (step.to_owned(), is_folder));
                if step.len() < name.as_str().len() {
                    // A folder without an entry of its own before its content counts, too.
                    self.count(step.as_bytes())?;
                }
                continue;
            };
            let (first, step) = (shown(first.as_bytes()), shown(step.as_bytes()));
            if first != step {
                return Err(Flaw::new(format!("`{first}` and `{step}` are one file on some systems"))
                    .hint("rename one of them"));
            }
            if !(is_folder && *was_folder) {
                return Err(Flaw::new(format!("`{step}` is there twice")).hint("keep one of them"));
            }
        }
        Ok(())
    }

    /// Creates a file and the folders above it. Never follows a link and never overwrites a file. No one else has
    /// access to the folder, but this must hold even if the check of names has a gap.
    fn create(&self, name: &Name, executable: bool) -> Result<File, Flaw> {
        let failed = |why: Errno| unwritable(&self.path.join(name.as_str()), why.into());
        let mut parts = name.as_str().split('/').peekable();
        let mut folder: Option<OwnedFd> = None;
        while let Some(part) = parts.next() {
            let here = folder.as_ref().map_or(self.root.as_fd(), AsFd::as_fd);
            if parts.peek().is_none() {
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });
                let file = openat(here, part, flags, mode).map_err(failed)?;
                // Independent of the umask: the bot may run as another user inside a sandbox.
                rustix::fs::fchmod(&file, mode).map_err(failed)?;
                return Ok(file.into());
            }
            let mode = Mode::from_raw_mode(0o755);
            match mkdirat(here, part, mode) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(why) => return Err(failed(why)),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let next = openat(here, part, flags, Mode::empty()).map_err(failed)?;
            rustix::fs::fchmod(&next, mode).map_err(failed)?;
            folder = Some(next);
        }
        Err(failed(Errno::INVAL))
    }

    /// Copies the data to its end. Checks the limits before it writes each piece.
    fn copy(&mut self, name: &Name, data: &mut dyn Read, file: &mut File) -> Result<Digests, Flaw> {
        let (mut blake3, mut sha256) = (blake3::Hasher::new(), Sha256::new());
        let mut piece = vec![0; 64 << 10];
        let mut written = 0;
        loop {
            let n = match data.read(&mut piece) {
                Ok(0) => {
                    let (hash, sha256) = (*blake3.finalize().as_bytes(), sha256.finalize().into());
                    return Ok(Digests { size: written, hash, sha256 });
                }
                Ok(n) => n,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => return Err(broken(name.as_str().as_bytes(), &why)),
            };
            written += n as u64;
            self.bytes += n as u64;
            if written > self.limits.file {
                return Err(too_large_file(name.as_str().as_bytes(), self.limits.file));
            }
            if self.bytes > self.most {
                return Err(self.too_much(name.as_str().as_bytes()));
            }
            blake3.update(&piece[..n]);
            sha256.update(&piece[..n]);
            file.write_all(&piece[..n]).map_err(|why| unwritable(&self.path.join(name.as_str()), why))?;
        }
    }

    fn too_much(&self, raw: &[u8]) -> Flaw {
        let flaw = Flaw::new(format!("there are more than {} of files, with `{}`", size(self.most), shown(raw)));
        if self.most < self.limits.total {
            let ratio = self.limits.ratio;
            return flaw.hint(format!("that is more than {ratio} times the size of the archive, as no bot is"));
        }
        flaw.hint("leave out what the bot does not need")
    }

    /// Ends the import and returns the files. With `look_through`, if a single folder contains all files, it is the
    /// bot.
    pub(super) fn finish(self, look_through: bool) -> Result<Tree, Flaw> {
        let mut tree = Tree { root: self.path, files: self.files, called: Vec::new(), environments: self.environments };
        if let Some(top) = look_through.then(|| single_folder(&tree.files)).flatten() {
            tree.root.push(&top);
            tree.called.push(top.clone());
            let inside = |name: &String| name[top.len() + 1..].to_owned();
            tree.files = tree.files.iter().map(|(name, entry)| (inside(name), *entry)).collect();
        }
        let built: BTreeSet<String> = tree.files.keys().filter(|name| lies_in_built(&tree, name)).cloned().collect();
        tree.retain(|name| !built.contains(name))?;
        if tree.files.is_empty() {
            return Err(Flaw::new("there is no file in it").hint("put the bot's sources or its program there"));
        }
        Ok(tree)
    }
}

/// Returns whether a part of the path is skipped in every folder.
fn is_left_out(name: &Name) -> bool {
    let inside =
        |(before, inside): (&str, &str)| (before.is_empty() || before.ends_with('/')).then_some(inside.to_owned());
    let environment = name.as_str().split_once(&format!("{VENV_FOLDER}/")).and_then(inside);
    name.as_str().split('/').any(is_junk) || environment.is_some_and(|inside| is_of_environment(&inside))
}

/// Returns whether the file is in a folder that a tool has created beside its own file.
fn lies_in_built(tree: &Tree, name: &str) -> bool {
    name.match_indices('/').any(|(end, _)| {
        let start = name[..end].rfind('/').map_or(0, |at| at + 1);
        is_built(&name[start..end], |by| tree.has(&format!("{}{by}", &name[..start])))
    })
}

/// Returns the folder that contains all files, if there is one.
fn single_folder(files: &BTreeMap<String, Entry>) -> Option<String> {
    let top = files.keys().next()?.split_once('/')?.0;
    files.keys().all(|name| name.split_once('/').is_some_and(|(first, _)| first == top)).then(|| top.to_owned())
}

/// Returns the error for an entry whose data cannot be read: the archive is broken, the file has disappeared, or a
/// limit inside the stream was reached.
pub(super) fn broken(raw: &[u8], why: &io::Error) -> Flaw {
    // The stream below reached a limit and has its own message.
    match why.get_ref().and_then(|inner| inner.downcast_ref::<Flaw>()) {
        Some(flaw) => flaw.clone(),
        None => Flaw::new(format!("`{}` cannot be read: {why}", shown(raw))).hint("the archive or the disk is broken"),
    }
}

/// Returns the error for a file that is larger than `most` bytes.
pub(super) fn too_large_file(raw: &[u8], most: u64) -> Flaw {
    Flaw::new(format!("`{}` is larger than {}", shown(raw), size(most))).hint("leave it out or make it smaller")
}

fn unwritable(path: &Path, why: io::Error) -> Flaw {
    Flaw::new(format!("cannot write `{}`: {why}", path.display()))
        .hint("bots are kept in XDG_CACHE_HOME, else in ~/.cache: there must be room")
}
