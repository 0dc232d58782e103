//! Attacks on whoever takes a bot in and builds it: archives that reach outside or never end, sources that tell
//! secrets, builds that do what bots must not.

use crate::{
    Facts,
    kind::{End, Kind},
    packing::{Item, tar, tar_of_nothing, zip},
};
use agon_spec::Isolation;
use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// At the door: nothing of it is looked at any further.
const TURNED_AWAY: &[End] = &[End::TurnedAway];
/// Its build begins and fails.
const FAILS: &[End] = &[End::NotBuilt];
/// Whether it fails is its own affair.
const CONTAINED: &[End] = &[End::NotBuilt, End::Built];

/// What is good about every one of them.
const BOT: &[u8] = b"print('hello')\n";

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::submits(65, "zip-slip", "files outside: `..` in a zip", |folder, facts| {
        let name = format!("../../../../../../../../tmp/{}", facts.marker);
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(name.as_bytes(), BOT)], false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(65, "tar-slip", "files outside: `..` in a tar", |folder, facts| {
        let name = format!("a/../../../../../../../../tmp/{}", facts.marker);
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::file(name.as_bytes(), BOT)]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(65, "absolute-name", "files outside: a name from the root on", |folder, facts| {
        let name = format!("/tmp/{}", facts.marker);
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::file(name.as_bytes(), BOT)]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(65, "backslash-name", "files outside: `..` as another system writes it", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"..\\..\\x.py", BOT)], false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(65, "drive-name", "files outside: a drive letter", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"C:/x.py", BOT)], false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(65, "name-with-nul", "names that end early: a NUL within", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py\0.txt", BOT)], false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(66, "packed-bomb", "disks: 300 MiB of nothing in 300 KiB", |folder, _| {
        archive(folder, "bot.tar.gz", &tar_of_nothing(b"bot.py", 300)?)
    })
    .ends(TURNED_AWAY),
    Kind::submits(66, "files-without-number", "disks: 10,001 empty files", |folder, _| {
        let names: Vec<String> = (0..=10_000).map(|n| format!("{n}.py")).collect();
        let items: Vec<Item<'_>> = names.iter().map(|name| Item::file(name.as_bytes(), b"")).collect();
        archive(folder, "bot.zip", &zip(&items, false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(66, "overlapping-files", "disks: a thousand files that are all the same bytes", |folder, _| {
        let data = vec![b'#'; 64 << 10];
        let names: Vec<String> = (0..1000).map(|n| format!("{n}.py")).collect();
        let items: Vec<Item<'_>> = names.iter().map(|name| Item::file(name.as_bytes(), &data)).collect();
        archive(folder, "bot.zip", &zip(&items, true))
    })
    .ends(TURNED_AWAY),
    Kind::submits(66, "folders-without-end", "whoever walks folders: one in the other, 40 deep", |folder, _| {
        let name = format!("{}bot.py", "d/".repeat(40));
        archive(folder, "bot.tar", &tar(&[Item::file(name.as_bytes(), BOT)]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "link-in-an-archive", "files outside: a link in a tar", |folder, facts| {
        let key = facts.key().into_os_string().into_encoded_bytes();
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"key", b'2', &key)]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "hard-link-in-an-archive", "files outside: another name of a file in a tar", |folder, _| {
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"key", b'1', b"/etc/passwd")]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "device-in-an-archive", "the machine: a device in a tar", |folder, _| {
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"null", b'3', b"")]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "pipe-in-an-archive", "whoever reads it: a named pipe in a tar", |folder, _| {
        archive(folder, "bot.tar", &tar(&[Item::file(b"bot.py", BOT), Item::special(b"pipe", b'6', b"")]))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "twins", "files that are one elsewhere: names that differ in case", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"BOT.py", BOT)], false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "reserved-name", "files that are a device elsewhere: CON", |folder, _| {
        archive(folder, "bot.zip", &zip(&[Item::file(b"bot.py", BOT), Item::file(b"con.py", BOT)], false))
    })
    .ends(TURNED_AWAY),
    Kind::submits(67, "link-in-a-folder", "files outside: a link in a folder", |folder, facts| {
        let bot = folder.join("bot");
        fs::create_dir(&bot)?;
        fs::write(bot.join("bot.py"), BOT)?;
        symlink(facts.key(), bot.join("key"))?;
        Ok(bot)
    })
    .ends(TURNED_AWAY),
    built(68, "includes-a-key", "secrets: `#include` of a key, for the sake of the error", |folder, facts| {
        let source = format!("#include \"{}\"\nint main(void) {{ return 0; }}\n", facts.key().display());
        sources(folder, &[("bot.c", &source)], "gcc -o bot bot.c", &[])
    })
    .with("gcc")
    .ends(FAILS),
    built(68, "embeds-a-key", "secrets: `.incbin` of a key, for the sake of the result", |folder, facts| {
        let source = format!(
            "__asm__(\".section .rodata\\n.incbin \\\"{}\\\"\\n\");\nint main(void) {{ return 0; }}\n",
            facts.key().display()
        );
        sources(folder, &[("bot.c", &source)], "gcc -o bot bot.c", &[])
    })
    .with("gcc")
    .ends(FAILS),
    built(69, "includes-zeroes", "memory: `#include \"/dev/zero\"`", |folder, _| {
        let source = "#include \"/dev/zero\"\nint main(void) { return 0; }\n";
        sources(folder, &[("bot.c", source)], "gcc -o bot bot.c", &[SHORT, SMALL])
    })
    .with("gcc")
    .ends(FAILS),
    built(69, "macro-bomb", "memory: macros that double twenty-eight times", |folder, _| {
        let doubled = (0..28).map(|n| format!("#define M{} M{n} M{n}\n", n + 1));
        let source = format!("#define M0 x += 1;\n{}int main(void) {{ int x = 0; M28 return x; }}\n", doubled.collect::<String>());
        sources(folder, &[("bot.c", &source)], "gcc -o bot bot.c", &[SHORT, SMALL])
    })
    .with("gcc")
    .ends(FAILS),
    built(69, "template-bomb", "memory: templates that call themselves twice", |folder, _| {
        let source = "template<int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n\
                      template<int M> struct F<0, M> { static const int v = 1; };\n\
                      int main() { return F<26, 0>::v; }\n";
        sources(folder, &[("bot.cpp", source)], "g++ -o bot bot.cpp", &[SHORT, SMALL])
    })
    .with("g++")
    .ends(FAILS),
    built(69, "giant-array", "disks: an array of 8 GiB in the result", |folder, _| {
        let source = "char all[8ull << 30] = { 1 };\nint main(void) { return all[0]; }\n";
        sources(folder, &[("bot.c", source)], "gcc -mcmodel=large -o bot bot.c", &[SHORT, SMALL])
    })
    .with("gcc")
    .ends(FAILS),
    built(70, "build-steals-a-key", "secrets: a build that copies a key into its result", |folder, facts| {
        script(folder, &format!("cp '{}' stolen", facts.key().display()))
    })
    .ends(FAILS),
    built(70, "build-writes-the-home", "the files of whoever builds: shells' start files", |folder, facts| {
        script(folder, &format!("echo planted > '{}/.bashrc'", facts.home().display()))
    })
    .ends(FAILS),
    built(70, "build-calls-home", "the network: a build that connects", |folder, facts| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], &format!("bash -c 'echo hello > /dev/tcp/127.0.0.1/{}'", facts.tcp), &[])
    })
    .with("bash")
    .ends(FAILS),
    built(70, "build-leaves-a-daemon", "the end: a process that outlives its build", |folder, facts| {
        script(folder, &format!("(setsid sh -c ': {}; sleep 60' &) ; true", facts.row))
    })
    .ends(CONTAINED),
    built(70, "build-never-ends", "the time of whoever builds: sleep", |folder, _| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], "sleep 1000", &[SHORT])
    })
    .ends(FAILS),
    built(70, "build-falls-silent", "the time of whoever builds: sleep, with its log closed", |folder, _| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], "exec >&- 2>&-; sleep 1000", &[SHORT])
    })
    .ends(FAILS),
    built(70, "build-forks", "the number of processes: two hundred from a build", |folder, _| {
        script(folder, "for n in $(seq 200); do sleep 5 & done; true")
    })
    .ends(CONTAINED),
    built(70, "build-changes-rights", "the files of whoever builds: who may read them", |folder, facts| {
        script(folder, &format!("chmod 777 '{}'", facts.key().display()))
    })
    .needs(Isolation::Full)
    .ends(FAILS),
    built(71, "build-floods-its-log", "memory of whoever shows it: a log without end", |folder, _| {
        sources(folder, &[("bot.sh", "#!/bin/sh\n")], "yes", &[SHORT])
    })
    .ends(FAILS),
    built(72, "link-as-a-result", "files outside: a result that is a link", |folder, facts| {
        script(folder, &format!("rm -f bot.sh && ln -s '{}' bot.sh", facts.key().display()))
    })
    .ends(CONTAINED),
    built(72, "pipe-as-a-result", "whoever keeps it: a result that is a named pipe", |folder, _| {
        script(folder, "rm -f bot.sh && mkfifo bot.sh")
    })
    .ends(CONTAINED),
    built(72, "huge-result", "disks: a result of 900 MiB of nothing", |folder, _| {
        script(folder, "truncate -s 900M ballast")
    })
    .ends(FAILS),
    Kind::submits(76, "replay-of-brackets", "whoever reads replays: brackets without end", |folder, _| {
        archive(folder, "game.jsonl", "[".repeat(4 << 20).as_bytes())
    })
    .ends(TURNED_AWAY),
    Kind::submits(76, "replay-of-one-line", "memory of whoever reads replays: one line of 64 MiB", |folder, _| {
        archive(folder, "game.jsonl", "{\"agon\": \"".repeat(7 << 20).as_bytes())
    })
    .ends(TURNED_AWAY),
];

/// A time that is soon up.
const SHORT: &str = "build-seconds = 2";
/// Less memory than a build usually has.
const SMALL: &str = "build-memory-mib = 512";

const fn built(
    number: u8,
    name: &'static str,
    attacks: &'static str,
    submit: fn(&Path, &Facts) -> io::Result<PathBuf>,
) -> Kind {
    Kind::submits(number, name, attacks, submit).needs(Isolation::Restricted)
}

/// An archive of these bytes.
fn archive(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(name);
    fs::write(&path, bytes)?;
    Ok(path)
}

/// A folder with a script that is a bot, and what its build does.
fn script(folder: &Path, build: &str) -> io::Result<PathBuf> {
    sources(folder, &[("bot.sh", "#!/bin/sh\n")], build, &[])
}

/// A folder with sources, and what their build does.
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
