//! Copies whole folders into a sandbox before a job, and back after it. Only regular files are copied, links are never
//! followed, and the number and size of the files are limited.

use crate::Cause;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{OpenOptionsExt, PermissionsExt},
    },
    path::{Component, Path, PathBuf},
};
use thiserror::Error;

/// The most files that a tree may have.
pub(crate) const MOST_FILES: u32 = 100_000;
/// The most levels of folders that a tree may have.
const MOST_DEPTH: usize = 64;
/// The longest path of a file in a tree, in bytes.
const MOST_NAME: usize = 4096;

/// The first byte of each part of a tree in the stream.
const END: u8 = 0;
const FILE: u8 = 1;
const WRONG: u8 = 2;

/// Why a tree cannot be copied, sent or received.
#[derive(Debug, Error)]
pub(crate) enum TreeError {
    /// The system cannot read or write a file or folder of the tree.
    #[error("`{name}`: {error}")]
    File {
        name: String,
        #[source]
        error: io::Error,
    },
    #[error("the folder `{0}` is more than {most} levels deep", most = MOST_DEPTH)]
    TooDeep(String),
    #[error("there are more than {0} files")]
    TooMany(u32),
    #[error("its files are larger than {0} MiB in total")]
    TooLarge(u32),
    #[error("its files did not arrive: {0}")]
    Stream(#[source] io::Error),
    #[error("its files arrived incomplete")]
    Cut,
    #[error("more or larger files arrived than allowed")]
    MoreThanAgreed,
    #[error("`{0}` is not a valid file name")]
    Name(String),
    /// The error that the sender reports.
    #[error("{0}")]
    Sender(String),
}

impl TreeError {
    fn file(name: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::File { name: name.display().to_string(), error }
    }

