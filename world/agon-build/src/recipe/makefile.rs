//! What a makefile is for. Some only set a report, or pack what is handed in.

use crate::{intake::SourceTree, start::stem};

/// How much of a makefile is looked at.
const LOOK: u64 = 64 << 10;
/// Ends of the names of compilers, as in `x86_64-linux-gnu-gcc`.
const COMPILERS: &[&str] = &["cc", "c++", "g++", "clang", "clang++", "icpc"];
/// Programs that build by other files, and what reads those.
const BUILDERS: &[&str] =
    &["make", "gmake", "cmake", "ninja", "meson", "ld", "ar", "sh", "bash", "include", "-include", "sinclude"];
/// Variables that stand for such a program.
const VARIABLES: &[&str] =
    &["CC", "CXX", "LD", "MAKE", "LINK.c", "LINK.cc", "LINK.cpp", "COMPILE.c", "COMPILE.cc", "COMPILE.cpp"];

/// Returns whether the makefile of this name may build a program of these sources. One without commands may do so by the rules
/// that `make` has.
pub(super) fn may_build(tree: &SourceTree, makefile: &str, sources: &[&str]) -> bool {
    let text = tree.head(makefile, LOOK);
    may(&String::from_utf8_lossy(&text), sources, |name| tree.has(name))
}

fn may(text: &str, sources: &[&str], has: impl Fn(&str) -> bool) -> bool {
    let lines = || text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let is_command = |line: &&str| line.starts_with('\t');
    let of_source = |word: &str| sources.iter().any(|name| *name == word || stem(name) == stem(word));
    // `bot: bot.o`: by the rules of `make`, or by a command that names what it compiles in another way.
    let is_of_source = |line: &str| line.contains(':') && words(line).any(of_source);
    let builds = |word: &str| is_of_building(word) || word.strip_prefix("./").is_some_and(&has);
    !lines().any(|line| is_command(&line) || line.contains(';'))
        || lines().any(|line| words(line).any(builds))
        || lines().filter(|line| !is_command(line)).any(is_of_source)
}

/// Splits a line at all that no name of a program, file or variable has.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "+-_./".contains(c);
    line.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

fn is_of_building(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    // `gcc-12`
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    COMPILERS.iter().any(|compiler| name.ends_with(compiler))
        || BUILDERS.contains(&name)
        || VARIABLES.contains(&word)
        || word.ends_with(".o")
        || word.ends_with(".sh")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_makefile_that_compiles_nothing_is_for_something_else() {
        let builds = |text: &str| may(text, &["MyBot.c", "src/board.c"], |name| name == "configure");
        for text in [
            "",
            "all:\n",
            "CFLAGS = -O2\nall: MyBot\n",
            "all:\n\tgcc -o bot MyBot.c\n",
            "all: clean\n\t$(CC) $(CFLAGS) -o bot *.c\n",
            "CROSS = x86_64-linux-gnu-gcc-12\nall:\n\t$(CROSS) *.c\n",
            "MyBot: MyBot.c board.c\n\t@$(COMPILER) -o $@ $^\n",
            "all:\n\tcmake -B build && cmake --build build\n",
            "all: ; ${CXX} -o bot *.c\n",
            "all:\n\t./configure\n",
            "all:\n\t./build.sh\n",
            "%.o: %.c\n\t@$(DO) $<\n",
            "clean:\n\trm -f *.o\n",
            "include common.mk\nrun:\n\t./bot\n",
        ] {
            assert!(builds(text), "{text}");
        }
        for text in [
            "all: docs\ndocs:\n\tpdflatex report.tex\nclean:\n\trm -f *.aux\n",
            "html:\n\tdoxygen Doxyfile\n.PHONY: html\n",
            "SPHINXBUILD ?= sphinx-build\n%: Makefile\n\t@$(SPHINXBUILD) -M $@ . _build $(O)\n",
            "all: report.pdf\n%.pdf: %.tex\n\tlatexmk -pdf $<\n",
            "# gcc builds it\npackage:\n\ttar czf hand-in.tgz *.c\n",
            "run:\n\t./MyBot\n",
            "test:\n\tpython3 -m unittest\n",
        ] {
            assert!(!builds(text), "{text}");
        }
    }
}
