//! The language of a bot, and how a program in it flushes its output.

use agon_build::Language;
use std::path::Path;

/// What a bot is written in, as far as its command or its build says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Speech {
    /// The name of the language.
    pub name: &'static str,
    /// What its author writes after each answer. `None` if output is not buffered.
    pub flush: Option<&'static str>,
}

const fn speech(name: &'static str, flush: &'static str) -> Speech {
    Speech { name, flush: Some(flush) }
}

const PYTHON: Speech = speech("Python", "print(…, flush=True)");
const JAVA: Speech = speech("Java", "System.out.flush()");
const NODE: Speech = Speech { name: "JavaScript", flush: None };

/// Programs and ends of file names, each with the language.
const SIGNS: &[(&str, &str, Speech)] = &[
    ("python", ".py", PYTHON),
    ("pypy", ".py", PYTHON),
    ("node", ".js", NODE),
    ("nodejs", ".mjs", NODE),
    ("java", ".jar", JAVA),
    ("ruby", ".rb", speech("Ruby", "$stdout.sync = true")),
    ("perl", ".pl", speech("Perl", "$| = 1;")),
    ("php", ".php", speech("PHP", "flush();")),
    ("lua", ".lua", speech("Lua", "io.stdout:flush()")),
    ("dotnet", ".dll", speech("C#", "Console.Out.Flush();")),
    ("julia", ".jl", speech("Julia", "flush(stdout)")),
];

impl Speech {
    /// Returns the language that the words of a command show.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        for word in words {
            let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            if let Some((.., speech)) = SIGNS.iter().find(|(program, end, _)| *program == plain || name.ends_with(end))
            {
                return Some(*speech);
            }
        }
        None
    }

    /// Returns what is known about a language of builds.
    pub fn of(language: Language) -> Option<Self> {
        Some(match language {
            Language::C => speech("C", "fflush(stdout);"),
            Language::Cpp => speech("C++", "std::cout << std::flush;"),
            Language::Rust => speech("Rust", "std::io::stdout().flush()"),
            Language::Java => JAVA,
            Language::Python => PYTHON,
            Language::JavaScript | Language::TypeScript => NODE,
            Language::CSharp => speech("C#", "Console.Out.Flush();"),
            Language::Go => speech("Go", "writer.Flush(), if it writes through a bufio.Writer"),
            Language::OCaml => speech("OCaml", "flush stdout"),
            Language::Haskell => speech("Haskell", "hFlush stdout"),
            _ => return None,
        })
    }
}
