//! The last step: the helper executes the program, which replaces it.

use crate::{ProgramError, script::Script};
use rustix::io::Errno;
use std::{
    ffi::{CString, OsStr, OsString},
    fs::File,
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

/// Checks that the file can be executed, as far as possible, because no error can be reported after the line `ready`.
pub(crate) fn check(program: &Path) -> Result<(), ProgramError> {
    let file = || program.to_owned();
    let about = program.metadata().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => ProgramError::NotFound(file()),
        io::ErrorKind::PermissionDenied => ProgramError::ClosedFolder(file()),
        _ => ProgramError::System { file: file(), errno: Errno::from_io_error(&e).unwrap_or(Errno::IO) },
    })?;
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

/// What the system needs to execute a program.
pub(crate) struct Image {
    program: CString,
    words: Texts,
    variables: Texts,
}

/// Texts, and a list of pointers to them that ends with a null pointer.
struct Texts {
    pointers: Vec<*const libc::c_char>,
    /// Only the pointers use them.
    _texts: Vec<CString>,
}

impl Texts {
    fn new(texts: impl Iterator<Item = CString>) -> Self {
        let texts: Vec<CString> = texts.collect();
        // The texts stay where they are when the list of them moves.
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect();
        Self { pointers, _texts: texts }
    }
}

impl Image {
    pub(crate) fn new(script: &Script) -> Self {
        let text = |text: &OsStr| CString::new(text.as_bytes()).unwrap_or_default();
        let variable = |(name, value): &(OsString, OsString)| {
            text(OsStr::from_bytes(&[name.as_bytes(), b"=", value.as_bytes()].concat()))
        };
        Self {
            program: text(script.program.as_os_str()),
            words: Texts::new(script.words.iter().map(|word| text(word))),
            variables: Texts::new(script.environment.iter().map(variable)),
        }
    }

    /// Executes the program. Returns only if that fails, with the reason.
    pub(crate) fn execute(&self) -> io::Error {
        let (words, variables) = (self.words.pointers.as_ptr(), self.variables.pointers.as_ptr());
        // SAFETY: both lists end with a null pointer and point to texts that live until the call has returned.
        unsafe { libc::execve(self.program.as_ptr(), words, variables) };
        io::Error::last_os_error()
    }
}
