//! Whether a bot died for lack of memory. Most are killed by their watch, which leaves no doubt. A runtime that gives up by
//! itself ends in a way of its own: with some exit code or signal, and with words on stderr, on stdout or nowhere. What a bot writes to
//! stdout is an answer as long as the match goes on; only the search for the cause of a fault reads it, afterwards.

use agon_referee::Exit;

/// How sure it is that a bot died for lack of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evidence {
    /// Nothing points to it.
    None,
    /// It is possible.
    Perhaps,
    /// It had used so much memory, and its runtime says so.
    Certain,
}

/// What runtimes write when they get no more memory, in lower case, and which runtimes do.
const WORDS: &[(&str, &[&str])] = &[
    ("out of memory", &[".NET", "Node", "Go", "Haskell", "OCaml", "Perl", "PHP"]),
    ("outofmemory", &["Java", ".NET"]),
    ("out_of_memory", &["OCaml"]),
    ("insufficient memory", &["Java"]),
    ("could not reserve enough space", &["Java"]),
    ("garbage collector could not allocate", &["Mono"]),
    ("memoryerror", &["Python", "Ruby"]),
    ("allocation failed", &["Node"]),
    ("bad_alloc", &["C++"]),
    ("cannot allocate memory", &["C", "Go"]),
    ("not enough space", &["C"]),
    ("memory allocation of", &["Rust"]),
    ("heap exhausted", &["Haskell", "Steel Bank Common Lisp"]),
    ("heap overflow", &["Haskell"]),
    ("bytes of memory (of type", &["Erlang"]),
    ("failed to allocate memory", &["Ruby"]),
    ("allowed memory size of", &["PHP"]),
    ("not enough memory", &["Lua"]),
    ("storage_error", &["Ada"]),
];
/// Returns whether a bot whose peak this is may have run out of memory. Java and .NET may have a heap of half of the limit, so
/// they give up with half of it in use.
#[must_use]
pub fn has_used_half(peak: u64, limit: u64) -> bool {
    peak >= limit / 16 * 7
}

/// Returns whether a text has words that runtimes write when they get no more memory.
#[must_use]
pub fn speaks_of_memory(text: &str) -> bool {
    let text = text.to_lowercase();
    WORDS.iter().any(|(words, _)| text.contains(words))
}

/// Weighs what is known about the end of a bot: how it ended, the most memory that it used and its limit in bytes, and what
/// it wrote last to stderr.
pub(crate) fn weigh(exit: &Exit, peak: u64, limit: u64, stderr: &str) -> Evidence {
    if matches!(exit, Exit::Code(0) | Exit::Stopped(_)) {
        return Evidence::None;
    }
    let used_most = peak >= limit / 8 * 7;
    match speaks_of_memory(stderr) {
        true if has_used_half(peak, limit) => Evidence::Certain,
        true => Evidence::Perhaps,
        false if used_most => Evidence::Perhaps,
        false => Evidence::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_is_understood() {
        for (runtime, says) in [
            ("Java", "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n"),
            ("Java", "# There is insufficient memory for the Java Runtime Environment to continue.\n"),
            ("Java", "Error: Could not reserve enough space for 4194304KB object heap\n"),
            (".NET", "Unhandled exception. System.OutOfMemoryException: Exception of type was thrown.\n"),
            (".NET", "Out of memory.\n"),
            ("Mono", "Error: Garbage collector could not allocate 16384 bytes of memory for major heap section.\n"),
            ("Python", "Traceback (most recent call last):\nMemoryError\n"),
            ("Node", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"),
            ("C++", "terminate called after throwing an instance of 'std::bad_alloc'\n"),
            ("C", "malloc: Cannot allocate memory\n"),
            ("Rust", "memory allocation of 1073741824 bytes failed\n"),
            ("Go", "fatal error: runtime: out of memory\n"),
            ("Haskell", "bot: Heap exhausted;\n"),
            ("OCaml", "Fatal error: exception Out_of_memory\n"),
            ("Steel Bank Common Lisp", "Heap exhausted, game over.\n"),
            ("Erlang", "eheap_alloc: Cannot allocate 1140328500 bytes of memory (of type \"heap\").\n"),
            ("Ruby", "[FATAL] failed to allocate memory\n"),
            ("Perl", "Out of memory!\n"),
            ("PHP", "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted\n"),
            ("Lua", "lua: not enough memory\n"),
            ("Ada", "raised STORAGE_ERROR : s-memory.adb:64 explicit raise\n"),
        ] {
            let its_own = |(words, runtimes): &(&str, &[&str])| {
                runtimes.contains(&runtime) && says.to_lowercase().contains(words)
            };
            assert!(WORDS.iter().any(its_own), "{runtime}: {says}");
            assert_eq!(weigh(&Exit::Code(1), 90, 100, says), Evidence::Certain, "{runtime}: {says}");
        }
    }

    #[test]
    fn words_alone_or_memory_alone_are_not_enough() {
        const LIMIT: u64 = 400 << 20;
        let killed = Exit::Signal("SIGABRT".into());
        let java = "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space";
        for (exit, used, stderr, expected) in [
            (Exit::Code(1), 390, "MemoryError", Evidence::Certain),
            (Exit::Code(1), 200, java, Evidence::Certain),
            (killed.clone(), 395, "terminate called after throwing an instance of 'std::bad_alloc'", Evidence::Certain),
            (killed.clone(), 3, "terminate called after throwing an instance of 'std::bad_alloc'", Evidence::Perhaps),
            (Exit::Code(2), 390, "fatal error: runtime: out of memory", Evidence::Certain),
            (killed.clone(), 390, "", Evidence::Perhaps),
            (Exit::Signal("SIGSEGV".into()), 200, "", Evidence::None),
            (Exit::Code(1), 20, "Traceback: KeyError", Evidence::None),
            (Exit::Code(0), 399, "MemoryError", Evidence::None),
            (Exit::Stopped("it had used its fuel".into()), 399, "out of memory", Evidence::None),
        ] {
            assert_eq!(weigh(&exit, used << 20, LIMIT, stderr), expected, "{exit:?}, {used} MiB, {stderr}");
        }
    }
}
