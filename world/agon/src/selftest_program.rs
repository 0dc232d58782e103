//! The program `agon-selftest`, which `agon selftest` executes in its own place: the signals, the terminal and the exit code are
//! then those of that program. Whoever installs `agon` to play matches does not build it.

use crate::{
    clean::{clean, cut},
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_sandbox::open_files::as_before;
use std::{
    convert::Infallible,
    ffi::OsString,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The name of the program.
const NAME: &str = "agon-selftest";
/// The hint of errors about a missing or wrong program.
const WAY_OUT: &str = "an archive of Agon has it beside `agon`; in a clone, `cargo build --release --package agon --package agon-hostile` \
     makes both, and `target/release/agon selftest` finds it";

/// Executes the program in place of the running one, with the arguments that follow the first `selftest`. Options for all
/// commands may come before it.
///
/// # Errors
/// The program is missing, has another version, or cannot be executed. On success this function does not return.
pub fn execute() -> Result<Infallible> {
    let us = std::env::current_exe()
        .map_err(|why| Error::user(format!("cannot find the path of the running program: {}", reason(&why))))?;
    let path = beside(&us).ok_or_else(|| {
        let us = clean(&us.display().to_string());
        Error::user(format!("the program `{NAME}`, which has the hostile bots, is not in the folder of `{us}`"))
            .hint(WAY_OUT)
    })?;
    refuse_other_version(&path)?;
    let mut command = Command::new(&path);
    let why = as_before(command.args(without_command(std::env::args_os().skip(1)))).exec();
    Err(Error::file("execute", &path, &why).exit(Exit::User))
}

/// Returns the program's file beside `us`, or beside the file that `us` links to. `PATH` is not searched, because it may name
/// another version or a stranger's file.
fn beside(us: &Path) -> Option<PathBuf> {
    let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let folders = [Some(us.to_owned()), us.canonicalize().ok()];
    folders.into_iter().flatten().map(|us| us.with_file_name(&file)).find(|path| path.is_file())
}

/// One of two programs may be replaced without the other. What it finds would pass for what holds with this version.
fn refuse_other_version(path: &Path) -> Result<()> {
    let asked = agon_sandbox::answer_of(Command::new(path).arg("--version"));
    let asked = asked.map_err(|why| Error::file("execute", path, &why))?;
    let (said, us) = (String::from_utf8_lossy(&asked.stdout), env!("CARGO_PKG_VERSION"));
    if said.trim_end() == format!("{NAME} {us}") {
        return Ok(());
    }
    let said = cut(&clean(said.trim_end()), 60);
    let path = clean(&path.display().to_string());
    Err(Error::user(format!("`{path}` is not of this version, {us}: it calls itself `{said}`")).hint(WAY_OUT))
}

/// Leaves out the command itself.
fn without_command(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "selftest") {
        arguments.remove(at);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_itself_is_left_out() {
        let left = |arguments: &[&str]| without_command(arguments.iter().map(OsString::from));
        assert_eq!(left(&["-q", "selftest", "fuzz", "selftest"]), ["-q", "fuzz", "selftest"]);
    }

    #[test]
    fn the_program_is_found_beside_another_and_beside_the_target_of_a_link() {
        let folder = std::env::temp_dir().join(format!("agon-programs-{}", std::process::id()));
        let (installed, linked) = (folder.join("installed"), folder.join("linked"));
        std::fs::create_dir_all(&installed).unwrap();
        std::fs::create_dir_all(&linked).unwrap();
        let installed = installed.canonicalize().unwrap();
        std::fs::write(installed.join("agon"), "").unwrap();
        std::os::unix::fs::symlink(installed.join("agon"), linked.join("agon")).unwrap();
        assert_eq!(beside(&linked.join("agon")), None);
        std::fs::write(installed.join(NAME), "").unwrap();
        assert_eq!(beside(&installed.join("agon")), Some(installed.join(NAME)));
        assert_eq!(beside(&linked.join("agon")), Some(installed.join(NAME)));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
