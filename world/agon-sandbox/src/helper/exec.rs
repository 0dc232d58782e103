//! What is to be known about a program before the helper executes it.

use crate::ProgramError;
use std::{os::unix::fs::PermissionsExt, path::Path};

/// Checks what the sandbox is about to hide: files that it does not show look as if they did not exist. Everything else the system
/// says when it executes the program.
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
        return Err(ProgramError::of_execution(program, rustix::io::Errno::ACCESS));
    }
    ProgramError::check_first_line(program)
}
