//! What the last lines of a bot's stderr say about its end.

use agon_run::speaks_of_memory;

/// A reason that stderr shows. Those with a name or a path are certain only after a look at the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    /// It is a program in Python 2.
    Python2,
    /// It ran out of memory.
    Memory,
    /// It did not find these files.
    NoFile(Vec<String>),
    /// It may not use these files in the way in which it tried.
    Denied(Vec<String>),
    /// It wrote to these places, which are read-only.
    ReadOnly(Vec<String>),
    /// It could not open a SQLite database, or make one. The path is known if the call in a traceback has it.
    Database(Option<String>),
    /// It used the network.
    Network,
    /// It started another process.
    Process,
    /// It used `multiprocessing` of Python, whose locks lie in shared memory.
    SharedMemory,
    /// It did not find this module, which this file imports, as far as a traceback says that.
    NoModule(String, Option<String>),
    /// Its indentation mixes tabs and spaces, as Python 2 allows.
    Tabs,
    /// A tool that chooses the version of its interpreter has not the one that it wants.
    NoVersion(Wanted),
}

/// A version of an interpreter that a tool looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    /// The tool, as `pyenv`.
    pub tool: String,
    /// The version. `None` if none was chosen.
    pub version: Option<String>,
}

/// Tools that put a program of their own in place of an interpreter.
const TOOLS: &[&str] = &["pyenv", "rbenv", "nodenv", "jenv", "goenv", "plenv", "phpenv", "asdf", "rustup", "mise"];

/// The maximum number of lines that are looked at.
const LINES: usize = 30;
/// The maximum number of paths that are returned.
const PATHS: usize = 4;

const PYTHON2: &[&str] = &[
    "missing parentheses in call to 'print'",
    "name 'raw_input' is not defined",
    "name 'xrange' is not defined",
    "name 'unicode' is not defined",
    "has no attribute 'has_key'",
    "has no attribute 'iteritems'",
    "multiple exception types must be parenthesized",
    "missing parentheses in call to 'exec'",
    "name 'basestring' is not defined",
    "name 'unichr' is not defined",
    "name 'long' is not defined",
    "name 'execfile' is not defined",
    "has no attribute 'iterkeys'",
    "has no attribute 'itervalues'",
    "module 'sys' has no attribute 'maxint'",
    "module 'string' has no attribute 'maketrans'",
    "module 'string' has no attribute 'letters'",
    "cannot import name 'izip'",
    "cannot import name 'imap'",
    "cannot import name 'ifilter'",
];
/// Modules that Python 3 renamed or left out.
const MODULES_OF_PYTHON2: &[&str] = &[
    "Queue",
    "urllib2",
    "ConfigParser",
    "cPickle",
    "StringIO",
    "cStringIO",
    "Tkinter",
    "httplib",
    "HTMLParser",
    "urlparse",
    "__builtin__",
    "SocketServer",
    "BaseHTTPServer",
    "cookielib",
    "copy_reg",
    "dummy_thread",
    "htmlentitydefs",
    "xmlrpclib",
];
const NETWORK: &[&str] = &[
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "getaddrinfo",
    "gaierror",
    "unknownhostexception",
    "enetunreach",
    "eai_again",
    "connectexception",
    "connectionrefusederror",
    "econnrefused",
    "urlopen error",
    "dial tcp",
    "dial udp",
];
const PROCESS: &[&str] = &[
    "cannot fork",
    "can't fork",
    "could not fork",
    "fork: ",
    "fork failed",
    "fork system call failed",
    "fork/exec ",
    "cannot run program",
    "vfork",
];
const NO_FILE: &[&str] = &[
    "no such file or directory",
    "filenotfound",
    "nosuchfileexception",
    "enoent",
    "cannot open",
    "can't open",
    "could not open",
    "can't find",
];
const DENIED: &[&str] = &["permission denied", "permissionerror", "accessdeniedexception", "eacces"];
const READ_ONLY: &[&str] = &["read-only file system", "erofs"];
/// SQLite does not name the file.
const READ_ONLY_UNNAMED: &[&str] = &["readonly database"];
/// What SQLite says of a database that is not there and cannot be made. It does not name the file here either.
const DATABASE: &[&str] = &["unable to open database file", "unable to open the database file", "sqlite_cantopen"];
/// Calls of Python and Node that start a process, in a traceback.
const STARTERS: &[&str] =
    &["os.fork", "_execute_child", "_fork_exec", "subprocess", "popen", "spawn", "multiprocessing"];

