//! Files that belong where a bot could read them while it plays. Until the match is over they grow in a private folder
//! that no bot sees. Then they move to their place.

use crate::{Exposure, FileError, PreparedBot, Shortage, cores::private_folder};
use agon_sandbox::TemporaryFolder;
use rustix::process::geteuid;
use std::{
    env,
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// The beginning of the name of a folder with one file.
const PREFIX: &str = "match-";
/// The ending of the link beside the file, which leads to its place.
const LINK: &str = ".to";

/// A file, or a folder of files, that is kept from bots until the match is over. Dropping it moves it to its place, too.
#[derive(Debug)]
pub struct Withheld {
    folder: Option<TemporaryFolder>,
    here: PathBuf,
    there: PathBuf,
}

/// What a program that was killed has left of a file that it withheld.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfinished {
    /// Where it is.
    pub here: PathBuf,
    /// Where it belongs.
    pub there: PathBuf,
}

impl Withheld {
    /// Makes a private folder for the file that belongs at `there`, an absolute path without links. Returns `None` if
    /// there is no folder that all of the bots do not see.
    ///
    /// # Errors
    /// If the file could not be written at its place, or the host is short of something that such a folder needs.
    pub(crate) fn new(doing: &'static str, there: PathBuf, bots: &[PreparedBot]) -> Result<Option<Self>, FileError> {
        if let Err(source) = check_writable(&there) {
            return Err(FileError { doing, path: there, source });
        }
        let hidden = |root: &PathBuf| bots.iter().all(|bot| bot.exposure(root) == Exposure::Hidden);
        let mut short = None;
        let mut folder = |root: PathBuf| {
            let made = make(&root).and_then(|()| {
                let private = || TemporaryFolder::new(&root, &unpredictable()?, 0o700);
                hidden(&root).then(private).transpose()
            });
            made.unwrap_or_else(|why| {
                short = short.take().or(Shortage::among_causes(&why).map(|_| why));
                None
            })
        };
        let folder = roots().into_iter().find_map(&mut folder);
        if let (None, Some(source)) = (&folder, short) {
            return Err(FileError { doing: "keep from bots", path: there, source });
        }
        let (Some(folder), Some(name)) = (folder, there.file_name()) else { return Ok(None) };
        let here = folder.path().join(name);
        let mut link = here.clone().into_os_string();
        link.push(LINK);
        // It only helps after a crash.
        let _ = symlink(&there, link);
        Ok(Some(Self { here, there, folder: Some(folder) }))
    }

    /// Returns the path at which the file is written.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.here
    }

    /// Moves the file to its place. Call this when no bot runs.
    ///
    /// # Errors
    /// If it cannot be moved. It stays where it is, which the message says.
    pub fn release(mut self) -> io::Result<()> {
        self.move_to_place()
    }

    fn move_to_place(&mut self) -> io::Result<()> {
        let Some(folder) = self.folder.take() else { return Ok(()) };
        place(&self.here, &self.there).map_err(|why| {
            folder.keep();
            let (words, here) = (crate::system_words(&why), self.here.display());
            io::Error::new(why.kind(), format!("{words}; it is kept as `{here}`"))
        })
    }
}

impl Drop for Withheld {
    fn drop(&mut self) {
        // What cannot be moved stays, and the next program that looks finds it.
        let _ = self.move_to_place();
    }
}

impl Unfinished {
    /// Finds what programs of this user have left that were killed.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let roots = roots().into_iter().filter(|root| private_folder_is_there(root));
        let folders = roots.flat_map(|root| TemporaryFolder::left_behind(&root, PREFIX));
        folders.filter_map(|folder| Self::of(&folder)).collect()
    }

    /// Reads the folder of one file. `None` if the file was not begun.
    fn of(folder: &Path) -> Option<Self> {
        fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
            let there = fs::read_link(entry.path()).ok()?;
            let here = folder.join(there.file_name()?);
            here.exists().then_some(Self { here, there })
        })
    }
}

/// Returns the folders that may have withheld files, the best first.
fn roots() -> Vec<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    let own = format!("agon-{}", geteuid().as_raw());
    let shared = [env::temp_dir(), PathBuf::from("/var/tmp")].map(|folder| folder.join(&own));
    let folders = state.map(|state| state.join("agon")).into_iter().chain(shared);
    let mut roots: Vec<PathBuf> = folders.map(|folder| folder.join("unfinished")).collect();
    roots.dedup();
    roots
}

/// Makes a folder for withheld files, which only this user can enter.
fn make(root: &Path) -> io::Result<()> {
    let around = root.parent().ok_or(io::ErrorKind::NotFound)?;
    if around.file_name().is_some_and(|name| name == "agon") {
        fs::create_dir_all(around)?;
    } else {
        // Everybody can write to the folder around this one.
        private_folder(around)?;
    }
    private_folder(root)
}

fn private_folder_is_there(root: &Path) -> bool {
    root.exists() && private_folder(root).is_ok()
}

/// Returns a prefix that nobody can guess.
fn unpredictable() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut prefix = PREFIX.to_owned();
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(prefix, "{byte:02x}");
    }
    Ok(prefix + "-")
}

/// Checks that a file can be written later.
fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // To open a pipe waits for its reader.
        Ok(about) if about.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        Ok(_) => Ok(()),
        Err(_) => {
            let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
            Ok(rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?)
        }
    }
}

