//! The script: what the helper gets to know before it starts a program, as bytes on its stdin.

use agon_spec::Isolation;
use std::{
    ffi::{OsStr, OsString},
    io::{self, Read},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// The first bytes of a script. A helper that was started by mistake recognises the error by them.
const MAGIC: &[u8; 8] = b"agon-in1";
/// The most bytes of a script. No command line that the system accepts is longer.
const MOST: u32 = 4 << 20;

/// Everything that the helper must know for a start. All paths are absolute, and the shown ones are canonical.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Script {
    pub level: Isolation,
    /// The ID of the process that asks for the start. The new process dies with it.
    pub parent: u32,
    /// Whether to set up the sandbox and end, without executing a program.
    pub trial: bool,
    /// The file to execute.
    pub program: PathBuf,
    /// The file that the program interprets and must be able to read.
    pub interpreted: Option<PathBuf>,
    /// The arguments of the program. The first is its name.
    pub words: Vec<OsString>,
    /// All environment variables of the program.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory.
    pub dir: PathBuf,
    /// The files and folders that the program may read.
    pub shown: Vec<PathBuf>,
    /// Links to make: other names of shown files and folders, each with its target.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders that must exist but are empty, because a path to a shown file leads through them.
    pub folders: Vec<PathBuf>,
    /// The folders of the control groups to join.
    pub cgroups: Vec<PathBuf>,
    /// The armed fault as two numbers. Zeroes mean none.
    #[cfg(feature = "faults")]
    pub fault: (u32, u32),
    pub limits: ScriptLimits,
    pub work: Option<ScriptWork>,
}

/// The limits of [`Confinement`](crate::Confinement).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScriptLimits {
    pub memory_mib: Option<u32>,
    pub reserved_mib: u32,
    pub processes: u32,
    pub threads: u32,
    /// Of a program that is not confined, the soft limit; [`u32::MAX`] leaves it as it is.
    pub open_files: u32,
    pub file_mib: u32,
    pub scratch_mib: u32,
}

/// The folder that a job works in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScriptWork {
    /// The folder to copy. The helper copies it only at full isolation.
    pub from: PathBuf,
    pub at: PathBuf,
    pub mib: u32,
    /// The most MiB to send back at the end. The helper sends files only at full isolation.
    pub keep_mib: u32,
    /// The most files to send back at the end.
    pub keep_files: u32,
}

impl Script {
    /// Whether the program is not confined: it has the rights, the limits and the open files of the user.
    pub(crate) fn is_free(&self) -> bool {
        self.level == Isolation::None && self.work.is_none()
    }

    /// The bytes as they are sent.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder(Vec::new());
        out.number(u32::from(Isolation::ALL.iter().position(|level| *level == self.level).unwrap_or(0) as u8));
        out.number(self.parent);
        out.number(u32::from(self.trial));
        out.path(&self.program);
        out.list(self.interpreted.as_slice(), |out, path| out.path(path));
        out.list(&self.words, |out, word| out.text(word));
        out.list(&self.environment, |out, (name, value)| {
            out.text(name);
            out.text(value);
        });
        out.path(&self.dir);
        out.list(&self.shown, |out, path| out.path(path));
        out.list(&self.links, |out, (name, path)| {
            out.path(name);
            out.path(path);
        });
        out.list(&self.folders, |out, path| out.path(path));
        out.list(&self.cgroups, |out, path| out.path(path));
        #[cfg(feature = "faults")]
        {
            out.number(self.fault.0);
            out.number(self.fault.1);
        }
        let limits = self.limits;
        out.number(limits.memory_mib.unwrap_or(0));
        out.number(limits.reserved_mib);
        for number in [limits.processes, limits.threads, limits.open_files, limits.file_mib, limits.scratch_mib] {
            out.number(number);
        }
        out.list(self.work.as_slice(), |out, work| {
            out.path(&work.from);
            out.path(&work.at);
            [work.mib, work.keep_mib, work.keep_files].into_iter().for_each(|number| out.number(number));
        });
        let body = out.0;
        [MAGIC, &(body.len() as u32).to_le_bytes()[..], &body].concat()
    }

    /// Reads a script from a stream, and not one byte more, because what follows is the program's input.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 12];
        from.read_exact(&mut head)?;
        let (magic, length) = head.split_at(8);
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
        if magic != MAGIC || length > MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the input does not begin with a script"));
        }
        let mut body = vec![0; length as usize];
        from.read_exact(&mut body)?;
        let mut rest = Decoder(&body);
        let script = rest.script().filter(|_| rest.0.is_empty());
        script.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the script is cut off or too long"))
    }
}

