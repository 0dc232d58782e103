//! Attacks on what Agon keeps of builds: a submission that changes the result for somebody else's, a folder that changes
//! while it is copied, and a cache that others can write to.

use crate::{
    Kind,
    kind::End,
    poisoning::{POISON, Poisoning, has_poison},
};
use agon_spec::Isolation;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::Value;
use std::{
    ffi::CString,
    fs::{self, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{OpenOptionsExt, PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// An honest user gets what an honest build gives.
const UNPOISONED: &[End] = &[End::Unpoisoned];
/// The promise that all of them try to break.
const PROMISE: u8 = 5;
/// How often a folder is built that changes meanwhile.
const ATTEMPTS: u32 = 24;

const CHAMPION: &str = "#include \"prologin.h\"\nvoid partie_init(void) {}\nvoid jouer_tour(void) {}\n\
                        void partie_fin(void) {}\n";

pub const KINDS: &[Kind] = &[
    champion(
        "champion-header-as-a-link",
        "the cache of champions: a header that exists only inside the sandbox",
        |it| {
            let evil = champion_in(it, "evil")?;
            fs::write(evil.join(".h"), poisoned_header())?;
            // Outside, there is no folder `include` where Agon works.
            symlink(format!("/proc/self/cwd/include/../..{}/.h", evil.display()), evil.join("prologin.h"))?;
            it.play_champion(&evil)?;
            honest_champion(it)
        },
    ),
    champion("champion-header-as-a-pipe", "the cache of champions: a header that is a named pipe", |it| {
        let evil = champion_in(it, "evil")?;
        let pipe = evil.join("prologin.h");
        let path = c_path(&pipe)?;
        // SAFETY: the path ends with a NUL.
        if unsafe { libc::mkfifo(path.as_ptr(), 0o666) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // Opened for both, so that neither side waits for the other.
        let mut pipe = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(pipe)?;
        pipe.write_all(poisoned_header().as_bytes())?;
        it.play_champion(&evil)?;
        honest_champion(it)
    }),
    champion("champion-hidden-header", "the cache of champions: a hidden header that a visible one includes", |it| {
        let include = "#include \".h\"\n";
        for (name, text) in [("evil", poisoned_header()), ("honest", "#include <api.h>\n".to_owned())] {
            let folder = champion_in(it, name)?;
            fs::write(folder.join("prologin.h"), include)?;
            fs::write(folder.join(".h"), text)?;
            it.play_champion(&folder)?;
        }
        let library = it.build_champion(&it.folder("last").and_then(|last| {
            fs::write(last.join("prologin.c"), CHAMPION)?;
            fs::write(last.join("prologin.h"), include)?;
            fs::write(last.join(".h"), "#include <api.h>\n")?;
            Ok(last)
        })?)?;
        Ok(has_poison(&library).then(|| "the honest champion has the header of another".to_owned()))
    }),
    poisoning("exchanges-a-folder-for-a-link", "secrets: a folder that becomes a link while Agon copies it", |it| {
        let bot = it.folder("bot")?;
        fs::write(bot.join("bot.py"), "print('hello')\n")?;
        let (folder, link) = (bot.join("data"), bot.join(".git"));
        fs::create_dir(&folder)?;
        fs::write(folder.join("id_secret"), "nothing")?;
        // Agon leaves the link out under this name, and so does not refuse the bot for it.
        symlink(it.facts().key().parent().unwrap_or(Path::new("/")), &link)?;
        let end = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !end.load(Ordering::Relaxed) && exchange(&folder, &link).is_ok() {
                    std::hint::spin_loop();
                }
            });
            let built = (0..ATTEMPTS).try_for_each(|_| it.submit(&bot));
            end.store(true, Ordering::Relaxed);
            built
        })?;
        Ok(None)
    }),
    poisoning("writes-to-a-kept-result", "the cache of builds: a kept file that everybody can write to", |it| {
        let bot = honest_bot(it)?;
        let (first, _) = it.build(&bot)?;
        let made = text(&first["folder"]).join("made");
        fs::set_permissions(&made, Permissions::from_mode(0o666))?;
        honest_again(it, &bot, &first)
    }),
    poisoning(
        "changes-a-kept-result",
        "the cache of builds: a kept file that the bot has changed while it ran",
        |it| {
            let bot = honest_bot(it)?;
            let (first, _) = it.build(&bot)?;
            fs::write(text(&first["folder"]).join("made"), format!("# {POISON}\n"))?;
            honest_again(it, &bot, &first)
        },
    ),
    poisoning("changes-a-kept-command", "the cache of builds: another command to run a kept bot", |it| {
        let bot = honest_bot(it)?;
        let (first, _) = it.build(&bot)?;
        let record = text(&first["folder"]).with_file_name("build.json");
        let words = fs::read_to_string(&record)?.replacen("./made", POISON, 1);
        fs::write(record, words)?;
        honest_again(it, &bot, &first)
    }),
    poisoning(
        "exchanges-kept-results",
        "the cache of builds: the result of another bot under the key of this one",
        |it| {
            let bot = honest_bot(it)?;
            let (first, _) = it.build(&bot)?;
            let evil = it.folder("evil")?;
            fs::write(evil.join("bot.sh"), format!("# {POISON}\n"))?;
            fs::copy(bot.join("agon.toml"), evil.join("agon.toml"))?;
            let (second, _) = it.build(&evil)?;
            let [first_entry, second_entry] = [&first, &second].map(|built| text(&built["folder"]).with_file_name(""));
            exchange(&first_entry, &second_entry)?;
            honest_again(it, &bot, &first)
        },
    ),
    poisoning("shares-a-cache", "the cache of builds: a folder around it that everybody can write to", |it| {
        let bot = honest_bot(it)?;
        let (first, _) = it.build(&bot)?;
        fs::set_permissions(it.cache(), Permissions::from_mode(0o777))?;
        let (second, said) = it.build(&bot)?;
        if second["kept"] != false || text(&second["folder"]).starts_with(it.cache()) {
            return Ok(Some("what lies where others can write was used".to_owned()));
        }
        if !said.contains("warning") {
            return Ok(Some("there was no warning".to_owned()));
        }
        drop(first);
        Ok(None)
    }),
];

