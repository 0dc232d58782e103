//! The import of a bot's files into a folder: every file passes through here.

use super::{
    Entry, Limits, Name, SourceTree, beneath,
    environment::{Environments, is_environment},
    junk::{VENV, VENV_FOLDER, is_built, is_junk, is_of_environment},
    link::{Followed, Links, Names},
    name::{folded, shown},
    size,
};
use agon_core::Flaw;
use agon_sandbox::Shortage;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags, mkdirat, openat},
    io::Errno,
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// The size and the hashes of a copied file.
struct Digests {
    size: u64,
    hash: [u8; 32],
    sha256: [u8; 32],
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
    /// The links that are followed at the end.
    links: Links,
    /// What was left out in place of virtual environments.
    pub environments: Environments,
}

impl Intake {
    /// Starts an import into the empty folder `path`, of at most `most` bytes.
    pub(super) fn new(path: &Path, limits: Limits, most: u64) -> Result<Self, Flaw> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty()).map_err(|why| unwritable(path, why.into()))?;
        let (seen, files, environments) = (HashMap::new(), BTreeMap::new(), Environments::default());
        let (path, links) = (path.to_owned(), Links::default());
        Ok(Self { path, root, limits, most, bytes: 0, entries: 0, seen, files, links, environments })
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
        let name = self.named(raw, mode)?;
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

    /// Adds a link of an archive. It is followed at the end, when all names are known.
    pub(super) fn link(&mut self, raw: &[u8], mode: u32, target: &[u8]) -> Result<(), Flaw> {
        self.count(raw)?;
        let name = self.named(raw, mode)?;
        self.links.add(&name, target);
        Ok(())
    }

    /// Checks the name and the mode of what is no folder, and that it is there for the first time.
    fn named(&mut self, raw: &[u8], mode: u32) -> Result<Name, Flaw> {
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
        Ok(name)
    }

    /// Follows the links of an archive. One to a file counts as a copy of that file.
    fn follow_links(&mut self) -> Result<(), Flaw> {
        let links = std::mem::take(&mut self.links);
        let top = single_folder(self.files.keys().map(String::as_str).chain(links.names()));
        let paths = self.seen.values().map(|(path, is_folder)| (path.as_str(), *is_folder));
        let names = Names::new(&links, paths, top);
        let followed: Vec<_> =
            links.names().map(|link| Ok((link, names.follow(link)?))).collect::<Result<_, Flaw>>()?;
        for (link, followed) in followed {
            match followed {
                Followed::File(file) => self.copy_of(link, &file)?,
                Followed::Environment(folder) => self.environments.name(Path::new(link), Path::new(&folder)),
                Followed::Elsewhere => self.environments.miss(link.as_bytes()),
                Followed::LeftOut => {}
            }
        }
        Ok(())
    }

    /// Adds a copy of an imported file in place of a link.
    fn copy_of(&mut self, link: &str, file: &str) -> Result<(), Flaw> {
        let Some(Entry { executable, .. }) = self.files.get(file).copied() else {
            return Err(Flaw::new(format!(
                "`{}` is a link to `{}`, which is left out",
                shown(link.as_bytes()),
                shown(file.as_bytes())
            ))
            .hint("put a copy of the file in its place, and pack the bot again"));
        };
        let from = beneath::open_file(self.root.as_fd(), Path::new(file));
        let mut from = File::from(from.map_err(|why| broken(file.as_bytes(), &why.into()))?);
        let name = Name::check(link.as_bytes(), &self.limits)?.expect("it was checked when it was noted");
        let mut into = self.create(&name, executable)?;
        let Digests { size, hash, sha256 } = self.copy(&name, &mut from, &mut into)?;
        self.files.insert(link.to_owned(), Entry { size, executable, hash, sha256 });
        Ok(())
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
    pub(super) fn finish(mut self, look_through: bool) -> Result<SourceTree, Flaw> {
        self.follow_links()?;
        let mut tree = SourceTree::new(self.path, self.files, self.environments);
        let top = look_through.then(|| single_folder(tree.files().map(|(name, _)| name))).flatten();
        if let Some(top) = top.map(str::to_owned) {
            tree.look_into(&top);
        }
        let names = tree.files().map(|(name, _)| name);
        let is_unwanted = |name: &&str| lies_in_built(&tree, name) || is_beside_packages(&tree, name);
        let unwanted: BTreeSet<String> = names.filter(is_unwanted).map(str::to_owned).collect();
        tree.retain(|name| !unwanted.contains(name))?;
        if tree.files().next().is_none() {
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
fn lies_in_built(tree: &SourceTree, name: &str) -> bool {
    name.match_indices('/').any(|(end, _)| {
        let start = name[..end].rfind('/').map_or(0, |at| at + 1);
        is_built(&name[start..end], |by| tree.has(&format!("{}{by}", &name[..start])))
    })
}

/// Returns whether the file is in a virtual environment, and is none of its packages.
fn is_beside_packages(tree: &SourceTree, name: &str) -> bool {
    let mut folders = name.match_indices('/').map(|(end, _)| name.split_at(end));
    folders.any(|(folder, inside)| tree.has(&format!("{folder}/{VENV}")) && is_of_environment(&inside[1..]))
}

/// Returns the folder that contains all these files, if there is one.
fn single_folder<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let top = names.next()?.split_once('/')?.0;
    names.all(|name| name.split_once('/').is_some_and(|(first, _)| first == top)).then_some(top)
}

/// Returns the error for an entry whose data cannot be read: the archive is broken, the file has disappeared, or a
/// limit inside the stream was reached.
pub(super) fn broken(raw: &[u8], why: &io::Error) -> Flaw {
    Shortage::note_error(why);
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

pub(super) fn unwritable(path: &Path, why: io::Error) -> Flaw {
    Shortage::note_error(&why);
    Flaw::new(format!("cannot write `{}`: {why}", path.display()))
        .hint("bots are kept in XDG_CACHE_HOME, else in ~/.cache: there must be room")
}