struct Encoder(Vec<u8>);

impl Encoder {
    fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &OsStr) {
        self.number(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn path(&mut self, path: &Path) {
        self.text(path.as_os_str());
    }

    fn list<T>(&mut self, items: &[T], one: impl Fn(&mut Self, &T)) {
        self.number(items.len() as u32);
        items.iter().for_each(|item| one(self, item));
    }
}

struct Decoder<'a>(&'a [u8]);

impl Decoder<'_> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<OsString> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(OsString::from_vec(text.to_vec()))
    }

    fn path(&mut self) -> Option<PathBuf> {
        self.text().map(PathBuf::from)
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // Every item takes at least four bytes, so that a false count ends soon.
        (0..count).map(|_| one(self)).collect()
    }

    fn script(&mut self) -> Option<Script> {
        Some(Script {
            level: *Isolation::ALL.get(self.number()? as usize)?,
            parent: self.number()?,
            trial: self.number()? != 0,
            program: self.path()?,
            interpreted: self.list(Self::path)?.pop(),
            words: self.list(Self::text)?,
            environment: self.list(|from| Some((from.text()?, from.text()?)))?,
            dir: self.path()?,
            shown: self.list(Self::path)?,
            links: self.list(|from| Some((from.path()?, from.path()?)))?,
            folders: self.list(Self::path)?,
            cgroups: self.list(Self::path)?,
            #[cfg(feature = "faults")]
            fault: (self.number()?, self.number()?),
            limits: ScriptLimits {
                memory_mib: Some(self.number()?).filter(|mib| *mib > 0),
                reserved_mib: self.number()?,
                processes: self.number()?,
                threads: self.number()?,
                open_files: self.number()?,
                file_mib: self.number()?,
                scratch_mib: self.number()?,
            },
            work: self.list(Self::work)?.pop(),
        })
    }

    fn work(&mut self) -> Option<ScriptWork> {
        Some(ScriptWork {
            from: self.path()?,
            at: self.path()?,
            mib: self.number()?,
            keep_mib: self.number()?,
            keep_files: self.number()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Script {
        Script {
            level: Isolation::Full,
            parent: 77,
            trial: false,
            program: "/usr/bin/python3".into(),
            interpreted: Some("/home/me/bots/my bot.py".into()),
            words: vec!["python3".into(), "my bot.py".into(), OsString::from_vec(vec![0xff, b'\n'])],
            environment: vec![("PATH".into(), "/usr/bin".into()), ("EMPTY".into(), "".into())],
            dir: "/home/me/bots".into(),
            shown: vec!["/home/me/bots".into()],
            links: vec![("/b".into(), "/home/me/bots".into())],
            folders: vec!["/home/me/x".into()],
            cgroups: vec![],
            #[cfg(feature = "faults")]
            fault: (7, 7),
            limits: ScriptLimits {
                memory_mib: Some(400),
                reserved_mib: 4096,
                processes: 1,
                threads: 64,
                open_files: 256,
                file_mib: 16,
                scratch_mib: 16,
            },
            work: Some(ScriptWork { from: "/a".into(), at: "/work".into(), mib: 9, keep_mib: 8, keep_files: 7 }),
        }
    }

    #[test]
    fn a_script_is_read_to_its_end_and_no_further() {
        for script in [
            example(),
            Script { work: None, interpreted: None, trial: true, level: Isolation::Restricted, ..example() },
        ] {
            let sent = [script.encode(), b"first prompt\n".to_vec()].concat();
            let mut stream = &sent[..];
            assert_eq!(Script::read(&mut stream).expect("whole"), script);
            assert_eq!(stream, b"first prompt\n");
        }
    }

    #[test]
    fn no_damage_is_taken_for_a_script_or_panics() {
        let sent = example().encode();
        for cut in 0..sent.len() {
            assert!(Script::read(&mut &sent[..cut]).is_err());
        }
        for at in 0..sent.len() {
            let mut bent = sent.clone();
            bent[at] ^= 0xff;
            let _ = Script::read(&mut &bent[..]);
        }
        assert!(Script::read(&mut &b"play\n        "[..]).is_err());
    }
}
