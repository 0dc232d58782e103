//! The table.

use crate::{Entry, Flush, Form, Interpreter, Language, Tool};

const NOTHING: Entry = Entry::NOTHING;
const PLAIN: Interpreter = Interpreter::NOTHING;

/// Comments of C and of many languages after it.
const LIKE_C: &[(&str, &str)] = &[("//", "\n"), ("/*", "*/")];
/// What Python is asked for: the file of the interpreter and the folders of its installation. Python 2 understands it too.
const OF_PYTHON: &str =
    "import sys\nfor p in (sys.executable, sys.prefix, getattr(sys, 'base_prefix', sys.prefix)): print('agon:' + p)";

const fn tool(name: &'static str, package: &'static str) -> Tool {
    Tool { name, package, version: "--version", beside: &[] }
}

const fn flushed_by(statement: &'static str) -> Flush {
    Flush::By { statement, signs: &[] }
}

/// An interpreter whose options are not known.
const fn named(names: &'static [&'static str]) -> Interpreter {
    Interpreter { names, by_end: true, ..PLAIN }
}

/// Every language.
pub static TABLE: &[Entry] = &[
    Entry {
        language: Language::C,
        title: "C",
        names: &["c"],
        form: Form::Joined,
        sources: &[".c"],
        also: &[".h", ".inc"],
        main: "main",
        imports: &["include"],
        comments: LIKE_C,
        tools: &[tool("gcc", "gcc"), tool("make", "make")],
        flush: flushed_by("`fflush(stdout);`"),
        ..NOTHING
    },
    Entry {
        language: Language::Cpp,
        title: "C++",
        names: &["c++", "cpp", "cxx"],
        form: Form::Joined,
        sources: &[".cpp", ".cc", ".cxx", ".c++", ".C"],
        also: &[".hh", ".hpp", ".hxx", ".inl"],
        main: "main",
        imports: &["include"],
        comments: LIKE_C,
        tools: &[tool("g++", "g++"), tool("make", "make"), tool("gcc", "gcc")],
        flush: flushed_by("`std::cout << std::flush;`"),
        ..NOTHING
    },
    Entry {
        language: Language::Rust,
        title: "Rust",
        names: &["rust", "rs"],
        form: Form::Compiled,
        sources: &[".rs"],
        projects: &["Cargo.toml"],
        main: "main",
        comments: LIKE_C,
        tools: &[tool("cargo", "rustup or cargo"), tool("rustc", "rustup or rustc"), tool("cc", "gcc")],
        flush: flushed_by("`out.flush()`, if it prints through a `BufWriter` or by `print!`"),
        ..NOTHING
    },
    Entry {
        language: Language::Java,
        title: "Java",
        names: &["java"],
        form: Form::Joined,
        sources: &[".java", ".jar"],
        made: &[(".jar", "java -jar")],
        start: "java",
        main: "main",
        comments: LIKE_C,
        interpreters: &[Interpreter {
            names: &["java"],
            valued: &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--source"],
            without: &["-m", "--module", "-version", "--version", "-help", "--help"],
            by_end: true,
            asks: &["-XshowSettings:properties", "-version"],
            mark: "java.home = ",
            ..PLAIN
        }],
        tools: &[
            Tool { version: "-version", ..tool("java", "default-jre-headless") },
            Tool { version: "-version", ..tool("javac", "default-jdk-headless") },
        ],
        flush: flushed_by("`out.flush()`, if it prints through a writer `out`"),
        ..NOTHING
    },
    Entry {
        language: Language::Python,
        title: "Python",
        names: &["python", "py", "python3"],
        form: Form::Script,
        sources: &[".py"],
        made: &[(".pyc", "python3"), (".pyz", "python3")],
        start: "python3",
        projects: &["pyproject.toml"],
        starts: &["__main__"],
        imports: &["import_module", "__import__"],
        comments: &[("#", "\n"), ("\"\"\"", "\"\"\""), ("'''", "'''")],
        interpreters: &[Interpreter {
            names: &["python", "pypy"],
            valued: &["-W", "-X", "--check-hash-based-pycs"],
            without: &["--version", "--help"],
            letters: "cmhV",
            plain: "bBdEiIOPqRsSuvx",
            code: &["-c"],
            in_folder: &["__main__.py", "__main__.pyc"],
            // Python 2 has no `-I`, which means the same.
            asks: &["-E", "-s", "-c", OF_PYTHON],
            mark: "agon:",
            ..PLAIN
        }],
        tools: &[tool("python3", "python3")],
        flush: Flush::By {
            statement: "`print(…, flush=True)`",
            signs: &["flush=True", ".flush(", "line_buffering", "write_through", "os.write("],
        },
        own_folder: "os.path.dirname(os.path.abspath(__file__))",
        ..NOTHING
    },
    Entry {
        language: Language::JavaScript,
        title: "JavaScript",
        names: &["javascript", "js", "node"],
        form: Form::Script,
        sources: &[".js", ".mjs", ".cjs"],
        start: "node",
        projects: &["package.json"],
        starts: &["index"],
        imports: &["require", "import", "from", "Worker", "fork"],
        comments: LIKE_C,
        interpreters: &[
            Interpreter {
                names: &["node", "nodejs"],
                valued: &["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"],
                without: &["-e", "--eval", "-p", "--print", "-pe", "-i", "-v", "--version", "-h", "--help", "--run"],
                code: &["-e", "--eval"],
                in_folder: &["index.js", "index.json", "index.node", "package.json"],
                added: &[".js", ".json", ".node"],
                asks: &["-p", "'agon:' + process.execPath"],
                mark: "agon:",
                ..PLAIN
            },
            named(&["deno"]),
            named(&["bun"]),
        ],
        tools: &[tool("node", "nodejs")],
        flush: Flush::Needless,
        own_folder: "__dirname",
        ..NOTHING
    },
    Entry {
        language: Language::TypeScript,
        title: "TypeScript",
        names: &["typescript", "ts"],
        form: Form::Compiled,
        sources: &[".ts", ".mts", ".cts"],
        start: "node",
        projects: &["tsconfig.json"],
        starts: &["index"],
        imports: &["require", "import", "from", "Worker", "fork"],
        comments: LIKE_C,
        tools: &[tool("node", "nodejs"), tool("tsc", "node-typescript")],
        flush: Flush::Needless,
        own_folder: "__dirname",
        ..NOTHING
    },
    Entry {
        language: Language::CSharp,
        title: "C#",
        names: &["c#", "csharp", "cs"],
        form: Form::Joined,
        sources: &[".cs"],
        made: &[(".exe", "mono"), (".dll", "dotnet")],
        projects: &["*.csproj"],
        starts: &["program"],
        main: "Main",
        comments: LIKE_C,
        interpreters: &[named(&["mono"]), named(&["dotnet"])],
        tools: &[tool("dotnet", "dotnet-sdk-8.0"), tool("mcs", "mono-mcs"), tool("mono", "mono-runtime")],
        flush: flushed_by("`writer.Flush()`, if it prints through a `StreamWriter`"),
        ..NOTHING
    },
    Entry {
        language: Language::Go,
        title: "Go",
        names: &["go", "golang"],
        form: Form::Compiled,
        sources: &[".go"],
        projects: &["go.mod"],
        main: "main",
        comments: LIKE_C,
        tools: &[Tool { version: "version", ..tool("go", "golang-go") }],
        flush: flushed_by("`writer.Flush()`, if it prints through a `bufio.Writer`"),
        ..NOTHING
    },
    Entry {
        language: Language::OCaml,
        title: "OCaml",
        names: &["ocaml", "ml"],
        form: Form::Compiled,
        sources: &[".ml"],
        also: &[".mli"],
        projects: &["dune-project"],
        comments: &[("(*", "*)")],
        interpreters: &[named(&["ocaml", "ocamlrun"])],
        tools: &[
            Tool { version: "-version", ..tool("ocamlopt", "ocaml-nox") },
            Tool {
                version: "",
                beside: &["/etc/ocamlfind.conf", "/etc/ocamlfind.conf.d"],
                ..tool("ocamlfind", "ocaml-findlib")
            },
            tool("dune", "ocaml-dune"),
        ],
        flush: flushed_by("`flush stdout`"),
        ..NOTHING
    },
    Entry {
        language: Language::Haskell,
        title: "Haskell",
        names: &["haskell", "hs"],
        form: Form::Compiled,
        sources: &[".hs"],
        comments: &[("--", "\n"), ("{-", "-}")],
        tools: &[Tool { beside: &["/var/lib/ghc"], ..tool("ghc", "ghc") }],
        flush: flushed_by("`hFlush stdout`"),
        ..NOTHING
    },
    Entry {
        language: Language::Ruby,
        title: "Ruby",
        names: &["ruby", "rb"],
        form: Form::Script,
        sources: &[".rb"],
        start: "ruby",
        imports: &["require", "require_relative", "load"],
        comments: &[("#", "\n"), ("\n=begin", "\n=end")],
        interpreters: &[Interpreter {
            names: &["ruby"],
            valued: &["-r", "-I", "-E"],
            // With some of these the file is in another folder.
            letters: "CeSxX",
            plain: "acdlnpsUvwW0123456789",
            attached: "Fi",
            code: &["-e"],
            asks: &["-e", "puts 'agon:' + RbConfig.ruby"],
            mark: "agon:",
            ..PLAIN
        }],
        tools: &[tool("ruby", "ruby")],
        flush: Flush::By { statement: "`$stdout.flush`", signs: &[".flush", ".sync"] },
        own_folder: "__dir__",
        ..NOTHING
    },
    Entry {
        language: Language::Perl,
        title: "Perl",
        names: &["perl", "pl"],
        form: Form::Script,
        sources: &[".pl"],
        also: &[".pm"],
        // Modules beside the start are found, as they were before Perl 5.26.
        start: "perl -I.",
        imports: &["require", "do"],
        comments: &[("#", "\n"), ("\n=", "\n=cut")],
        interpreters: &[Interpreter {
            names: &["perl"],
            valued: &["-I"],
            letters: "eESvV",
            plain: "acfglnpstTuUwWX0123456789",
            attached: "CDFiMmx",
            code: &["-e"],
            asks: &["-e", "print \"agon:$^X\\n\""],
            mark: "agon:",
            ..PLAIN
        }],
        tools: &[tool("perl", "perl")],
        flush: Flush::By { statement: "`$| = 1;`, once at the start,", signs: &["$|", "autoflush"] },
        own_folder: "$FindBin::Bin",
        ..NOTHING
    },
    Entry {
        language: Language::Lua,
        title: "Lua",
        names: &["lua"],
        form: Form::Script,
        sources: &[".lua"],
        start: "lua",
        imports: &["require", "dofile", "loadfile"],
        comments: &[("--[[", "]]"), ("--", "\n")],
        interpreters: &[Interpreter {
            names: &["lua", "luajit"],
            valued: &["-l"],
            letters: "eiv",
            plain: "EW",
            code: &["-e"],
            ..PLAIN
        }],
        tools: &[Tool { version: "-v", ..tool("lua", "lua5.4") }],
        flush: flushed_by("`io.stdout:flush()`"),
        ..NOTHING
    },
    Entry {
        language: Language::Php,
        title: "PHP",
        names: &["php"],
        form: Form::Script,
        sources: &[".php"],
        start: "php",
        imports: &["require", "require_once", "include", "include_once"],
        comments: &[("//", "\n"), ("#", "\n"), ("/*", "*/")],
        interpreters: &[Interpreter {
            names: &["php"],
            valued: &["-d", "-c", "-z"],
            without: &["-r", "-B", "-R", "-F", "-a", "-S", "-s", "-i", "-m", "-v"],
            letters: "aBfFhilmrRsSvw",
            plain: "CeHnq",
            code: &["-r"],
            asks: &["-n", "-r", "echo 'agon:' . PHP_BINARY . \"\\n\";"],
            mark: "agon:",
            ..PLAIN
        }],
        tools: &[Tool { beside: &["/etc/php", "/var/lib/php/modules"], ..tool("php", "php-cli") }],
        flush: flushed_by("`flush();`"),
        own_folder: "__DIR__",
        ..NOTHING
    },
    Entry { language: Language::Program, title: "a program", names: &["program"], form: Form::Program, ..NOTHING },
    Entry {
        language: Language::Julia,
        title: "Julia",
        sources: &[".jl"],
        start: "julia",
        interpreters: &[Interpreter {
            names: &["julia"],
            valued: &["-C", "-H", "-J", "-L", "-p", "-t", "--threads", "--procs", "--load", "--sysimage"],
            letters: "eE",
            plain: "iq",
            attached: "gO",
            code: &["-e"],
            ..PLAIN
        }],
        flush: flushed_by("`flush(stdout)`"),
        own_folder: "@__DIR__",
        ..NOTHING
    },
    Entry {
        language: Language::R,
        title: "R",
        sources: &[".R", ".r"],
        start: "Rscript",
        interpreters: &[Interpreter { names: &["Rscript"], letters: "e", code: &["-e"], ..PLAIN }],
        ..NOTHING
    },
    Entry {
        language: Language::Awk,
        title: "Awk",
        sources: &[".awk"],
        start: "awk -f",
        interpreters: &[named(&["awk", "gawk", "mawk"])],
        flush: flushed_by("`fflush()`"),
        ..NOTHING
    },
    Entry {
        language: Language::Erlang,
        title: "Erlang",
        sources: &[".escript", ".erl"],
        start: "escript",
        interpreters: &[
            Interpreter { names: &["escript"], ..PLAIN },
            Interpreter { code: &["-eval"], ..named(&["erl"]) },
        ],
        ..NOTHING
    },
    Entry {
        language: Language::Elixir,
        title: "Elixir",
        sources: &[".exs"],
        start: "elixir",
        interpreters: &[Interpreter { code: &["-e", "--eval"], ..named(&["elixir"]) }],
        ..NOTHING
    },
    Entry {
        language: Language::Scheme,
        title: "Scheme",
        sources: &[".scm"],
        start: "guile",
        interpreters: &[Interpreter { code: &["-c"], ..named(&["guile"]) }],
        ..NOTHING
    },
    Entry {
        language: Language::Racket,
        title: "Racket",
        sources: &[".rkt"],
        start: "racket",
        interpreters: &[Interpreter { code: &["-e", "--eval"], ..named(&["racket"]) }],
        ..NOTHING
    },
    Entry {
        language: Language::Lisp,
        title: "Common Lisp",
        sources: &[".lisp"],
        start: "sbcl --script",
        interpreters: &[Interpreter { code: &["--eval"], ..named(&["sbcl"]) }],
        ..NOTHING
    },
    Entry {
        language: Language::Shell,
        title: "a shell",
        form: Form::Shell,
        sources: &[".sh"],
        start: "sh",
        interpreters: &[
            Interpreter {
                names: &["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"],
                valued: &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"],
                without: &["--version", "--help"],
                letters: "cs",
                plain: "abefhiklmnprtuvxBCEHPT",
                ..PLAIN
            },
            named(&["busybox"]),
        ],
        ..NOTHING
    },
];
