//! What is sent, on its way to the database: a file without a name, so that nothing of it is left when the server dies.

use crate::{Refusal, Result, database::DatabaseError};
use agon_bundle::BundleWriter;
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
};

/// The largest upload, in bytes. The intake has the same limit for archives.
pub const UPLOAD_LIMIT: u64 = 128 << 20;
/// The most files in a folder that is sent file by file.
pub const FILES_LIMIT: usize = 10_000;

/// What the bytes of an upload are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UploadForm {
    /// A bundle of `agon-bundle`, with one folder or one file at its top.
    Bundle,
    /// An archive that the intake reads, or a `.jar`.
    Zip,
    /// The same as `.tar`.
    Tar,
    /// The same as `.tar.gz`.
    TarGz,
    /// The same as `.tar.zst`.
    TarZst,
    /// A `.jar`.
    Jar,
}

impl UploadForm {
    const ALL: [Self; 6] = [Self::Bundle, Self::Zip, Self::Tar, Self::TarGz, Self::TarZst, Self::Jar];

    /// Returns the ending of the names of such files, without a dot. It is also the name of the form in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::TarGz => "tar.gz",
            Self::TarZst => "tar.zst",
            Self::Jar => "jar",
        }
    }

    /// Returns the form of this name. `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Returns the form of a file by its name. `None` if it is none that a server takes.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        if name.ends_with(".tgz") {
            return Some(Self::TarGz);
        }
        Self::ALL.into_iter().find(|form| name.strip_suffix(form.name()).is_some_and(|front| front.ends_with('.')))
    }
}

/// An upload that has arrived as a whole.
#[derive(Debug)]
pub struct Upload {
    /// What the bytes are.
    pub form: UploadForm,
    /// The name of the folder or of the file, without its ending. Where a bot starts may follow from it.
    pub name: String,
    /// The SHA-256 hash of the bytes.
    pub hash: [u8; 32],
    /// The number of bytes.
    pub size: u64,
    file: File,
}

impl Upload {
    /// Reads the piece with this number, which has [`PIECE`](agon_bundle::PIECE) bytes unless it is the last.
    pub(super) fn piece(&self, number: u64) -> io::Result<Vec<u8>> {
        let start = number * agon_bundle::PIECE as u64;
        let length = self.size.saturating_sub(start).min(agon_bundle::PIECE as u64);
        let mut piece = vec![0; length as usize];
        self.file.read_exact_at(&mut piece, start)?;
        Ok(piece)
    }

    /// Returns the number of pieces.
    pub(super) fn pieces(&self) -> u64 {
        self.size.div_ceil(agon_bundle::PIECE as u64)
    }
}

/// Takes the bytes of an upload as they arrive. All methods may wait for the disk.
#[derive(Debug)]
pub struct UploadWriter {
    file: File,
    digest: Sha256,
    size: u64,
}

impl UploadWriter {
    /// Begins an upload with a file in this folder.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn new(folder: &Path) -> Result<Self> {
        let file = nameless(folder).map_err(|why| unwritable(folder, &why))?;
        Ok(Self { file, digest: Sha256::new(), size: 0 })
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If there are more than [`UPLOAD_LIMIT`], or they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.size += bytes.len() as u64;
        if self.size > UPLOAD_LIMIT {
            return Err(Refusal::TooLarge { most: UPLOAD_LIMIT }.into());
        }
        self.digest.update(bytes);
        self.file.write_all(bytes).map_err(|why| unwritable(Path::new("what is sent"), &why))
    }

    /// Ends the upload.
    ///
    /// # Errors
    /// If nothing has arrived.
    pub fn finish(self, form: UploadForm, name: &str) -> Result<Upload> {
        if self.size == 0 {
            return Err(Refusal::Invalid { field: "bot", why: "it is empty".to_owned() }.into());
        }
        let name = title(name, form);
        Ok(Upload { form, name, hash: self.digest.finalize().into(), size: self.size, file: self.file })
    }
}

/// Takes the files of a folder one by one, and makes a bundle of them: the same folder gives the same bytes, however it is sent.
#[derive(Debug)]
pub struct FolderWriter {
    file: File,
    files: Vec<FileOfFolder>,
    size: u64,
}

#[derive(Debug)]
struct FileOfFolder {
    path: String,
    start: u64,
    size: u64,
}

