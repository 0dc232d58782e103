//! Whether a bot died for lack of memory. Most are killed by their watch, which leaves no doubt. A runtime that gives up by
//! itself ends in a way of its own: with some exit code or signal, and with words on stderr or without.

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

/// What runtimes write when they get no more memory, in lower case: Java, Python, C++, Rust, Go, Node, SBCL, .NET, the C
/// library, and the virtual machine of Java when it cannot start.
const WORDS: &[&str] = &[
    "outofmemory",
    "memoryerror",
    "bad_alloc",
    "out of memory",
    "heap exhausted",
    "memory allocation of",
    "allocation failed",
    "cannot allocate memory",
    "insufficient memory",
];

/// Weighs what is known about the end of a bot: how it ended, the most memory that it used and its limit in bytes, and the
/// last lines of its stderr.
pub(crate) fn weigh(exit: &Exit, peak: u64, limit: u64, stderr: &str) -> Evidence {
    if matches!(exit, Exit::Code(0) | Exit::Stopped(_)) {
        return Evidence::None;
    }
    let stderr = stderr.to_lowercase();
    let says = WORDS.iter().any(|words| stderr.contains(words));
    // A heap is half of the limit for Java and .NET, so they give up with half of it in use.
    let used_half = peak >= limit / 16 * 7;
    let used_most = peak >= limit / 8 * 7;
    match says {
        true if used_half => Evidence::Certain,
        true => Evidence::Perhaps,
        false if used_most => Evidence::Perhaps,
        false => Evidence::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
