//! Attacks on the intake and the build of bots: archives that write outside their folder or never end, sources that
//! disclose secrets, builds that do what bots must not.

use crate::{
    Facts,
    archives::{Item, tar, tar_of_zeroes, zip},
    kind::{End, Kind},
};
use agon_spec::Isolation;
use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// Agon neither builds nor starts anything of the submission.
const REJECTED: &[End] = &[End::Rejected];
/// The build starts and fails.
const FAILS: &[End] = &[End::NotBuilt];
/// The build may fail or succeed.
const CONTAINED: &[End] = &[End::NotBuilt, End::Built];

/// The harmless file of every archive.
const BOT: &[u8] = b"print('hello')\n";

/// An extra field of zip64 with two sizes of a TiB.
const LYING_SIZES: [u8; 20] = [1, 0, 16, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];

pub const KINDS: &[Kind] = &[
    Kind::submission(65, "zip-slip", "files outside: `..` in a zip", |folder, facts| {
        let name = format!("../../../../../../../../tmp/{}", facts.marker);
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(name.as_bytes(), BOT)], false))
    })
    .ends(REJECTED),
    Kind::submission(65, "tar-slip", "files outside: `..` in a tar", |folder, facts| {
        let name = format!("a/../../../../../../../../tmp/{}", facts.marker);
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::file(name.as_bytes(), BOT)]))
    })
    .ends(REJECTED),
    Kind::submission(65, "absolute-name", "files outside: an absolute name", |folder, facts| {
        let name = format!("/tmp/{}", facts.marker);
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::file(name.as_bytes(), BOT)]))
    })
    .ends(REJECTED),
    Kind::submission(65, "backslash-name", "files outside: `..` with backslashes", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"..\\..\\x.py", BOT)], false))
    })
    .ends(REJECTED),
    Kind::submission(65, "drive-name", "files outside: a drive letter", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"C:/x.py", BOT)], false))
    })
    .ends(REJECTED),
    Kind::submission(65, "name-with-nul", "names that end early: a NUL in a name", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py\0.txt", BOT)], false))
    })
    .ends(REJECTED),
    Kind::submission(66, "decompression-bomb", "disks: 300 MiB of zeroes compressed to 300 KiB", |folder, _| {
        archive(folder, "bot.tar.gz", &tar_of_zeroes(b"bot.py", 300)?)
    })
    .ends(REJECTED),
    Kind::submission(66, "too-many-files", "disks: 10,001 empty files", |folder, _| {
        let names: Vec<String> = (0..=10_000).map(|n| format!("{n}.py")).collect();
        let items: Vec<Item<'_>> = names.iter().map(|name| Item::file(name.as_bytes(), b"")).collect();
        archive(folder, "bot.zip", &zip(&items, false))
    })
    .ends(REJECTED),
    Kind::submission(66, "overlapping-files", "disks: a thousand entries that share the same data", |folder, _| {
        let data = vec![b'#'; 64 << 10];
        let names: Vec<String> = (0..1000).map(|n| format!("{n}.py")).collect();
        let items: Vec<Item<'_>> = names.iter().map(|name| Item::file(name.as_bytes(), &data)).collect();
        archive(folder, "bot.zip", &zip(&items, true))
    })
    .ends(REJECTED),
    Kind::submission(66, "sizes-of-zip64", "the reader of the archive: sizes of the format zip64 that differ from the others", |folder, _| {
        let entry = Item::file(b"bot.py", BOT).with_extra([&LYING_SIZES, b""]);
        archive(folder, "bot.zip", &zip(&[entry], false))
    })
    .issue(9)
    .ends(REJECTED),
    Kind::submission(66, "sizes-of-zip64-in-a-header", "the reader of the archive: the same sizes in front of the file", |folder, _| {
        let entry = Item::file(b"bot.py", BOT).with_extra([b"", &LYING_SIZES]);
        archive(folder, "bot.zip", &zip(&[entry], false))
    })
    .issue(9)
    .ends(REJECTED),
    Kind::submission(66, "deeply-nested-folders", "recursion over folders: 40 levels", |folder, _| {
        let name = format!("{}bot.py", "d/".repeat(40));
        archive(folder, "bot.tar", &tar(&[Item::file(name.as_bytes(), BOT)]))
    })
    .ends(REJECTED),
    Kind::submission(67, "link-in-an-archive", "files outside: a symbolic link in a tar", |folder, facts| {
        let key = facts.key().into_os_string().into_encoded_bytes();
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"key", b'2', &key)]))
    })
    .ends(REJECTED),
    Kind::submission(67, "hard-link-in-an-archive", "files outside: a hard link in a tar", |folder, _| {
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"key", b'1', b"/etc/passwd")]))
    })
    .ends(REJECTED),
    Kind::submission(67, "device-in-an-archive", "the machine: a device in a tar", |folder, _| {
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"null", b'3', b"")]))
    })
    .ends(REJECTED),
    Kind::submission(67, "pipe-in-an-archive", "the reader of the archive: a named pipe in a tar", |folder, _| {
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"pipe", b'6', b"")]))
    })
    .ends(REJECTED),
    Kind::submission(67, "names-that-differ-in-case", "other systems: names that differ only in case", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"BOT.py", BOT)], false))
    })
    .ends(REJECTED),
    Kind::submission(67, "reserved-name", "other systems: the reserved name CON", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"con.py", BOT)], false))
    })
    .ends(REJECTED),
    Kind::submission(67, "link-in-a-folder", "files outside: a symbolic link in a folder", |folder, facts| {
        let bot = folder.join("bot");
        fs::create_dir(&bot)?;
        fs::write(bot.join("bot.py"), BOT)?;
        symlink(facts.key(), bot.join("key"))?;
        Ok(bot)
    })
    .ends(REJECTED),
    built(68, "includes-a-key", "secrets: `#include` of a key, which an error message would quote", |folder, facts| {
        let source = format!("#include \"{}\"\nint main(void) {{ return 0; }}\n", facts.key().display());
        sources(folder, &[("bot.c", &source)], "gcc -o bot bot.c", &[])
    })
    .tool("gcc")
    .ends(FAILS),
    built(68, "embeds-a-key", "secrets: `.incbin` of a key, which the result would contain", |folder, facts| {
        let source = format!(
            "__asm__(\".section .rodata\\n.incbin \\\"{}\\\"\\n\");\nint main(void) {{ return 0; }}\n",
            facts.key().display()
        );
        sources(folder, &[("bot.c", &source)], "gcc -o bot bot.c", &[])
    })
    .tool("gcc")
    .ends(FAILS),
    built(69, "includes-dev-zero", "memory: `#include \"/dev/zero\"`", |folder, _| {
        let source = "#include \"/dev/zero\"\nint main(void) { return 0; }\n";
        sources(folder, &[("bot.c", source)], "gcc -o bot bot.c", &[SHORT, SMALL])
    })
    .tool("gcc")
    .ends(FAILS),
    built(69, "macro-bomb", "memory: macros that double 28 times", |folder, _| {
        let doubled = (0..28).map(|n| format!("#define M{} M{n} M{n}\n", n + 1));
        let source = format!("#define M0 x += 1;\n{}int main(void) {{ int x = 0; M28 return x; }}\n", doubled.collect::<String>());
        sources(folder, &[("bot.c", &source)], "gcc -o bot bot.c", &[SHORT, SMALL])
    })
    .tool("gcc")
    .ends(FAILS),
    built(69, "template-bomb", "memory: templates that instantiate themselves twice", |folder, _| {
        let source = "template<int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n\
                      template<int M> struct F<0, M> { static const int v = 1; };\n\
                      int main() { return F<26, 0>::v; }\n";
        sources(folder, &[("bot.cpp", source)], "g++ -o bot bot.cpp", &[SHORT, SMALL])
    })
    .tool("g++")
    .ends(FAILS),
    built(69, "giant-array", "disks: an array of 8 GiB in the result", |folder, _| {
        let source = "char all[8ull << 30] = { 1 };\nint main(void) { return all[0]; }\n";
        sources(folder, &[("bot.c", source)], "gcc -mcmodel=large -o bot bot.c", &[SHORT, SMALL])
    })
    .tool("gcc")
    .ends(FAILS),
    built(70, "build-copies-a-key", "secrets: a build that copies a key into its result", |folder, facts| {
        script(folder, &format!("cp '{}' stolen", facts.key().display()))
    })
    .ends(FAILS),
    built(70, "build-writes-the-home", "the user's files: start files of shells", |folder, facts| {
        script(folder, &format!("echo planted > '{}/.bashrc'", facts.home().display()))
    })
    .ends(FAILS),
    built(70, "build-connects", "the network: a build that connects", |folder, facts| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], &format!("bash -c 'echo hello > /dev/tcp/127.0.0.1/{}'", facts.tcp), &[])
    })
    .tool("bash")
    .ends(FAILS),
    built(70, "build-leaves-a-daemon", "the end: a process that outlives its build", |folder, facts| {
        script(folder, &format!("(setsid sh -c ': {}; sleep 60' &) ; true", facts.row))
    })
    .issue(6)
    .ends(CONTAINED),
    built(70, "build-never-ends", "the user's time: sleep", |folder, _| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], "sleep 1000", &[SHORT])
    })
    .ends(FAILS),
    built(70, "build-closes-its-log", "the user's time: sleep, with its log closed", |folder, _| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], "exec >&- 2>&-; sleep 1000", &[SHORT])
    })
    .ends(FAILS),
    built(70, "build-forks", "the number of processes: two hundred from a build", |folder, _| {
        script(folder, "for n in $(seq 200); do sleep 5 & done; true")
    })
    .issue(6)
    .ends(CONTAINED),
    built(70, "build-changes-rights", "the user's files: access rights", |folder, facts| {
        script(folder, &format!("chmod 777 '{}'", facts.key().display()))
    })
    .needs(Isolation::Full)
    .ends(FAILS),
    built(71, "build-floods-its-log", "the memory of Agon: a log without end", |folder, _| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], "yes", &[SHORT])
    })
    .ends(FAILS),
    built(72, "link-as-a-result", "files outside: a result that is a symbolic link", |folder, facts| {
        script(folder, &format!("rm -f bot.sh && ln -s '{}' bot.sh", facts.key().display()))
    })
    .ends(CONTAINED),
    built(72, "pipe-as-a-result", "the cache of builds: a result that is a named pipe", |folder, _| {
        script(folder, "rm -f bot.sh && mkfifo bot.sh")
    })
    .ends(CONTAINED),
    built(72, "huge-result", "disks: a sparse result of 900 MiB", |folder, _| {
        script(folder, "truncate -s 900M ballast")
    })
    .ends(FAILS),
    Kind::submission(76, "replay-of-brackets", "the reader of replays: 4 MiB of open brackets", |folder, _| {
        archive(folder, "game.jsonl", "[".repeat(4 << 20).as_bytes())
    })
    .ends(REJECTED),
    Kind::submission(76, "replay-of-one-line", "the memory of the reader of replays: one line of 64 MiB", |folder, _| {
        archive(folder, "game.jsonl", "{\"agon\": \"".repeat(7 << 20).as_bytes())
    })
    .ends(REJECTED),
];

