//! The folder, archive or file that a user submits as a bot.

use super::{
    Kind, Limits, SourceTree, archive, folder,
    import::{Intake, broken},
    name::shown,
};
use agon_core::Flaw;
use agon_sandbox::Shortage;
use rustix::fs::{FileType, Mode, OFlags, fstat};
use std::{
    fs::File,
    io::Seek,
    path::{Path, PathBuf},
};

/// A folder, an archive or a file that a user submits as a bot. It is opened only once, so that nothing that replaces
/// it later is imported.
#[derive(Debug)]
pub struct Submission {
    path: PathBuf,
    kind: Kind,
    file: File,
    main: Option<String>,
}

impl Submission {
    /// Opens the bot at `path`.
    ///
    /// # Errors
    /// If the path cannot be opened, or is not of this kind.
    pub fn open(path: &Path, kind: Kind) -> Result<Self, Flaw> {
        let quoted = shown(path.as_os_str().as_encoded_bytes());
        // `NONBLOCK`: a pipe would make us wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let wanted = if kind == Kind::Folder { FileType::Directory } else { FileType::RegularFile };
        let file = rustix::fs::open(path, flags, Mode::empty())
            .and_then(|file| Ok((FileType::from_raw_mode(fstat(&file)?.st_mode), file)));
        match file {
            Ok((found, file)) if found == wanted => {
                Ok(Self { path: path.to_owned(), kind, file: file.into(), main: None })
            }
            Ok(_) => Err(Flaw::new(format!("`{quoted}` is neither a folder nor a regular file"))
                .hint("give a folder, an archive or a `.jar`")),
            Err(why) => {
                Shortage::note(why);
                Err(Flaw::new(format!("cannot read `{quoted}`: {}", std::io::Error::from(why))))
            }
        }
    }

    /// Names the file in which the bot starts, for whoever submits the bot and leaves its files as they are.
    #[must_use]
    pub fn starting_in(self, main: Option<String>) -> Self {
        Self { main, ..self }
    }

    /// Returns the file in which the bot starts, if whoever submits it names one.
    #[must_use]
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// Returns the form in which the bot is given.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the path that the user wrote.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path without links. On Linux this is the path of the opened folder or file, even if something else
    /// is now at the path that the user wrote.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        #[cfg(target_os = "linux")]
        if let Ok(place) = std::fs::read_link(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&self.file)))
            && place.is_absolute()
        {
            return place;
        }
        std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone())
    }

    /// Imports the bot into the empty folder `into`.
    ///
    /// # Errors
    /// If a file or folder is not allowed, in which case the error names it; if a limit is exceeded; or if a file
    /// cannot be read or written.
    pub fn take(&self, into: &Path, limits: Limits) -> Result<SourceTree, Flaw> {
        (&self.file).rewind().map_err(|why| broken(self.path.as_os_str().as_encoded_bytes(), &why))?;
        let mut tree = match self.kind {
            Kind::Folder => {
                let mut intake = Intake::new(into, limits, limits.total)?;
                folder::read(&self.file, &self.place(), &mut intake)?;
                intake.finish(false)?
            }
            Kind::File => {
                let mut intake = Intake::new(into, limits, limits.total)?;
                folder::read_one(&self.file, &self.path, &mut intake)?;
                intake.finish(false)?
            }
            Kind::Archive(packing) => archive::unpack(&self.file, &self.path, packing, into, limits)?,
        };
        tree.add_name(self.title());
        Ok(tree)
    }

    /// Returns the name of the folder, archive or file.
    fn file_name(&self) -> String {
        self.place().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the names that a user gives the bot by its file: the whole name, and that without its ending.
    pub(crate) fn names(&self) -> [String; 2] {
        [self.file_name(), self.title()]
    }

    /// Returns the name of the folder, or that of the archive without its ending.
    fn title(&self) -> String {
        let name = self.file_name();
        if self.kind == Kind::Folder {
            return name;
        }
        let name = name.trim_end_matches(['.', ' ']);
        let end = [".tar.gz", ".tar.zst"].into_iter().find(|end| name.to_lowercase().ends_with(end));
        let length = end.map_or_else(|| name.rfind('.').unwrap_or(name.len()), |end| name.len() - end.len());
        name[..length].to_owned()
    }
}