    /// Converts the error to the cause of a refusal.
    pub(crate) fn cause(&self) -> Cause {
        Cause::of_error(self)
    }
}

/// A regular file in a tree.
struct Found {
    /// The path from the top of the tree.
    name: PathBuf,
    executable: bool,
}

/// All regular files below a folder, in the order of their paths.
fn files(top: &Path, most: u32) -> Result<Vec<Found>, TreeError> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        if folder.components().count() > MOST_DEPTH {
            return Err(TreeError::TooDeep(folder.display().to_string()));
        }
        let entries = fs::read_dir(top.join(&folder)).map_err(TreeError::file(&folder))?;
        for entry in entries {
            let entry = entry.map_err(TreeError::file(&folder))?;
            let name = folder.join(entry.file_name());
            // The metadata of the entry itself, not of the target of a link.
            let about = entry.metadata().map_err(TreeError::file(&name))?;
            if about.is_dir() {
                folders.push(name);
            } else if about.is_file() {
                if found.len() >= most as usize {
                    return Err(TreeError::TooMany(most));
                }
                found.push(Found { name, executable: about.permissions().mode() & 0o111 != 0 });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Opens a file for reading. Does not follow a link, and does not block at a named pipe.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)
}

fn mode(executable: bool) -> u32 {
    if executable { 0o755 } else { 0o644 }
}

/// Makes a new file below a folder to which no other process writes.
fn create(top: &Path, name: &Path, executable: bool) -> io::Result<File> {
    let path = top.join(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(mode(executable)).open(path)?;
    // The umask of the user must not decide what a bot may execute.
    file.set_permissions(fs::Permissions::from_mode(mode(executable)))?;
    Ok(file)
}

/// Copies the regular files of a folder into another one. `mib` limits their total size in MiB, `most` their number.
pub(crate) fn copy(from: &Path, to: &Path, mib: u32, most: u32) -> Result<(), TreeError> {
    let mut left = u64::from(mib) << 20;
    for file in files(from, most)? {
        let words = TreeError::file(&file.name);
        let source = open(&from.join(&file.name)).map_err(&words)?;
        let mut target = create(to, &file.name, file.executable).map_err(&words)?;
        let copied = io::copy(&mut source.take(left + 1), &mut target).map_err(&words)?;
        left = left.checked_sub(copied).ok_or(TreeError::TooLarge(mib))?;
    }
    Ok(())
}

/// Makes a user, and the group with the same ID, the owner of a tree.
pub(crate) fn give(top: &Path, user: u32) -> io::Result<()> {
    let mut left = vec![top.to_owned()];
    while let Some(path) = left.pop() {
        std::os::unix::fs::lchown(&path, Some(user), Some(user))?;
        if path.symlink_metadata()?.is_dir() {
            for entry in fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        }
    }
    Ok(())
}

/// Writes the regular files of a folder to a stream that [`receive`] reads. If something is wrong with the tree, the
/// stream ends with the error.
pub(crate) fn send(top: &Path, mib: u32, most: u32, out: &mut impl Write) -> io::Result<()> {
    match send_files(top, mib, most, out) {
        Ok(()) => out.write_all(&[END])?,
        Err(Wrong::There(why)) => {
            out.write_all(&[WRONG])?;
            text(out, why.to_string().as_bytes())?;
        }
        Err(Wrong::Here(error)) => return Err(error),
    }
    out.flush()
}

enum Wrong {
    /// An error of the tree, which is reported in the stream.
    There(TreeError),
    /// An error of the stream itself.
    Here(io::Error),
}

fn send_files(top: &Path, mib: u32, most: u32, out: &mut impl Write) -> Result<(), Wrong> {
    let mut left = u64::from(mib) << 20;
    for found in files(top, most).map_err(Wrong::There)? {
        let words = |e: io::Error| Wrong::There(TreeError::file(&found.name)(e));
        let file = open(&top.join(&found.name)).map_err(words)?;
        let size = file.metadata().map_err(words)?.len();
        left = left.checked_sub(size).ok_or(Wrong::There(TreeError::TooLarge(mib)))?;
        out.write_all(&[FILE, u8::from(found.executable)]).map_err(Wrong::Here)?;
        text(out, found.name.as_os_str().as_bytes()).map_err(Wrong::Here)?;
        out.write_all(&size.to_le_bytes()).map_err(Wrong::Here)?;
        let sent = io::copy(&mut file.take(size), out).map_err(Wrong::Here)?;
        if sent != size {
            return Err(Wrong::Here(io::Error::other("a file became shorter while it was read")));
        }
    }
    Ok(())
}

fn text(out: &mut impl Write, text: &[u8]) -> io::Result<()> {
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(text)
}

/// Reads the stream that [`send`] has written, and writes the files into a folder. Everything in the stream is
/// checked, because it may come from a hostile program.
pub(crate) fn receive(from: &mut impl Read, top: &Path, mib: u32, most: u32) -> Result<(), TreeError> {
    let broken = TreeError::Stream;
    let mut left = u64::from(mib) << 20;
    let mut count = 0;
    loop {
        match byte(from).map_err(broken)? {
            END => return Ok(()),
            FILE => {}
            WRONG => {
                let why = read_text(from).map_err(broken)?;
                return Err(TreeError::Sender(String::from_utf8_lossy(&why).into_owned()));
            }
            _ => return Err(TreeError::Cut),
        }
        let executable = byte(from).map_err(broken)? != 0;
        let name = PathBuf::from(std::ffi::OsString::from_vec(read_text(from).map_err(broken)?));
        if !name.components().all(|part| matches!(part, Component::Normal(_))) || name.as_os_str().is_empty() {
            return Err(TreeError::Name(name.display().to_string()));
        }
        let mut size = [0; 8];
        from.read_exact(&mut size).map_err(broken)?;
        let size = u64::from_le_bytes(size);
        count += 1;
        left = left.checked_sub(size).filter(|_| count <= most).ok_or(TreeError::MoreThanAgreed)?;
        let mut file = create(top, &name, executable).map_err(TreeError::file(&name))?;
        let written = io::copy(&mut from.take(size), &mut file).map_err(broken)?;
        if written != size {
            return Err(TreeError::Cut);
        }
    }
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn read_text(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_NAME {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a file name is too long"));
    }
    let mut text = vec![0; length];
    from.read_exact(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("agon-tree-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).expect("a folder");
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn example(name: &str) -> Folder {
        let folder = Folder::new(name);
        let top = &folder.0;
        fs::create_dir_all(top.join("a/b")).expect("folders");
        fs::write(top.join("a/b/deep.txt"), vec![7; 300_000]).expect("a file");
        fs::write(top.join("run"), b"#!/bin/sh\n").expect("a file");
        fs::set_permissions(top.join("run"), fs::Permissions::from_mode(0o4755)).expect("a mode");
        std::os::unix::fs::symlink("/etc/passwd", top.join("link")).expect("a link");
        std::os::unix::fs::symlink("/etc", top.join("a/folder-link")).expect("a link");
        folder
    }

    fn names(top: &Path) -> Vec<String> {
        files(top, 100).expect("readable").iter().map(|f| f.name.display().to_string()).collect()
    }

    #[test]
    fn files_arrive_and_links_do_not() {
        let from = example("from");
        let mut sent = Vec::new();
        send(&from.0, 1, 10, &mut sent).expect("memory takes all");
        let (to, copied) = (Folder::new("to"), Folder::new("copied"));
        receive(&mut &sent[..], &to.0, 1, 10).expect("whole");
        copy(&from.0, &copied.0, 1, 10).expect("small");
        for top in [&to.0, &copied.0] {
            assert_eq!(names(top), ["a/b/deep.txt", "run"]);
            assert_eq!(fs::read(top.join("a/b/deep.txt")).expect("a file"), vec![7; 300_000]);
            let mode = |name: &str| fs::metadata(top.join(name)).expect("a file").permissions().mode() & 0o7777;
            assert_eq!((mode("run"), mode("a/b/deep.txt")), (0o755, 0o644), "and nothing of set-user-id");
        }
    }

    #[test]
    fn no_more_than_agreed() {
        let from = example("much");
        fs::write(from.0.join("large"), vec![1; 2 << 20]).expect("a file");
        let to = Folder::new("little");
        assert!(copy(&from.0, &to.0, 2, 10).expect_err("too large").to_string().contains("larger than 2 MiB"));
        for (mib, most) in [(2, 10), (9, 2)] {
            let mut sent = Vec::new();
            send(&from.0, mib, most, &mut sent).expect("memory takes all");
            let to = Folder::new("less");
            assert!(receive(&mut &sent[..], &to.0, 9, 9).is_err());
        }
    }

    #[test]
    fn a_stream_is_not_believed() {
        let file = |name: &str, size: u64, bytes: &[u8]| {
            [&[FILE, 0][..], &(name.len() as u32).to_le_bytes(), name.as_bytes(), &size.to_le_bytes(), bytes, &[END]]
                .concat()
        };
        for name in ["../up", "/etc/x", "a/../../b", "", "."] {
            let to = Folder::new("stream");
            assert!(receive(&mut &file(name, 1, b"x")[..], &to.0, 1, 9).is_err(), "{name}");
        }
        let to = Folder::new("lies");
        for (size, bytes) in [(9, &b"x"[..]), (u64::MAX, b"x"), (2 << 20, b"x")] {
            assert!(receive(&mut &file("lie", size, bytes)[..], &to.0, 1, 9).is_err());
            let _ = fs::remove_file(to.0.join("lie"));
        }
        let twice = [&file("twice", 1, b"x")[..file("twice", 1, b"x").len() - 1], &file("twice", 1, b"y")[..]].concat();
        assert!(receive(&mut &twice[..], &to.0, 1, 9).is_err(), "no file is written twice");
        assert!(receive(&mut &[FILE, 0, 255, 255, 255, 255][..], &to.0, 1, 9).is_err());
    }
}
