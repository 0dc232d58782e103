//! Executes a program, after a look at what can be wrong with it.

use crate::{ProgramError, script::Script};
use rustix::io::Errno;
use std::{
    ffi::{CString, OsStr},
    io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

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
        return Err(ProgramError::of_execution(program, Errno::ACCESS));
    }
    ProgramError::check_first_line(program)
}

/// Executes the program. Returns only if that fails, with the reason. A text that contains NUL is empty.
pub(crate) fn execute(script: &Script) -> ProgramError {
    let text = |bytes: &[u8]| CString::new(bytes).unwrap_or_default();
    let pointers = |texts: &[CString]| {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect::<Vec<*const libc::c_char>>()
    };
    let program = text(script.program.as_os_str().as_bytes());
    let words: Vec<_> = script.words.iter().map(|word| text(word.as_bytes())).collect();
    let variable = |name: &OsStr, value: &OsStr| text(&[name.as_bytes(), b"=", value.as_bytes()].concat());
    let variables: Vec<_> = script.environment.iter().map(|(name, value)| variable(name, value)).collect();
    let (word_pointers, variable_pointers) = (pointers(&words), pointers(&variables));
    // SAFETY: both lists end with a null pointer and point to texts that live as long.
    unsafe { libc::execve(program.as_ptr(), word_pointers.as_ptr(), variable_pointers.as_ptr()) };
    let errno = Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO);
    ProgramError::of_execution(&script.program, errno)
}
