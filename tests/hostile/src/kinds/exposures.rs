//! Attacks on what a match writes: a bot that looks for the seed and for answers in every folder around its own.

use super::storage::c_path;
use crate::{Kind, kind::End, poisoning::Poisoning};
use agon_spec::Isolation;
use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{OpenOptionsExt, symlink},
    path::{Path, PathBuf},
};

/// The promise that all of them try to break.
const PROMISE: u8 = 8;
/// The match is played, and its file is there when the bot has ended.
const PLAYED: &[End] = &[End::Plays];
/// The size of a pipe, in bytes.
const PIPE: usize = 1 << 20;
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
        ground.written("--transcript", &ground.bots.join("t.txt"))
    })
    .ends(PLAYED),
    exposure("reads-a-replay", "secrets: a replay that a link leads into its own folder", |it| {
        let ground = Ground::new(it)?;
        let link = ground.out.join("r.jsonl");
        symlink("../bots/r.jsonl", &link)?;
        ground.written("--replay", &link)
    })
    .ends(PLAYED),
    exposure("reads-another-name", "secrets: a transcript that has another name in its own folder", |it| {
        let ground = Ground::new(it)?;
        let file = ground.out.join("t.txt");
        File::create(&file)?;
        fs::hard_link(&file, ground.bots.join("t.txt"))?;
        ground.written("--transcript", &file)
    })
    .ends(PLAYED),
    exposure("reads-a-pipe", "secrets: a transcript that goes into a named pipe in its own folder", |it| {
        let ground = Ground::new(it)?;
        let pipe = ground.bots.join("t.txt");
        let path = c_path(&pipe);
        // SAFETY: the path ends with a NUL.
        if unsafe { libc::mkfifo(path.as_ptr(), 0o666) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // A writer does not wait while somebody has it open for reading, and there is room for the whole transcript.
        let reader = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&pipe)?;
        rustix::pipe::fcntl_setpipe_size(&reader, PIPE)?;
        let harm = ground.written("--transcript", &pipe)?;
        let came = (&reader).read(&mut [0])?;
        Ok(harm.or_else(|| (came == 0).then(|| "nothing came".to_owned())))
    })
    .ends(PLAYED),
    exposure("searches-for-a-replay", "secrets: a replay and a transcript in the folder beside its own", |it| {
        let ground = Ground::new(it)?;
        let (code, said) =
            ground.play(&[("--replay", &ground.out.join("r.jsonl")), ("--transcript", &ground.out.join("t.txt"))])?;
        let written = ["r.jsonl", "t.txt"].iter().all(|name| ground.out.join(name).exists());
        Ok((code != Some(0) || !written || said.contains(FOUND)).then_some(said))
    })
    .ends(PLAYED),
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

    /// Plays a match that writes a file which the bot could read at its place. Returns the harm if it found the file, or if
    /// nothing was written.
    fn written(&self, option: &str, path: &Path) -> io::Result<Option<String>> {
        let (code, said) = self.play(&[(option, path)])?;
        let about = fs::metadata(path)?;
        Ok((code != Some(0) || about.is_file() && about.len() == 0 || said.contains(FOUND)).then_some(said))
    }
}
