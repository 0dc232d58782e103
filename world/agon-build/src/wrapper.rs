//! Programs that start the program which their arguments name: `timeout 10 nice ./mine`.

use std::ffi::OsStr;

/// Long options of these programs that take the next word.
const VALUED: &[&str] = &[
    "--signal",
    "--kill-after",
    "--output",
    "--input",
    "--error",
    "--unset",
    "--chdir",
    "--argv0",
    "--adjustment",
    "--class",
    "--classdata",
    "--format",
    "--trace",
    "--user",
];

/// These programs, each with the letters of those of its options that take the next word.
const WRAPPERS: &[(&str, &str)] = &[
    ("env", "uC"),
    ("nice", "n"),
    ("ionice", "cnp"),
    ("chrt", "TPD"),
    ("taskset", ""),
    ("timeout", "ks"),
    ("strace", "abeEIoOpPsSuUX"),
    ("stdbuf", "ioe"),
    ("nohup", ""),
    ("setsid", ""),
    ("time", "fo"),
    ("wine", ""),
    ("exec", "a"),
    ("command", ""),
];

/// A command, split into the programs in front and the program that plays.
#[derive(Debug, PartialEq, Eq)]
pub struct Unwrapped {
    /// Where the programs in front and their options are. What they set in the environment, and numbers, are not among them.
    pub own: Vec<usize>,
    /// Where the program begins that plays. The number of words if there is none.
    pub inner: usize,
}

/// Returns whether a program of this name starts the program in its arguments.
#[must_use]
pub fn is_wrapper(program: &str) -> bool {
    valued_letters(program).is_some()
}

fn valued_letters(program: &str) -> Option<&'static str> {
    let name = program.rsplit('/').next().unwrap_or(program).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name).map(|(_, letters)| *letters)
}

/// Finds the program that plays.
#[must_use]
pub fn unwrapped<W: AsRef<OsStr>>(words: &[W]) -> Unwrapped {
    let word = |at: usize| words.get(at).map(|word| word.as_ref().to_string_lossy());
    let (mut own, mut at) = (Vec::new(), 0);
    while let Some(letters) = word(at).and_then(|program| valued_letters(&program)) {
        own.push(at);
        at += 1;
        while let Some(text) = word(at) {
            let is_option = text.starts_with('-');
            if !is_option && !is_setting(&text) && !is_number(&text) {
                break;
            }
            own.extend(is_option.then_some(at));
            at += 1;
            let is_letter = text.strip_prefix('-').is_some_and(|rest| {
                let mut rest = rest.chars();
                rest.next().is_some_and(|letter| letters.contains(letter)) && rest.next().is_none()
            });
            let takes_next = is_letter || VALUED.contains(&&*text);
            if takes_next && at < words.len() {
                own.push(at);
                at += 1;
            }
        }
    }
    Unwrapped { own, inner: at }
}

/// Returns whether `env` takes a word for a variable: `A=1`.
#[must_use]
pub fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| !name.starts_with('.') && !name.contains('/'))
}

/// Returns whether this is a duration, a priority or a list of cores: `1.5s`, `10`, `0-3,8`, `0x3`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || ".,x-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_that_plays_is_found() {
        for (command, own, inner) in [
            ("./mine 3", "", "./mine 3"),
            ("timeout 100 ./mine", "timeout", "./mine"),
            ("timeout -k 5 -s KILL 1.5s ./mine", "timeout -k 5 -s KILL", "./mine"),
            ("/usr/bin/env -u HOME A=/secret B=1 python3 a.py", "/usr/bin/env -u HOME", "python3 a.py"),
            ("timeout 100 env A=/secret nice -n 5 ./mine", "timeout env nice -n 5", "./mine"),
            ("timeout --signal KILL --kill-after=5 10 ./mine", "timeout --signal KILL --kill-after=5", "./mine"),
            ("env --unset HOME --chdir bots ./mine", "env --unset HOME --chdir bots", "./mine"),
            ("nohup stdbuf --output L ./mine", "nohup stdbuf --output L", "./mine"),
            ("timeout --foreground 10 ./mine", "timeout --foreground", "./mine"),
            ("taskset -c 0-3 stdbuf -oL ./mine", "taskset -c stdbuf -oL", "./mine"),
            ("env ./a=b", "env", "./a=b"),
            ("timeout 10", "timeout", ""),
            ("nice -n", "nice -n", ""),
            ("", "", ""),
        ] {
            let words: Vec<&str> = command.split_whitespace().collect();
            let found = unwrapped(&words);
            let named: Vec<&str> = found.own.iter().map(|at| words[*at]).collect();
            assert_eq!((&*named.join(" "), &*words[found.inner..].join(" ")), (own, inner), "{command}");
        }
    }
}
