//! What is to be known about a program before the helper executes it.

use crate::ProgramError;
use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

/// Checks that the file can be executed, as far as possible, because no error can be reported after the line `ready`.
pub(crate) fn check(program: &Path) -> Result<(), ProgramError> {
    let file = || program.to_owned();
    let about = program.metadata().map_err(|e| ProgramError::of_missing(program, &e))?;
    if about.is_dir() {
        return Err(ProgramError::Folder(file()));
    }
    // Opening a named pipe would block until another process writes to it.
    if !about.is_file() {
        return Err(ProgramError::NotRegular(file()));
    }
    if about.permissions().mode() & 0o111 == 0 {
        return Err(ProgramError::NotExecutable(file()));
    }
    if rustix::fs::access(program, rustix::fs::Access::EXEC_OK).is_err() {
        return Err(ProgramError::Forbidden(file()));
    }
    let mut head = [0; 256];
    // A file that may be executed but not read is not a script.
    let Ok(length) = File::open(program).and_then(|mut file| file.read(&mut head)) else { return Ok(()) };
    let head = &head[..length];
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
        let interpreter = line.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        let interpreter = Path::new(OsStr::from_bytes(interpreter));
        if !interpreter.exists() {
            let interpreter = Some(interpreter.display().to_string());
            return Err(ProgramError::NoInterpreter { file: file(), interpreter });
        }
    } else if !head.starts_with(b"\x7fELF") {
        return Err(ProgramError::Format(file()));
    }
    Ok(())
}
