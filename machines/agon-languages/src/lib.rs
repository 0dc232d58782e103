//! The table of programming languages: how their files are named, what starts and builds them, and what their authors are
//! told.
//!
//! A language is one [`Entry`] of [`TABLE`]. Everything that finds out what a file, a command or a bot is written in asks this
//! table, so a new language is one entry, and a recipe in `agon-build` if it has to be compiled.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `language` | [`Language`]: the name of a language in code, in messages and in `agon.toml` |
//! | `entry` | [`Entry`]: everything about one language |
//! | `interpreter` | [`Interpreter`]: a program that executes files or texts, and how it reads its command line |
//! | `table` | [`TABLE`] |

mod entry;
mod interpreter;
mod language;
mod table;

pub use entry::{Entry, Flush, Form, Tool};
pub use interpreter::{Interpreter, interpreter, is_interpreter, is_shell};
pub use language::Language;
pub use table::TABLE;

/// Returns the name of a file: what is behind the last slash.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns every tool of the table once, in its order.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    let all: Vec<&Tool> = TABLE.iter().flat_map(|entry| entry.tools).collect();
    let is_first = |at: usize, tool: &Tool| all[..at].iter().all(|earlier| earlier.name != tool.name);
    let first: Vec<&Tool> =
        all.iter().enumerate().filter(|(at, tool)| is_first(*at, tool)).map(|(_, it)| *it).collect();
    first.into_iter()
}

/// Returns the tool of this name.
#[must_use]
pub fn tool(name: &str) -> Option<&'static Tool> {
    TABLE.iter().flat_map(|entry| entry.tools).find(|tool| tool.name == name)
}

/// Returns how people start a program with such a name: `python3` for `bot.py`. `None` if its ending tells nothing.
#[must_use]
pub fn usual_start(file: &str) -> Option<&'static str> {
    let name = file_name(file);
    let made = TABLE.iter().flat_map(|entry| entry.made).find(|(end, _)| name.ends_with(end)).map(|(_, start)| *start);
    let source = || TABLE.iter().find(|entry| entry.is_source(name)).map(|entry| entry.start);
    made.or_else(source).filter(|start| !start.is_empty())
}

/// Returns the language that the words of a command show: by a program in its search path, or by the ending of a file. What
/// only starts others, such as a shell, shows none.
#[must_use]
pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<&'static Entry> {
    words.into_iter().find_map(|word| {
        let name = file_name(word);
        let shows = |entry: &&Entry| entry.has_interpreter(name) || entry.is_source(name) || entry.is_made(name);
        TABLE.iter().filter(|entry| entry.form != Form::Shell).find(shows)
    })
}

/// Returns the language of the interpreter in the first line of a script, without its `#!`: `/usr/bin/env -S ruby -w`.
#[must_use]
pub fn of_first_line(line: &str) -> Option<&'static Entry> {
    let mut words = line.split_whitespace().map(file_name).filter(|word| !word.starts_with('-') && !word.contains('='));
    let program = words.find(|word| *word != "env")?;
    TABLE.iter().find(|entry| entry.has_interpreter(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_program_tells_how_people_start_it() {
        for (name, expected) in [
            ("bot.py", Some("python3")),
            ("a/bot.jar", Some("java -jar")),
            ("Bot.java", Some("java")),
            ("run.sh", Some("sh")),
            ("bot.ts", Some("node")),
            ("bot.rb", Some("ruby")),
            ("x.pyz", Some("python3")),
            ("bot", None),
            ("bot.c", None),
            ("..", None),
        ] {
            assert_eq!(usual_start(name), expected, "{name}");
        }
    }

    #[test]
    fn words_and_first_lines_show_a_language() {
        let of = |words: &str| of_words(words.split(' ')).map(|entry| entry.title);
        for (words, expected) in [
            ("timeout 9 /opt/bin/python3.12 -u x", Some("Python")),
            ("sh run.sh", None),
            ("sh -c ./bot.rb", Some("Ruby")),
            ("java -jar bot.jar", Some("Java")),
            ("dotnet out/bot.dll", Some("C#")),
            ("./bot", None),
        ] {
            assert_eq!(of(words), expected, "{words}");
        }
        let of = |line: &str| of_first_line(line).map(|entry| entry.title);
        for (line, expected) in [
            ("/usr/bin/ruby", Some("Ruby")),
            ("/usr/bin/env -S A=1 perl -w", Some("Perl")),
            ("/bin/sh -e", Some("a shell")),
            (" /usr/bin/env python2.7\r", Some("Python")),
            ("/usr/bin/env", None),
            ("/opt/mine", None),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }

    #[test]
    fn no_two_entries_claim_the_same() {
        for (at, entry) in TABLE.iter().enumerate() {
            for other in &TABLE[..at] {
                let (own, others) = (entry, other);
                assert!(own.language != others.language && own.title != others.title);
                let shares = |a: &[&str], b: &[&str]| a.iter().any(|one| b.contains(one));
                assert!(!shares(own.names, others.names), "{} {}", own.title, others.title);
                assert!(!shares(own.sources, others.sources), "{} {}", own.title, others.title);
                assert!(!shares(own.projects, others.projects), "{} {}", own.title, others.title);
                let names =
                    |entry: &Entry| entry.interpreters.iter().flat_map(|it| it.names).copied().collect::<Vec<_>>();
                assert!(!shares(&names(own), &names(others)), "{} {}", own.title, others.title);
            }
        }
    }

    /// Each entry says what its form needs, so that no place that walks the table finds half a language.
    #[test]
    fn every_entry_is_whole() {
        for entry in TABLE {
            let title = entry.title;
            assert!(entry.sources.iter().chain(entry.also).all(|end| end.starts_with('.')), "{title}");
            assert!(entry.made.iter().all(|(end, start)| end.starts_with('.') && !start.is_empty()), "{title}");
            assert_eq!(entry.is_of_bots(), !entry.names.is_empty(), "{title}");
            for name in entry.names {
                assert_eq!(name.to_uppercase().parse(), Ok(entry.language), "{name}");
            }
            for end in entry.sources {
                assert_eq!(
                    Language::of(&format!("a.b/bot{end}")),
                    entry.is_of_bots().then_some(entry.language),
                    "{end}"
                );
            }
            match entry.form {
                Form::Joined | Form::Compiled => {
                    assert!(!entry.tools.is_empty() && !entry.comments.is_empty(), "{title}");
                }
                Form::Script => {
                    assert!(is_interpreter(entry.start.split(' ').next().unwrap_or_default()), "{title}");
                    assert!(!entry.comments.is_empty() && entry.flush != Flush::Unknown, "{title}");
                    assert!(entry.interpreters.iter().any(|it| it.names.len() + it.ends().len() > 1), "{title}");
                }
                Form::Command | Form::Shell => assert!(entry.tools.is_empty(), "{title}"),
                Form::Program => assert!(entry.sources.is_empty(), "{title}"),
            }
            for tool in entry.tools {
                assert!(!tool.package.is_empty(), "{}", tool.name);
            }
            for interpreter in entry.interpreters {
                assert!(interpreter.asks.is_empty() || !interpreter.mark.is_empty(), "{:?}", interpreter.names);
                for name in interpreter.names {
                    assert!(std::ptr::eq(super::interpreter(name).expect("it is known"), interpreter), "{name}");
                    assert_eq!(is_shell(name), entry.form == Form::Shell, "{name}");
                }
            }
        }
        assert!(tools().all(|tool| super::tool(tool.name) == Some(tool)));
        assert_eq!("cobol".parse::<Language>(), Err(()));
        assert_eq!(Language::of("src.c/README"), None);
    }
}
