//! What the kernel reveals about the user who runs a match, beside files and processes.

use super::{Ground, levels, none};
use agon_spec::Isolation;
use std::fs;

/// The kernel lists a key to every process of the same user or session, even if the process may not use it.
#[test]
fn names_of_keys_are_not_told() {
    let ground = Ground::new("keys");
    let (name, join, session) = (format!("agon-test-{}", std::process::id()), 1, -3);
    let key = std::ffi::CString::new(name.as_str()).expect("no NUL");
    // SAFETY: the first call takes a null name. The second one takes texts and bytes that outlive the call.
    let made = unsafe {
        libc::syscall(libc::SYS_keyctl, join, 0) != -1
            && libc::syscall(libc::SYS_add_key, c"user".as_ptr(), key.as_ptr(), c"x".as_ptr(), 1, session) != -1
    };
    if !made || !fs::read_to_string("/proc/keys").is_ok_and(|keys| keys.contains(&name)) {
        eprintln!("NOT TESTED: this kernel has no keys, or does not list them");
        return;
    }
    for level in levels() {
        let (told, _) = ground.ask(level, &["text=/proc/keys", "text=/proc/key-users"], none);
        let expected = if level == Isolation::Full { "" } else { "refused (13)" };
        assert_eq!(told, format!("text=/proc/keys: {expected}\ntext=/proc/key-users: {expected}\n"), "{level}");
    }
}
