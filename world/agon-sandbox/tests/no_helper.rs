//! A program that is not a helper and names none is never started a second time.
#![cfg(target_os = "linux")]

use agon_sandbox::{Cause, Confinement, RefusalKind, StartRequest, Step, attempt, best, start};
use agon_spec::Isolation;
use std::fs;

/// This must be the only test, because the helper program is a setting of the whole process.
#[test]
fn nothing_is_started_without_a_helper_and_no_level_is_lowered() {
    let request = StartRequest {
        program: "/bin/true".into(),
        words: vec!["true".into()],
        environment: Vec::new(),
        dir: "/".into(),
        confinement: Confinement::new(Isolation::Full),
    };
    let refusals = [
        attempt(Isolation::Full).expect_err("there is no helper"),
        attempt(Isolation::Restricted).expect_err("there is no helper"),
        best().expect_err("no level was tried out"),
        start(request).expect_err("there is no helper"),
    ];
    for refused in refusals {
        assert_eq!((refused.step, &refused.cause), (Step::Start, &Cause::NoHelper), "{refused}");
        assert_eq!(refused.kind(), RefusalKind::Unknown);
    }
    let children = fs::read_to_string("/proc/thread-self/children").expect("a kernel that lists children");
    assert_eq!(children, "", "nothing was started");
}
