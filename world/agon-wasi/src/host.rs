//! The process of a bot: this program started anew, with a first word of its own.

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

/// The first word of a program that was started for a bot. No command: no help mentions it.
const WORD: &str = "wasm-host";
const COMPILE: &str = "compile";
const PLAY: &str = "play";
/// The exit code of a compiler that has refused the module: why is on its stderr, and in the next line what helps. A
/// compiler that panics, or is killed at a limit, ends in another way.
const REFUSED: i32 = 3;

/// What a process was started for.
#[derive(Clone, Debug)]
pub struct Host(Task);

#[derive(Clone, Debug)]
enum Task {
    /// Compile this module and print where the result is.
    Compile(PathBuf),
    Play {
        compiled: Compiled,
        fuel: Fuel,
        memory_mib: u32,
        random: Random,
    },
}

impl Host {
    /// The host that this process was started as, if it was.
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
            [task, module] if task == COMPILE => Some(Self(Task::Compile(module.into()))),
            [task, compiled, fuel, memory, key] if task == PLAY => Some(Self(Task::Play {
                compiled: Compiled::at(compiled.into()),
                fuel: fuel.to_str()?.parse().ok()?,
                memory_mib: memory.to_str()?.parse().ok()?,
                random: Random::of_key(unhex(key.to_str()?)?),
            })),
            _ => None,
        }
    }

    /// The words that start the program at `ourselves` as the host of a bot, with its streams on stdin, stdout and
    /// stderr. It reads nothing but itself and the compiled module.
    #[must_use]
    pub fn words(ourselves: &Path, compiled: &Compiled, fuel: Fuel, memory_mib: u32, random: &Random) -> Vec<OsString> {
        let key: String = random.key().iter().map(|byte| format!("{byte:02x}")).collect();
        let path = compiled.path().as_os_str().to_owned();
        let (fuel, memory) = (fuel.to_string(), memory_mib.to_string());
        vec![ourselves.into(), WORD.into(), PLAY.into(), path, fuel.into(), memory.into(), key.into()]
    }

    /// Compiles the module in a file, unless that was done before: by the program at `ourselves`, started anew, so that
    /// neither the time nor the memory that it takes is that of a referee.
    ///
    /// # Errors
    /// It cannot be read or played, or the compiler took too much.
    pub fn compile(ourselves: &Path, module: &Path) -> Result<Compiled, ModuleError> {
        let mut command = Command::new(ourselves);
        command.args([OsStr::new(WORD), OsStr::new(COMPILE), module.as_os_str()]).stdin(Stdio::null());
        let done = command.output().map_err(|why| ModuleError::new(format!("cannot start the compiler: {why}"), ""))?;
        if done.status.success() {
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

    /// Does it, and returns the exit code. What a person must know of the end of a bot is the last line of its stderr.
    #[must_use]
    pub fn run(self) -> u8 {
        match self.0 {
            Task::Compile(module) => match Compiled::of(&module) {
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

/// The 32 bytes that 64 hexadecimal digits mean.
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
        for bad in [&words[2..6], &words[3..], &[][..]] {
            assert!(Host::parse(bad).is_none(), "{bad:?}");
        }
    }
}