/// Reads the end of a bot's stderr.
pub(super) fn read(stderr: &str) -> Option<Sign> {
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let lines = &lines[lines.len().saturating_sub(LINES)..];
    // In a traceback only the last line says what was wrong.
    let is_trace = |line: &&str| line.starts_with("Traceback (most recent") || line.starts_with("  File \"");
    let traced = lines.iter().any(is_trace);
    let last = lines.iter().rposition(|line| !line.starts_with(' ')).filter(|_| traced);
    let telling = last.map_or(lines, |last| &lines[last..=last]);
    let all = lines.join("\n").to_lowercase();
    let told = telling.join("\n");
    let low = told.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| low.contains(words));
    if says(PYTHON2) {
        return Some(Sign::Python2);
    }
    if let Some(wanted) = lines.iter().rev().find_map(|line| wanted(line)) {
        return Some(Sign::NoVersion(wanted));
    }
    if let Some(module) = module(&told) {
        let top = module.split('.').next().unwrap_or(&module);
        let importer =
            || lines.iter().rev().find_map(|line| line.trim_start().strip_prefix("File \"")?.split('"').next());
        return Some(if MODULES_OF_PYTHON2.contains(&top) {
            Sign::Python2
        } else {
            Sign::NoModule(module, importer().map(str::to_owned))
        });
    }
    if low.contains("taberror: ") {
        return Some(Sign::Tabs);
    }
    if speaks_of_memory(&told) {
        return Some(Sign::Memory);
    }
    if says(READ_ONLY_UNNAMED) {
        return Some(Sign::ReadOnly(Vec::new()));
    }
    if says(READ_ONLY) {
        return Some(Sign::ReadOnly(paths(&told)));
    }
    if says(DATABASE) {
        return Some(Sign::Database(lines.iter().rev().find_map(|line| connected(line))));
    }
    // Its error names no file, and looks like that of one.
    if traced && all.contains("semlock(") && (says(NO_FILE) || says(DENIED)) {
        return Some(Sign::SharedMemory);
    }
    let refused = says(&["operation not permitted", "resource temporarily unavailable", "eperm", "eagain", "error=1,"]);
    if says(PROCESS) || (refused && STARTERS.iter().any(|call| all.contains(call))) {
        return Some(Sign::Process);
    }
    if says(NETWORK) || (refused && (all.contains("socket") || all.contains("connect"))) {
        return Some(Sign::Network);
    }
    // Java calls both `FileNotFoundException`.
    if says(NO_FILE) && !says(DENIED) {
        return Some(Sign::NoFile(paths(&told)));
    }
    says(DENIED).then(|| Sign::Denied(paths(&told)))
}

/// Returns the version that a tool looked for in vain: ``pyenv: version `3.9.1' is not installed``, `No version is set for
/// command python3`.
fn wanted(line: &str) -> Option<Wanted> {
    let low = line.to_lowercase();
    let named = TOOLS.iter().find(|tool| low.starts_with(&format!("{tool}:")) || low.starts_with(&format!("{tool} ")));
    let unset = ["no version is set for command", "no preset version installed for command"];
    if unset.iter().any(|words| low.contains(words)) {
        return Some(Wanted { tool: named.map_or("asdf", |tool| tool).to_owned(), version: None });
    }
    let tool = named?;
    if low.contains("command not found") {
        return Some(Wanted { tool: (*tool).to_owned(), version: None });
    }
    let version = line.split_once("version ")?.1;
    let version: String =
        version.trim_start_matches(['`', '\'', '"']).chars().take_while(|c| !"`'\" ".contains(*c)).collect();
    (low.contains("is not installed") && !version.is_empty())
        .then(|| Wanted { tool: (*tool).to_owned(), version: Some(version) })
}

/// Returns the module that an import did not find.
fn module(text: &str) -> Option<String> {
    let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest);
    if let Some((file, _)) = after("Can't locate ").and_then(|rest| rest.split_once(".pm in @INC")) {
        return Some(file.replace('/', "::"));
    }
    // Lua lists where it has looked, line by line.
    let of_lua =
        || after("module '").filter(|rest| rest.contains("' not found:")).and_then(|rest| rest.split_once('\''));
    if let Some((name, _)) = of_lua() {
        return Some(name.to_owned());
    }
    let named = after("No module named ")
        .or_else(|| after("Cannot find module "))
        .or_else(|| after("Cannot find package "))
        .or_else(|| after("cannot load such file -- "))
        .or_else(|| after("Could not find or load main class "))?;
    let quote = named.chars().next().filter(|c| "'\"`".contains(*c));
    let name: String = match quote {
        Some(quote) => named.chars().skip(1).take_while(|c| *c != quote).collect(),
        None => named.chars().take_while(|c| !c.is_whitespace()).collect(),
    };
    Some(name).filter(|name| !name.is_empty())
}

