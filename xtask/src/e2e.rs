//! `cargo xtask e2e` opens pages of all games in real browsers, uses them as a person does, and measures how long they take.

use crate::{assets, root, target_folder, tools};
use std::process::{Command, ExitCode, Stdio};

/// The browsers, and what drives them.
pub const BROWSER: &[tools::Tool] = &[
    tools::Tool { program: "chromium", package: "chromium" },
    tools::Tool { program: "firefox-esr", package: "firefox-esr" },
    tools::Tool { program: "node", package: "nodejs" },
    tools::Tool { program: "npm", package: "npm" },
];

/// Uses the pages of all games.
const USE: &str = "run.mjs";
/// Measures pages, which needs the cores for itself.
const MEASURE: &str = "measure.mjs";

/// What the task is to do.
struct Wanted<'a> {
    /// Whether to take the program as it was built last. Another choice of packages than that of the tests would build most of
    /// it again.
    is_built: bool,
    scripts: &'static [&'static str],
    /// The folder for screenshots of every board.
    pictures: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    /// Reads the words after the name of the task. `None` if they make no sense.
    fn read(words: &[&'a str]) -> Option<Self> {
        let mut wanted = Self { is_built: false, scripts: &[USE, MEASURE], pictures: None };
        for word in words {
            match *word {
                "--built" => wanted.is_built = true,
                "--use" => wanted.scripts = &[USE],
                "--measure" => wanted.scripts = &[MEASURE],
                word if word.starts_with('-') || wanted.pictures.is_some() => return None,
                folder => wanted.pictures = Some(folder),
            }
        }
        Some(wanted)
    }
}

/// Runs the task. `None` if the words after its name make no sense.
pub fn run(words: &[&str]) -> Option<ExitCode> {
    let wanted = Wanted::read(words)?;
    Some(match drive(&wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    })
}

fn drive(wanted: &Wanted<'_>) -> Result<(), String> {
    if !wanted.is_built {
        execute(Command::new("cargo").args(["build", "-p", "agon", "--bin", "agon"]).current_dir(root()))?;
    }
    let missing = tools::missing(BROWSER);
    if !missing.is_empty() {
        return Err(format!("not installed: {}", missing.join(", ")));
    }
    assets::npm_packages()?;
    let run = |script: &&str| {
        let mut node = Command::new("node");
        node.arg(root().join("viewer/e2e").join(script)).arg(target_folder().join("debug/agon"));
        execute(node.args(wanted.pictures.filter(|_| *script == USE)))
    };
    // What fails in the first one does not keep the second one from its figures.
    wanted.scripts.iter().map(run).fold(Ok(()), Result::and)
}

fn execute(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(why) => Err(format!("{program}: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_to_do() {
        let read = |words: &[&'static str]| {
            Wanted::read(words).map(|wanted| (wanted.is_built, wanted.scripts, wanted.pictures))
        };
        assert_eq!(read(&[]), Some((false, &[USE, MEASURE][..], None)));
        assert_eq!(read(&["shots", "--built"]), Some((true, &[USE, MEASURE][..], Some("shots"))));
        assert_eq!(read(&["--built", "--use"]), Some((true, &[USE][..], None)));
        assert_eq!(read(&["--measure"]), Some((false, &[MEASURE][..], None)));
        assert_eq!(read(&["--fast"]), None);
        assert_eq!(read(&["one", "two"]), None);
    }
}
