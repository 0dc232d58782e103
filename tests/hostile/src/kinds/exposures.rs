//! Attacks on what a match writes: a bot that looks for the seed and for answers in every folder around its own.

use super::storage::c_path;
use crate::{Kind, kind::End, poisoning::Poisoning};
use agon_spec::Isolation;
use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{OpenOptionsExt, symlink},
    path::{Path, PathBuf},
};

/// The promise that all of them try to break.
const PROMISE: u8 = 8;
/// Agon starts no match in which the bot could read the file.
const REFUSED: &[End] = &[End::Rejected];
/// What the bot writes to its stderr about each file with the seed or an answer.
const FOUND: &str = "FOUND";

/// The bot looks before each of its answers, and then passes. It needs no other program.
const SPY: &str = r#"look() {
    for found in "$1"/*; do
        if [ -d "$found" ]; then
            look "$found"
        elif [ -f "$found" ] && [ -r "$found" ]; then
            while IFS= read -r line; do
                case $line in *'"seed":5190''27'* | *'"stream":"''in"'*) echo "FOUND $found" >&2 ;; esac
            done < "$found"
        fi
    done
}
while read -r prompt; do
    if [ "$prompt" = . ]; then
        look "$1"
        echo .
    fi
done
"#;

pub const KINDS: &[Kind] = &[
    exposure("reads-a-transcript", "secrets: a transcript in its own folder", |it| {
        let ground = Ground::new(it)?;
        ground.refused("--transcript", &ground.bots.join("t.txt"))
    })
    .ends(REFUSED),
    exposure("reads-a-replay", "secrets: a replay that a link leads into its own folder", |it| {
        let ground = Ground::new(it)?;
        let link = ground.out.join("r.jsonl");
        symlink("../bots/r.jsonl", &link)?;
        ground.refused("--replay", &link)
    })
    .ends(REFUSED),
    exposure("reads-another-name", "secrets: a transcript that has another name in its own folder", |it| {
        let ground = Ground::new(it)?;
        let file = ground.out.join("t.txt");
        File::create(&file)?;
        fs::hard_link(&file, ground.bots.join("t.txt"))?;
        ground.refused("--transcript", &file)
    })
    .ends(REFUSED),
    exposure("reads-a-pipe", "secrets: a transcript that goes into a named pipe in its own folder", |it| {
        let ground = Ground::new(it)?;
        let pipe = ground.bots.join("t.txt");
        let path = c_path(&pipe);
        // SAFETY: the path ends with a NUL.
        if unsafe { libc::mkfifo(path.as_ptr(), 0o666) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // A writer does not wait while somebody has it open for reading.
        let _reader = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&pipe)?;
        ground.refused("--transcript", &pipe)
    })
    .ends(REFUSED),
    exposure("searches-for-a-replay", "secrets: a replay and a transcript in the folder beside its own", |it| {
        let ground = Ground::new(it)?;
        let (code, said) =
            ground.play(&[("--replay", &ground.out.join("r.jsonl")), ("--transcript", &ground.out.join("t.txt"))])?;
        let written = ["r.jsonl", "t.txt"].iter().all(|name| ground.out.join(name).exists());
        Ok((code != Some(0) || !written || said.contains(FOUND)).then_some(said))
    })
    .ends(&[End::Plays]),
];

const fn exposure(
    name: &'static str,
    attacks: &'static str,
    attack: fn(&Poisoning<'_>) -> io::Result<Option<String>>,
) -> Kind {
    Kind::poisoning(47, name, attacks, attack).needs(Isolation::Restricted).issue(PROMISE)
}

/// A folder with the bot, and one beside it.
struct Ground<'a> {
    it: &'a Poisoning<'a>,
    bots: PathBuf,
    out: PathBuf,
}

impl<'a> Ground<'a> {
    fn new(it: &'a Poisoning<'a>) -> io::Result<Self> {
        let (bots, out) = (it.folder("bots")?, it.folder("out")?);
        fs::write(bots.join("spy.sh"), SPY)?;
        Ok(Self { it, bots, out })
    }

    /// Plays a match that writes these files. Returns the exit code, and what was printed on stderr.
    fn play(&self, files: &[(&str, &Path)]) -> io::Result<(Option<i32>, String)> {
        let (spy, around) = (self.bots.join("spy.sh"), self.bots.join(".."));
        let bot = format!("spy=sh '{}' '{}'", spy.display(), around.display());
        let words = ["grid", &bot, "@random", "--seed", "519027", "--rounds", "60", "--time", "move=20s", "--stderr"];
        let files = files.iter().flat_map(|(option, path)| [OsStr::new(*option), path.as_os_str()]);
        let output = self.it.play(words.map(OsStr::new).into_iter().chain(files))?;
        Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// Plays a match that must be refused because of one file. Returns the harm if it was not.
    fn refused(&self, option: &str, path: &Path) -> io::Result<Option<String>> {
        let (code, said) = self.play(&[(option, path)])?;
        Ok((code != Some(1) || !said.contains("could read it while it plays")).then_some(said))
    }
}