impl FolderWriter {
    /// Begins a folder with a file in this one, into which the files are written.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn new(folder: &Path) -> Result<Self> {
        let file = nameless(folder).map_err(|why| unwritable(folder, &why))?;
        Ok(Self { file, files: Vec::new(), size: 0 })
    }

    /// Begins the next file. Its path, with `/` between its parts, begins with the name of the folder.
    ///
    /// # Errors
    /// If there are more than [`FILES_LIMIT`].
    pub fn begin(&mut self, path: &str) -> Result<()> {
        if self.files.len() >= FILES_LIMIT {
            let why = format!("the folder has more than {FILES_LIMIT} files");
            return Err(Refusal::Invalid { field: "folder", why }.into());
        }
        self.files.push(FileOfFolder { path: path.to_owned(), start: self.size, size: 0 });
        Ok(())
    }

    /// Adds bytes to the file that was begun.
    ///
    /// # Errors
    /// If the folder is larger than [`UPLOAD_LIMIT`], or they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.size += bytes.len() as u64;
        if self.size > UPLOAD_LIMIT {
            return Err(Refusal::TooLarge { most: UPLOAD_LIMIT }.into());
        }
        if let Some(file) = self.files.last_mut() {
            file.size += bytes.len() as u64;
        }
        self.file.write_all(bytes).map_err(|why| unwritable(Path::new("what is sent"), &why))
    }

    /// Ends the folder. `folder` is the one for files on their way.
    ///
    /// # Errors
    /// If it has no files, or the bundle is too large or cannot be written.
    pub fn finish(mut self, folder: &Path) -> Result<Upload> {
        // The reader of bundles refuses names that are there twice.
        self.files.sort_by(|one, other| one.path.cmp(&other.path));
        let top = self.files.first().and_then(|file| file.path.split_once('/')).map(|(top, _)| top.to_owned());
        let Some(top) = top else {
            return Err(Refusal::Invalid { field: "folder", why: "it has no files".to_owned() }.into());
        };
        let mut upload = Bundling { upload: UploadWriter::new(folder)?, refused: None };
        let mut writer = BundleWriter::new(&mut upload);
        let mut written = Ok(());
        for file in &self.files {
            let source = &mut self.file;
            // A browser does not tell whether a file is executable. What needs that is built, or started by its interpreter.
            written = source
                .seek(SeekFrom::Start(file.start))
                .map_err(agon_bundle::BundleError::from)
                .and_then(|_| writer.file(&file.path, false, file.size, &mut source.take(file.size)));
            if written.is_err() {
                break;
            }
        }
        let written = written.and_then(|()| writer.finish());
        match (written, upload.refused) {
            (Ok(_), _) => upload.upload.finish(UploadForm::Bundle, &top),
            (Err(_), Some(refused)) => Err(refused),
            (Err(why), None) => Err(unwritable(folder, &io::Error::other(why.to_string()))),
        }
    }
}

/// An upload as a stream. It remembers what an error of a stream cannot say.
struct Bundling {
    upload: UploadWriter,
    refused: Option<crate::Error>,
}