const fn poisoning(
    name: &'static str,
    attacks: &'static str,
    attack: fn(&Poisoning<'_>) -> io::Result<Option<String>>,
) -> Kind {
    Kind::poisoning(72, name, attacks, attack).ends(UNPOISONED).issue(PROMISE)
}

const fn champion(
    name: &'static str,
    attacks: &'static str,
    attack: fn(&Poisoning<'_>) -> io::Result<Option<String>>,
) -> Kind {
    poisoning(name, attacks, attack).needs(Isolation::Restricted).tool("gcc")
}

/// A header with the poison that also has what champions need.
fn poisoned_header() -> String {
    format!("static const char poison[] __attribute__((used)) = \"{POISON}\";\n#include <api.h>\n")
}

/// Creates a champion's folder.
fn champion_in(it: &Poisoning<'_>, name: &str) -> io::Result<PathBuf> {
    let folder = it.folder(name)?;
    fs::write(folder.join("prologin.c"), CHAMPION)?;
    Ok(folder)
}

/// Builds an honest champion with the same sources. Returns the harm that was done to it.
fn honest_champion(it: &Poisoning<'_>) -> io::Result<Option<String>> {
    let library = it.build_champion(&champion_in(it, "honest")?)?;
    Ok(has_poison(&library).then(|| "the honest champion has the header of another".to_owned()))
}

/// Creates a bot whose build copies a script.
fn honest_bot(it: &Poisoning<'_>) -> io::Result<PathBuf> {
    let bot = it.folder("bot")?;
    fs::write(bot.join("bot.sh"), "echo hello\n")?;
    fs::write(bot.join("agon.toml"), "build = [\"cp\", \"bot.sh\", \"made\"]\nrun = [\"sh\", \"./made\"]\n")?;
    Ok(bot)
}

/// Builds the bot again after its result was tampered with. Returns the harm that was done to it.
fn honest_again(it: &Poisoning<'_>, bot: &Path, first: &Value) -> io::Result<Option<String>> {
    let (second, said) = it.build(bot)?;
    let made = fs::read(text(&second["folder"]).join("made"))?;
    if has_poison(&made) || second["run"] != first["run"] {
        return Ok(Some("the changed result was used".to_owned()));
    }
    if second["kept"] != false || !said.contains("warning") {
        return Ok(Some("the result was not built anew with a warning".to_owned()));
    }
    let (third, said) = it.build(bot)?;
    Ok((third["kept"] != true || said.contains("warning")).then(|| "the new result was not kept".to_owned()))
}

fn text(value: &Value) -> PathBuf {
    value.as_str().unwrap_or_default().into()
}

/// Exchanges what lies at two paths, in one step.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}