/// Moves a file, or all files of a folder. It is no error if there is nothing.
fn place(here: &Path, there: &Path) -> io::Result<()> {
    let about = match fs::symlink_metadata(here) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    if about.is_dir() {
        fs::create_dir_all(there)?;
        for entry in fs::read_dir(here)? {
            let entry = entry?;
            place(&entry.path(), &there.join(entry.file_name()))?;
        }
        return Ok(());
    }
    let target = fs::metadata(there).ok();
    if target.as_ref().is_none_or(fs::Metadata::is_file) {
        match fs::rename(here, there) {
            Err(why) if why.kind() == io::ErrorKind::CrossesDevices => replace(here, there)?,
            // A file can be writable in a folder that is not.
            Err(_) if target.is_some() => copy(here, OpenOptions::new().write(true).truncate(true).open(there)?)?,
            renamed => return renamed,
        }
    } else {
        io::copy(&mut File::open(here)?, &mut OpenOptions::new().write(true).open(there)?)?;
    }
    fs::remove_file(here)
}

/// Replaces a file on another file system: it is the old one or the whole new one.
fn replace(here: &Path, there: &Path) -> io::Result<()> {
    let mut name = there.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = there.with_file_name(name);
    let replaced = match OpenOptions::new().write(true).create_new(true).open(&new) {
        Ok(file) => copy(here, file).and_then(|()| fs::rename(&new, there)),
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied && there.exists() => {
            return copy(here, OpenOptions::new().write(true).truncate(true).open(there)?);
        }
        Err(why) => return Err(why),
    };
    if replaced.is_err() {
        let _ = fs::remove_file(&new);
    }
    replaced
}

fn copy(here: &Path, mut file: File) -> io::Result<()> {
    io::copy(&mut File::open(here)?, &mut file)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Self {
            let top = env::temp_dir().join(format!("agon-withheld-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&top);
            fs::create_dir_all(top.join("out")).expect("a folder");
            Self(top.canonicalize().expect("it is there"))
        }

        fn text(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.0.join(name)).ok()
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn withheld(ground: &Ground, name: &str) -> Withheld {
        Withheld::new("write", ground.0.join(name), &[]).expect("it can be written").expect("a folder")
    }

    #[test]
    fn a_file_moves_at_the_end_and_when_it_is_dropped() {
        let ground = Ground::new("moves");
        fs::write(ground.0.join("out/a"), "old").expect("a file");
        let file = withheld(&ground, "out/a");
        let folder = file.path().parent().expect("a folder").to_owned();
        fs::write(file.path(), "new").expect("a file");
        assert_eq!(ground.text("out/a").as_deref(), Some("old"), "until the end");
        file.release().expect("it is moved");
        assert_eq!((ground.text("out/a").as_deref(), folder.exists()), (Some("new"), false));
        let file = withheld(&ground, "out/b");
        fs::write(file.path(), "b").expect("a file");
        drop(file);
        assert_eq!(ground.text("out/b").as_deref(), Some("b"));
        drop(withheld(&ground, "out/c"));
        assert_eq!(ground.text("out/c"), None, "nothing was written");
    }

    #[test]
    fn the_files_of_a_folder_move_beside_those_that_are_there() {
        let ground = Ground::new("folder");
        fs::write(ground.0.join("out/0"), "0").expect("a file");
        let files = withheld(&ground, "out");
        fs::create_dir(files.path()).expect("a folder");
        for name in ["1", "2"] {
            fs::write(files.path().join(name), name).expect("a file");
        }
        files.release().expect("they are moved");
        assert_eq!(
            ["out/0", "out/1", "out/2"].map(|name| ground.text(name)),
            ["0", "1", "2"].map(|it| Some(it.into()))
        );
    }

    #[test]
    fn a_file_that_replaces_one_is_whole() {
        let ground = Ground::new("whole");
        for name in ["here", "out/there"] {
            fs::write(ground.0.join(name), name).expect("a file");
        }
        replace(&ground.0.join("here"), &ground.0.join("out/there")).expect("it is replaced");
        assert_eq!(ground.text("out/there").as_deref(), Some("here"));
        assert!(replace(&ground.0.join("missing"), &ground.0.join("out/there")).is_err());
        assert_eq!(ground.text("out/there").as_deref(), Some("here"));
        assert_eq!(fs::read_dir(ground.0.join("out")).expect("a folder").count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_that_cannot_be_moved_is_kept_and_found() {
        let ground = Ground::new("kept");
        let file = withheld(&ground, "out/a.jsonl");
        let here = file.path().to_owned();
        fs::write(&here, "precious").expect("a file");
        fs::remove_dir(ground.0.join("out")).expect("it is empty");
        let why = file.release().expect_err("there is no folder").to_string();
        assert!(why.contains(&format!("it is kept as `{}`", here.display())), "{why}");
        // Nobody finds it while this process lives.
        let left = Unfinished::of(here.parent().expect("a folder")).expect("it is there");
        assert_eq!(left, Unfinished { here: here.clone(), there: ground.0.join("out/a.jsonl") });
        fs::remove_dir_all(here.parent().expect("a folder")).expect("it is ours");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_refused_before() {
        let ground = Ground::new("refused");
        assert!(Withheld::new("write", ground.0.join("nothing/a"), &[]).is_err());
    }

    #[test]
    fn names_are_never_the_same() {
        let names = [unpredictable(), unpredictable()].map(|name| name.expect("random numbers"));
        assert!(names[0] != names[1] && names[0].len() == PREFIX.len() + 33);
    }
}
