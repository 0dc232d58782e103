//! Executes a program, after a look at what can be wrong with it.

use crate::{ProgramError, script::Script};
use std::{
    ffi::{CString, OsStr},
    fs::File,
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

/// Checks that the file can be executed. This says more than the kernel does when it refuses.
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

/// Executes the program. Returns only if that fails, with the reason. A text that contains NUL is empty.
pub(crate) fn execute(script: &Script) -> io::Error {
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
    io::Error::last_os_error()
}
