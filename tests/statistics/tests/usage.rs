//! A word that makes no sense is told at once, not after minutes of simulation.

use std::process::Command;

#[test]
fn unknown_words_are_refused() {
    for words in [&["--fast"][..], &["--quick", "--time"]] {
        let ran = Command::new(env!("CARGO_BIN_EXE_agon-statistics")).args(words).output().expect("it starts");
        assert_eq!(ran.status.code(), Some(2), "{words:?}");
        assert!(String::from_utf8_lossy(&ran.stderr).contains("usage: cargo xtask stats"), "{words:?}");
    }
}