/// A short time limit.
const SHORT: &str = "build-seconds = 2";
/// A memory limit below the default.
const SMALL: &str = "build-memory-mib = 512";

const fn built(
    number: u8,
    name: &'static str,
    attacks: &'static str,
    submit: fn(&Path, &Facts) -> io::Result<PathBuf>,
) -> Kind {
    Kind::submission(number, name, attacks, submit).needs(Isolation::Restricted)
}

/// Writes an archive with these bytes and returns its path.
fn archive(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(name);
    fs::write(&path, bytes)?;
    Ok(path)
}

/// Creates a folder with a bot that is a script and with this build command.
pub(super) fn script(folder: &Path, build: &str) -> io::Result<PathBuf> {
    sources(folder, &[("bot.sh", "#!/bin/sh\n")], build, &[])
}

/// Creates a folder with sources and with this build command.
fn sources(folder: &Path, files: &[(&str, &str)], build: &str, limits: &[&str]) -> io::Result<PathBuf> {
    let bot = folder.join("bot");
    fs::create_dir(&bot)?;
    for (name, text) in files {
        fs::write(bot.join(name), text)?;
    }
    let build = serde_json::to_string(&[["sh", "-c", build]])?;
    let plays = if files.iter().any(|(name, _)| *name == "bot.sh") { "./bot.sh" } else { "./bot" };
    let limits = if limits.is_empty() { String::new() } else { format!("[limits]\n{}\n", limits.join("\n")) };
    fs::write(bot.join("agon.toml"), format!("build = {build}\nrun = [\"sh\", \"{plays}\"]\n{limits}"))?;
    Ok(bot)
}
