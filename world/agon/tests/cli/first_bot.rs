//! Types every line of "Your first bot" in the README, in one folder, one after the other.

use crate::{
    agon::{Done, Place, path_with_agon},
    builds::installed,
};
use std::{path::Path, process::Command};

/// What a test types in place of a line's words, because the whole would take minutes, or stays until Ctrl-C.
const SHORTER: &[(&str, &str)] = &[
    ("--games 200", "--games 2"),
    ("@rage,@prospector", "@rage"),
    ("human \"python3 my-bot/bot.py\"", "human \"python3 my-bot/bot.py\" --terminal"),
];

#[test]
fn every_line_of_the_readme_works_when_typed() {
    if !installed(&["python3", "sh"]) {
        return;
    }
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("it is there");
    let (_, section) = readme.split_once("## Your first bot").expect("the section is there");
    let (_, block) = section.split_once("```console\n").expect("it begins with what to type");
    let (block, _) = block.split_once("```").expect("the block ends");
    let place = Place::new();
    let lines: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(lines.len() > 6, "{block}");
    // A test of two equal versions plays for minutes until it knows; `comparisons` has shorter ones.
    for line in lines.into_iter().filter(|line| !line.starts_with("cargo install ") && !line.starts_with("agon test "))
    {
        let typed = SHORTER.iter().fold(line.to_owned(), |line, (long, short)| line.replace(long, short));
        let mut shell = Command::new("sh");
        shell.args(["-c", &typed]).current_dir(place.path("")).env("PATH", path_with_agon());
        let done = Done::from(shell.output().expect("there is a shell"));
        assert_eq!(done.code, 0, "{typed}: {done:?}");
        assert!(!done.out.contains("crashed") && !done.err.contains("error"), "{typed}: {done:?}");
    }
}