impl io::Write for Bundling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.upload.add(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(why) => {
                self.refused = Some(why);
                Err(io::ErrorKind::FileTooLarge.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes a file that goes with this process.
fn nameless(folder: &Path) -> io::Result<File> {
    let path = folder.join(format!("upload-{:016x}", getrandom::u64().map_err(io::Error::other)?));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Returns the name of a folder or of a file without its ending, as the name of a folder that means the same everywhere. It says
/// nothing if it is none.
fn title(name: &str, form: UploadForm) -> String {
    const USUAL: &str = "bot";
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let lower = name.to_lowercase();
    let endings = [form.name(), "tgz"].into_iter();
    let ending = endings.filter(|end| lower.ends_with(&format!(".{end}"))).map(|end| end.len() + 1).max();
    let name = &name[..name.len() - ending.unwrap_or(0)];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let plain = !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain);
    if plain && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && !name.ends_with('.') {
        name.to_owned()
    } else {
        USUAL.to_owned()
    }
}

pub(super) fn unwritable(place: &Path, why: &io::Error) -> crate::Error {
    DatabaseError::Failed { place: place.display().to_string(), why: agon_play::system_words(why) }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_bundle::{BundleReader, Limits};

    fn folder() -> std::path::PathBuf {
        std::env::temp_dir()
    }

    fn bytes(upload: &Upload) -> Vec<u8> {
        (0..upload.pieces()).flat_map(|number| upload.piece(number).expect("it is there")).collect()
    }

    #[test]
    fn an_upload_comes_back_from_its_pieces() {
        let sent: Vec<u8> = (0..3_000_000u32).map(|at| (at % 251) as u8).collect();
        let mut writer = UploadWriter::new(&folder()).expect("a file");
        sent.chunks(70_001).for_each(|part| writer.add(part).expect("there is room"));
        let upload = writer.finish(UploadForm::Zip, "my.bot.ZIP").expect("it has bytes");
        assert_eq!((upload.pieces(), upload.size, upload.name.as_str()), (3, 3_000_000, "my.bot"));
        assert!(bytes(&upload) == sent && upload.hash == <[u8; 32]>::from(Sha256::digest(&sent)));
    }

    #[test]
    fn what_is_too_large_or_empty_is_refused() {
        let mut writer = UploadWriter::new(&folder()).expect("a file");
        let mib = vec![0; 1 << 20];
        (0..UPLOAD_LIMIT >> 20).for_each(|_| writer.add(&mib).expect("there is room"));
        assert_eq!(writer.add(b"x").expect_err("one more"), Refusal::TooLarge { most: UPLOAD_LIMIT }.into());
        let writer = UploadWriter::new(&folder()).expect("a file");
        assert!(writer.finish(UploadForm::Zip, "a.zip").is_err());
        assert!(FolderWriter::new(&folder()).expect("a file").finish(&folder()).is_err());
    }

    #[test]
    fn a_folder_is_the_same_bundle_in_whatever_order_it_comes() {
        let send = |paths: &[&str]| {
            let mut writer = FolderWriter::new(&folder()).expect("a file");
            for path in paths {
                writer.begin(path).expect("there is room");
                path.as_bytes().chunks(3).for_each(|part| writer.add(part).expect("there is room"));
            }
            writer.finish(&folder()).expect("it has files")
        };
        let one = send(&["me/bot.py", "me/lib/a.py", "me/empty"]);
        let other = send(&["me/lib/a.py", "me/empty", "me/bot.py"]);
        assert_eq!((one.hash, one.name.as_str()), (other.hash, "me"));
        let bytes = bytes(&one);
        let mut reader = BundleReader::new(&bytes[..], Limits::default());
        let mut paths = Vec::new();
        while let Some(entry) = reader.next_entry().expect("a bundle") {
            paths.push((entry.path, entry.size));
        }
        let expected = [("me/bot.py", 9), ("me/empty", 8), ("me/lib/a.py", 11)];
        assert_eq!(paths, expected.map(|(path, size)| (path.to_owned(), size)));
    }

    #[test]
    fn a_name_becomes_a_plain_title() {
        for (name, form, expected) in [
            ("mine.tar.gz", UploadForm::TarGz, "mine"),
            ("Mine.TGZ", UploadForm::TarGz, "Mine"),
            ("C:\\bots\\mine.zip", UploadForm::Zip, "mine"),
            ("../../etc/passwd.zip", UploadForm::Zip, "passwd"),
            ("mine.zip", UploadForm::Bundle, "mine.zip"),
            ("mine.bundle", UploadForm::Bundle, "mine"),
            ("-rf.zip", UploadForm::Zip, "bot"),
            ("it's.zip", UploadForm::Zip, "bot"),
            ("..", UploadForm::Bundle, "bot"),
            ("", UploadForm::Zip, "bot"),
            ("a\u{202e}b.zip", UploadForm::Zip, "bot"),
        ] {
            assert_eq!(title(name, form), expected, "{name}");
        }
    }

    #[test]
    fn forms_are_told_by_the_name_of_the_file() {
        let forms = ["a.zip", "a.TAR.GZ", "a.tgz", "a.tar", "a.tar.zst", "a.jar", "a.bundle", "zip", "a.rar", "atar"];
        let found = forms.map(|name| UploadForm::of_file(name).map(UploadForm::name));
        let gz = Some("tar.gz");
        assert_eq!(
            found,
            [Some("zip"), gz, gz, Some("tar"), Some("tar.zst"), Some("jar"), Some("bundle"), None, None, None]
        );
    }
}
