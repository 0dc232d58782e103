//! Users of the program: the one who runs the tests, and one without any rights.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The number of a user that exists on no machine.
const NOBODY: u32 = 54_321;

/// The program and a folder for files, as one user sees them.
pub struct User {
    pub program: PathBuf,
    pub temporary: PathBuf,
    /// The number of the user. `None` is the user who runs the tests.
    pub id: Option<u32>,
}

impl User {
    /// The user who runs the tests.
    pub fn us() -> Self {
        Self { program: env!("CARGO_BIN_EXE_agon-selftest").into(), temporary: std::env::temp_dir(), id: None }
    }

    /// A user without any rights, if this process may become one. That user may not be able to reach our files, so it
    /// gets a copy of the program and its own folder.
    pub fn nobody(folder: &Path) -> Option<Self> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("the folder for temporary files can be written to");
        if std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).is_err() {
            return None;
        }
        let copy = folder.join("agon-selftest");
        fs::copy(env!("CARGO_BIN_EXE_agon-selftest"), &copy).expect("there is room for a copy");
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("it is ours");
        Some(Self { program: copy, temporary: folder.to_owned(), id: Some(NOBODY) })
    }

    /// A command of the program with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        command.stdin(Stdio::null()).current_dir(&self.temporary).env("TMPDIR", &self.temporary);
        // This variable must not be visible inside the sandbox.
        command.env("AGON_TEST_SECRET", "a secret");
        if let Some(id) = self.id {
            command.uid(id).gid(id);
        }
        command
    }
}
