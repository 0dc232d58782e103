//! The language of a bot, how a program in it flushes its output, and how it finds its own folder.

use agon_build::Language;
use std::path::Path;

/// What a bot is written in, as far as its command or its build says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BotLanguage {
    /// The name of the language.
    pub name: &'static str,
    /// What its author writes after each answer, in backticks. `None` if output is not buffered.
    pub flush: Option<&'static str>,
    /// What sources that flush have in them.
    pub flushes: &'static [&'static str],
    /// How a program names its own folder. `None` if there is no short way.
    pub own_folder: Option<&'static str>,
}

const fn flushed_by(name: &'static str, flush: &'static str) -> BotLanguage {
    BotLanguage { name, flush: Some(flush), flushes: &[], own_folder: None }
}

impl BotLanguage {
    const fn in_folder(self, own_folder: &'static str) -> Self {
        Self { own_folder: Some(own_folder), ..self }
    }

    const fn or_by(self, flushes: &'static [&'static str]) -> Self {
        Self { flushes, ..self }
    }
}

const PYTHON: BotLanguage = flushed_by("Python", "`print(…, flush=True)`")
    .or_by(&["flush=True", ".flush(", "line_buffering", "write_through", "os.write("])
    .in_folder("os.path.dirname(os.path.abspath(__file__))");
const JAVA: BotLanguage = flushed_by("Java", "`out.flush()`, if it prints through a writer `out`");
const NODE: BotLanguage = BotLanguage { name: "JavaScript", flush: None, flushes: &[], own_folder: Some("__dirname") };
const PERL: BotLanguage =
    flushed_by("Perl", "`$| = 1;`, once at the start,").or_by(&["$|", "autoflush"]).in_folder("$FindBin::Bin");
const RUBY: BotLanguage = flushed_by("Ruby", "`$stdout.flush`").or_by(&[".flush", ".sync"]).in_folder("__dir__");
const CSHARP: BotLanguage = flushed_by("C#", "`writer.Flush()`, if it prints through a `StreamWriter`");

/// Programs and ends of file names, each with the language.
const SIGNS: &[(&str, &str, BotLanguage)] = &[
    ("python", ".py", PYTHON),
    ("pypy", ".py", PYTHON),
    ("node", ".js", NODE),
    ("nodejs", ".mjs", NODE),
    ("java", ".jar", JAVA),
    ("ruby", ".rb", RUBY),
    ("perl", ".pl", PERL),
    ("php", ".php", flushed_by("PHP", "`flush();`").in_folder("__DIR__")),
    ("lua", ".lua", flushed_by("Lua", "`io.stdout:flush()`")),
    ("dotnet", ".dll", CSHARP),
    ("julia", ".jl", flushed_by("Julia", "`flush(stdout)`").in_folder("@__DIR__")),
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
            Language::C => flushed_by("C", "`fflush(stdout);`"),
            Language::Cpp => flushed_by("C++", "`std::cout << std::flush;`"),
            Language::Rust => flushed_by("Rust", "`out.flush()`, if it prints through a `BufWriter` or by `print!`"),
            Language::Java => JAVA,
            Language::Python => PYTHON,
            Language::JavaScript | Language::TypeScript => NODE,
            Language::CSharp => CSHARP,
            Language::Go => flushed_by("Go", "`writer.Flush()`, if it prints through a `bufio.Writer`"),
            Language::OCaml => flushed_by("OCaml", "`flush stdout`"),
            Language::Haskell => flushed_by("Haskell", "`hFlush stdout`"),
            _ => return None,
        })
    }
}
