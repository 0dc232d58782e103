//! The language of a bot, and how a program in it flushes its output.

use agon_build::Language;
use std::path::Path;

/// What a bot is written in, as far as its command or its build says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BotLanguage {
    /// The name of the language.
    pub name: &'static str,
    /// What its author writes after each answer. `None` if output is not buffered.
    pub flush: Option<&'static str>,
}

const fn flushed_by(name: &'static str, flush: &'static str) -> BotLanguage {
    BotLanguage { name, flush: Some(flush) }
}

const PYTHON: BotLanguage = flushed_by("Python", "print(…, flush=True)");
const JAVA: BotLanguage = flushed_by("Java", "System.out.flush()");
const NODE: BotLanguage = BotLanguage { name: "JavaScript", flush: None };

/// Programs and ends of file names, each with the language.
const SIGNS: &[(&str, &str, BotLanguage)] = &[
    ("python", ".py", PYTHON),
    ("pypy", ".py", PYTHON),
    ("node", ".js", NODE),
    ("nodejs", ".mjs", NODE),
    ("java", ".jar", JAVA),
    ("ruby", ".rb", flushed_by("Ruby", "$stdout.sync = true")),
    ("perl", ".pl", flushed_by("Perl", "$| = 1;")),
    ("php", ".php", flushed_by("PHP", "flush();")),
    ("lua", ".lua", flushed_by("Lua", "io.stdout:flush()")),
    ("dotnet", ".dll", flushed_by("C#", "Console.Out.Flush();")),
    ("julia", ".jl", flushed_by("Julia", "flush(stdout)")),
];

impl BotLanguage {
    /// Returns the language that the words of a command show.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        for word in words {
            let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            if let Some((.., language)) =
                SIGNS.iter().find(|(program, end, _)| *program == plain || name.ends_with(end))
            {
                return Some(*language);
            }
        }
        None
    }

    /// Returns what is known about a language of builds.
    pub fn of(language: Language) -> Option<Self> {
        Some(match language {
            Language::C => flushed_by("C", "fflush(stdout);"),
            Language::Cpp => flushed_by("C++", "std::cout << std::flush;"),
            Language::Rust => flushed_by("Rust", "std::io::stdout().flush()"),
            Language::Java => JAVA,
            Language::Python => PYTHON,
            Language::JavaScript | Language::TypeScript => NODE,
            Language::CSharp => flushed_by("C#", "Console.Out.Flush();"),
            Language::Go => flushed_by("Go", "writer.Flush(), if it writes through a bufio.Writer"),
            Language::OCaml => flushed_by("OCaml", "flush stdout"),
            Language::Haskell => flushed_by("Haskell", "hFlush stdout"),
            _ => return None,
        })
    }
}
