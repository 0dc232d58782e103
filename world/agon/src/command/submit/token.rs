//! The token of an account, from a file.

use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
};
use rustix::fs::{Mode, OFlags};
use std::{
    env,
    fs::File,
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// The variable that names the file.
const TOKEN_FILE: &str = "AGON_TOKEN_FILE";
/// A file with a token is not larger, in bytes.
const MOST: u64 = 4_096;

/// Finds the file with the token, and reads it.
pub fn find(named: Option<&Path>) -> Result<String> {
    let of_environment = || env::var_os(TOKEN_FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = named.map(Path::to_owned).or_else(of_environment).ok_or_else(|| {
        let hint = format!(
            "make a token on your account's page, put it into a file that only you can read, and name the file with \
             `--token-file FILE` or {TOKEN_FILE}"
        );
        Error::user("there is no token").exit(Exit::Usage).hint(hint)
    })?;
    read(&path)
}

fn read(path: &Path) -> Result<String> {
    let shown = clean(&path.display().to_string());
    let failed = |why: &std::io::Error| Error::file("read the token", path, why);
    // A pipe without a writer holds nobody up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file: File = rustix::fs::open(path, flags, Mode::empty()).map_err(|why| failed(&why.into()))?.into();
    let about = file.metadata().map_err(|why| failed(&why))?;
    if !about.is_file() {
        return Err(Error::user(format!("`{shown}` is not a file")));
    }
    if about.mode() & 0o077 != 0 {
        let what = format!("others can read the token `{shown}` (its mode is {:o})", about.mode() & 0o777);
        let hint =
            format!("`chmod 600 {shown}`; if others know it by now, end it on your account's page and make a new one");
        return Err(Error::user(what).hint(hint));
    }
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(|why| failed(&why))?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let token = text.trim();
    let is_word = (16..=MOST as usize).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_word {
        let hint = "it is the only line of the file, as your account's page has shown it";
        return Err(Error::user(format!("`{shown}` holds no token")).hint(hint));
    }
    Ok(token.to_owned())
}
