//! The process of a bot: this program, started again with a special first argument.

use crate::{
    bot::End,
    cache::Compiled,
    engine::{Engine, ModuleError},
    random::Random,
    streams::Standard,
};
use agon_spec::Fuel;
use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The first argument of a program that was started for a bot. It is not a command, and no help text mentions it.
const WORD: &str = "wasm-host";
const COMPILE: &str = "compile";
const PLAY: &str = "play";
/// The exit code of a compiler that refuses the module. Its stderr has the reason on the first line and a hint on the
/// second. A compiler that panics, or is killed at a limit, ends in another way.
const REFUSED: i32 = 3;

/// The task for which a process was started.
#[derive(Clone, Debug)]
pub struct Host(Task);

#[derive(Clone, Debug)]
enum Task {
    /// Compile this module into this folder and print the path of the result.
    Compile {
        module: PathBuf,
        folder: PathBuf,
    },
    Play {
        compiled: Compiled,
        fuel: Fuel,
        memory_mib: u32,
        random: Random,
    },
}

impl Host {
    /// Returns the task if this process was started as a host. `None` otherwise.
    #[must_use]
    pub fn asked_for() -> Option<Self> {
        let mut words = env::args_os().skip(1);
        if words.next()? != WORD {
            return None;
        }
        Self::parse(&words.collect::<Vec<_>>())
    }

    fn parse(words: &[OsString]) -> Option<Self> {
        match words {
            [task, module, folder] if task == COMPILE => {
                Some(Self(Task::Compile { module: module.into(), folder: folder.into() }))
            }
            [task, compiled, fuel, memory, key] if task == PLAY => Some(Self(Task::Play {
                compiled: Compiled::at(compiled.into()),
                fuel: fuel.to_str()?.parse().ok()?,
                memory_mib: memory.to_str()?.parse().ok()?,
                random: Random::of_key(unhex(key.to_str()?)?),
            })),
            _ => None,
        }
    }

    /// Returns the command that starts the program at `ourselves` as the host of a bot. The streams of the bot are its
    /// stdin, stdout and stderr. It reads no files except itself and the compiled module.
    #[must_use]
    pub fn words(ourselves: &Path, compiled: &Compiled, fuel: Fuel, memory_mib: u32, random: &Random) -> Vec<OsString> {
        let key: String = random.key().iter().map(|byte| format!("{byte:02x}")).collect();
        let path = compiled.path().as_os_str().to_owned();
        let (fuel, memory) = (fuel.to_string(), memory_mib.to_string());
        vec![ourselves.into(), WORD.into(), PLAY.into(), path, fuel.into(), memory.into(), key.into()]
    }

    /// Compiles the module in a file, unless `folder` already has the result. Only this user may be able to write to that
    /// folder. The program at `ourselves` is started again for this, so that the compiler does not use the time and memory
    /// of a referee. `warn` is called if a result in the folder cannot be used.
    ///
    /// # Errors
    /// If the file cannot be read, the module cannot be played, or the compiler exceeds its limits.
    pub fn compile(
        ourselves: &Path,
        module: &Path,
        folder: &Path,
        warn: &mut dyn FnMut(String),
    ) -> Result<Compiled, ModuleError> {
        let mut command = Command::new(ourselves);
        command.args([OsStr::new(WORD), OsStr::new(COMPILE), module.as_os_str(), folder.as_os_str()]);
        command.stdin(Stdio::null());
        let done = command.output().map_err(|why| ModuleError::new(format!("cannot start the compiler: {why}"), ""))?;
        if done.status.success() {
            String::from_utf8_lossy(&done.stderr).lines().for_each(|line| warn(line.to_owned()));
            let path = done.stdout.strip_suffix(b"\n").unwrap_or(&done.stdout);
            return Ok(Compiled::at(OsStr::from_bytes(path).into()));
        }
        let said = String::from_utf8_lossy(&done.stderr);
        match (done.status.code(), said.split_once('\n')) {
            (Some(REFUSED), Some((what, hint))) => {
                Err(ModuleError { what: what.to_owned(), hint: hint.trim_end().to_owned() })
            }
            _ => Err(ModuleError::new(
                format!("the compiler took too much time or memory ({})", done.status),
                "build it with optimisation and without debug information",
            )),
        }
    }

    /// Performs the task and returns the exit code. If a bot fails, the last line on stderr says why.
    #[must_use]
    pub fn run(self) -> u8 {
        let mut warn = |text: String| drop(writeln!(io::stderr(), "{}", text.replace('\n', " ")));
        match self.0 {
            Task::Compile { module, folder } => match Compiled::of(&module, &folder, &mut warn) {
                Ok(compiled) => {
                    let mut out = io::stdout().lock();
                    let written =
                        out.write_all(compiled.path().as_os_str().as_bytes()).and_then(|()| out.write_all(b"\n"));
                    u8::from(written.and_then(|()| out.flush()).is_err())
                }
                Err(why) => {
                    let _ = writeln!(io::stderr(), "{}\n{}", why.what.replace('\n', " "), why.hint);
                    REFUSED as u8
                }
            },
            Task::Play { compiled, fuel, memory_mib, random } => {
                let engine = Engine::new();
                let bot = engine.as_ref().map_err(Clone::clone).and_then(|engine| compiled.load(engine));
                let end = match bot {
                    Ok(bot) => bot.play(fuel, memory_mib, random, Standard),
                    Err(why) => End::ModuleError(why),
                };
                if !matches!(end, End::Done(_)) {
                    let _ = writeln!(io::stderr(), "{}", end.to_string().replace('\n', " "));
                }
                end.code()
            }
        }
    }
}

/// Parses 64 hexadecimal digits as 32 bytes.
fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_host_say_what_it_is_to_do() {
        let (compiled, fuel) = (Compiled::at("/cache/x".into()), Fuel { turn: 5_000, start: 7 });
        let random = Random::new(3, 1);
        let words = Host::words(Path::new("/bin/agon"), &compiled, fuel, 64, &random);
        assert_eq!(words[..6], ["/bin/agon", "wasm-host", "play", "/cache/x", "5k,start=7", "64"].map(OsString::from));
        let Some(Host(Task::Play { compiled: found, fuel: read, memory_mib, random: same })) = Host::parse(&words[2..])
        else {
            panic!("{words:?}");
        };
        assert_eq!((found, read, memory_mib, same.key()), (compiled, fuel, 64, random.key()));
        let compile = ["compile", "/bot.wasm", "/cache"].map(OsString::from);
        assert!(matches!(Host::parse(&compile), Some(Host(Task::Compile { .. }))));
        for bad in [&words[2..6], &words[3..], &compile[..2], &[][..]] {
            assert!(Host::parse(bad).is_none(), "{bad:?}");
        }
    }
}