/// Returns what an exception of Java about a file says of it, without the reason in parentheses.
fn of_java(line: &str) -> Option<&str> {
    const NAMES: &[&str] =
        &["FileNotFoundException: ", "NoSuchFileException: ", "AccessDeniedException: ", "FileSystemException: "];
    let said = NAMES.iter().find_map(|name| Some(line.split_once(name)?.1))?;
    Some(said.split(" (").next().unwrap_or(said).split(": ").next().unwrap_or(said))
}

/// Returns the path in a line of a program, if it opens a database and its first argument is nothing but a text.
fn connected(line: &str) -> Option<String> {
    let argument = line.split_once("connect(")?.1;
    let quote = argument.chars().next().filter(|c| "'\"".contains(*c))?;
    let (path, rest) = argument[1..].split_once(quote)?;
    (!path.is_empty() && rest.starts_with([')', ','])).then(|| path.to_owned())
}

/// Returns what may be a path in lines about files: what stands in quotes, then words with a slash, then those with a dot,
/// which may also be names of classes.
fn paths(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text.lines().filter_map(of_java).map(str::to_owned).collect();
    for quote in ['\'', '"', '`'] {
        // Every second piece stands between two quotes.
        found.extend(text.split(quote).skip(1).step_by(2).filter(|piece| !piece.contains('\n')).map(str::to_owned));
    }
    let words = text.split(|c: char| c.is_whitespace() || "'\"`(),;".contains(c));
    let words = words.map(|word| word.trim_end_matches([':', '.'])).filter(|word| word.contains(['/', '.']));
    // A line of a log begins with a date.
    let words = words.filter(|word| word.contains(char::is_alphabetic));
    let (mut with_slash, with_dot): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('/'));
    with_slash.extend(with_dot);
    found.extend(with_slash.into_iter().map(str::to_owned));
    found.retain(|path| !path.is_empty() && path.len() < 400);
    found.dedup();
    found.truncate(PATHS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_say_what_was_wrong() {
        let file = |sign: fn(Vec<String>) -> Sign, path: &str| Some(sign(vec![path.to_owned()]));
        for (stderr, expected) in [
            (
                "  File \"b.py\", line 1\n    print 1\nSyntaxError: Missing parentheses in call to 'print'.",
                Some(Sign::Python2),
            ),
            ("NameError: name 'raw_input' is not defined", Some(Sign::Python2)),
            ("ModuleNotFoundError: No module named 'Queue'", Some(Sign::Python2)),
            (
                "bot.rb:1:in `require': cannot load such file -- nokogiri (LoadError)",
                Some(Sign::NoModule("nokogiri".into(), None)),
            ),
            (
                "Can't locate Game/Board.pm in @INC (you may need to install the Game::Board module) (@INC contains: . /etc/perl)",
                Some(Sign::NoModule("Game::Board".into(), None)),
            ),
            (
                "lua: bot.lua:1: module 'socket' not found:\n\tno field package.preload['socket']\n\tno file './socket.lua'",
                Some(Sign::NoModule("socket".into(), None)),
            ),
            ("ModuleNotFoundError: No module named 'numpy.core'", Some(Sign::NoModule("numpy.core".into(), None))),
            (
                "Error: Cannot find module 'lodash'\nRequire stack:\n- /b.js",
                Some(Sign::NoModule("lodash".into(), None)),
            ),
            ("MemoryError", Some(Sign::Memory)),
            ("terminate called after throwing an instance of 'std::bad_alloc'", Some(Sign::Memory)),
            ("FileNotFoundError: [Errno 2] No such file or directory: 'book.txt'", file(Sign::NoFile, "book.txt")),
            ("cat: /home/me/data: No such file or directory", file(Sign::NoFile, "/home/me/data")),
            ("OSError: [Errno 30] Read-only file system: 'log.txt'", file(Sign::ReadOnly, "log.txt")),
            ("PermissionError: [Errno 13] Permission denied: '/bots/key'", file(Sign::Denied, "/bots/key")),
            (
                "java.io.FileNotFoundException: /bots/key (Permission denied)",
                Some(Sign::Denied(vec!["/bots/key".to_owned(), "java.io.FileNotFoundException".to_owned()])),
            ),
            (
                "Exception in thread \"main\" java.io.FileNotFoundException: debug.log (Read-only file system)",
                Some(Sign::ReadOnly(vec![
                    "debug.log".into(),
                    "main".into(),
                    "java.io.FileNotFoundException".into(),
                    "debug.log".into(),
                ])),
            ),
            ("2026/11/24 06:13:10 open bot.log: read-only file system", file(Sign::ReadOnly, "bot.log")),
            (
                "2026/11/24 06:13:12 Get \"http://x/\": dial tcp: address x: no suitable address found",
                Some(Sign::Network),
            ),
            (
                "  File \"synchronize.py\", line 57, in __init__\n    sl = self._semlock = _multiprocessing.SemLock(\n         ^^^\n\
                 PermissionError: [Errno 13] Permission denied",
                Some(Sign::SharedMemory),
            ),
            (
                "java.nio.file.AccessDeniedException: /bots/key",
                Some(Sign::Denied(vec!["/bots/key".into(), "java.nio.file.AccessDeniedException".into()])),
            ),
            ("socket.gaierror: [Errno -3] Temporary failure in name resolution", Some(Sign::Network)),
            ("run.sh: 1: Cannot fork", Some(Sign::Process)),
            ("timeout: fork system call failed: Operation not permitted", Some(Sign::Process)),
            ("2026/11/24 09:00:00 fork/exec /usr/bin/ls: operation not permitted", Some(Sign::Process)),
            ("sqlite3.OperationalError: attempt to write a readonly database", Some(Sign::ReadOnly(Vec::new()))),
            (
                "Traceback (most recent call last):\n  File \"b.py\", line 2\n    db = sqlite3.connect(\"data/b.db\", timeout=1)\n\
                 sqlite3.OperationalError: unable to open database file",
                Some(Sign::Database(Some("data/b.db".to_owned()))),
            ),
            (
                "Traceback (most recent call last):\n  File \"b.py\", line 2\n    db = sqlite3.connect('b' + '.db')\n\
                 sqlite3.OperationalError: unable to open database file",
                Some(Sign::Database(None)),
            ),
            ("DBD::SQLite: unable to open database file at b.pl line 3.", Some(Sign::Database(None))),
            // Programs in Python 3 say these things too.
            ("TabError: inconsistent use of tabs and spaces in indentation", Some(Sign::Tabs)),
            (
                "Traceback (most recent call last):\n  File \"bot.py\", line 1\n  File \"/b/wars/a.py\", line 2, in <module>\n\
                 ModuleNotFoundError: No module named 'board'",
                Some(Sign::NoModule("board".into(), Some("/b/wars/a.py".into()))),
            ),
            (
                "Error: Could not find or load main class Bot\nCaused by: java.lang.ClassNotFoundException: Bot",
                Some(Sign::NoModule("Bot".into(), None)),
            ),
            ("SyntaxError: leading zeros in decimal integer literals are not permitted", None),
            ("ModuleNotFoundError: No module named 'commands'", Some(Sign::NoModule("commands".into(), None))),
            (
                "Traceback (most recent call last):\n  File \"subprocess.py\", line 9, in _execute_child\nBlockingIOError: \
                 [Errno 11] Resource temporarily unavailable",
                Some(Sign::Process),
            ),
            // What a bot logged earlier is not why it ended.
            (
                "No such file or directory: 'x'\nTraceback (most recent call last):\n  File \"b.py\"\nIndexError: out of range",
                None,
            ),
            (
                "pyenv: version `3.9.1' is not installed (set by /home/me/bot/.python-version)",
                Some(Sign::NoVersion(Wanted { tool: "pyenv".into(), version: Some("3.9.1".into()) })),
            ),
            (
                "rbenv: version `2.7.1' is not installed (set by RBENV_VERSION environment variable)",
                Some(Sign::NoVersion(Wanted { tool: "rbenv".into(), version: Some("2.7.1".into()) })),
            ),
            (
                "pyenv: python3: command not found\n\nThe `python3' command exists in these Python versions:\n  3.12.1\n\n\
                 Note: See 'pyenv help global' for tips.",
                Some(Sign::NoVersion(Wanted { tool: "pyenv".into(), version: None })),
            ),
            (
                "No version is set for command python3\nConsider adding one of the following versions in your config file",
                Some(Sign::NoVersion(Wanted { tool: "asdf".into(), version: None })),
            ),
            ("pyenv: something else", None),
            ("KeyError: 3", None),
            ("", None),
        ] {
            assert_eq!(read(stderr), expected, "{stderr}");
        }
    }
}
