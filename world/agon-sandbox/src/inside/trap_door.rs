//! The last step: the program is executed, and this one is gone.

use super::Failed;
use crate::script::Script;
use std::{
    ffi::{CString, OsStr},
    fs::File,
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

/// Whether the file can be executed, as far as that can be told: after the line that says `ready` nothing can be said
/// any more.
pub(crate) fn check(program: &Path) -> Result<(), Failed> {
    let shown = program.display();
    let failed = |why: String| Err(Failed::new("program", why));
    let about = match program.metadata() {
        Ok(about) => about,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return failed(format!("there is no file `{shown}` inside")),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            return failed(format!("`{shown}` is in a folder that is closed to the user that bots run as"));
        }
        Err(e) => return failed(format!("`{shown}`: {e}")),
    };
    if about.is_dir() {
        return failed(format!("`{shown}` is a folder"));
    }
    // Opening a pipe that has a name would wait for whoever writes to it.
    if !about.is_file() {
        return failed(format!("`{shown}` is no regular file"));
    }
    if about.permissions().mode() & 0o111 == 0 {
        return failed(format!("`{shown}` is not executable"));
    }
    if rustix::fs::access(program, rustix::fs::Access::EXEC_OK).is_err() {
        return failed(format!("`{shown}` may not be executed by the user that bots run as"));
    }
    let mut head = [0; 256];
    // A program that may be executed and not read is no script.
    let Ok(length) = File::open(program).and_then(|mut file| file.read(&mut head)) else { return Ok(()) };
    let head = &head[..length];
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
        let interpreter = line.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        let interpreter = Path::new(OsStr::from_bytes(interpreter));
        if !interpreter.exists() {
            let interpreter = interpreter.display();
            return failed(format!(
                "`{shown}` needs the interpreter `{interpreter}`, which is not there (see its first line)"
            ));
        }
    } else if !head.starts_with(b"\x7fELF") {
        return failed(format!("`{shown}` is neither a program for this machine nor a script with a first line `#!`"));
    }
    Ok(())
}

/// Executes the program; returns only why that failed.
pub(crate) fn execute(script: &Script) -> io::Error {
    let text = |text: &OsStr| CString::new(text.as_bytes()).unwrap_or_default();
    let program = text(script.program.as_os_str());
    let words: Vec<CString> = script.words.iter().map(|word| text(word)).collect();
    let variables: Vec<CString> = script
        .environment
        .iter()
        .map(|(name, value)| text(OsStr::from_bytes(&[name.as_bytes(), b"=", value.as_bytes()].concat())))
        .collect();
    let list = |texts: &[CString]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (words_at, variables_at) = (list(&words), list(&variables));
    // SAFETY: both lists end with a null pointer and point to texts that live until the call has returned.
    unsafe { libc::execve(program.as_ptr(), words_at.as_ptr(), variables_at.as_ptr()) };
    io::Error::last_os_error()
}
