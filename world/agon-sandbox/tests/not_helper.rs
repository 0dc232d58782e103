//! A program is named as the helper, but is not one.
#![cfg(target_os = "linux")]

use agon_sandbox::{Cause, RefusalKind, Step, attempt, best, start_by};
use agon_spec::Isolation;
use std::{fs, os::unix::fs::PermissionsExt};

/// This must be the only test, because the first named program counts for the whole process.
#[test]
fn a_program_that_does_not_greet_as_a_helper_is_none() {
    let path = std::env::temp_dir().join(format!("agon-not-helper-{}", std::process::id()));
    let write = |text: &str| {
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    write("#!/bin/sh\nexit 0\n");
    start_by(path.clone());
    // The second program exits with a code that helpers use. The third one writes something to the socket.
    for text in
        ["#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 125\n", "#!/bin/sh\necho agon-sandbox-helper 0 >&0\nsleep 100\n"]
    {
        write(text);
        for refused in [
            attempt(Isolation::Full).expect_err("it is no helper"),
            attempt(Isolation::Restricted).expect_err("it is no helper"),
            best().expect_err("no level was tried out"),
        ] {
            assert_eq!((refused.step, &refused.cause), (Step::Start, &Cause::NotHelper(path.clone())), "{refused}");
            assert_eq!(refused.kind(), RefusalKind::Unknown);
        }
    }
    fs::remove_file(&path).expect("it is ours");
    let refused = best().expect_err("it is not there");
    assert_eq!((refused.step, refused.errno()), (Step::Start, Some(2)), "{refused}");
    assert_eq!(refused.kind(), RefusalKind::Unknown);
}
